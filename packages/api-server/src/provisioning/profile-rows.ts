/**
 * What the rows of requests say of a profile.
 * @module
 */
import type { ProvisionerProfile, ProvisionerState } from '@flow-service/protocol'

import type { RequestRow } from './store.ts'

/** The rows of one profile, the newest first. */
export class ProfileRows {
  readonly #rows: readonly RequestRow[]

  constructor(rows: readonly RequestRow[], profile: string) {
    this.#rows = rows.filter((row) => row.profile === profile)
  }

  /** The last failures in a row, and the last number of a name. */
  get last(): Pick<RequestRow, 'failures' | 'number'> {
    const number = Math.max(0, ...this.#rows.map((row) => row.number))
    return { number, failures: this.#rows[0]?.failures ?? 0 }
  }

  /** The request whose job is asked for, waits, or is about to be cancelled. */
  get outstanding(): RequestRow | undefined {
    return this.#rows.find(({ state }) => ['submitting', 'pending', 'cancelling'].includes(state))
  }

  /** Workers that are attached, or whose job is still to begin, of requests that are not outstanding. */
  get attached(): number {
    return this.#attached.reduce((sum, { tasks }) => sum + tasks, 0)
  }

  /** Whether the last job came to nothing, and it is not the profile's turn again. */
  isFailing(nowMs: number): boolean {
    const [row] = this.#rows
    if (row === undefined || row.error === null) return false
    return row.state === 'cancelling' || (row.state === 'failed' && (row.retryMs ?? 0) > nowMs)
  }

  /** As the API shows it. */
  view({ name, labels, cpus, gpus, ram_mb }: ProvisionerProfile): ProvisionerState['profiles'][number] {
    const [last] = this.#rows
    const row = this.#attached[0] ?? (last?.state === 'ended' ? undefined : last)
    const [state, job] = row === undefined ? (['idle', null] as const) : ([stateOf(row), row.job] as const)
    const error = last?.error ?? null
    return { name, labels, cpus, gpus, ram_mb, state, job, requested_at: row?.requested_at ?? null, error }
  }

  get #attached(): RequestRow[] {
    return this.#rows.filter(({ state }) => state === 'attached')
  }
}

/** What was given up for a fault has failed, whether its job is cancelled by now or not. */
function stateOf({ state, error }: RequestRow): ProvisionerState['profiles'][number]['state'] {
  if (state === 'attached') return 'attached'
  return error === null ? 'pending' : 'failed'
}
