/**
 * What nobody tells and has to be looked at: whether the database works, and whether runs are taken from the queue.
 * @module
 */
import type { Clock } from '@flow-service/core'

import type { Observability } from '../observability/observability.ts'
import type { Runs } from '../runs/runs.ts'
import { alertOf } from './alert.ts'
import type { Alerts } from './alerts.ts'
import type { AlertSettings } from './settings.ts'

/** What is looked at. */
export interface WatchDeps {
  readonly alerts: Pick<Alerts, 'raise'>
  readonly settings: Pick<AlertSettings, 'watches'>
  readonly observability: Pick<Observability, 'check'>
  readonly runs: Pick<Runs, 'claimable'>
  readonly clock: Clock
}

const LOOK_MS = 10_000
/** How long a run may wait though there is room for it. */
const STALLED_MS = 300_000
/** Failed checks of the database in a row that are worth an alert. */
const FAILED_CHECKS = 2

/** Looks every ten seconds, one look after the other. */
export class Watch {
  readonly #deps: WatchDeps
  #failedChecks = 0
  /** The run that has waited longest of those that there is room for, and since when it is seen so. */
  #waiting: { readonly run: string; readonly sinceMs: number; readonly isTold: boolean } | null = null
  #cancel: () => void = () => {}
  #isClosed = false

  constructor(deps: WatchDeps) {
    this.#deps = deps
    this.#later()
  }

  close(): void {
    this.#isClosed = true
    this.#cancel()
  }

  #later(): void {
    if (this.#isClosed) return
    this.#cancel = this.#deps.clock.setTimer(LOOK_MS, () => {
      void Promise.all([this.#lookAtStore(), this.#lookAtQueue()]).finally(() => this.#later())
    })
  }

  async #lookAtStore(): Promise<void> {
    const { alerts, clock, observability, settings } = this.#deps
    if (!settings.watches('store_unavailable')) {
      this.#failedChecks = 0
      return
    }
    const { store } = (await observability.check()).checks
    this.#failedChecks = store.status === 'ok' ? 0 : this.#failedChecks + 1
    if (this.#failedChecks !== FAILED_CHECKS || this.#isClosed) return
    const { detail } = store
    alerts.raise(alertOf({ event: 'store_unavailable', subject: 'store', detail, atMs: clock.now() }))
  }

  async #lookAtQueue(): Promise<void> {
    const { alerts, clock, runs, settings } = this.#deps
    // where the database does not answer, that is what is wrong
    const run = settings.watches('queue_stalled') ? await runs.claimable().catch(() => null) : null
    const nowMs = clock.now()
    if (run === null) {
      this.#waiting = null
      return
    }
    if (this.#waiting?.run !== run.id) this.#waiting = { run: run.id, sinceMs: nowMs, isTold: false }
    const { sinceMs, isTold } = this.#waiting
    if (isTold || nowMs - sinceMs < STALLED_MS || this.#isClosed) return
    this.#waiting = { run: run.id, sinceMs, isTold: true }
    const detail = `the run has been queued since ${run.created_at}, and no engine takes it`
    const about = { flow: run.flow, run: run.id, detail, everywhere: true, atMs: nowMs }
    alerts.raise(alertOf({ event: 'queue_stalled', subject: 'queue', ...about }))
  }
}
