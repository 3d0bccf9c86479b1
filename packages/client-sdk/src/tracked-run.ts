/**
 * The run of a program that the engine does not execute, told of while it goes on: `client.track` makes it. What is logged
 * waits in memory, and goes out in counted requests, one at a time, each again until it is answered; so an engine that is
 * gone for a while loses nothing, and gets nothing twice.
 * @module
 */
import { ApiError } from './api-error.ts'
import type { ArtifactRef, RunTrackAppend, RunTracked } from './generated/types.gen.ts'

/** What a tracked run begins with. */
export interface TrackOptions {
  readonly params?: Readonly<Record<string, unknown>>
  readonly seed?: number
  readonly note?: string
  readonly tags?: readonly string[]
  /** Commit of the sources that execute. */
  readonly commit?: string
  /** Milliseconds for which what is logged gathers before it is sent; 1,000 unless given. */
  readonly everyMs?: number
}

/** How a tracked run ends. */
export interface TrackEnd {
  /** `ok` unless given, `error` with an error. */
  readonly status?: 'ok' | 'error' | 'cancelled'
  /** Why it failed. */
  readonly error?: unknown
}

/** Somebody has cancelled the run. */
export class TrackCancelled extends Error {
  override readonly name = 'TrackCancelled'
}

/** What a tracked run needs of the client. */
export interface TrackSource {
  append(body: RunTrackAppend): Promise<RunTracked>
  upload(data: Blob | Uint8Array<ArrayBuffer> | string, name: string): Promise<ArtifactRef>
}

const EVERY_MS = 1000
const HEARTBEAT_MS = 15_000
const FIRST_PAUSE_MS = 200
const LONGEST_PAUSE_MS = 10_000
/** Points of one request. */
const MOST_POINTS = 50_000
/** Characters of output of one request. */
const MOST_TEXT = 1_000_000
/** Points that wait for an engine that cannot be reached. */
const MOST_WAITING = 5_000_000

interface Waiting {
  readonly curves: Map<string, { steps: number[]; values: number[]; ts: number[] }>
  params: Record<string, unknown>
  result: Record<string, unknown>
  text: string
  artifacts: { name: string; digest: string }[]
}

/** A run of this program. */
export class TrackedRun {
  readonly id: string
  /** The name under which it is listed. */
  readonly flow: string
  readonly #source: TrackSource
  readonly #everyMs: number
  readonly #cancelled = new AbortController()
  readonly #steps = new Map<string, number>()
  #waiting: Waiting = nothing()
  #points = 0
  #seq = 0
  #failure: Error | null = null
  #isOver = false
  /** Whether a request is about to go out that takes what is logged now. */
  #isSoon = false
  #sending: Promise<void> = Promise.resolve()
  #timer: ReturnType<typeof setTimeout> | undefined

  /** Begins to say that the run goes on, until {@link end}. */
  constructor(source: TrackSource, { id, flow, everyMs = EVERY_MS }: { id: string; flow: string; everyMs?: number }) {
    this.id = id
    this.flow = flow
    this.#source = source
    this.#everyMs = everyMs
    this.#later(HEARTBEAT_MS)
  }

  /** Aborted when somebody cancels the run: the program should stop. */
  get signal(): AbortSignal {
    return this.#cancelled.signal
  }

  /**
   * Points of curves, by name. A step is one more than the last of its curve unless given; one that is not greater is left
   * out by the engine. Throws {@link TrackCancelled} when the run was cancelled, and what the engine has refused.
   */
  log(values: Readonly<Record<string, number>>, { step }: { readonly step?: number } = {}): void {
    this.#assertGoesOn()
    const ts = Date.now()
    for (const [name, value] of Object.entries(values)) {
      const own = step ?? (this.#steps.get(name) ?? -1) + 1
      this.#steps.set(name, own)
      const curve = this.#waiting.curves.get(name) ?? { steps: [], values: [], ts: [] }
      this.#waiting.curves.set(name, curve)
      curve.steps.push(own)
      curve.values.push(value)
      curve.ts.push(ts)
      this.#points += 1
    }
    this.#later(this.#everyMs)
  }

  /** Adds to the params; a known name has this value from now on. Throws as {@link log}. */
  params(values: Readonly<Record<string, unknown>>): void {
    this.#assertGoesOn()
    Object.assign(this.#waiting.params, values)
    this.#later(this.#everyMs)
  }

  /** Adds to the results; a known name has this value from now on. Throws as {@link log}. */
  result(values: Readonly<Record<string, unknown>>): void {
    this.#assertGoesOn()
    Object.assign(this.#waiting.result, values)
    this.#later(this.#everyMs)
  }

  /** Adds to the output of the run, with line breaks as they are in the text. Throws as {@link log}. */
  print(text: string): void {
    this.#assertGoesOn()
    this.#waiting.text += text.replaceAll('\0', '\uFFFD').toWellFormed()
    this.#later(this.#everyMs)
  }

  /** Stores bytes or text as an artifact of the run. Rejects as {@link log} throws, and when they cannot be stored. */
  async artifact(data: Blob | Uint8Array<ArrayBuffer> | string, name: string): Promise<ArtifactRef> {
    this.#assertGoesOn()
    const ref = await this.#source.upload(data, name)
    this.#waiting.artifacts.push({ name, digest: ref.digest })
    this.#later(this.#everyMs)
    return ref
  }

  /**
   * Sends what waits and ends the run. Resolves when that is stored, however long the engine cannot be reached; rejects with
   * {@link TrackCancelled}, and with what the engine has refused.
   */
  async end({ error, status = error === undefined ? 'ok' : 'error' }: TrackEnd = {}): Promise<void> {
    if (!this.#isOver) {
      this.#assertGoesOn()
      this.#isOver = true
      clearTimeout(this.#timer)
      await this.#flush({ status, ...(status === 'error' ? { error: failureOf(error) } : {}) })
    }
    await this.#sending
    this.#assertNotFailed()
  }

  #assertGoesOn(): void {
    this.#assertNotFailed()
    if (this.#isOver) throw new Error(`run ${this.id} has ended: nothing can be logged any more`)
    if (this.#points > MOST_WAITING) {
      throw new Error(`${this.#points} points of run ${this.id} wait, and the engine takes none: log less, or start it`)
    }
  }

  #assertNotFailed(): void {
    if (this.#failure) throw this.#failure
  }

  /** Sends in so many milliseconds, unless it is about to. */
  #later(afterMs: number): void {
    if (this.#isOver || (afterMs < HEARTBEAT_MS && this.#isSoon)) return
    this.#isSoon = afterMs < HEARTBEAT_MS
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => {
      this.#isSoon = false
      void this.#flush().then(() => this.#failure ?? this.#later(this.#hasNews ? this.#everyMs : HEARTBEAT_MS))
    }, afterMs)
    // a program that is done is not held by it
    ;(this.#timer as { unref?: () => void }).unref?.()
  }

  get #hasNews(): boolean {
    const { curves, params, result, text, artifacts } = this.#waiting
    return curves.size + Object.keys(params).length + Object.keys(result).length + text.length + artifacts.length > 0
  }

  /** Sends what waits, with the end behind it; one request after the other. */
  #flush(end: Partial<RunTrackAppend> = {}): Promise<void> {
    this.#sending = this.#sending.then(async () => {
      do {
        const content = this.#take()
        const isLast = !this.#hasNews
        // oxlint-disable-next-line no-await-in-loop -- one after the other, as they are counted
        await this.#send({ ...content, ...(isLast ? end : {}) })
      } while (this.#hasNews && !this.#failure)
    })
    return this.#sending
  }

  #take(): Omit<RunTrackAppend, 'seq'> {
    const { curves, params, result, text, artifacts } = this.#waiting
    this.#waiting = nothing()
    this.#waiting.text = text.slice(MOST_TEXT)
    let room = MOST_POINTS
    const metrics: NonNullable<RunTrackAppend['metrics']> = []
    for (const [name, { steps, values, ts }] of curves) {
      const own = steps.slice(0, room)
      if (own.length > 0)
        metrics.push({ name, steps: own, values: values.slice(0, room).map(wired), ts: ts.slice(0, room) })
      if (steps.length > room) {
        this.#waiting.curves.set(name, { steps: steps.slice(room), values: values.slice(room), ts: ts.slice(room) })
      }
      room -= own.length
      this.#points -= own.length
    }
    return {
      ...(metrics.length > 0 ? { metrics } : {}),
      ...(Object.keys(params).length > 0 ? { params: params as never } : {}),
      ...(Object.keys(result).length > 0 ? { result: result as never } : {}),
      ...(text === '' ? {} : { logs: text.slice(0, MOST_TEXT) }),
      ...(artifacts.length > 0 ? { artifacts } : {}),
    }
  }

  /** Until it is answered; a refusal is the end of the run here. */
  async #send(content: Omit<RunTrackAppend, 'seq'>): Promise<void> {
    if (this.#failure) return
    const body = { seq: this.#seq + 1, ...content }
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
      try {
        // oxlint-disable-next-line no-await-in-loop -- again until it is heard
        const { cancelled } = await this.#source.append(body)
        this.#seq = body.seq
        if (cancelled && content.status !== 'cancelled') this.#cancel()
        return
      } catch (error) {
        if (error instanceof ApiError && isFinal(error.status)) {
          this.#failure = error
          return
        }
      }
      // oxlint-disable-next-line no-await-in-loop -- between two attempts
      await new Promise((resolve) => setTimeout(resolve, pauseMs))
    }
  }

  #cancel(): void {
    this.#failure = new TrackCancelled(`run ${this.id} was cancelled`)
    this.#cancelled.abort(this.#failure)
  }
}

const nothing = (): Waiting => ({ curves: new Map(), params: {}, result: {}, text: '', artifacts: [] })

/** NaN and the infinities travel as strings. */
const wired = (value: number) => (Number.isFinite(value) ? value : (String(value) as 'NaN' | 'Infinity' | '-Infinity'))

/** Whether the same request would be refused again. */
const isFinal = (status: number): boolean => status < 500 && status !== 408 && status !== 429

function failureOf(error: unknown): { type: string; message: string } {
  if (error instanceof Error) return { type: error.name.slice(0, 200), message: error.message.slice(0, 100_000) }
  return { type: 'Error', message: String(error).slice(0, 100_000) }
}

/** A UUID of version 7: the time in milliseconds, then chance (RFC 9562). */
export function newRunId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  const time = Date.now()
  for (let at = 0; at < 6; at += 1) bytes[at] = Math.floor(time / 2 ** (8 * (5 - at))) & 0xff
  bytes[6] = 0x70 | ((bytes[6] ?? 0) & 0x0f)
  bytes[8] = 0x80 | ((bytes[8] ?? 0) & 0x3f)
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}
