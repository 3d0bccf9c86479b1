/**
 * `tsdb`: writes points to a bucket of InfluxDB 2, or reads them back (wire decision G71).
 * @module
 */
import { defineNode, type NodeContext, type Values } from '@flow-service/connector-sdk'

import { answerText, RequestFailure, requestTitle, within } from '../../outgoing-request.ts'
import { textOf } from '../../secret.ts'
import { tsdbFindings } from './findings.ts'
import { lineOf } from './line.ts'
import { fluxOf, type Row, rowsOf } from './query.ts'
import { type TsdbSettings, tsdbSettings } from './settings.ts'

type Context = NodeContext<TsdbSettings>

/** Characters of a server's complaint that a failure tells. */
const MAX_TOLD = 300

/** Writes each value, queries on each arrival. */
export const tsdbNode = defineNode({
  type: 'tsdb',
  title: 'Time series database',
  description:
    'Writes values to a bucket of InfluxDB 2, or queries it on each arrival; an object with "flux" brings its own query.',
  category: 'network',
  settings: tsdbSettings,
  arrival: 'each',
  check: tsdbFindings,

  start: (ctx) => ({
    onValue: (port, value) => handle(ctx, port, value),
    onTrigger: () => within(ctx, titleOf(ctx, QUERY), (signal) => queried(ctx, signal)),
  }),
})

const WRITE = 'api/v2/write'
const QUERY = 'api/v2/query'

async function handle(ctx: Context, port: string, value: unknown): Promise<Values | undefined> {
  const flux = ctx.outputs.length > 0 ? fluxIn(value) : null
  if (flux !== null) {
    const rows = await within(ctx, titleOf(ctx, QUERY), (signal) => rowsFor(ctx, flux, signal))
    return { [ctx.outputs[0]?.port ?? '']: { rows } }
  }
  const line = pointOf(ctx, port, value)
  if (line === null && ctx.outputs.length === 0) return undefined
  const path = line === null ? QUERY : WRITE
  return within(ctx, titleOf(ctx, path), async (signal) => {
    if (line !== null) await post(ctx, writeTo(ctx, line), signal)
    return queried(ctx, signal)
  })
}

function fluxIn(value: unknown): string | null {
  const flux = typeof value === 'object' && value !== null ? (value as { flux?: unknown }).flux : undefined
  return typeof flux === 'string' ? flux : null
}

function pointOf(ctx: Context, port: string, value: unknown): string | null {
  const { settings, inputs } = ctx
  const series = Object.hasOwn(settings.writes, port) ? settings.writes[port] : undefined
  if (series === undefined) return null
  const dtype = inputs.find((input) => input.port === port)?.dtype ?? 'any'
  return lineOf(series, { value, dtype }, { atMs: ctx.now(), precision: settings.write_precision })
}

/** The values of all queries side by side; an output whose query has no row stays silent. */
async function queried(ctx: Context, signal: AbortSignal): Promise<Values | undefined> {
  const { bucket, queries, query_range } = ctx.settings
  const found = await Promise.all(
    Object.entries(queries).map(async ([port, { range, ...query }]) => {
      const rows = await rowsFor(ctx, fluxOf(bucket, { ...query, range: range ?? query_range }), signal)
      return [port, rows.at(-1)?.value ?? null] as const
    }),
  )
  const values = found.filter(([, value]) => value !== null)
  return values.length === 0 ? undefined : Object.fromEntries(values)
}

async function rowsFor(ctx: Context, flux: string, signal: AbortSignal): Promise<Row[]> {
  const body = JSON.stringify({
    query: flux,
    type: 'flux',
    dialect: { annotations: ['datatype', 'default'], header: true, delimiter: ',' },
  })
  const csv = await post(ctx, { path: QUERY, query: {}, type: 'application/json', body }, signal)
  try {
    return rowsOf(csv)
  } catch (error) {
    throw new RequestFailure('bad_answer', `${titleOf(ctx, QUERY).title}: ${told(ctx, (error as Error).message)}`)
  }
}

interface Posted {
  readonly path: string
  readonly query: Readonly<Record<string, string>>
  readonly type: string
  readonly body: string
}

const writeTo = ({ settings: { bucket, write_precision } }: Context, line: string): Posted => ({
  path: WRITE,
  query: { bucket, precision: write_precision },
  type: 'text/plain; charset=utf-8',
  body: line,
})

/** The text of a successful answer. */
async function post(ctx: Context, { path, query, type, body }: Posted, signal: AbortSignal): Promise<string> {
  const { org, token } = ctx.settings
  const url = urlOf(ctx, path)
  url.search = new URLSearchParams({ org, ...query }).toString()
  const headers: Record<string, string> = { 'content-type': type }
  if (path === QUERY) headers['accept'] = 'application/csv'
  if (token !== null) headers['authorization'] = `Token ${textOf(token)}`
  const { title } = titleOf(ctx, path)
  const response = await ctx.fetch(url.href, { method: 'POST', headers, body, redirect: 'manual', signal })
  const text = await answerText(response, title)
  if (response.ok) return text
  const reason = told(ctx, messageIn(text))
  throw new RequestFailure('http_status', `${title} answered ${response.status}${reason && `: ${reason}`}`)
}

const urlOf = ({ settings: { url } }: Context, path: string): URL => new URL(path, url.endsWith('/') ? url : `${url}/`)

const titleOf = (ctx: Context, path: string) => ({
  seconds: ctx.settings.timeout,
  title: requestTitle('POST', urlOf(ctx, path)),
})

/** Servers say what is wrong as JSON with a message. */
function messageIn(text: string): string {
  try {
    const { message } = JSON.parse(text) as { message?: unknown }
    return typeof message === 'string' ? message : ''
  } catch {
    return ''
  }
}

/** A server's own words, without the token that it may repeat. */
function told({ settings: { token } }: Context, text: string): string {
  const safe = token === null ? text : text.replaceAll(textOf(token), '***')
  return safe.slice(0, MAX_TOLD).toWellFormed()
}
