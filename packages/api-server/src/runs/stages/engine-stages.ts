/**
 * The stages of one engine: what is stored of them, what executes now, and what of it is dropped.
 * @module
 */
import type { Clock } from '@flow-service/core'

import type { Artifacts } from '../../artifacts/artifacts.ts'
import type { Database } from '../../db/database.ts'
import type { Log } from '../../process/log.ts'
import { StageFlights } from './flights.ts'
import { StageLooks } from './looks.ts'
import { createStageStore, type StageStore } from './store.ts'
import { StageUpkeep } from './upkeep.ts'

/** What stages take. */
export interface EngineStagesSetting {
  readonly database: Database
  readonly artifacts: Pick<Artifacts, 'dropRefs' | 'known'>
  readonly clock: Clock
  readonly log: Pick<Log, 'error'>
}

/** Stages over a database. */
export class EngineStages {
  readonly store: StageStore
  readonly looks: StageLooks
  readonly flights: StageFlights
  readonly #upkeep: StageUpkeep

  constructor(setting: EngineStagesSetting) {
    const { database } = setting
    const store = createStageStore(database.sql)
    this.store = store
    this.looks = new StageLooks({ ...setting, store })
    this.flights = new StageFlights({ ...setting, store, shared: database.backend === 'server' })
    this.#upkeep = new StageUpkeep({ ...setting, store })
  }

  /** Drops what no run will take over, now and every hour. */
  open(): Promise<void> {
    return this.#upkeep.open()
  }

  /** For an engine whose runs are over. */
  close(): void {
    this.#upkeep.close()
    this.flights.close()
  }
}
