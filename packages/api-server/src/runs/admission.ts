/**
 * How many runs an engine executes at once (wire decision V9). A run is heavy when its document has a node whose code takes a
 * process; every other one is light, costs little more than its commits, and shares these with the runs beside it. Each of
 * the two has places of its own, so that neither waits for the other; or both have the same ones.
 *
 * - admission.A1 of a class at most so many runs execute at once, and at most as many again wait for the commit of their
 *   end: the next ones execute meanwhile.
 * - admission.A2 a run of which everything waits for attached workers executes nothing here: there may be 1,000 of them
 *   beside, and what a worker takes goes on at once, even where the places are taken by then.
 *
 * `run-queue.ts` takes a place for each run that it claims, and claims what {@link Admission.room} says, of the classes that
 * {@link Backlog} may have runs of.
 * @module
 */
import type { FlowDocument } from '@flow-service/protocol'

/** Numbers of runs: of each class, or of both together. */
export type RunNumbers = { readonly all: number } | { readonly heavy: number; readonly light: number }

/** Types of nodes that run code in processes; `0107-heavy-runs.sql` has them for drafts. */
const HEAVY: ReadonlySet<string> = new Set(['python', 'code', 'exec'])

/** Whether a run of a document is heavy. */
export const isHeavy = ({ nodes }: Pick<FlowDocument, 'nodes'>): boolean => nodes.some(({ type }) => HEAVY.has(type))

/** Runs that wait for attached workers, of both classes. */
const MAX_WAITING = 1_000

/** What one run takes. */
export interface Place {
  /** All that it has begun waits for attached workers, or no longer does. */
  waits(isWaiting: boolean): void
  /** It executes nothing any more; its end is still to be written. */
  executed(): void
  /** Its end is written. */
  over(): void
}

/** Of one class, or of both. */
interface Places {
  readonly most: number
  executing: number
  /** Executing, waiting, or ending. */
  active: number
  waiting: number
}

/** The places of one engine. */
export class Admission {
  readonly #heavy: Places
  readonly #light: Places

  constructor(most: RunNumbers) {
    const places = (of: number): Places => ({ most: of, executing: 0, active: 0, waiting: 0 })
    this.#heavy = places('all' in most ? most.all : most.heavy)
    this.#light = 'all' in most ? this.#heavy : places(most.light)
  }

  /** How many runs may be claimed now. */
  get room(): RunNumbers {
    if (this.#light === this.#heavy) return { all: this.#free(this.#heavy) }
    return { heavy: this.#free(this.#heavy), light: this.#free(this.#light) }
  }

  /** Takes a place for a run, which has one even where there is no room. */
  take({ heavy }: { readonly heavy: boolean }): Place {
    const places = heavy ? this.#heavy : this.#light
    let isWaiting = false
    places.executing++
    places.active++
    const waits = (now: boolean): void => {
      if (now === isWaiting) return
      isWaiting = now
      places.waiting += now ? 1 : -1
      places.executing += now ? -1 : 1
    }
    return {
      waits,
      executed() {
        waits(false)
        places.executing--
      },
      over: () => void places.active--,
    }
  }

  #free({ most, executing, active, waiting }: Places): number {
    const allWaiting = this.#light === this.#heavy ? waiting : this.#heavy.waiting + this.#light.waiting
    return Math.max(0, Math.min(most - executing, 2 * most - (active - waiting), MAX_WAITING - allWaiting))
  }
}

/** Whether there is room for any run. */
export const hasRoom = (room: RunNumbers): boolean => ('all' in room ? room.all > 0 : room.heavy > 0 || room.light > 0)

/** Whether there is room for a run of a class. */
export const hasRoomFor = (room: RunNumbers, isHeavyRun: boolean): boolean =>
  'all' in room ? room.all > 0 : (isHeavyRun ? room.heavy : room.light) > 0

/** Of which classes there may be queued runs: a claim of others finds nothing, and keeps the next one waiting. */
export class Backlog {
  #heavy = true
  #light = true

  /** There may be some of each. */
  grown(): void {
    this.#heavy = true
    this.#light = true
  }

  /** Whether there may be queued runs of a class. */
  mayHave(isHeavyRun: boolean): boolean {
    return isHeavyRun ? this.#heavy : this.#light
  }

  /** Room for those that there may be. */
  within(room: RunNumbers): RunNumbers {
    if ('all' in room) return { all: this.#heavy || this.#light ? room.all : 0 }
    return { heavy: this.#heavy ? room.heavy : 0, light: this.#light ? room.light : 0 }
  }

  /** A claim for that room has taken these: of a class that it has not filled there are no more. */
  claimed(room: RunNumbers, runs: readonly { readonly heavy: boolean }[]): void {
    if ('all' in room) {
      this.#heavy = runs.length >= room.all
      this.#light = this.#heavy
      return
    }
    const heavy = runs.filter((run) => run.heavy).length
    if (room.heavy > 0) this.#heavy = heavy >= room.heavy
    if (room.light > 0) this.#light = runs.length - heavy >= room.light
  }
}
