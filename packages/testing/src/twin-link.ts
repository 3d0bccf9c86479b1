/**
 * What is between the twin of a device and its engine: sockets and requests over a network that can fail.
 * @module
 */
import { type Clock, type OpenWebSocket, type WebSocketLike } from '@flow-service/device-sdk'
import { WebSocket } from 'ws'

/** No pause between two attempts of the SDK is longer. */
const LONGEST_PAUSE_MS = 30_000

/** How a link is used. */
export interface TwinLinkDeps {
  /** Go with each request. */
  readonly headers: Readonly<Record<string, string>>
  /** Told of each text of the engine, before the SDK is. */
  readonly onText: (text: string) => void
}

type OnClose = (event: { readonly code: number; readonly reason: string; readonly status?: number }) => void

/** The network of one twin, by what the SDK takes for it: it is *up*, or after `cut` *down* until `mend`. */
export class TwinLink {
  readonly #deps: TwinLinkDeps
  readonly #pauses = new Set<() => void>()
  #socket: WebSocket | null = null
  #isDown = false

  constructor(deps: TwinLinkDeps) {
    this.#deps = deps
  }

  /** Time as it passes, but that `mend` ends pauses. */
  readonly clock: Clock = {
    now: () => performance.now(),
    setTimer: (delayMs, run) => {
      const end = (): void => {
        clearTimeout(timer)
        this.#pauses.delete(due)
      }
      const due = (): void => {
        end()
        run()
      }
      const timer = setTimeout(due, delayMs)
      if (delayMs <= LONGEST_PAUSE_MS) this.#pauses.add(due)
      return end
    },
  }

  readonly fetch: typeof fetch = (input, init) => {
    if (this.#isDown) return Promise.reject(new TypeError('the twin has dropped off'))
    return fetch(input, { ...init, headers: { ...this.#deps.headers, ...(init?.headers as Record<string, string>) } })
  }

  /** Throws while the link is down. */
  readonly open: OpenWebSocket = (url, headers): WebSocketLike => {
    if (this.#isDown) throw new Error('the twin has dropped off')
    const socket = new WebSocket(url, { headers: { ...this.#deps.headers, ...headers }, perMessageDeflate: false })
    this.#socket = socket
    socket.on('message', (data, isBinary) => {
      if (!isBinary) this.#deps.onText((data as Buffer).toString())
    })
    return withStatus(socket)
  }

  /** The network is gone: nobody is told that the socket ends. */
  cut(): void {
    this.#isDown = true
    this.#socket?.terminate()
  }

  /** The network is there again, and whatever waits for its next attempt makes it now. */
  mend(): void {
    this.#isDown = false
    // not those that begin meanwhile
    const pauses = [...this.#pauses]
    for (const due of pauses) due()
  }

  /** Resolves when the newest socket has ended. */
  async ended(): Promise<void> {
    const socket = this.#socket
    if (socket === null || socket.readyState === WebSocket.CLOSED) return
    await new Promise((resolve) => socket.once('close', resolve))
  }
}

/** A socket of `ws` that tells the status with which its upgrade was refused. */
function withStatus(socket: WebSocket): WebSocketLike {
  let status: number | undefined
  socket.once('unexpected-response', (_request, response) => {
    status = response.statusCode
    response.destroy()
    socket.terminate()
  })
  const told =
    (listener: OnClose) =>
    (code: number, reason: Buffer): void =>
      listener({ code, reason: reason.toString(), ...(status === undefined ? {} : { status }) })
  return {
    get bufferedAmount() {
      return socket.bufferedAmount
    },
    send: (data) => socket.send(data),
    close: (code, reason) => socket.close(code, reason),
    terminate: () => socket.terminate(),
    addEventListener(type: 'message' | 'close' | 'error', listener: (event: never) => void) {
      if (type === 'close') socket.on('close', told(listener as OnClose))
      else socket.addEventListener(type as 'message', listener as (event: unknown) => void)
    },
  }
}
