/**
 * `websocket` as a client: connects, and again whenever the connection is lost (wire decision G69).
 * @module
 */
import {
  type Cancel,
  gatherWrites,
  type NodeContext,
  type NodeInstance,
  Redial,
  type SocketPeer,
} from '@flow-service/connector-sdk'
import { WebSocket } from 'ws'

import { FrameSender } from '../../frame-sender.ts'
import { LinkHealth } from '../../link-health.ts'
import { MAX_MESSAGE_BYTES } from '../../payload-values.ts'
import { textOf } from '../../secret.ts'
import { frameOf, hearing } from './frames.ts'
import type { WebsocketSettings } from './settings.ts'

type Context = NodeContext<WebsocketSettings>

const PING_S = 30
const NORMAL = 1000

/** Connect until the node stops. */
export function startClient(ctx: Context): NodeInstance {
  const client = new Client(ctx)
  // nothing may come in: there is nothing to listen to
  if (ctx.inputs.length > 0 || ctx.listens) client.open()
  const isAwaited = ctx.mode === 'batch' || !ctx.listens
  return {
    onInput: (values) => {
      const frame = frameOf(ctx.inputs, values)
      return isAwaited ? client.deliver(frame) : client.send(frame)
    },
    stop: () => client.stop(),
  }
}

class Client {
  readonly #ctx: Context
  readonly #title: string
  readonly #health: LinkHealth
  readonly #redial: Redial
  readonly #frames: FrameSender
  readonly #hear: (text: string) => void
  #socket: WebSocket | null = null
  #gather = (): void => {}
  /** Ends the handshake that takes too long, or the pings. */
  #watch: Cancel | null = null
  #isStopped = false

  constructor(ctx: Context) {
    const { timeout, send_queue_size, url } = ctx.settings
    const { origin, pathname } = new URL(url)
    this.#ctx = ctx
    // without the query, which may hold a secret
    this.#title = `${origin === 'null' ? url : origin}${pathname}`
    this.#health = new LinkHealth(ctx)
    this.#hear = hearing(ctx, this.#health)
    this.#redial = new Redial({ ctx, open: () => this.open(), tell: this.#health.connection })
    this.#frames = new FrameSender({
      limit: send_queue_size,
      seconds: timeout,
      after: (seconds, run) => ctx.after(seconds, run),
      dropped: () => this.#health.dropped(1, `more than ${send_queue_size} messages wait; the oldest are dropped`),
      drained: () => this.#health.drained(),
      stalled: () => this.#lose(`took nothing for ${timeout} s`),
    })
  }

  open(): void {
    if (this.#isStopped) return
    const { timeout } = this.#ctx.settings
    let socket: WebSocket
    try {
      socket = this.#handshake()
    } catch (error) {
      return this.#redial.failed(`${this.#title}: ${(error as Error).message}`)
    }
    this.#socket = socket
    this.#watch = this.#ctx.after(timeout, () => this.#lose(`gave no answer within ${timeout} s`))
    const isNow = (): boolean => this.#socket === socket
    socket.on('open', () => isNow() && this.#opened(socket))
    socket.on('error', (error) => isNow() && this.#lose(error.message))
    socket.on('close', (code) => isNow() && this.#lose(`closed the connection with code ${code}`))
  }

  send(data: string): void {
    this.#frames.send({ data })
  }

  /** Resolves once the frame is gone; rejects when that takes too long. */
  async deliver(data: string): Promise<void> {
    const { timeout } = this.#ctx.settings
    let cancel: Cancel = () => {}
    try {
      await new Promise<void>((resolve, reject) => {
        const late = (): void =>
          reject(new Error(`${this.#redial.reason || this.#title}: not sent within ${timeout} s`))
        cancel = this.#ctx.after(timeout, late)
        this.#ctx.signal.addEventListener('abort', () => reject(this.#ctx.signal.reason as Error), { once: true })
        this.#frames.send({ data, done: (error) => (error ? reject(error) : resolve()) })
      })
    } finally {
      cancel()
    }
  }

  stop(): void {
    this.#isStopped = true
    this.#redial.stop()
    const socket = this.#forget()
    if (socket?.readyState === WebSocket.OPEN) socket.close(NORMAL)
    else socket?.terminate()
  }

  #handshake(): WebSocket {
    const { headers, url } = this.#ctx.settings
    const { hostname, port, protocol } = new URL(url)
    const tls = protocol === 'wss:'
    return new WebSocket(url, {
      headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, textOf(value)])),
      maxPayload: MAX_MESSAGE_BYTES,
      perMessageDeflate: false,
      // one way out for all nodes, with the same rules
      createConnection: (() => {
        const wire = this.#ctx.connect({ host: hostname, port: Number(port) || (tls ? 443 : 80), tls })
        this.#gather = gatherWrites(wire)
        return wire
      }) as never,
    })
  }

  #opened(socket: WebSocket): void {
    this.#watch?.()
    let isAlive = true
    const heard = (): void => void (isAlive = true)
    socket.on('pong', heard)
    socket.on('message', (data, isBinary) => {
      isAlive = true
      if (!isBinary && this.#socket === socket) this.#hear((data as Buffer).toString())
    })
    this.#watch = this.#ctx.every(PING_S, () => {
      if (!isAlive) return this.#lose(`answered no ping for ${PING_S} s`)
      isAlive = false
      socket.ping()
    })
    this.#redial.up()
    for (const text of this.#ctx.settings.on_connect) socket.send(textOf(text))
    this.#frames.attach(peerOf(socket, this.#gather))
  }

  #lose(reason: string): void {
    const socket = this.#forget()
    socket?.terminate()
    this.#redial.failed(`${this.#title}: ${reason}`)
  }

  #forget(): WebSocket | null {
    const socket = this.#socket
    this.#socket = null
    this.#watch?.()
    this.#watch = null
    this.#frames.detach()
    return socket
  }
}

const peerOf = (socket: WebSocket, gather: () => void): SocketPeer => ({
  get waiting() {
    return socket.bufferedAmount
  },
  send(frame, sent) {
    gather()
    socket.send(frame, { binary: false }, sent)
  },
  cut: () => socket.terminate(),
})
