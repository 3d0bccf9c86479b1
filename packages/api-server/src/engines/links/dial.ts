/**
 * One attempt to open a link to an engine: a token, a WebSocket (RFC 6455), and the hellos of both sides.
 * @module
 */
import { WebSocket } from 'ws'

import type { Log } from '../../process/log.ts'
import { MAX_MESSAGE_BYTES } from './frames.ts'
import { Greeting, type Hello, sayHello } from './greeting.ts'
import { closeCodes } from './link-fault.ts'
import { type OpenSocket, Wire } from './wire.ts'

const LINK_PATH = '/internal/link'

/** Why there is no link. */
export type DialEnd =
  | { readonly kind: 'failed'; readonly detail: string }
  /** The other engine is about to open one itself (links.L1). */
  | { readonly kind: 'yielded' }

/** What an attempt needs. */
export interface DialDeps {
  readonly engine: string
  /** Origin of its API, and a path before that of links if it has one. */
  readonly address: string
  readonly protocol: number
  readonly token: () => Promise<string>
  /** What this engine says of itself, each time anew. */
  readonly hello: () => Hello
  readonly log: Pick<Log, 'error'>
  /** The other engine has taken the link; the wire waits for a receiver. */
  readonly onUp: (wire: Wire, hello: Hello) => void
  readonly onEnd: (end: DialEnd) => void
}

type State =
  | { readonly kind: 'preparing' | 'over' }
  | { readonly kind: 'opening'; readonly socket: WebSocket }
  | { readonly kind: 'greeting'; readonly wire: Wire }

/** An attempt; one of its callbacks is called once, unless it is abandoned. */
export class Dial {
  readonly #deps: DialDeps
  #state: State = { kind: 'preparing' }

  constructor(deps: DialDeps) {
    this.#deps = deps
  }

  /** Whether the other engine may have heard of it. */
  get hasGreeted(): boolean {
    return this.#state.kind === 'greeting'
  }

  async begin(): Promise<void> {
    try {
      const url = urlOf(this.#deps.address)
      const token = await this.#deps.token()
      if (this.#state.kind === 'preparing') this.#open(url, token)
    } catch (error) {
      this.#end({ kind: 'failed', detail: textOf(error as Error) })
    }
  }

  /** Gives up without a word to anybody. */
  abandon(): void {
    const state = this.#state
    this.#state = { kind: 'over' }
    if (state.kind === 'opening') state.socket.terminate()
    if (state.kind === 'greeting') state.wire.cut('another link was taken')
  }

  #open(url: URL, token: string): void {
    const socket = new WebSocket(url, {
      headers: { authorization: `Bearer ${token}` },
      perMessageDeflate: false,
      maxPayload: MAX_MESSAGE_BYTES,
      followRedirects: false,
    })
    this.#state = { kind: 'opening', socket }
    // that of an open socket is told by its end
    socket.on('error', (error) => {
      if (this.#state.kind === 'opening') this.#end({ kind: 'failed', detail: textOf(error) })
    })
    socket.once('unexpected-response', (_request, { statusCode }) => {
      this.#end({ kind: 'failed', detail: `it answers with HTTP ${statusCode}` })
    })
    socket.once('upgrade', ({ socket: stream }) => socket.once('open', () => this.#greet({ socket, stream })))
  }

  #greet(open: OpenSocket): void {
    const { engine, protocol, hello, log, onUp } = this.#deps
    const greeting = new Greeting({
      engine,
      protocol,
      onHello: (said) => {
        this.#state = { kind: 'over' }
        onUp(wire, said)
      },
      onEnd: ({ code, detail }) => {
        this.#end(code === closeCodes.otherLink ? { kind: 'yielded' } : { kind: 'failed', detail })
      },
    })
    const wire = new Wire(open, greeting, log)
    this.#state = { kind: 'greeting', wire }
    sayHello(wire, hello())
  }

  #end(end: DialEnd): void {
    if (this.#state.kind === 'over') return
    this.abandon()
    this.#deps.onEnd(end)
  }
}

/** Throws a TypeError for an address that is none. */
function urlOf(address: string): URL {
  const url = new URL(address)
  url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:'
  url.pathname = url.pathname.replace(/\/$/, '') + LINK_PATH
  return url
}

/** The error of a name with several addresses has no text of its own. */
function textOf(error: Error): string {
  if (error.message !== '') return error.message
  const inner = error instanceof AggregateError ? (error.errors as Error[]).map(({ message }) => message) : []
  return inner.length > 0 ? inner.join(', ') : ((error as NodeJS.ErrnoException).code ?? error.name)
}
