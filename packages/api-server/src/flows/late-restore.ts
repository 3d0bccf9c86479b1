/**
 * The flows that an opening engine leaves to another one, looked at once more when that may be lost: an engine that was
 * killed counts as in contact for 20 s, and its next life does not know it where it has another data directory.
 * @module
 */
import type { Clock } from '@flow-service/core'

import type { Database } from '../db/database.ts'
import type { Log } from '../process/log.ts'
import type { LiveFlows } from './live.ts'
import { createFlowStore } from './store.ts'

/** Longer than an engine that is not heard of counts as in contact. */
const LATER_MS = 25_000

/** What a late restore works on. */
export interface LateRestoreDeps {
  readonly database: Pick<Database, 'sql'>
  readonly clock: Clock
  readonly live: Pick<LiveFlows, 'exclusive' | 'revive' | 'running'>
  readonly isMissing: (name: string) => boolean
  readonly log: Pick<Log, 'error'>
}

/** Waits for the engines of the flows that run elsewhere now, and starts those of lost ones; the result ends the wait. */
export async function restoreLater(deps: LateRestoreDeps): Promise<() => Promise<void>> {
  const { clock, database, isMissing, live, log } = deps
  const store = createFlowStore(database.sql)
  const left = (await store.wished()).filter((row) => row.runs_at !== null && !live.running(row))
  if (left.length === 0) return async () => {}
  const revive = async (id: string): Promise<void> => {
    const row = await store.byId(id)
    if (row === null || row.runs_at !== null || row.wished === 'stopped' || live.running(row)) return
    if (!isMissing(row.name)) await live.revive(row)
  }
  let reviving: Promise<unknown> = Promise.resolve()
  const cancel = clock.setTimer(LATER_MS, () => {
    reviving = Promise.all(left.map(({ id }) => live.exclusive(id, () => revive(id)))).catch((error: unknown) =>
      log.error({ err: error }, 'flows of a lost engine could not be started'),
    )
  })
  return async () => {
    cancel()
    await reviving
  }
}
