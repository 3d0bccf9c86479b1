/**
 * A wire: one WebSocket that carries frames, and whoever receives them now: first a greeting, then a link.
 *
 * - wire.W1 frames of one turn of the event loop go as one message, in the order in which they were written.
 * - wire.W2 a wire whose other side does not take what is sent is cut: more than {@link MAX_UNSENT_BYTES} never wait.
 * - wire.W3 a malformed frame closes its wire, whatever it is; nothing is thrown out of it, and no frame behind it is read.
 * - wire.W4 its end is told once, and no frame after it.
 * @module
 */
import type { Socket } from 'node:net'

import type { RawData, WebSocket } from 'ws'

import { closeSocket } from '../../http/upgrade.ts'
import type { Log } from '../../process/log.ts'
import { FULL_BYTES, messageOf, type Outgoing, readFrame, sizeOf } from './frames.ts'
import { closeCodes, LinkFault, malformed } from './link-fault.ts'

/** Bytes that may wait for the other engine. */
const MAX_UNSENT_BYTES = 16 * 1024 * 1024
/** With more than this no ask is taken: a burst of long ones must not cut the link of all others (wire.W2). */
export const MAX_ASKED_BYTES = MAX_UNSENT_BYTES * 0.75
/** Bytes that may wait before pipes have to, which leaves room for asks. */
const BUSY_BYTES = 4 * 1024 * 1024
/** The socket broke without a word (RFC 6455, section 7.4.1). */
const ABNORMAL = 1006

/** How a wire ended; the text follows a colon. */
export interface WireEnd {
  readonly code: number
  readonly detail: string
}

/** Takes what comes over a wire. */
export interface Receiver {
  /** Throws a {@link LinkFault} for a frame that cannot be used. */
  frame(kind: number, id: number, payload: Buffer): void
  ended(end: WireEnd): void
}

/** A socket that is open, and the stream below it. */
export interface OpenSocket {
  readonly socket: WebSocket
  readonly stream: Pick<Socket, 'bytesRead'>
}

/** Frames over one socket. */
export class Wire {
  /** Who receives now. */
  receiver: Receiver
  readonly #socket: WebSocket
  readonly #stream: OpenSocket['stream']
  readonly #log: Pick<Log, 'error'>
  readonly #waiting = new Set<() => void>()
  #frames: Outgoing[] = []
  #bytes = 0
  #isPlanned = false
  #isOver = false
  #closing: Promise<void> | null = null

  constructor({ socket, stream }: OpenSocket, receiver: Receiver, log: Pick<Log, 'error'>) {
    this.#socket = socket
    this.#stream = stream
    this.receiver = receiver
    this.#log = log
    socket.on('message', (data: RawData, isBinary) => this.#read(data as Buffer, isBinary))
    // a message that is no WebSocket message: nothing more is read of it, and its end may take long to come
    socket.on('error', (error) => void this.close(closeCodes.malformed, error.message))
    socket.once('close', (code, reason) => this.#end({ code, detail: saidOf(code, reason.toString()) }))
  }

  /** Whether nothing is sent any more. */
  get isOver(): boolean {
    return this.#isOver || this.#socket.readyState !== this.#socket.OPEN
  }

  /** Bytes that have come over the socket so far; also those of a message that is not complete. */
  get bytesRead(): number {
    return this.#stream.bytesRead
  }

  get unsentBytes(): number {
    return this.#bytes + this.#socket.bufferedAmount
  }

  /** Whether pipes have to wait. */
  get isBusy(): boolean {
    return this.unsentBytes >= BUSY_BYTES
  }

  /** Calls back once when pipes need not wait any more. */
  whenIdle(run: () => void): void {
    this.#waiting.add(run)
  }

  /** Sends a frame with those of this turn. The payload must not be changed before the turn is over. */
  write(kind: number, id: number, payload: Uint8Array, subject = ''): void {
    if (this.#isOver) return
    this.#frames.push({ kind, id, subject, payload })
    this.#bytes += sizeOf(subject, payload)
    if (this.#bytes >= FULL_BYTES) this.#flush()
    else if (!this.#isPlanned) {
      this.#isPlanned = true
      setImmediate(this.#flush)
    }
    if (this.unsentBytes > MAX_UNSENT_BYTES) this.cut(`more than ${MAX_UNSENT_BYTES} bytes wait for it`)
  }

  /** Sends what was written, and closes. The other side hears code and reason. */
  close(code: number, reason: string): Promise<void> {
    if (this.#isOver) return this.#closing ?? Promise.resolve()
    this.#flush()
    // a reason takes at most 123 bytes
    const said = Buffer.from(reason).subarray(0, 120).toString()
    this.#closing = closeSocket(this.#socket, code, said)
    this.#end({ code, detail: reason })
    return this.#closing
  }

  /** Ends at once. */
  cut(detail: string): void {
    if (this.#isOver) return
    this.#end({ code: ABNORMAL, detail })
    this.#socket.terminate()
  }

  readonly #flush = (): void => {
    this.#isPlanned = false
    if (this.#isOver || this.#frames.length === 0) return
    const message = messageOf(this.#frames, this.#bytes)
    this.#frames = []
    this.#bytes = 0
    this.#socket.send(message, this.#sent)
  }

  readonly #sent = (): void => {
    if (this.#waiting.size === 0 || this.isBusy) return
    const waiting = [...this.#waiting]
    this.#waiting.clear()
    for (const run of waiting) run()
  }

  #read(message: Buffer, isBinary: boolean): void {
    try {
      if (!isBinary && !this.#isOver) throw malformed('a text came in place of frames')
      for (let at = 0; at < message.length && !this.#isOver;) at = readFrame(message, at, this.#take)
    } catch (error) {
      if (!(error instanceof LinkFault))
        this.#log.error({ err: error }, 'a frame of another engine failed unexpectedly')
      if (error instanceof LinkFault) void this.close(error.closeCode, error.message)
      else void this.close(closeCodes.failed, 'the engine failed at a frame')
    }
  }

  readonly #take = (kind: number, id: number, payload: Buffer): void => this.receiver.frame(kind, id, payload)

  #end(end: WireEnd): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#frames = []
    this.#bytes = 0
    this.#waiting.clear()
    this.receiver.ended(end)
  }
}

function saidOf(code: number, reason: string): string {
  if (code === ABNORMAL) return 'the connection broke'
  return `the other engine closed it (code ${code}${reason === '' ? '' : `, ${reason}`})`
}
