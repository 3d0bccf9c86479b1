/**
 * The engines of the database for people: who lives, and what each of them runs. `GET /engines` asks the database; what
 * metrics and the summary tell is known without it, so that they answer while it does not.
 * @module
 */
import { type Engine, type EngineList, timestampOfMs } from '@flow-service/protocol'

import type { Database } from '../db/database.ts'
import type { Fence } from './fence.ts'
import { type EngineLease, engineName } from './lease.ts'
import type { Links } from './links/links.ts'
import { createEngineStore, type ListedEngine } from './store.ts'

/** Names of flows that nobody runs are told up to so many. */
const MOST_NAMES = 20

/** What a roster is made of. */
export interface RosterDeps {
  readonly database: Pick<Database, 'sql'>
  readonly fence: Pick<Fence, 'flows' | 'refused'>
  readonly lease: Pick<EngineLease, 'engines' | 'id' | 'leftMs'>
  readonly links: Pick<Links, 'state'> | null
  /** Names of the live flows that this engine runs. */
  readonly running: () => readonly string[]
  readonly version: string
}

/** What this engine knows of itself and of the others without asking the database. */
export interface MeasuredEngines {
  /** How many live, this one among them. */
  readonly living: number
  /** What it has of its own where it has others beside it; null on the embedded database. */
  readonly shared: {
    /** How many live flows it has taken. */
    readonly flows: number
    /** How long its lease is counted on, in seconds. */
    readonly leaseS: number
    /** Writes that it has not made since its start, as others had taken the flow. */
    readonly refused: number
    /** Seconds from a ping to its answer, by the id of the other engine; those that were measured. */
    readonly roundTripsS: ReadonlyMap<string, number>
  } | null
}

/** The engines that live. */
export class Roster {
  readonly #deps: RosterDeps
  readonly #startedAt = timestampOfMs(Date.now())

  constructor(deps: RosterDeps) {
    this.#deps = deps
  }

  /** How many engines live, as this one knows. */
  get living(): number {
    return Math.max(1, this.#deps.lease.engines.length)
  }

  measured(): MeasuredEngines {
    const { fence, lease, links } = this.#deps
    const roundTrips = (links?.state() ?? []).flatMap(({ engine, roundTripMs }) =>
      roundTripMs === null ? [] : [[engine, roundTripMs / 1000] as const],
    )
    return {
      living: this.living,
      shared:
        lease.leftMs === null
          ? null
          : {
              flows: fence.flows.length,
              leaseS: lease.leftMs / 1000,
              refused: fence.refused,
              roundTripsS: new Map(roundTrips),
            },
    }
  }

  /** All of it, as of now. */
  async list(): Promise<EngineList> {
    const { database, fence, lease, running } = this.#deps
    const store = createEngineStore(database.sql)
    const isAlone = lease.id === null
    const [rows, { wished, nowhere, names }] = await Promise.all([
      isAlone ? null : store.listed(),
      store.wished(MOST_NAMES, isAlone ? running() : null),
    ])
    return {
      engines: rows?.map((row) => this.#shown(row)) ?? [this.#alone()],
      flows: { wished, nowhere, nowhere_names: [...names] },
      refused_writes: fence.refused,
    }
  }

  #shown({ id, name, address, version, startedAt, leftS, flows }: ListedEngine): Engine {
    const self = id === this.#deps.lease.id
    const link = self ? null : this.#linkTo(id)
    return { id, name, self, version, address, started_at: startedAt, lease_s: leftS, flows, link }
  }

  #linkTo(id: string): Engine['link'] {
    const link = this.#deps.links?.state().find(({ engine }) => engine === id)
    if (!link) return { status: 'none', round_trip_ms: null, unsent_bytes: 0 }
    return { status: link.isUp ? 'up' : 'down', round_trip_ms: link.roundTripMs, unsent_bytes: link.unsentBytes }
  }

  /** The one engine of an embedded database, which has no row. */
  #alone(): Engine {
    const { running, version } = this.#deps
    return {
      id: null,
      name: engineName(),
      self: true,
      version,
      address: null,
      started_at: this.#startedAt,
      lease_s: null,
      flows: running().length,
      link: null,
    }
  }
}
