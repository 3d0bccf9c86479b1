/**
 * One end of a pipe: a stream of bytes both ways over a link, for sockets that are passed on and for long bodies.
 *
 * - pipe.P1 each side sends no more than {@link WINDOW_BYTES} beyond what the reader of the other side has taken: a slow
 *   reader stops its writer, and nobody else.
 * - pipe.P2 each direction ends by itself; a side that is destroyed before both have ended breaks off the other side too.
 * - pipe.P3 what a reader throws breaks off its pipe, and not the link.
 * @module
 */
import { Duplex } from 'node:stream'

import { kinds, NOTHING } from './frames.ts'
import { malformed } from './link-fault.ts'
import type { Wire } from './wire.ts'

/** Bytes that may be on their way. */
export const WINDOW_BYTES = 256 * 1024
/** What the reader has taken is told in steps of this. */
const STEP_BYTES = WINDOW_BYTES / 4
/** Pipes take turns after so many bytes. */
const CHUNK_BYTES = 64 * 1024
/** Longest text that says why a pipe was broken off. */
export const MAX_REASON_BYTES = 500

type Written = (error?: Error | null) => void

/** What a pipe needs of its link. */
export interface PipeDeps {
  readonly id: number
  readonly wire: Wire
  /** Nothing comes for it any more. */
  readonly forget: () => void
}

/** A stream whose other end is in another engine. */
export class Pipe extends Duplex {
  readonly #deps: PipeDeps
  /** Bytes that may be sent. */
  #credit = WINDOW_BYTES
  /** Bytes that may come. */
  #window = WINDOW_BYTES
  /** What is to be sent, and who is told when it is. */
  #unsent: { readonly chunks: Buffer[]; readonly written: Written } | null = null
  /** What has come and was not asked for yet. */
  readonly #arrived: Buffer[] = []
  /** Bytes that were read and not told. */
  #untold = 0
  /** Bytes that have come, as a socket counts them: who passes a socket on watches whether its client lives. */
  bytesRead = 0
  #isWanted = false
  /** Which of the sides sends nothing any more. */
  #isOver = { here: false, there: false }

  constructor(deps: PipeDeps) {
    super({ readableHighWaterMark: CHUNK_BYTES, writableHighWaterMark: CHUNK_BYTES })
    this.#deps = deps
    // a pipe that breaks while nobody listens must not end the process
    this.on('error', () => undefined)
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, written: Written): void {
    this.#unsent = { chunks: [chunk], written }
    this.#pump()
  }

  override _writev(chunks: { readonly chunk: Buffer }[], written: Written): void {
    this.#unsent = { chunks: chunks.map(({ chunk }) => chunk), written }
    this.#pump()
  }

  override _final(written: Written): void {
    this.#isOver.here = true
    this.#deps.wire.write(kinds.end, this.#deps.id, NOTHING)
    written()
  }

  override _read(): void {
    this.#isWanted = true
    this.#feed()
  }

  override _destroy(error: Error | null, destroyed: Written): void {
    const { id, wire, forget } = this.#deps
    const { here, there } = this.#isOver
    if (!here || !there) wire.write(kinds.reset, id, Buffer.from(error?.message ?? '').subarray(0, MAX_REASON_BYTES))
    this.#arrived.length = 0
    forget()
    destroyed(error)
  }

  /** A chunk has come. Throws a `LinkFault` for one that was not allowed. */
  arrived(chunk: Buffer): void {
    if (chunk.length === 0 || chunk.length > this.#window || this.#isOver.there)
      throw malformed('a pipe got more than it allows')
    this.#window -= chunk.length
    this.bytesRead += chunk.length
    this.#arrived.push(chunk)
    this.#guarded()
  }

  /** Nothing more comes. */
  endedThere(): void {
    if (this.#isOver.there) throw malformed('a pipe ended twice')
    this.#isOver.there = true
    this.#guarded()
  }

  /** The other side takes so many further bytes. */
  credited(bytes: number): void {
    if (bytes === 0 || this.#credit + bytes > WINDOW_BYTES)
      throw malformed('a pipe may send more than there is room for')
    this.#credit += bytes
    this.#pump()
  }

  /** Ends without a word to the other side, which knows it or is gone. */
  breakOff(error: Error): void {
    this.#isOver = { here: true, there: true }
    this.destroy(error)
  }

  /** Sends as much as may be sent; the rest follows with credit, or when the link is less busy. */
  readonly #pump = (): void => {
    const { id, wire } = this.#deps
    const unsent = this.#unsent
    if (unsent === null || this.destroyed) return
    for (let [chunk] = unsent.chunks; chunk !== undefined; [chunk] = unsent.chunks) {
      const size = Math.min(chunk.length, this.#credit, CHUNK_BYTES)
      if (size === 0 && chunk.length > 0) return
      if (wire.isBusy) return wire.whenIdle(this.#pump)
      if (size > 0) wire.write(kinds.chunk, id, chunk.subarray(0, size))
      this.#credit -= size
      if (size === chunk.length) unsent.chunks.shift()
      else unsent.chunks[0] = chunk.subarray(size)
    }
    this.#unsent = null
    // the writer may use its memory again, which is read at the end of the turn
    setImmediate(unsent.written)
  }

  /** A reader that is called back in the middle of this may throw (pipe.P3). */
  #guarded(): void {
    try {
      this.#feed()
    } catch (error) {
      this.destroy(error as Error)
    }
  }

  #feed(): void {
    for (let [chunk] = this.#arrived; this.#isWanted && chunk !== undefined; [chunk] = this.#arrived) {
      this.#arrived.shift()
      this.#untold += chunk.length
      this.#isWanted = false
      // a reader that wants more at once asks in the middle of this
      if (this.push(chunk)) this.#isWanted = true
    }
    if (this.destroyed) return
    if (this.#untold >= STEP_BYTES && !this.#isOver.there) this.#tell()
    if (!this.#isWanted || this.#arrived.length > 0 || !this.#isOver.there) return
    this.#isWanted = false
    this.push(null)
  }

  /** Says how much was read (pipe.P1). */
  #tell(): void {
    const credit = Buffer.allocUnsafe(4)
    credit.writeUInt32LE(this.#untold)
    this.#window += this.#untold
    this.#untold = 0
    this.#deps.wire.write(kinds.credit, this.#deps.id, credit)
  }
}
