/**
 * The sending side of `http`: requests a URL with the inputs and publishes what a JSON object answers (wire decision G68).
 * @module
 */
import type { NodeContext, NodeInstance, NodePort, Values } from '@flow-service/connector-sdk'
import { MAX_JSON_DEPTH } from '@flow-service/protocol'

import type { HttpSettings } from './http-settings.ts'
import { isDeeper } from './json-depth.ts'
import { answerText, RequestFailure, requestTitle, within } from './outgoing-request.ts'
import { textOf } from './secret.ts'

type Context = NodeContext<HttpSettings>

const MAX_REDIRECTS = 5

interface Outgoing {
  readonly url: URL
  readonly method: 'GET' | 'POST'
  readonly headers: Record<string, string>
  readonly body: string | null
}

/** Request on each arrival. */
export const startSender = (ctx: Context): NodeInstance => ({
  onInput: (values) => exchange(ctx, requestOf(ctx.settings, values)),
})

function requestOf({ url, method, headers, query, send_inputs }: HttpSettings, values: Values): Outgoing {
  const target = new URL(url)
  const sent = send_inputs ? values : {}
  if (method === 'GET') {
    for (const [port, value] of Object.entries(sent)) {
      if (value !== null && value !== undefined) target.searchParams.set(port, queryText(value))
    }
  }
  for (const [name, value] of Object.entries(query)) target.searchParams.set(name, textOf(value))
  const own = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), textOf(value)]))
  if (method === 'GET' || !send_inputs) return { url: target, method, headers: own, body: null }
  return { url: target, method, headers: { 'content-type': 'application/json', ...own }, body: JSON.stringify(sent) }
}

const queryText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

async function exchange(ctx: Context, request: Outgoing): Promise<Values | undefined> {
  const title = titleOf(request)
  return within(ctx, { seconds: ctx.settings.timeout, title }, async (signal) => {
    const response = await follow(ctx, request, signal, 0)
    if (response.status >= 400) {
      await response.body?.cancel()
      throw new RequestFailure('http_status', `${title} answered ${response.status} ${response.statusText}`.trim())
    }
    return portsOf(ctx.outputs, answerIn(await answerText(response, title), request))
  })
}

/** Redirects are followed here, so that each address passes the engine's egress rules. */
async function follow(ctx: Context, request: Outgoing, signal: AbortSignal, hops: number): Promise<Response> {
  const { url, method, headers, body } = request
  const response = await ctx.fetch(url.href, { method, headers, body, redirect: 'manual', signal })
  const location = [301, 302, 303, 307, 308].includes(response.status) ? response.headers.get('location') : null
  if (location === null) return response
  await response.body?.cancel()
  if (hops === MAX_REDIRECTS)
    throw new RequestFailure(
      'too_many_redirects',
      `${titleOf(request)} was redirected more than ${MAX_REDIRECTS} times`,
    )
  return follow(ctx, redirected(request, new URL(location, url), response.status), signal, hops + 1)
}

/** As the Fetch standard has it ("HTTP-redirect fetch"); configured headers may be credentials and stay at their origin. */
function redirected({ url, method, headers, body }: Outgoing, next: URL, status: number): Outgoing {
  const kept = next.origin === url.origin ? headers : {}
  if (status < 307 && method === 'POST') {
    const { 'content-type': _, ...others } = kept
    return { url: next, method: 'GET', headers: others, body: null }
  }
  const type = headers['content-type']
  return { url: next, method, headers: body !== null && type ? { ...kept, 'content-type': type } : kept, body }
}

/** Values of the ports that a JSON object names; nothing for any other answer. */
function portsOf(outputs: readonly NodePort[], answer: Values | null): Values | undefined {
  const named = outputs.filter(({ port }) => answer !== null && Object.hasOwn(answer, port))
  return named.length === 0 ? undefined : Object.fromEntries(named.map(({ port }) => [port, answer?.[port]]))
}

function answerIn(text: string, request: Outgoing): Values | null {
  let answer: unknown
  try {
    answer = JSON.parse(text)
  } catch {
    return null // Publishing nothing for such an answer is the rule.
  }
  if (isDeeper(answer, MAX_JSON_DEPTH))
    throw new RequestFailure(
      'answer_too_large',
      `${titleOf(request)} answered more than ${MAX_JSON_DEPTH} levels of JSON`,
    )
  return typeof answer === 'object' && answer !== null && !Array.isArray(answer) ? (answer as Values) : null
}

const titleOf = ({ method, url }: Outgoing): string => requestTitle(method, url)
