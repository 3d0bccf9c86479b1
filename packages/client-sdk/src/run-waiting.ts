/**
 * Waiting for the end of runs: one event stream a flow, however many of its runs are waited for. Now and then one of
 * them is asked for, since an end may go unheard: the flow got another name, or one engine missed another's news.
 * @module
 */
import { type EventFrame, isFinished } from '@flow-service/protocol'

import { ApiError } from './api-error.ts'
import type { EventOptions } from './event-stream.ts'
import type { Run } from './generated/types.gen.ts'

/** What waiting needs of the client. */
export interface RunSource {
  /** The run as it is now. */
  get(id: string): Promise<Run>
  events(options: EventOptions): AsyncGenerator<EventFrame, void, undefined>
}

/** Requests for runs under way at once: the results of a sweep are thousands. */
const MAX_REQUESTS = 16
/** Between two looks at the run that is waited for longest. */
const LOOK_MS = 10_000

/** The runs that one client waits for. */
export class RunWaiting {
  readonly #source: RunSource
  readonly #flows = new Map<string, FlowWaiting>()
  readonly #line: (() => void)[] = []
  #requests = 0

  constructor(source: RunSource) {
    this.#source = source
  }

  /** Resolves with the run of a flow once it is finished; rejects with the reason of the signal. */
  wait(id: string, flow: string, signal?: AbortSignal): Promise<Run> {
    let waiting = this.#flows.get(flow)
    if (waiting === undefined) {
      const get = (wanted: string) => this.get(wanted)
      const events = (name: string, stop: AbortSignal) => this.#source.events({ flows: [name], signal: stop })
      waiting = new FlowWaiting(flow, { get, events }, (ended) => {
        if (this.#flows.get(flow) === ended) this.#flows.delete(flow)
      })
      this.#flows.set(flow, waiting)
    }
    return waiting.add(id, signal)
  }

  /** The run as it is now, after those that are asked for already. */
  async get(id: string): Promise<Run> {
    if (this.#requests >= MAX_REQUESTS) await new Promise<void>((resolve) => this.#line.push(resolve))
    this.#requests++
    try {
      return await this.#source.get(id)
    } finally {
      this.#requests--
      this.#line.shift()?.()
    }
  }
}

interface Awaited {
  readonly resolve: (run: Run) => void
  readonly reject: (error: unknown) => void
}

interface FlowSource {
  get(id: string): Promise<Run>
  events(flow: string, stop: AbortSignal): AsyncGenerator<EventFrame>
}

/** Runs of one flow; over when nobody waits any more, or for new ones when the flow got another name. */
class FlowWaiting {
  readonly #source: FlowSource
  readonly #awaited = new Map<string, Set<Awaited>>()
  readonly #onEnd: (ended: FlowWaiting) => void
  #flow: string
  #stop = new AbortController()
  /** Whether the stream has begun: what ended before it has to be asked for. */
  #isOpen = false
  #isOver = false
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(flow: string, source: FlowSource, onEnd: (ended: FlowWaiting) => void) {
    this.#flow = flow
    this.#source = source
    this.#onEnd = onEnd
    this.#lookLater()
    void this.#follow()
  }

  add(id: string, signal: AbortSignal | undefined): Promise<Run> {
    const { promise, resolve, reject } = Promise.withResolvers<Run>()
    const one: Awaited = { resolve, reject }
    const all = this.#awaited.get(id) ?? new Set()
    this.#awaited.set(id, all.add(one))
    if (this.#isOpen) void this.#look(id)
    if (signal === undefined) return promise
    const leave = (): void => {
      all.delete(one)
      if (all.size === 0) this.#awaited.delete(id)
      reject(signal.reason)
      this.#endIfAlone()
    }
    if (signal.aborted) leave()
    else signal.addEventListener('abort', leave, { once: true })
    return promise.finally(() => signal.removeEventListener('abort', leave))
  }

  async #follow(): Promise<void> {
    const { signal } = this.#stop
    try {
      for await (const frame of this.#source.events(this.#flow, signal)) {
        // the stream begins, or begins again: what ended before it is in none of its frames
        if (frame.type === 'snapshot') this.#lookAtAll()
        else if (frame.type === 'run' && isFinished(frame.run.status)) void this.#look(frame.run.id)
      }
    } catch (error) {
      if (!signal.aborted) this.#rejectAll(error)
    }
    // aborted: nobody waits, or another stream has taken the place of this one
    if (!signal.aborted) this.#end()
  }

  #rejectAll(error: unknown): void {
    for (const all of this.#awaited.values()) for (const one of all) one.reject(error)
  }

  #lookAtAll(): void {
    this.#isOpen = true
    for (const id of this.#awaited.keys()) void this.#look(id)
  }

  #lookLater(): void {
    if (this.#isOver) return
    this.#timer = setTimeout(() => void this.#lookUntold().then(() => this.#lookLater()), LOOK_MS)
  }

  /** Asks for the runs that are waited for longest, up to the first that is not finished. */
  async #lookUntold(): Promise<void> {
    try {
      for (const id of this.#awaited.keys()) {
        // oxlint-disable-next-line no-await-in-loop -- one answer tells whether the next one is asked for
        const run = await this.#source.get(id)
        if (!isFinished(run.status)) return this.#moveTo(run.flow)
        this.#settle(id, (one) => one.resolve(run))
      }
    } catch (error) {
      // an engine that is away is waited for
      if (error instanceof ApiError && error.status === 404) this.#lookAtAll()
    }
  }

  async #look(id: string): Promise<void> {
    if (!this.#awaited.has(id)) return
    try {
      const run = await this.#source.get(id)
      if (isFinished(run.status)) this.#settle(id, (one) => one.resolve(run))
    } catch (error) {
      this.#settle(id, (one) => one.reject(error))
    }
  }

  /** Follows the flow under a new name, which begins with a snapshot; who waits from now on has a stream of its own. */
  #moveTo(flow: string): void {
    if (flow === this.#flow || this.#isOver) return
    this.#onEnd(this)
    this.#flow = flow
    this.#stop.abort()
    this.#stop = new AbortController()
    void this.#follow()
  }

  #settle(id: string, tell: (one: Awaited) => void): void {
    for (const one of this.#awaited.get(id) ?? []) tell(one)
    this.#awaited.delete(id)
    this.#endIfAlone()
  }

  #endIfAlone(): void {
    if (this.#awaited.size > 0) return
    this.#end()
    this.#stop.abort()
  }

  #end(): void {
    this.#isOver = true
    clearTimeout(this.#timer)
    this.#onEnd(this)
  }
}
