/**
 * Sweeps every hour. Each engine of a shared database does: they pass over what another one has in hand.
 * @module
 */
import type { Clock } from '@flow-service/core'

import type { Log } from '../process/log.ts'
import type { Artifacts } from './artifacts.ts'

/** Dependencies of the sweeper. */
export interface SweeperDeps {
  readonly artifacts: Pick<Artifacts, 'sweep'>
  /** Drops bundles of code that nothing can execute any more, and with them their references; tells how many. */
  readonly expireCode: () => Promise<number>
  readonly clock: Clock
  readonly eventLog: {
    /** Notes what happened. */
    report(entry: { kind: 'engine'; level: 'info'; action: string; detail: Record<string, number> }): void
  }
  readonly log: Pick<Log, 'info' | 'error'>
}

/** Not at once: a start has other work. An engine that lives shorter than an hour sweeps nevertheless. */
const FIRST_MS = 300_000
const HOUR_MS = 3_600_000

/** Works five minutes after it opens, and every hour from then on. */
export class Sweeper {
  readonly #deps: SweeperDeps
  readonly #stop = new AbortController()
  #cancel: () => void = () => {}
  #sweeping: Promise<void> = Promise.resolve()

  constructor(deps: SweeperDeps) {
    this.#deps = deps
  }

  open(): void {
    this.#wait(FIRST_MS)
  }

  /** Resolves when no sweep is under way. */
  async close(): Promise<void> {
    this.#stop.abort()
    this.#cancel()
    await this.#sweeping
  }

  /** Waits again when a sweep is over: two never overlap. */
  #wait(delayMs: number): void {
    this.#cancel = this.#deps.clock.setTimer(delayMs, () => {
      this.#sweeping = this.#sweep().finally(() => {
        if (!this.#stop.signal.aborted) this.#wait(HOUR_MS)
      })
    })
  }

  async #sweep(): Promise<void> {
    const { artifacts, expireCode, eventLog, log } = this.#deps
    try {
      const bundles = await expireCode()
      const swept = { ...(await artifacts.sweep(this.#stop.signal)), bundles }
      const count = swept.artifacts + swept.orphans + swept.uploads + swept.bundles
      if (count === 0) return
      log.info(swept, 'bytes that nothing referred to are deleted')
      eventLog.report({ kind: 'engine', level: 'info', action: 'artifact.sweep', detail: { ...swept } })
    } catch (error) {
      log.error({ err: error }, 'unneeded artifacts are still kept: the next sweep tries again')
    }
  }
}
