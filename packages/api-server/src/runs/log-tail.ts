/**
 * The end of a node's output.
 * @module
 */
import { MAX_LOG_BYTES } from '@flow-service/protocol'

/** Keeps the last {@link MAX_LOG_BYTES} bytes of text. */
export class LogTail {
  #text: string
  #cut: boolean
  #bytes: number

  /** Goes on from what was kept before, of so many bytes of output. */
  constructor({ text, truncated, bytes } = { text: '', truncated: false, bytes: 0 }) {
    this.#text = text
    this.#cut = truncated
    this.#bytes = bytes
  }

  /** Bytes of all output so far. */
  get bytes(): number {
    return this.#bytes
  }

  /** Adds output, and answers it as it is kept: U+0000, which PostgreSQL cannot keep, becomes U+FFFD. */
  add(output: string): string {
    const text = output.replaceAll('\0', '\uFFFD')
    this.#text += text
    this.#bytes += Buffer.byteLength(text)
    // a code unit takes at least one byte, so nothing that counts is lost; trimming rarely keeps adding cheap
    if (this.#text.length > 4 * MAX_LOG_BYTES) this.#trim()
    return text
  }

  /** The kept text, and whether something before it was dropped. */
  read(): { text: string; truncated: boolean } {
    this.#trim()
    return { text: this.#text.toWellFormed(), truncated: this.#cut }
  }

  #trim(): void {
    if (this.#text.length <= MAX_LOG_BYTES / 3) return
    const bytes = Buffer.from(this.#text)
    if (bytes.length <= MAX_LOG_BYTES) return
    let start = bytes.length - MAX_LOG_BYTES
    // never begin inside a character: continuation bytes of UTF-8 are 10xxxxxx
    while (((bytes[start] ?? 0) & 0xc0) === 0x80) start += 1
    this.#text = bytes.toString('utf8', start)
    this.#cut = true
  }
}
