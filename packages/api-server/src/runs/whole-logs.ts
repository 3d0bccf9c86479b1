/**
 * The whole output of nodes that say more than their record keeps, as artifacts of the run: `<node>.log`. It is stored
 * while it comes. Of a run that is cancelled only the record keeps the end of it.
 * @module
 */
import type { BatchEvent } from '@flow-service/core'
import { type ArtifactRef, MAX_LOG_BYTES } from '@flow-service/protocol'

import type { Log } from '../process/log.ts'

/** Dependencies of the whole logs of a run. */
export interface WholeLogsDeps {
  readonly run: string
  /** Stores bytes that come one after the other. */
  readonly save: (chunks: AsyncIterable<Uint8Array>, name: string) => Promise<ArtifactRef>
  /** A log is stored. */
  readonly onSaved: (node: string, ref: ArtifactRef) => void
  readonly log: Pick<Log, 'error'>
}

/** Bytes of one log that may wait for the disk; what comes beyond is left out, and the log says so. */
const MAX_WAITING = 16 * 1024 * 1024

/** The logs of one run. */
export class WholeLogs {
  readonly #deps: WholeLogsDeps
  readonly #logs = new Map<string, WholeLog>()
  readonly #saves: Promise<void>[] = []

  constructor(deps: WholeLogsDeps) {
    this.#deps = deps
  }

  /** A node has printed before, in an engine that has stopped: so many bytes, of which this is the end. */
  goesOn(node: string, text: string, bytes: number): void {
    const missing = bytes - Buffer.byteLength(text)
    if (missing > 0) this.#add(node, `[${missing} bytes before an engine stopped are not here]\n`)
    if (text !== '') this.#add(node, text)
  }

  /** Takes in what nodes say, and that they have ended. */
  observe(event: BatchEvent): void {
    if (event.kind === 'log') this.#add(event.node, event.text)
    else if (event.kind === 'node' && !['pending', 'queued', 'running'].includes(event.status)) this.#end(event.node)
  }

  /** Ends all logs; resolves when they are stored, or could not be. */
  async over(): Promise<void> {
    for (const node of this.#logs.keys()) this.#end(node)
    await Promise.all(this.#saves)
  }

  #add(node: string, text: string): void {
    const log = this.#logs.get(node) ?? new WholeLog()
    this.#logs.set(node, log)
    log.add(text)
    if (log.bytes > MAX_LOG_BYTES && !log.isSaved) this.#saves.push(this.#save(node, log))
  }

  #end(node: string): void {
    this.#logs.get(node)?.end()
    this.#logs.delete(node)
  }

  async #save(node: string, log: WholeLog): Promise<void> {
    const { run, save, onSaved } = this.#deps
    log.isSaved = true
    try {
      onSaved(node, await save(log, `${node}.log`))
    } catch (error) {
      log.end()
      this.#deps.log.error({ err: error, run, node }, 'the whole log of a node could not be stored')
    }
  }
}

/** Text on its way to the disk. */
class WholeLog implements AsyncIterable<Uint8Array> {
  /** Bytes that were said. */
  bytes = 0
  isSaved = false
  #chunks: Uint8Array[] = []
  #waiting = 0
  #missing = 0
  #isOver = false
  #more = Promise.withResolvers<void>()

  add(text: string): void {
    const chunk = Buffer.from(text)
    this.bytes += chunk.length
    if (this.#isOver) return
    if (this.#waiting + chunk.length > MAX_WAITING) this.#missing += chunk.length
    else this.#push(chunk)
  }

  end(): void {
    this.#isOver = true
    this.#more.resolve()
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void, undefined> {
    for (;;) {
      const chunks = this.#chunks
      this.#chunks = []
      this.#waiting = 0
      yield* chunks
      if (this.#missing > 0) {
        yield Buffer.from(`\n[${this.#missing} bytes came faster than they could be stored]\n`)
        this.#missing = 0
      }
      if (this.#chunks.length > 0) continue
      if (this.#isOver) return
      this.#more = Promise.withResolvers()
      // oxlint-disable-next-line no-await-in-loop -- chunks come one after the other
      await this.#more.promise
    }
  }

  #push(chunk: Uint8Array): void {
    this.#chunks.push(chunk)
    this.#waiting += chunk.length
    this.#more.resolve()
  }
}
