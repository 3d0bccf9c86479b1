/**
 * What a call's process prints, as log frames of bounded size.
 * @module
 */
import { StringDecoder } from 'node:string_decoder'

import type { OutputName } from './process.ts'

/** Bytes of output that a call may send; the rest is counted. */
const MAX_OUTPUT_BYTES = 1024 * 1024

/** Turns chunks into text that can be stored: whole characters, no NUL. */
export class Output {
  readonly #send: (stream: OutputName, text: string) => void
  /** Of the streams that something was printed to: most calls print nothing. */
  readonly #decoders: Partial<Record<OutputName, StringDecoder>> = {}
  #left = MAX_OUTPUT_BYTES
  #dropped = 0

  constructor(send: (stream: OutputName, text: string) => void) {
    this.#send = send
  }

  push(stream: OutputName, chunk: Buffer): void {
    const kept = chunk.subarray(0, this.#left)
    this.#left -= kept.length
    this.#dropped += chunk.length - kept.length
    const decoder = (this.#decoders[stream] ??= new StringDecoder('utf8'))
    this.#text(stream, decoder.write(kept))
  }

  /** Sends what is left over of the last characters, and how much was dropped. */
  end(): void {
    for (const stream of ['stdout', 'stderr'] as const) this.#text(stream, this.#decoders[stream]?.end() ?? '')
    if (this.#dropped === 0) return
    this.#text('stderr', `\n${this.#dropped} more bytes of output were dropped: a call keeps ${MAX_OUTPUT_BYTES}\n`)
  }

  #text(stream: OutputName, text: string): void {
    if (text !== '') this.#send(stream, text.replaceAll('\0', '\uFFFD'))
  }
}
