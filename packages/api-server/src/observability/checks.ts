/**
 * Whether the engine works: its loop, its database, its queue, its bytes and its Python. A check never throws and never
 * takes longer than 2 s.
 * @module
 */
import type { Check, Checks, CheckStatus } from '@flow-service/protocol'

import type { Artifacts } from '../artifacts/artifacts.ts'
import type { LoopDelay } from './loop-watch.ts'
import type { ObservabilityStore } from './store.ts'

/** Sources of the checks. */
export interface ChecksDeps {
  readonly store: Pick<ObservabilityStore, 'probe' | 'runCounts' | 'waiting'>
  readonly loopDelay: () => LoopDelay
  /** Where artifacts are stored. */
  readonly artifacts: Pick<Artifacts, 'check'>
  /** Whether the engine has found a Python. */
  readonly hasPython: boolean
}

/** What the checks found. `runs` are the last counts that the database told. */
export interface Checked {
  readonly checks: Checks
  readonly runs: { readonly queued: number; readonly running: number }
  /** Seconds that writing and reading a row took; null when it was not possible. */
  readonly storeS: number | null
}

/** What waits for somebody. */
export type Waiting = Awaited<ReturnType<ObservabilityStore['waiting']>>

const ANSWER_MS = 2_000
const MAX_LOOP_S = 1
const STALLED_S = 60

const ok: Check = { status: 'ok', detail: null }
const failing = (status: 'degraded' | 'down', detail: string): Check => ({ status, detail })

/** Checks an engine. */
export class EngineChecks {
  readonly #deps: ChecksDeps
  #runs = { queued: 0, running: 0, oldest_s: 0 }
  #waiting: Waiting = { dead_letters: 0, pending_devices: 0 }
  #probing: Promise<number> | null = null
  #counting: Promise<Waiting> | null = null
  #looking: Promise<Check> | null = null

  constructor(deps: ChecksDeps) {
    this.#deps = deps
  }

  async check(): Promise<Checked> {
    const { hasPython } = this.#deps
    const [[store, storeS], artifacts] = await Promise.all([this.#store(), this.#artifacts()])
    const { queued, running } = this.#runs
    return {
      checks: {
        loop: this.#loop(),
        store,
        queue: storeS === null ? failing('down', 'the queue is in the database, which does not work') : this.#queue(),
        artifacts,
        python: hasPython ? ok : failing('degraded', 'no Python 3.11 or newer was found: python nodes cannot execute'),
      },
      runs: { queued, running },
      storeS,
    }
  }

  /** What waits for somebody; while the database does not answer, what it told last. */
  async waiting(): Promise<Waiting> {
    // one at a time, as the probe
    this.#counting ??= this.#deps.store.waiting().finally(() => (this.#counting = null))
    const counting = this.#counting
    try {
      this.#waiting = await within(counting)
    } catch {
      // the check of the store tells it
    }
    return this.#waiting
  }

  #loop(): Check {
    const { p99 } = this.#deps.loopDelay()
    if (p99 < MAX_LOOP_S) return ok
    return failing('down', `timers are up to ${p99.toFixed(1)} s late: something blocks the event loop`)
  }

  async #store(): Promise<[Check, number | null]> {
    try {
      return [ok, await within(this.#probe())]
    } catch (error) {
      return [failing('down', `a row could not be written and read: ${reasonOf(error)}`), null]
    }
  }

  /** One at a time: a database that hangs is not asked ever more. */
  #probe(): Promise<number> {
    const { store } = this.#deps
    const probe = async (): Promise<number> => {
      const startedMs = performance.now()
      await store.probe()
      const tookMs = performance.now() - startedMs
      this.#runs = await store.runCounts()
      return tookMs / 1000
    }
    this.#probing ??= probe().finally(() => (this.#probing = null))
    return this.#probing
  }

  #queue(): Check {
    const { queued, running, oldest_s: oldestS } = this.#runs
    if (queued === 0 || running > 0 || oldestS < STALLED_S) return ok
    return failing(
      'degraded',
      `${queued} runs are queued, the oldest for ${Math.round(oldestS)} s, and none is running`,
    )
  }

  async #artifacts(): Promise<Check> {
    try {
      return await within(this.#look())
    } catch (error) {
      return failing('down', `the store of artifacts cannot be used: ${reasonOf(error)}`)
    }
  }

  /** One at a time: each look at a disk that hangs holds a thread, of which the process has four. */
  #look(): Promise<Check> {
    this.#looking ??= this.#deps.artifacts.check().finally(() => (this.#looking = null))
    return this.#looking
  }
}

/** Down with the loop or the store, else as the worst check. */
export function statusOf({ loop, store, ...others }: Checks): CheckStatus {
  if (!canWork({ loop, store })) return 'down'
  return Object.values(others).every(({ status }) => status === 'ok') ? 'ok' : 'degraded'
}

/** Whether the engine can work at all. */
export const canWork = ({ loop, store }: Pick<Checks, 'loop' | 'store'>): boolean =>
  loop.status === 'ok' && store.status === 'ok'

/** A code tells enough; the message of an error may name hosts and paths. */
const reasonOf = (error: unknown): string =>
  error instanceof Error && 'code' in error
    ? String(error.code)
    : error instanceof NoAnswer
      ? error.message
      : 'it failed'

class NoAnswer extends Error {
  override readonly name = 'NoAnswer'
}

async function within<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new NoAnswer(`no answer within ${ANSWER_MS / 1000} s`)), ANSWER_MS)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
