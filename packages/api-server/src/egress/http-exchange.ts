/**
 * One HTTP request and its answer, as `fetch` has them, without the web streams of `fetch`: these take ten times as long
 * as the exchange itself.
 * @module
 */
import { Readable } from 'node:stream'

import type { CertificatePin, FetchInit } from '@flow-service/connector-sdk'
import type { Agent, Dispatcher } from 'undici'

import type { Dial } from './dialer.ts'
import { HttpAnswer } from './http-answer.ts'
import { PinnedAgents } from './pinned-agents.ts'

/** Sends a request; redirects are answers like others. Rejects as `fetch` does. */
export type Exchange = (url: string, init: FetchInit) => Promise<Response>

/** Exchanges over connections that are kept for the next ones. */
export interface HttpExchange {
  readonly send: Exchange
  /** Ends the connections. */
  readonly close: () => Promise<void>
}

/** What is said unless the request says otherwise. */
const habits = { accept: '*/*', 'accept-encoding': 'gzip, deflate, br', 'user-agent': 'flow-service' }

/** Exchanges over connections of a dialer. */
export function createHttpExchange(dial: Dial): HttpExchange {
  let opening: Promise<Agent> | null = null
  let agent: Agent | null = null
  const pinned = new PinnedAgents((pin) => openAgent(dial, pin))
  const open = async (): Promise<Agent> => {
    opening ??= openAgent(dial)
    agent = await opening
    return agent
  }
  return {
    send(url, init) {
      if (init.pin !== undefined) return pinned.of(init.pin).then((opened) => exchange(opened, url, init))
      return agent === null ? open().then((opened) => exchange(opened, url, init)) : exchange(agent, url, init)
    },
    async close() {
      await Promise.all([opening?.then((opened) => opened.destroy()), pinned.close()])
    },
  }
}

/** The library is loaded for the first request: most engines start without one. */
async function openAgent(dial: Dial, pin?: CertificatePin): Promise<Agent> {
  const { Agent } = await import('undici')
  return new Agent({
    connect({ hostname, port, protocol }, done) {
      const tls = protocol === 'https:'
      const target = { host: hostname, port: Number(port) || (tls ? 443 : 80), tls, protocols: ['http/1.1'] }
      const socket = dial(pin === undefined ? target : { ...target, pin })
      const failed = (error: Error): void => done(error, null)
      socket.once('error', failed)
      socket.once(tls ? 'secureConnect' : 'connect', () => {
        // a peer that was refused has ended the socket
        if (socket.destroyed) return
        socket.off('error', failed)
        done(null, socket)
      })
    },
  })
}

async function exchange(agent: Agent, url: string, init: RequestInit): Promise<Response> {
  const { body: given, headers: own, signal = null } = init
  let body: string | Uint8Array | Readable | null = null
  try {
    const { origin, path } = placeOf(url)
    const isText = typeof given === 'string'
    let headers: Headers | string[]
    // only what is neither text nor nothing is waited for
    if (isText || given === undefined || given === null) [headers, body] = [fieldsOf(own, isText), given ?? null]
    else {
      headers = withHabits(own)
      body = await bodyOf(given, headers)
    }
    signal?.throwIfAborted()
    const method = (init.method ?? 'GET').toUpperCase()
    const answer = new HttpAnswer({ url, method, signal })
    agent.dispatch({ origin, path, method: method as Dispatcher.HttpMethod, headers, body }, answer)
    return await answer.response
  } catch (error) {
    if (body instanceof Readable) body.on('error', () => {}).destroy()
    if (signal?.aborted) throw signal.reason
    throw new TypeError('fetch failed', { cause: error })
  }
}

/** Where a request goes. */
interface Place {
  readonly url: string
  readonly origin: string
  readonly path: string
}

/** Most requests go where the one before has gone. */
let last: Place | null = null

function placeOf(url: string): Place {
  if (last?.url === url) return last
  const { origin, pathname, search } = new URL(url)
  last = { url, origin, path: pathname + search }
  return last
}

type Given = RequestInit['headers']

function withHabits(given: Given): Headers {
  const headers = new Headers(given)
  for (const [name, value] of Object.entries(habits)) if (!headers.has(name)) headers.set(name, value)
  return headers
}

/** Fields of headers that nobody can change any more: of requests with a text, and without a body. */
const [withText, bodiless] = [new WeakMap<object, string[]>(), new WeakMap<object, string[]>()]

/** Names and values in turn. */
function fieldsOf(given: Given, isText: boolean): string[] {
  const known = isText ? withText : bodiless
  const before = given === undefined ? undefined : known.get(given)
  if (before !== undefined) return before
  const headers = withHabits(given)
  if (isText && !headers.has('content-type')) headers.set('content-type', 'text/plain;charset=UTF-8')
  const fields = [...headers].flat()
  if (given !== undefined && !Array.isArray(given) && Object.isFrozen(given)) known.set(given, fields)
  return fields
}

/** What is sent; the headers say what it is, where the request does not. */
async function bodyOf(given: NonNullable<RequestInit['body']>, headers: Headers): Promise<Uint8Array | Readable> {
  if (given instanceof ReadableStream) return Readable.fromWeb(given as never)
  const written = new Response(given)
  const type = written.headers.get('content-type')
  // the boundary of a form is in its type
  if (type !== null && (given instanceof FormData || !headers.has('content-type'))) headers.set('content-type', type)
  return new Uint8Array(await written.arrayBuffer())
}
