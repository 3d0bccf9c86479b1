/**
 * The end of what a node has printed: runs keep it in the node's record, the engine in memory of live nodes.
 * @module
 */
import { MAX_LOG_BYTES } from '@flow-service/protocol'

import { invalid } from '../http/errors.ts'

/** The end of a node's output, of so many bytes of it. */
export interface KeptOutput {
  readonly text: string
  readonly bytes: number
}

/** Keeps the last {@link MAX_LOG_BYTES} bytes of text: in a ring, which grows up to them. */
export class LogTail {
  #ring: Buffer = Buffer.alloc(0)
  #start = 0
  #kept = 0
  #bytes = 0
  #cut = false

  /** Goes on from what was kept before. */
  constructor(before?: KeptOutput & { readonly truncated: boolean }) {
    if (before === undefined) return
    this.#push(Buffer.from(before.text))
    this.#bytes = before.bytes
    this.#cut ||= before.truncated
  }

  /** Bytes of all output so far. */
  get bytes(): number {
    return this.#bytes
  }

  /** Bytes of memory that the text takes. */
  get size(): number {
    return this.#ring.length
  }

  /**
   * Adds output, and answers it as it is kept: U+0000, which PostgreSQL cannot keep, and halves of characters become
   * U+FFFD.
   */
  add(output: string): string {
    const text = output.replaceAll('\0', '\uFFFD').toWellFormed()
    const added = Buffer.from(text)
    this.#bytes += added.length
    this.#push(added)
    return text
  }

  /** The kept text, in whole characters, and whether something before it was dropped. */
  read(): { text: string; truncated: boolean } {
    const kept = this.#copyInto(Buffer.alloc(this.#kept))
    return { text: kept.toString('utf8', this.#cut ? nextCharacter(kept, 0) : 0), truncated: this.#cut }
  }

  #push(added: Buffer): void {
    const tail = added.length > MAX_LOG_BYTES ? added.subarray(added.length - MAX_LOG_BYTES) : added
    this.#grow(Math.min(MAX_LOG_BYTES, this.#kept + tail.length))
    const capacity = this.#ring.length
    if (capacity === 0) return
    const at = (this.#start + this.#kept) % capacity
    const untilEnd = tail.copy(this.#ring, at)
    tail.copy(this.#ring, 0, untilEnd)
    const lost = Math.max(0, this.#kept + tail.length - capacity)
    this.#cut ||= lost > 0 || tail.length < added.length
    this.#start = (this.#start + lost) % capacity
    this.#kept = Math.min(capacity, this.#kept + tail.length)
  }

  #grow(wanted: number): void {
    if (wanted <= this.#ring.length) return
    let capacity = Math.max(1024, this.#ring.length)
    while (capacity < wanted) capacity *= 2
    this.#ring = this.#copyInto(Buffer.alloc(capacity))
    this.#start = 0
  }

  #copyInto(target: Buffer): Buffer {
    const untilEnd = this.#ring.copy(target, 0, this.#start, Math.min(this.#ring.length, this.#start + this.#kept))
    this.#ring.copy(target, untilEnd, 0, this.#kept - untilEnd)
    return target
  }
}

/** A part of kept output, from byte `from` of all output to before byte `next`. */
export interface LogPart {
  readonly from: number
  readonly next: number
  readonly text: string
  /** What was asked for begins before what is kept. */
  readonly cut: boolean
}

/**
 * Whole characters of at most `limit` bytes behind the first `after` ones, one character at least where there is one
 * (wire decision V18). Refuses with `validation_failed` what is behind the end.
 */
export function logPart({ text, bytes }: KeptOutput, { after, limit }: { after: number; limit: number }): LogPart {
  if (after > bytes) {
    const message = `the node has printed ${bytes} bytes so far, so there is nothing after ${after}: go on from \`next\` of the last answer, or from 0 when the engine has started since`
    throw invalid([{ path: 'query.after', code: 'too_big', message }])
  }
  const kept = Buffer.from(text)
  const begin = bytes - kept.length
  const start = nextCharacter(kept, Math.max(0, after - begin))
  const end = Math.max(nextCharacter(kept, start + 1), lastCharacter(kept, start + limit))
  return { from: begin + start, next: begin + end, text: kept.toString('utf8', start, end), cut: after < begin }
}

// continuation bytes of UTF-8 are 10xxxxxx
const isInside = (bytes: Uint8Array, at: number): boolean => ((bytes[at] ?? 0) & 0xc0) === 0x80

/** The first place from this one on where a character begins, or the end. */
function nextCharacter(bytes: Uint8Array, from: number): number {
  let at = Math.min(from, bytes.length)
  while (isInside(bytes, at)) at += 1
  return at
}

/** The last place up to this one where a character begins, or the end. */
function lastCharacter(bytes: Uint8Array, from: number): number {
  let at = Math.min(from, bytes.length)
  while (isInside(bytes, at)) at -= 1
  return at
}
