/**
 * The bytes of one artifact, from an engine or straight from its store, over as many connections as it takes.
 * Invariants download.F1-F4 are in DESIGN.md.
 * @module
 */
import type { IncomingMessage } from 'node:http'

import type { DirectStore } from './direct-store.ts'
import { Attempts, exchange, failureOf, reasonOf, Refused, retryAfterOf, textOf, Unavailable } from './exchange.ts'
import { type Incoming, NotWritten } from './incoming.ts'

/** Of bytes whose number nobody has told: one artifact of node code has no more. */
const MAX_UNTOLD_BYTES = 1024 ** 3
/** Failures of a store in a row after which it is left alone. */
const MOST_STORE_FAILURES = 2

/** What the head of an answer says of bytes. */
export interface ArtifactFacts {
  /** Null where it does not say. */
  readonly size: number | null
  /** The bytes are gone soon, and nobody is to keep them. */
  readonly isVolatile: boolean
}

/** What downloads of one engine need. */
export interface DownloadDeps {
  /** Collection of the engine's artifacts, without a slash at its end. */
  readonly url: string
  readonly token: string
  readonly store: DirectStore
  readonly retryMs: number
  readonly idleMs: number
  /** Milliseconds in which a store has to answer. */
  readonly storeAnswerMs: number
}

/** By which the sender of bytes knows them. */
interface Tag {
  readonly from: Answer['from']
  readonly etag: string
}

/** Bytes from the first one on. */
interface Part {
  readonly incoming: Incoming
  /** Of all bytes; null where nobody has told it. */
  readonly size: number | null
  readonly tag: Tag | null
}

interface Answer {
  readonly response: IncomingMessage
  /** The engine's own address, or that of its store. */
  readonly from: 'engine' | 'store'
}

/** The store does not deliver; the engine may. */
class StoreFailed extends Unavailable {
  /** Whether this is for good: for every artifact, for this one, or not before it has happened again. */
  readonly reach: 'all' | 'this' | 'none'

  constructor(message: string, reach: StoreFailed['reach'], afterMs: number | null = null) {
    super(message, afterMs)
    this.reach = reach
  }
}

/** One download. */
export class Download {
  readonly #digest: string
  readonly #deps: DownloadDeps
  readonly #open: (facts: ArtifactFacts) => Promise<Incoming>
  readonly #signal: AbortSignal
  readonly #attempts: Attempts
  /** What has arrived of an answer that began with the first byte. */
  #part: Part | null = null
  #isPlain = false
  #storeFailures = 0

  /** `open` says where bytes go of which an answer tells this; what comes of it is discarded unless `run` resolves. */
  constructor(
    digest: string,
    deps: DownloadDeps,
    open: (facts: ArtifactFacts) => Promise<Incoming>,
    signal: AbortSignal,
  ) {
    this.#digest = digest
    this.#deps = deps
    this.#open = open
    this.#signal = signal
    this.#attempts = new Attempts(`load artifact ${digest}`, deps.retryMs)
  }

  /** Resolves with the latest that `open` gave, complete and right. */
  async run(): Promise<Incoming> {
    try {
      const first = await this.#whole()
      if (first) return first
      // it may have been damaged by the store, or by what lies before it
      this.#isPlain = true
      const second = await this.#whole()
      if (second) return second
    } catch (error) {
      await this.#forget()
      throw error
    }
    throw new Refused(`artifact ${this.#digest} came damaged twice: other bytes came than were asked for`)
  }

  /** All bytes; null, and none, when they turn out to be others. */
  async #whole(): Promise<Incoming | null> {
    const incoming = await this.#receiveAll()
    if ((await incoming.end()) === this.#digest) return incoming
    await this.#forget()
    return null
  }

  async #receiveAll(): Promise<Incoming> {
    for (;;) {
      const had = this.#arrived
      try {
        // oxlint-disable-next-line no-await-in-loop -- one attempt after the other
        return await this.#receive(await this.#ask())
      } catch (error) {
        this.#signal.throwIfAborted()
        if (error instanceof NotWritten) throw error
        if (this.#arrived > had) this.#progress()
        if (error instanceof StoreFailed && this.#leavesStore(error)) continue
        // oxlint-disable-next-line no-await-in-loop -- see above
        await this.#attempts.after(error, this.#signal)
      }
    }
  }

  get #arrived(): number {
    return this.#part?.incoming.bytes ?? 0
  }

  #progress(): void {
    this.#attempts.progress()
    this.#storeFailures = 0
  }

  /** Whether the engine is to be asked at once. */
  #leavesStore({ message, reach }: StoreFailed): boolean {
    this.#storeFailures += 1
    if (reach === 'none' && this.#storeFailures < MOST_STORE_FAILURES) return false
    this.#isPlain = true
    if (reach !== 'this') this.#deps.store.avoid(message)
    return true
  }

  async #forget(): Promise<void> {
    const part = this.#part
    this.#part = null
    await part?.incoming.discard()
  }

  /** An answer that holds bytes: all of them, or the rest. */
  async #ask(): Promise<Answer> {
    const { url, token, store, idleMs } = this.#deps
    const asksDirect = !this.#isPlain && store.isOpen
    const response = await exchange(new URL(`${url}/${this.#digest}`), {
      headers: {
        authorization: `Bearer ${token}`,
        ...this.#conditions('engine'),
        ...(asksDirect ? { prefer: 'direct' } : {}),
      },
      signal: this.#signal,
      idleMs,
    })
    if (response.statusCode !== 307 || !asksDirect) return await this.#checked({ response, from: 'engine' })
    await textOf(response).catch(() => undefined)
    const target = store.target(response.headers.location)
    // it has said why
    if (!target) return await this.#ask()
    return await this.#askStore(target)
  }

  async #askStore(target: URL): Promise<Answer> {
    const { storeAnswerMs: answerMs, idleMs } = this.#deps
    const request = { headers: this.#conditions('store'), signal: this.#signal, answerMs, idleMs }
    const response = await exchange(target, request).catch((error: unknown) => {
      // a connection may have been given up by the store at the moment when it was used again
      const reach = (error as NodeJS.ErrnoException).code === 'ECONNRESET' ? 'none' : 'all'
      throw new StoreFailed(`the store at ${target.origin} cannot be reached (${reasonOf(error)})`, reach)
    })
    return await this.#checked({ response, from: 'store' })
  }

  #conditions(from: Answer['from']): Record<string, string> {
    // coded bytes would have another length, and another rest
    const plain = { 'accept-encoding': 'identity' }
    if (this.#arrived === 0) return plain
    const tag = this.#part?.tag
    return { ...plain, range: `bytes=${this.#arrived}-`, ...(tag?.from === from ? { 'if-match': tag.etag } : {}) }
  }

  /** The answer, when bytes follow that fit to what has arrived; throws otherwise. */
  async #checked(answer: Answer): Promise<Answer> {
    const { response, from } = answer
    const status = response.statusCode ?? 0
    if (status === 200) {
      // a file that is still empty serves again
      if (this.#arrived > 0 || this.#part?.size !== sizeOf(response)) await this.#forget()
      return answer
    }
    if (status === 206 && this.#arrived > 0 && firstByteOf(response) === this.#arrived) return answer
    if (status === 206 || status === 412 || status === 416) {
      response.destroy()
      await this.#forget()
      throw new Error(`the answer ${status} is not the rest of the bytes`)
    }
    if (from === 'engine') throw await failureOf(response, `artifact ${this.#digest}`)
    await textOf(response).catch(() => undefined)
    throw new StoreFailed(`the store answers ${status}`, reachOf(status), retryAfterOf(response))
  }

  async #receive(answer: Answer): Promise<Incoming> {
    const { response, from } = answer
    const had = this.#arrived
    // a connection that breaks while a file is opened has brought something nevertheless
    const early: Buffer[] = []
    const keep = (chunk: Buffer): void => {
      early.push(chunk)
      response.pause()
    }
    if (!this.#part) response.on('data', keep)
    const part = (this.#part ??= await this.#opened(answer))
    response.off('data', keep)
    try {
      await pour(response, part.incoming, part.size ?? MAX_UNTOLD_BYTES, early)
    } catch (error) {
      if (from === 'engine' || error instanceof NotWritten || this.#arrived > had) throw error
      throw new StoreFailed(`the store sends nothing (${reasonOf(error)})`, 'none')
    }
    if (part.size !== null && part.incoming.bytes < part.size) throw new Error('a part of the rest is missing')
    return part.incoming
  }

  async #opened({ response, from }: Answer): Promise<Part> {
    const { 'cache-control': control = '', etag = '' } = response.headers
    const size = sizeOf(response)
    try {
      const incoming = await this.#open({ size, isVolatile: from === 'engine' && control.includes('no-store') })
      return { incoming, size, tag: etag.startsWith('"') ? { from, etag } : null }
    } catch (error) {
      response.destroy()
      throw error
    }
  }
}

/**
 * Resolves when the body of an answer, of which some chunks are here already, has ended as it should; rejects when it
 * broke, or is longer than `limit`.
 */
function pour(response: IncomingMessage, incoming: Incoming, limit: number, early: readonly Buffer[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const take = (chunk: Buffer): void => {
      if (incoming.bytes + chunk.length > limit) throw new Error(`more than ${limit} bytes came`)
      const behind = incoming.push(chunk)
      if (!behind) return
      response.pause()
      void behind.then(() => response.resume())
    }
    const tryTake = (chunk: Buffer): void => {
      try {
        take(chunk)
      } catch (error) {
        response.destroy()
        reject(error as Error)
      }
    }
    const broke = (): void => reject(new Error('the connection broke'))
    for (const chunk of early) tryTake(chunk)
    response.on('data', tryTake)
    response.once('end', resolve)
    response.once('error', reject)
    response.once('close', broke)
    // it may be over already
    if (response.readableEnded) resolve()
    else if (response.destroyed) broke()
    else response.resume()
  })
}

function sizeOf({ headers }: IncomingMessage): number | null {
  const { 'content-length': length } = headers
  return length === undefined ? null : Number(length)
}

/** First position of a part (RFC 9110). */
const firstByteOf = ({ headers }: IncomingMessage): number =>
  Number(/^bytes (\d+)-/.exec(headers['content-range'] ?? '')?.[1] ?? Number.NaN)

function reachOf(status: number): StoreFailed['reach'] {
  // 403: an address is good for some minutes only, or the clocks of engine and store differ
  if (status === 403 || status === 429 || status >= 500) return 'none'
  return status === 404 || status === 410 ? 'this' : 'all'
}
