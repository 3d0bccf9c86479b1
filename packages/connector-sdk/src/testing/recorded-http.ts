/**
 * Answers of a device that were written down once: tests get them without the device.
 * @module
 */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { isDeepStrictEqual } from 'node:util'

import * as z from 'zod'

const headersSchema = z.record(z.string(), z.string())
const exchangeSchema = z.strictObject({
  request: z.strictObject({
    method: z.string().default('GET'),
    url: z.url(),
    headers: headersSchema.default({}),
    body: z.json().optional(),
  }),
  response: z.strictObject({
    status: z.int().min(200).max(599).default(200),
    headers: headersSchema.default({}),
    body: z.json().optional(),
    base64: z.base64().optional(),
  }),
})
type Exchange = z.output<typeof exchangeSchema>

/** Headers that carry credentials: they are not compared, and stand in no file. */
const credential = /^(proxy-)?authorization$|^(set-)?cookie2?$|token|secret|password|api-?key|^x-auth/i

/** How exchanges are chosen. */
export interface RecordedOptions {
  /** Requests come in the order of the file, each once; in any order, and again, unless given. */
  readonly inOrder?: boolean
}

/** The exchanges of a file. */
export interface RecordedHttp {
  /** Answers a request as it was recorded; rejects with the difference where none is like it. */
  readonly fetch: (url: string, init?: RequestInit) => Promise<Response>
  /** Throws with the exchanges that no request has used. */
  readonly assertUsed: () => void
}

/**
 * Replays exchanges from a JSON file: `[{ "request": { "method", "url", "headers", "body" }, "response": { "status", "headers",
 * "body" } }]`. A request is like a recorded one when method, URL, the recorded headers and the recorded body are equal; of
 * several the first that is not used yet answers, then the last one again. A body that is no text is JSON; bytes are `base64`.
 * Throws for a file that is none, and for one with credentials in it: headers such as `authorization` are never compared.
 * @example const { fetch, assertUsed } = recordedHttp(new URL('meter.json', import.meta.url))
 */
export function recordedHttp(file: string | URL, { inOrder = false }: RecordedOptions = {}): RecordedHttp {
  const exchanges = readExchanges(typeof file === 'string' ? file : fileURLToPath(file))
  const used = new Set<Exchange>()
  const choose = (asked: Asked): Exchange => {
    const open = exchanges.filter((exchange) => !used.has(exchange))
    const candidates = inOrder ? open.slice(0, 1) : open
    const found =
      candidates.find((exchange) => differences(exchange, asked).length === 0) ??
      (inOrder ? undefined : exchanges.findLast((exchange) => differences(exchange, asked).length === 0))
    if (found === undefined) throw unmatched(asked, inOrder ? candidates : exchanges, exchanges)
    used.add(found)
    return found
  }
  return {
    fetch: async (url, init = {}) => responseOf(choose(await askedOf(url, init))),
    assertUsed() {
      const unused = exchanges.filter((exchange) => !used.has(exchange))
      if (unused.length === 0) return
      const names = unused.map((exchange) => nameOf(exchange, exchanges))
      throw new Error(`nobody has asked for ${names.join(', ')}: take it out of the file, or ask for it`)
    },
  }
}

interface Asked {
  readonly method: string
  readonly url: string
  readonly headers: Headers
  readonly text: string
}

async function askedOf(url: string, init: RequestInit): Promise<Asked> {
  const request = new Request(url, init)
  return { method: request.method, url: request.url, headers: request.headers, text: await request.text() }
}

function readExchanges(path: string): readonly Exchange[] {
  let content: unknown
  try {
    content = JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    throw new Error(`${path} holds no recorded exchanges: ${(error as Error).message}`, { cause: error })
  }
  const { data, error } = z.array(exchangeSchema).min(1).safeParse(content)
  if (error) {
    const [issue] = error.issues
    throw new Error(`${path} holds no recorded exchanges: ${issue?.path.join('.')}: ${issue?.message}`)
  }
  for (const exchange of data) checkCredentials(path, exchange, data)
  return data
}

function checkCredentials(path: string, exchange: Exchange, all: readonly Exchange[]): void {
  const { request, response } = exchange
  const name = [...Object.keys(request.headers), ...Object.keys(response.headers)].find((each) => credential.test(each))
  const where =
    name === undefined ? new URL(request.url).password !== '' && 'the password of its URL' : `header "${name}"`
  if (where === false) return
  throw new Error(
    `${path} has a credential in it, ${where} of ${nameOf(exchange, all)}: take it out, it is not compared; and whoever has ` +
      'read the file knows it, so change it',
  )
}

/** In what a request is not like a recorded one, in words. */
function differences({ request }: Exchange, { method, url, headers, text }: Asked): string[] {
  const recorded = new URL(request.url).href
  const found: string[] = []
  if (request.method.toUpperCase() !== method) found.push(`the method is ${method}, recorded ${request.method}`)
  if (recorded !== url) found.push(`the URL is ${url}, recorded ${recorded}`)
  for (const [name, value] of Object.entries(request.headers))
    if (headers.get(name) !== value)
      found.push(`header "${name}" is ${shown(headers.get(name))}, recorded ${shown(value)}`)
  const { body } = request
  if (body !== undefined && !isBody(body, text)) found.push(`the body is ${shown(text)}, recorded ${shown(body)}`)
  return found
}

function isBody(recorded: unknown, text: string): boolean {
  if (typeof recorded === 'string') return recorded === text
  try {
    return isDeepStrictEqual(JSON.parse(text), recorded)
  } catch {
    return false
  }
}

function unmatched(asked: Asked, candidates: readonly Exchange[], all: readonly Exchange[]): Error {
  // who asks for the same thing in another way is nearer than who asks for something else
  const isSame = ({ request }: Exchange): boolean => new URL(request.url).href === asked.url
  const distance = (each: Exchange): number => differences(each, asked).length + (isSame(each) ? 0 : 100)
  const [nearest] = candidates.toSorted((a, b) => distance(a) - distance(b))
  const what = `${asked.method} ${asked.url} is not recorded`
  if (nearest === undefined) return new Error(`${what}: all exchanges are used`)
  return new Error(`${what}; of ${nameOf(nearest, all)} it differs in this: ${differences(nearest, asked).join('; ')}`)
}

function responseOf({ response: { status, headers, body, base64 } }: Exchange): Response {
  if (status === 204 || status === 205 || status === 304) return new Response(null, { status, headers })
  if (base64 !== undefined) return new Response(Buffer.from(base64, 'base64'), { status, headers })
  if (body === undefined || typeof body === 'string') return new Response(body ?? null, { status, headers })
  return Response.json(body, { status, headers })
}

const nameOf = (exchange: Exchange, all: readonly Exchange[]): string =>
  `exchange ${all.indexOf(exchange) + 1} (${exchange.request.method} ${exchange.request.url})`
const shown = (value: unknown): string => (value === null ? 'not there' : JSON.stringify(value))
