/**
 * One call on its worker, for `attached-worker.ts`: who waits for it, its clocks, and what it takes.
 *
 * - in-flight-call.F1 its promise settles once, when it ends or when it is given up.
 * - in-flight-call.F2 a worker's clock may be wrong, or lie: an emission before the last one of its call, or after now, is of
 *   now.
 * @module
 */
import type { Clock, CodeCall } from '@flow-service/core'
import { type CallFrame, timestampOfMs, type WorkerEntry, type WorkerFrame } from '@flow-service/protocol'

import { CallEnding } from './call-ending.ts'
import { CallSilence } from './call-silence.ts'
import type { Amounts } from './demand.ts'

/** Milliseconds that the clocks of two machines that are set right may differ. */
const MAX_SKEW_MS = 1000

type Values = Record<string, unknown>

/** What a call in flight is made of. */
export interface InFlightDeps extends Pick<CallFrame, 'timeout_s'> {
  readonly call: CodeCall
  readonly demand: Amounts
  readonly clock: Clock
  /** Whether frames that have come are not dealt with yet, or none can come. */
  readonly isBehind: () => boolean
  /** It was cancelled. */
  readonly onAbort: () => void
  /** The worker has said nothing of it for so many seconds (call-silence.S1). */
  readonly onExpired: (seconds: number) => void
}

/** A call from when it is handed to a worker until the worker has told its end. */
export class InFlightCall {
  readonly call: CodeCall
  readonly demand: Amounts
  /** Settles with its outputs, or with why there are none. */
  readonly done: Promise<Values>
  readonly #clock: Clock
  readonly #startedMs: number
  readonly #silence: CallSilence
  readonly #onAbort: () => void
  readonly #settle: PromiseWithResolvers<Values> = Promise.withResolvers()
  #isRunning = true
  #ending: CallEnding | null = null
  /** When it emitted last; at first, the earliest time at which it can. */
  #emittedMs: number

  constructor({ call, demand, clock, timeout_s, isBehind, onAbort, onExpired }: InFlightDeps) {
    this.call = call
    this.demand = demand
    this.done = this.#settle.promise
    this.#clock = clock
    this.#startedMs = clock.now()
    this.#emittedMs = this.#startedMs - MAX_SKEW_MS
    this.#silence = new CallSilence({ clock, seconds: timeout_s, isBehind, onExpired })
    this.#onAbort = onAbort
    call.signal.addEventListener('abort', onAbort, { once: true })
  }

  /** Whether somebody waits for it. */
  get isRunning(): boolean {
    return this.#isRunning
  }

  /** From when it is given up. */
  get ending(): CallEnding | null {
    return this.#ending
  }

  /** The call as the API shows it. */
  view(): WorkerEntry['calls'][number] {
    const { id, document, node, run } = this.call
    return {
      call: id,
      flow: document.name,
      node: node.id,
      run,
      status: this.#ending === null ? 'running' : this.#ending.isLost ? 'lost' : 'ending',
      started_at: timestampOfMs(this.#startedMs),
    }
  }

  /** It is alive. */
  touch(): void {
    this.#silence.touch()
  }

  /** Hands its emissions on; throws what the flow does with them. */
  emit(batch: Extract<WorkerFrame, { type: 'emit' }>['batch']): void | Promise<void> {
    this.touch()
    const nowMs = this.#clock.now()
    for (const [values, atMs] of batch) {
      const isPossible = atMs >= this.#emittedMs && atMs <= nowMs + MAX_SKEW_MS
      this.#emittedMs = isPossible ? atMs : Math.max(nowMs, this.#emittedMs)
      this.call.onEmit(values, this.#emittedMs)
      // an emission may cancel the run that it is of
      if (this.call.signal.aborted) return
    }
    return this.call.behind?.()
  }

  /** Its promise rejects now, and the worker is to end it. */
  giveUp(error: Error): void {
    this.#ending = new CallEnding()
    this.fail(error)
  }

  resolve(outputs: Values): void {
    this.#over()
    this.#settle.resolve(outputs)
  }

  fail(error: Error): void {
    this.#over()
    this.#settle.reject(error)
  }

  #over(): void {
    this.#isRunning = false
    this.#silence.stop()
    this.call.signal.removeEventListener('abort', this.#onAbort)
  }
}
