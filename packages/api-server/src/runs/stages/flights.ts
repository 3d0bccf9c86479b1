/**
 * Stages that execute now: equal ones execute once, the others wait for the result (wire decision R4).
 *
 * States of a flight: *led* here (a run of this engine executes it), or *watched* (a run of another engine does); then
 * *over*. Whoever waited looks for a result and, without one, tries to lead.
 *
 * - flights.S1 at most one run of an engine leads a stage; over several engines the row of the stage says who does, and
 *   stands for as long as the lease of that run. A leader has its inputs and a slot, and waits for no other stage: no
 *   circle.
 * - flights.S2 a flight is over when the result is committed, when the execution ended without one, or when its run
 *   ended. Whatever becomes of the row, that is at the latest with the lease.
 * - flights.S3 after a failure, or a result that is not kept, those who waited execute each by itself: a failure is
 *   nobody else's. After a cancellation or the death of its engine one of them leads, the others wait for it.
 */
import type { Clock } from '@flow-service/core'

import { createTurnGroup } from '../../db/turn-group.ts'
import type { Log } from '../../process/log.ts'
import type { Flight as StoredFlight, FlightRow, Leader, StageStore } from './store.ts'

/** Dependencies of the flights. */
export interface FlightsDeps {
  readonly store: Pick<StageStore, 'flights' | 'land' | 'lead'>
  readonly clock: Clock
  /** Whether other engines work on the same database. */
  readonly shared: boolean
  readonly log: Pick<Log, 'error'>
}

/** How a flight ended: `open` when somebody else has to lead it, unless there is a result; `alone` after flights.S3. */
export type FlightEnd = 'open' | 'alone'

/** A stage that executes now. */
export interface Flight {
  /** The run that executes it. */
  readonly run: string
  /** Never rejects. */
  readonly over: Promise<FlightEnd>
}

interface OpenFlight {
  leader: Leader
  state: 'led' | 'watched'
  readonly over: Promise<FlightEnd>
  readonly end: (how: FlightEnd) => void
  /** Brings the result into the database soon; set when there is one. */
  hurry: (() => void) | null
  awaited: boolean
}

/** How often another engine's flights are looked after. */
const WATCH_MS = 250

/** The flights that one engine knows. */
export class StageFlights {
  readonly #deps: FlightsDeps
  readonly #flights = new Map<string, OpenFlight>()
  #cancelWatch: (() => void) | null = null
  #closed = false

  readonly #lead: (flight: StoredFlight) => Promise<Leader>
  readonly #land: (flight: FlightRow) => Promise<void>

  constructor(deps: FlightsDeps) {
    this.#deps = deps
    const { store } = deps
    this.#lead = createTurnGroup((flights) => store.lead(flights))
    this.#land = createTurnGroup(async (flights) => {
      await store.land(flights)
      return flights.map(() => undefined)
    })
  }

  /** Whether a flight may be another engine's. */
  get isShared(): boolean {
    return this.#deps.shared
  }

  /** Leads a stage within this engine unless one of its runs does, or it is known that another engine's does. */
  tryLead(key: string, leader: Leader): boolean {
    if (this.#flights.has(key)) return false
    const { promise: over, resolve: end } = Promise.withResolvers<FlightEnd>()
    this.#flights.set(key, { leader, state: 'led', over, end, hurry: null, awaited: false })
    return true
  }

  /** After `tryLead`: leads it over all engines, or learns who does. False when it is another engine's now. */
  async confirm(key: string): Promise<boolean> {
    const flight = this.#flights.get(key)
    if (!this.isShared || !flight) return true
    const { run, token } = flight.leader
    const leader = await this.#lead({ key, run, token })
    if (leader.run === run && leader.token === token) return true
    flight.leader = leader
    flight.state = 'watched'
    this.#watch()
    return false
  }

  /** The flight of a stage, which the caller waits for; null when there is none. */
  await(key: string): Flight | null {
    const flight = this.#flights.get(key)
    if (!flight) return null
    flight.awaited = true
    flight.hurry?.()
    return { run: flight.leader.run, over: flight.over }
  }

  /** There is a result, which goes into the database with the next write of its run; `hurry` makes that soon. */
  arriving(key: string, hurry: () => void): void {
    const flight = this.#flights.get(key)
    if (!flight) return
    flight.hurry = hurry
    if (flight.awaited) hurry()
  }

  /** Ends a flight that is led here. */
  land(key: string, how: FlightEnd): void {
    const flight = this.#flights.get(key)
    if (!flight || flight.state !== 'led') return
    this.#end(key, flight, how)
    if (!this.isShared) return
    const row = { ...flight.leader, key, failed: how === 'alone' }
    this.#land(row).catch((error: unknown) =>
      this.#deps.log.error({ err: error }, 'other engines wait for a stage until its run has ended'),
    )
  }

  /** Watches no more; the runs that wait end by their signals. */
  close(): void {
    this.#closed = true
    this.#cancelWatch?.()
    this.#cancelWatch = null
  }

  #end(key: string, flight: OpenFlight, how: FlightEnd): void {
    this.#flights.delete(key)
    flight.end(how)
  }

  #watch(): void {
    if (this.#closed) return
    this.#cancelWatch ??= this.#deps.clock.setTimer(WATCH_MS, () => {
      void this.#look()
        .catch((error: unknown) =>
          this.#deps.log.error({ err: error }, 'the stages of other engines could not be looked after'),
        )
        .then(() => {
          this.#cancelWatch = null
          if (this.#watched().length > 0) this.#watch()
        })
    })
  }

  #watched(): [key: string, flight: OpenFlight][] {
    return [...this.#flights].filter(([, { state }]) => state === 'watched')
  }

  async #look(): Promise<void> {
    const watched = this.#watched()
    const rows = await this.#deps.store.flights(watched.map(([key]) => key))
    const found = new Map(rows.map((row) => [row.key, row]))
    for (const [key, flight] of watched) {
      const row = found.get(key)
      const isSame = row?.run === flight.leader.run && row.token === flight.leader.token
      if (!isSame) this.#end(key, flight, 'open')
      else if (row?.failed) this.#end(key, flight, 'alone')
    }
  }
}
