/**
 * The sending side of `http`: requests a URL with the inputs and publishes what a JSON object answers (wire decision G68).
 * @module
 */
import type { NodeContext, NodeInstance, NodePort, Values } from '@flow-service/connector-sdk'
import { MAX_JSON_DEPTH } from '@flow-service/protocol'

import { isDeeper } from '../../json-depth.ts'
import { answerText, RequestFailure, requestTitle, within } from '../../outgoing-request.ts'
import { textOf } from '../../secret.ts'
import type { HttpSettings } from './settings.ts'

type Context = NodeContext<HttpSettings>

const MAX_REDIRECTS = 5
const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

interface Outgoing {
  /** How texts call it. */
  readonly title: string
  readonly url: URL
  readonly method: 'GET' | 'POST'
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
}

/** Request on each arrival. */
export function startSender(ctx: Context): NodeInstance {
  const { settings } = ctx
  const isPosted = settings.method === 'POST' && settings.send_inputs
  let fixed: Outgoing | null = null
  return {
    onInput(values) {
      // made once it is needed: a secret without a value fails the request, not the start
      fixed ??= requestOf(settings, {})
      if (isPosted) return exchange(ctx, { ...fixed, body: JSON.stringify(values) })
      return exchange(ctx, settings.send_inputs ? requestOf(settings, values) : fixed)
    },
  }
}

/** A request; `sent` are the inputs that its query has. */
function requestOf({ url, method, headers, query, send_inputs }: HttpSettings, sent: Values): Outgoing {
  const target = new URL(url)
  for (const [port, value] of Object.entries(sent)) {
    if (value !== null && value !== undefined) target.searchParams.set(port, queryText(value))
  }
  for (const [name, value] of Object.entries(query)) target.searchParams.set(name, textOf(value))
  const own = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), textOf(value)]))
  const typed = method === 'POST' && send_inputs ? { 'content-type': 'application/json', ...own } : own
  // what cannot change is read once by who sends it
  const title = requestTitle(method, target)
  return { title, url: target, method, headers: Object.freeze(typed), body: null }
}

const queryText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

const exchange = (ctx: Context, request: Outgoing): Promise<Values | undefined> =>
  within(ctx, { seconds: ctx.settings.timeout, title: request.title }, (signal) => answered(ctx, request, signal))

/** Redirects are followed here, so that each address passes the engine's egress rules. */
async function answered(ctx: Context, first: Outgoing, signal: AbortSignal): Promise<Values | undefined> {
  const { title } = first
  let request = first
  let response = await ask(ctx, request, signal)
  for (let hops = 0; ; hops++) {
    const location = redirects.has(response.status) ? response.headers.get('location') : null
    if (location === null) break
    await response.body?.cancel()
    if (hops === MAX_REDIRECTS)
      throw new RequestFailure('too_many_redirects', `${request.title} was redirected more than ${MAX_REDIRECTS} times`)
    request = redirected(request, new URL(location, request.url), response.status)
    // oxlint-disable-next-line no-await-in-loop -- one after the other is what a redirect is
    response = await ask(ctx, request, signal)
  }
  if (response.status >= 400) {
    await response.body?.cancel()
    throw new RequestFailure('http_status', `${title} answered ${response.status} ${response.statusText}`.trim())
  }
  return portsOf(ctx.outputs, answerIn(await answerText(response, title), title))
}

const ask = (ctx: Context, { url, method, headers, body }: Outgoing, signal: AbortSignal): Promise<Response> =>
  ctx.fetch(url.href, { method, headers, body, redirect: 'manual', signal })

/** As the Fetch standard has it ("HTTP-redirect fetch"); configured headers may be credentials and stay at their origin. */
function redirected({ url, method, headers, body }: Outgoing, next: URL, status: number): Outgoing {
  const kept = next.origin === url.origin ? headers : {}
  if (status < 307 && method === 'POST') {
    const { 'content-type': _, ...others } = kept
    return { title: requestTitle('GET', next), url: next, method: 'GET', headers: others, body: null }
  }
  const type = headers['content-type']
  const typed = body !== null && type ? { ...kept, 'content-type': type } : kept
  return { title: requestTitle(method, next), url: next, method, headers: typed, body }
}

/** Values of the ports that a JSON object names; nothing for any other answer. */
function portsOf(outputs: readonly NodePort[], answer: Values | null): Values | undefined {
  const named = outputs.filter(({ port }) => answer !== null && Object.hasOwn(answer, port))
  return named.length === 0 ? undefined : Object.fromEntries(named.map(({ port }) => [port, answer?.[port]]))
}

function answerIn(text: string, title: string): Values | null {
  let answer: unknown
  try {
    answer = JSON.parse(text)
  } catch {
    return null // Publishing nothing for such an answer is the rule.
  }
  if (isDeeper(answer, MAX_JSON_DEPTH))
    throw new RequestFailure('answer_too_large', `${title} answered more than ${MAX_JSON_DEPTH} levels of JSON`)
  return typeof answer === 'object' && answer !== null && !Array.isArray(answer) ? (answer as Values) : null
}
