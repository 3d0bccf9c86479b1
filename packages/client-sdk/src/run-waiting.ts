/**
 * Waiting for the end of runs: one event stream a flow, however many of its runs are waited for.
 * @module
 */
import { type EventFrame, isFinished } from '@flow-service/protocol'

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
      const get = (wanted: string) => this.#get(wanted)
      const events = (stop: AbortSignal) => this.#source.events({ flows: [flow], signal: stop })
      waiting = new FlowWaiting({ get, events }, (ended) => {
        if (this.#flows.get(flow) === ended) this.#flows.delete(flow)
      })
      this.#flows.set(flow, waiting)
    }
    return waiting.add(id, signal)
  }

  async #get(id: string): Promise<Run> {
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
  events(stop: AbortSignal): AsyncGenerator<EventFrame>
}

/** Runs of one flow; over when nobody waits any more. */
class FlowWaiting {
  readonly #source: FlowSource
  readonly #awaited = new Map<string, Set<Awaited>>()
  readonly #stop = new AbortController()
  readonly #onEnd: (ended: FlowWaiting) => void
  /** Whether the stream has begun: what ended before it has to be asked for. */
  #isOpen = false

  constructor(source: FlowSource, onEnd: (ended: FlowWaiting) => void) {
    this.#source = source
    this.#onEnd = onEnd
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
    try {
      for await (const frame of this.#source.events(this.#stop.signal)) {
        // the stream begins, or begins again: what ended before it is in none of its frames
        if (frame.type === 'snapshot') this.#lookAtAll()
        else if (frame.type === 'run' && isFinished(frame.run.status)) void this.#look(frame.run.id)
      }
    } catch (error) {
      for (const all of this.#awaited.values()) for (const one of all) one.reject(error)
    }
    this.#onEnd(this)
  }

  #lookAtAll(): void {
    this.#isOpen = true
    for (const id of this.#awaited.keys()) void this.#look(id)
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

  #settle(id: string, tell: (one: Awaited) => void): void {
    for (const one of this.#awaited.get(id) ?? []) tell(one)
    this.#awaited.delete(id)
    this.#endIfAlone()
  }

  #endIfAlone(): void {
    if (this.#awaited.size > 0) return
    this.#onEnd(this)
    this.#stop.abort()
  }
}
