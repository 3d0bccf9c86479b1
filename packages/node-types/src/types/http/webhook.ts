/**
 * The listening side of `http`: a request becomes one delivery (wire decision G68).
 * @module
 */
import {
  HookRefusal,
  type HookRequest,
  type NodeContext,
  type NodeInstance,
  type NodePort,
  type Values,
} from '@flow-service/connector-sdk'
import { type Dtype, MAX_JSON_DEPTH } from '@flow-service/protocol'

import { isDeeper } from '../../json-depth.ts'
import { textOf } from '../../secret.ts'
import { type HttpSettings, routeOf } from './settings.ts'

/** Mount the webhook until the node stops. A trigger publishes the values it brings. */
export function startWebhook(ctx: NodeContext<HttpSettings>): NodeInstance {
  const { method, secret, durable } = ctx.settings
  const word = secret === null ? null : textOf(secret)
  if (word === '') throw new Error('the secret of the webhook is empty; store a value for it')
  ctx.webhook({ path: routeOf(ctx.settings), secret: word, methods: [method] }, async (request) => {
    const values = isBytes(request) ? await stored(ctx, request) : fed(ctx.outputs, valueOf(request))
    if (ctx.signal.aborted) throw new HookRefusal('the flow stopped before the request was read')
    if (durable) await ctx.emitDurably(values)
    else ctx.emit(values)
  })
  return { onTrigger: (values) => values }
}

interface Arrival {
  readonly value: unknown
  /** Query and form: every value arrived as text, so that numeric ports have to read it. */
  readonly asText: boolean
}

const formType = 'application/x-www-form-urlencoded'
const isJson = (type: string): boolean => type === '' || type === 'application/json' || type.endsWith('+json')
const isBytes = ({ method, mediaType }: HookRequest): boolean =>
  method === 'POST' && mediaType !== formType && !isJson(mediaType) && !mediaType.startsWith('text/')

function valueOf({ method, mediaType, query, body }: HookRequest): Arrival {
  if (method === 'GET') return { value: query, asText: true }
  const text = decoded(body)
  if (mediaType === formType) return { value: Object.fromEntries(new URLSearchParams(text)), asText: true }
  return { value: isJson(mediaType) ? parsed(text) : text, asText: false }
}

function decoded(body: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body)
  } catch {
    throw new HookRefusal('the body is not valid UTF-8')
  }
}

function parsed(text: string): unknown {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new HookRefusal(`the body is not valid JSON: ${(error as Error).message}`)
  }
  if (isDeeper(value, MAX_JSON_DEPTH)) throw new HookRefusal(`the body is nested deeper than ${MAX_JSON_DEPTH} levels`)
  return value
}

/** An object feeds the ports it names; a single output takes anything else whole. */
function fed(outputs: readonly NodePort[], { value, asText }: Arrival): Values {
  const object = typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Values) : {}
  const named = outputs.filter(({ port }) => Object.hasOwn(object, port))
  const read = (dtype: Dtype, item: unknown): unknown => (asText ? numberIn(dtype, item) : item)
  if (named.length > 0) return Object.fromEntries(named.map(({ port, dtype }) => [port, read(dtype, object[port])]))
  const [only, ...more] = outputs
  if (only && more.length === 0) return { [only.port]: value }
  throw new HookRefusal(`the request names none of the outputs ${outputs.map(({ port }) => `"${port}"`).join(', ')}`)
}

/** The grammar of JSON (RFC 8259, section 6). */
const jsonNumber = /^-?(?:0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/

/** What no number of JSON is, or would be read as another one, stays a text. */
function numberIn(dtype: Dtype, text: unknown): unknown {
  if ((dtype !== 'float' && dtype !== 'int') || typeof text !== 'string') return text
  const [literal, fraction, exponent] = jsonNumber.exec(text) ?? []
  const number = literal === undefined ? Number.NaN : Number(literal)
  if (literal === undefined || !Number.isFinite(number)) return text
  return fraction === undefined && exponent === undefined && BigInt(number) !== BigInt(literal) ? text : number
}

const takes: Partial<Record<Dtype, RegExp>> = {
  image: /^image\//,
  media: /^(image|audio|video)\//,
  artifact: /^/,
}

/** Bytes are stored, in the engine's memory unless they have to last, and their reference feeds every port that takes the media type. */
async function stored(ctx: NodeContext<HttpSettings>, { mediaType, body }: HookRequest): Promise<Values> {
  const ports = ctx.outputs.filter(({ dtype }) => takes[dtype]?.test(mediaType))
  if (ports.length === 0) throw new HookRefusal(`no output takes a body of type ${mediaType}`)
  const ref = await ctx.saveArtifact(body, { mediaType, volatile: !ctx.settings.durable })
  return Object.fromEntries(ports.map(({ port }) => [port, ref]))
}
