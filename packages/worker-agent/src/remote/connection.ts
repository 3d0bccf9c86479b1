/**
 * The link to an engine on another machine: frames as JSON texts on a WebSocket (RFC 6455, wire decision G54).
 *
 * - connection.K1 a frame beyond 32 MiB is never sent: the engine would end the link, and every call of it.
 * - connection.K2 while much is unsent, `send` asks its caller to wait: a process that floods the link is held back.
 * - connection.K3 a link on which nothing arrives for 75 s is given up. The engine pings every 30 s.
 * @module
 */
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'

import {
  endOfMalformed,
  type EngineFrame,
  MAX_WORKER_FRAME_BYTES,
  readEngineFrame,
  type WorkerFrame,
} from '@flow-service/protocol'
import { WebSocket } from 'ws'

import { Silence } from '../silence.ts'
import { type ArtifactAccess, FrameTooLarge } from '../transport.ts'
import { detailOf } from './artifacts/exchange.ts'

/** Bytes that may wait in this process before senders have to. */
const MAX_UNSENT_BYTES = 4 * 1024 * 1024
const SILENCE_S = 75
const HANDSHAKE_MS = 30_000
/** Milliseconds that an engine has to answer the end of a link. */
const CLOSING_MS = 2000
const MAX_DETAIL_BYTES = 16 * 1024

/** A link that broke, or could not be opened: another attempt is worth it. */
export interface LostLink {
  readonly kind: 'lost'
  readonly detail: string
}

/** How an engine ended a link, or did not open it, in words that follow a colon. */
type EngineEnd = LostLink | { readonly kind: 'refused' | 'credential'; readonly detail: string }

/** Why a link has ended; `closed` was our own doing. */
export type LinkEnd = EngineEnd | { readonly kind: 'closed'; readonly detail: string }

/** The link could not be opened. */
export class NoConnection extends Error {
  readonly end: EngineEnd

  constructor(end: EngineEnd) {
    super(end.detail)
    this.end = end
  }
}

/** What a link needs. */
export interface ConnectionOptions {
  readonly url: URL
  readonly token: string
  readonly artifacts: ArtifactAccess
  /** Seconds without a byte that end it, 75 unless given. */
  readonly silenceS?: number
  /** Hears of frames that make no sense. */
  readonly onProblem: (text: string) => void
  /** Gives up while it is being opened. */
  readonly signal?: AbortSignal
}

/** Opens a link; rejects with a {@link NoConnection}. Somebody has to listen to it before anything else is awaited. */
export async function connect(options: ConnectionOptions): Promise<Connection> {
  const socket = new WebSocket(options.url, {
    headers: { authorization: `Bearer ${options.token}` },
    perMessageDeflate: false,
    maxPayload: MAX_WORKER_FRAME_BYTES,
    handshakeTimeout: HANDSHAKE_MS,
    followRedirects: false,
  })
  const stop = (): void => socket.terminate()
  options.signal?.addEventListener('abort', stop, { once: true })
  try {
    return new Connection(socket, await streamOf(socket), options)
  } catch (error) {
    socket.terminate()
    throw error
  } finally {
    options.signal?.removeEventListener('abort', stop)
  }
}

/** The stream below a socket, once it is open. */
function streamOf(socket: WebSocket): Promise<Socket> {
  return new Promise((resolve, reject) => {
    // that of an open socket is told by its end
    socket.on('error', (error) => reject(new NoConnection({ kind: 'lost', detail: textOf(error) })))
    socket.once('unexpected-response', (_request, response) => {
      void refusalOf(response).then((end) => reject(new NoConnection(end)))
    })
    socket.once('upgrade', ({ socket: stream }) => socket.once('open', () => resolve(stream)))
  })
}

/** An open link. */
export class Connection {
  readonly artifacts: ArtifactAccess
  /** Settles with the reason when the link has ended. Never rejects. */
  readonly ended: Promise<LinkEnd>
  readonly #socket: WebSocket
  readonly #silence: Silence
  #onFrame: ((frame: EngineFrame) => void) | null = null
  #unsent: PromiseWithResolvers<void> | null = null
  /** What ended the link, when it was not the engine. */
  #ownEnd: LinkEnd | null = null

  constructor(socket: WebSocket, stream: Socket, options: ConnectionOptions) {
    const { artifacts, onProblem, silenceS = SILENCE_S } = options
    this.#socket = socket
    this.artifacts = artifacts
    this.#silence = new Silence(silenceS, () => {
      this.#ownEnd ??= { kind: 'lost', detail: `nothing came from the engine for ${silenceS} seconds` }
      socket.terminate()
    })
    // any byte is a sign of life: a long frame arrives for a while before it is one
    stream.on('data', () => this.#silence.touch())
    socket.on('message', (data, isBinary) => {
      const frame = readEngineFrame(isBinary ? '' : (data as Buffer).toString())
      if (frame === null) return
      if ('type' in frame) this.#onFrame?.(frame)
      else {
        onProblem(`a damaged frame of the engine was dropped: ${frame.reason}`)
        if (frame.call !== null) void this.send(endOfMalformed(frame.call, frame.reason, 'engine'))
      }
    })
    this.ended = new Promise((resolve) => {
      socket.once('close', (code, reason) => {
        this.#silence.stop()
        this.#release()
        resolve(this.#ownEnd ?? endOf(code, reason.toString()))
      })
    })
  }

  /** A promise says that much is unsent (connection.K2). Throws a {@link FrameTooLarge}. */
  send(frame: WorkerFrame): void | Promise<void> {
    const text = JSON.stringify(frame)
    const bytes = Buffer.byteLength(text)
    if (bytes <= MAX_WORKER_FRAME_BYTES) return this.sendText(text)
    const [first, second] = halvesOf(frame, bytes)
    void this.send(first)
    return this.send(second)
  }

  /** Sends a frame that has been written already, and is not too large. */
  sendText(text: string): void | Promise<void> {
    if (this.#socket.readyState !== WebSocket.OPEN) return
    this.#socket.send(text, () => {
      if (this.#socket.bufferedAmount <= MAX_UNSENT_BYTES) this.#release()
    })
    if (this.#socket.bufferedAmount <= MAX_UNSENT_BYTES) return
    this.#unsent ??= Promise.withResolvers()
    return this.#unsent.promise
  }

  onFrame(listener: (frame: EngineFrame) => void): void {
    this.#onFrame = listener
  }

  /** Ends the link after everything that was sent. */
  async close(): Promise<LinkEnd> {
    if (this.#socket.readyState === WebSocket.OPEN) {
      this.#ownEnd ??= { kind: 'closed', detail: 'the worker closed the link' }
      this.#socket.close(1000)
    }
    const late = setTimeout(() => this.#socket.terminate(), CLOSING_MS)
    const end = await this.ended
    clearTimeout(late)
    return end
  }

  #release(): void {
    this.#unsent?.resolve()
    this.#unsent = null
  }
}

/** Emissions that are too large together go in several frames (connection.K1). Throws where that is of no use. */
export function halvesOf(frame: WorkerFrame, bytes: number): [WorkerFrame, WorkerFrame] {
  if (frame.type !== 'emit' || frame.batch.length < 2) {
    throw new FrameTooLarge(
      `${bytes} bytes of JSON are more than the ${MAX_WORKER_FRAME_BYTES} that a worker sends at a time: use save_artifact()`,
    )
  }
  const half = Math.ceil(frame.batch.length / 2)
  return [
    { ...frame, batch: frame.batch.slice(0, half) },
    { ...frame, batch: frame.batch.slice(half) },
  ]
}

function endOf(code: number, reason: string): EngineEnd {
  const said = reason === '' ? `code ${code}` : `code ${code}, ${reason}`
  if (code === 4001) return { kind: 'refused', detail: `the engine refused this worker (${said})` }
  if (code === 4003) return { kind: 'credential', detail: `the worker's token was revoked (${said})` }
  if (code === 1012) return { kind: 'lost', detail: `the engine restarts (${said})` }
  return { kind: 'lost', detail: code === 1006 ? 'the connection broke' : `the engine closed the link (${said})` }
}

/** What the engine, or a proxy before it, answers instead of opening the link. */
async function refusalOf(response: IncomingMessage): Promise<EngineEnd> {
  const status = response.statusCode ?? 0
  response.setTimeout(HANDSHAKE_MS, () => response.destroy())
  const chunks: Buffer[] = []
  try {
    let bytes = 0
    for await (const chunk of response as AsyncIterable<Buffer>) {
      chunks.push(chunk)
      bytes += chunk.length
      if (bytes > MAX_DETAIL_BYTES) break
    }
  } catch {
    // the status tells enough
  }
  const detail = detailOf(Buffer.concat(chunks).toString())
  const said = detail === '' ? `HTTP ${status}` : `HTTP ${status}, ${detail}`
  if (status === 401 || status === 403) {
    return { kind: 'credential', detail: `the engine does not take the worker's token (${said})` }
  }
  if (status >= 300 && status < 400) return { kind: 'lost', detail: `it redirects, which is not followed (${said})` }
  return { kind: 'lost', detail: `no worker can attach there (${said})` }
}

/** The error of a name with several addresses has no text of its own. */
function textOf(error: Error): string {
  if (error.message !== '') return error.message
  const inner = error instanceof AggregateError ? (error.errors as Error[]).map(({ message }) => message) : []
  return inner.length > 0 ? inner.join(', ') : ((error as NodeJS.ErrnoException).code ?? error.name)
}
