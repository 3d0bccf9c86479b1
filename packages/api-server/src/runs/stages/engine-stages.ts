/**
 * The stages of one engine: stored results, executions that runs wait for, and the expiry of both. DESIGN.md beside this
 * file has the states and invariants.
 * @module
 */
import type { Clock } from '@flow-service/core'

import type { Artifacts } from '../../artifacts/artifacts.ts'
import type { Database } from '../../db/database.ts'
import type { Log } from '../../process/log.ts'
import type { StageEnvironments } from './environments.ts'
import { StageFlights } from './flights.ts'
import { StageLooks } from './looks.ts'
import { createStageStore, type StageStore } from './store.ts'
import { StageUpkeep } from './upkeep.ts'

/** Dependencies of the stages of an engine. */
export interface EngineStagesDeps {
  readonly database: Database
  readonly artifacts: Pick<Artifacts, 'dropRefs' | 'known'>
  readonly clock: Clock
  readonly environments: StageEnvironments
  readonly log: Pick<Log, 'error'>
}

/** Stages over a database. */
export class EngineStages {
  readonly store: StageStore
  readonly looks: StageLooks
  readonly flights: StageFlights
  readonly environments: StageEnvironments
  readonly #upkeep: StageUpkeep

  constructor(deps: EngineStagesDeps) {
    const { database } = deps
    const store = createStageStore(database.sql)
    this.store = store
    this.environments = deps.environments
    this.looks = new StageLooks({ ...deps, store })
    this.flights = new StageFlights({ ...deps, store, shared: database.backend === 'server' })
    this.#upkeep = new StageUpkeep({ ...deps, store })
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
