/**
 * Drops results of stages that no run will take over: those of another key shape, and those unused for 30 days. That
 * there was one is known for 30 days more, so that a miss can say so.
 * @module
 */
import type { Clock } from '@flow-service/core'

import type { Artifacts } from '../../artifacts/artifacts.ts'
import type { Database } from '../../db/database.ts'
import type { Log } from '../../process/log.ts'
import type { StageStore } from './store.ts'

/** Dependencies of the upkeep. */
export interface StageUpkeepDeps {
  readonly database: Pick<Database, 'transaction'>
  readonly store: Pick<StageStore, 'expire'>
  readonly artifacts: Pick<Artifacts, 'dropRefs'>
  readonly clock: Clock
  readonly log: Pick<Log, 'error'>
}

const HOUR_MS = 3_600_000

/** Works when it opens, and every hour. */
export class StageUpkeep {
  readonly #deps: StageUpkeepDeps
  #cancel: () => void = () => {}

  constructor(deps: StageUpkeepDeps) {
    this.#deps = deps
  }

  async open(): Promise<void> {
    await this.#expire()
    this.#wait()
  }

  close(): void {
    this.#cancel()
  }

  #wait(): void {
    const { clock, log } = this.#deps
    this.#cancel = clock.setTimer(HOUR_MS, () => {
      this.#wait()
      this.#expire().catch((error: unknown) => log.error({ err: error }, 'unused results of stages are still kept'))
    })
  }

  async #expire(): Promise<void> {
    const { database, store, artifacts } = this.#deps
    await database.transaction(async (tx) => {
      const keys = await store.expire(tx)
      if (keys.length > 0) await artifacts.dropRefs(tx, 'cache', keys)
    })
  }
}
