/**
 * The network of a fake context: it goes nowhere unless the test answers, and notes what a node tries to reach.
 * @module
 */
import type { Duplex } from 'node:stream'

import type { FetchInit } from '../context.ts'
import type { CertificatePin, ConnectTarget } from '../socket.ts'
import { FakeConnection } from './fake-connection.ts'
import { outside } from './inside.ts'

/** How a fake network answers. */
export interface FakeNetworkOptions {
  /** Answers `ctx.fetch`, such as the `fetch` of `recordedHttp`; without it every request fails. */
  readonly fetch?: (url: string, init?: RequestInit) => Response | Promise<Response>
  /** Answers `ctx.connect` with the other end, already open; without it every connection fails. */
  readonly connect?: (target: ConnectTarget) => Duplex
  /** Hosts that the egress rules forbid: nodes are refused. */
  readonly forbidden?: readonly string[]
  /** The certificate (DER) that peers show to a pin; a made-up one unless given. */
  readonly certificate?: Uint8Array
}

/** What a node has tried to reach. */
export interface Reach {
  readonly by: 'fetch' | 'connect'
  /** A URL, or a host and a port. */
  readonly target: string
  /** What the request carries, or what was written to the connection: for tests that look for something in it. */
  content: string
  readonly isPinned: boolean
  /** Whether anything was sent: the egress rules, the pin and the network have let it through. */
  isAccepted: boolean
}

const someCertificate: Uint8Array = new TextEncoder().encode('the certificate of a device in a test')

/** One object a context. */
export class FakeNetwork {
  /** All that was tried, in order. */
  readonly reached: Reach[] = []
  readonly #options: FakeNetworkOptions
  readonly #requests = new Set<Reach>()
  readonly #connections = new Map<FakeConnection, Reach>()
  #fault: Error | null = null
  #held: PromiseWithResolvers<void> | null = null

  constructor(options: FakeNetworkOptions) {
    this.#options = options
  }

  /** From now on nothing is reached, with this error, and open connections break with it; null ends that. */
  failWith(fault: Error | null): void {
    this.#fault = fault
    if (fault !== null) for (const connection of this.#connections.keys()) connection.destroy(fault)
  }

  /** From now on requests and new connections wait, until it is told otherwise. */
  hold(isHeld: boolean): void {
    if (isHeld) this.#held ??= Promise.withResolvers()
    else {
      this.#held?.resolve()
      this.#held = null
    }
  }

  /** Requests that wait for an answer, and connections that the node has not ended. */
  get open(): Reach[] {
    const connections = [...this.#connections].filter(([connection]) => !connection.writableEnded)
    return [...this.#requests, ...connections.map(([, reach]) => reach)]
  }

  async fetch(url: string, init: FetchInit = {}): Promise<Response> {
    const at = URL.parse(url)
    if (at === null || !/^https?:$/.test(at.protocol))
      throw new TypeError(`${url} is no address to request; use http:// or https://`)
    const { pin, signal, ...request } = init
    const reach: Reach = {
      by: 'fetch',
      target: url,
      content: contentOf(init),
      isPinned: pin !== undefined,
      isAccepted: false,
    }
    this.reached.push(reach)
    this.#requests.add(reach)
    try {
      return await abortable(
        signal,
        this.#answered(reach, { at, pin, url, request: { ...request, ...(signal && { signal }) } }),
      )
    } finally {
      this.#requests.delete(reach)
    }
  }

  connect(target: ConnectTarget): Duplex {
    const { host, port, pin } = target
    const reach: Reach = {
      by: 'connect',
      target: `${host}:${port}`,
      content: '',
      isPinned: pin !== undefined,
      isAccepted: false,
    }
    this.reached.push(reach)
    const connection = new FakeConnection(
      this.#peer(reach, target),
      (chunk) => (reach.content += chunk.toString('latin1')),
    )
    this.#connections.set(connection, reach)
    connection.once('close', () => this.#connections.delete(connection))
    return connection
  }

  /** Ends the connections that are open. */
  disconnect(): void {
    for (const connection of this.#connections.keys()) connection.destroy()
  }

  async #peer(reach: Reach, target: ConnectTarget): Promise<Duplex> {
    const { connect } = this.#options
    if (target.pin !== undefined && target.tls !== true)
      throw new TypeError(`${reach.target} shows no certificate that a pin could accept; set tls, or leave the pin out`)
    await this.#admit(target.host, target.pin)
    if (connect === undefined)
      throw new Error(`this context has no network to connect to ${reach.target}; give it "connect"`)
    reach.isAccepted = true
    return outside(() => connect(target))
  }

  async #answered(
    reach: Reach,
    { at, pin, url, request }: { at: URL; pin: CertificatePin | undefined; url: string; request: RequestInit },
  ): Promise<Response> {
    const { fetch } = this.#options
    if (pin !== undefined && at.protocol !== 'https:')
      throw new TypeError(`${url} shows no certificate that a pin could accept; use https://, or leave the pin out`)
    try {
      await this.#admit(at.hostname, pin)
    } catch (error) {
      throw new TypeError('fetch failed', { cause: error })
    }
    if (fetch === undefined)
      throw new TypeError(`this context has no network to fetch ${at.origin} from; give it "fetch"`)
    reach.isAccepted = true
    return outside(() => fetch(url, request))
  }

  async #admit(host: string, pin: CertificatePin | undefined): Promise<void> {
    const { certificate = someCertificate, forbidden = [] } = this.#options
    if (forbidden.includes(host)) throw new Error(`nodes may not connect to ${host}: the test forbids it`)
    await this.#held?.promise
    if (this.#fault !== null) throw this.#fault
    await pin?.(certificate)
  }
}

function contentOf({ headers, body }: RequestInit): string {
  const lines = [...new Headers(headers)].map(([name, value]) => `${name}: ${value}`)
  const text = body === null || body === undefined ? '' : bodyText(body)
  return [...lines, text].join('\n')
}

function bodyText(body: NonNullable<RequestInit['body']>): string {
  if (typeof body === 'string') return body
  if (body instanceof URLSearchParams) return body.toString()
  return ArrayBuffer.isView(body) ? Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('latin1') : ''
}

async function abortable<T>(signal: AbortSignal | null | undefined, answer: Promise<T>): Promise<T> {
  if (!signal) return answer
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const abort = (): void => reject(signal.reason as Error)
  if (signal.aborted) abort()
  signal.addEventListener('abort', abort, { once: true })
  try {
    return await Promise.race([answer, aborted])
  } finally {
    signal.removeEventListener('abort', abort)
    // who has given up hears nothing of it any more
    answer.catch(() => {})
  }
}
