/**
 * The places of a machine that several engines use, each over a link of its own: how many calls at a time, and what they
 * take. An engine knows what its own calls take and is told what those of others do; two that send calls at the same
 * moment may still send too many, and one of them gets its call back.
 *
 * - shared-places.S1 as long as others have calls here, no call is taken beyond the places and the amounts. Where an engine
 *   is alone it decides itself, as without others.
 * - shared-places.S2 a call that was given back is owed a place: the next one that is free and large enough is kept for its
 *   engine, which hears of it, and is not free for others. The calls that were given back earlier come first, as far as there is room for them.
 *   So no engine takes all that becomes free because it is nearer.
 * - shared-places.S3 what is kept is kept for a second. An engine that lets it lapse has no use for it, and is owed nothing
 *   more.
 * - shared-places.S4 an engine is told of what it may have after everything that it has to hear before: the end of a call
 *   makes its place free for others before the engine of the call hears of it.
 * @module
 */
import type { SharedFrame } from '@flow-service/protocol'

import type { Places } from '../agent.ts'
import type { Resources } from '../options.ts'

type Amounts = SharedFrame['resources']
type Others = Pick<SharedFrame, 'calls' | 'resources'>

/** Milliseconds that a free place waits for the engine that it is kept for: longer than a frame there and a call back. */
const KEEP_MS = 1000

/** What a machine offers to all of its engines together. */
export interface SharedPlacesOptions {
  /** Calls at a time. */
  readonly parallel: number
  readonly resources: Resources
}

interface Wish {
  readonly engine: EnginePlaces
  readonly demand: Amounts
}

/** The places of one machine. */
export class SharedPlaces {
  readonly #options: SharedPlacesOptions
  readonly #engines = new Set<EnginePlaces>()
  /** Calls that were given back, the earliest first. */
  readonly #owed: Wish[] = []

  constructor(options: SharedPlacesOptions) {
    this.#options = options
  }

  /** The places as one engine has them. */
  open(): Places {
    const engine = new EnginePlaces({
      take: (demand) => this.#take(engine, demand),
      changed: () => this.#changed(),
      gone: () => this.#gone(engine),
      others: () => this.#sum(this.#beside(engine)),
    })
    this.#engines.add(engine)
    return engine
  }

  #take(engine: EnginePlaces, demand: Amounts): boolean {
    const others = this.#sum(this.#beside(engine))
    if (others.calls === 0 || this.#fits([...this.#beside(engine), ...engine.running()], demand)) return true
    this.#owed.push({ engine, demand })
    return false
  }

  /** A place is free, or was let go: it is kept for who is owed one, and then all hear of it. */
  #changed(): void {
    for (const wish of this.#owed.splice(0)) {
      const all = [...this.#engines].flatMap((engine) => engine.taken())
      if (this.#fits(all, wish.demand)) wish.engine.keep(wish.demand, KEEP_MS)
      else this.#owed.push(wish)
    }
    for (const engine of this.#engines) engine.tell()
  }

  #gone(engine: EnginePlaces): void {
    const left = this.#owed.filter((wish) => wish.engine !== engine)
    this.#owed.splice(0, this.#owed.length, ...left)
    if (engine.isOver) this.#engines.delete(engine)
  }

  /** What others than this engine have, and what is kept for them. */
  #beside(engine: EnginePlaces): Amounts[] {
    return [...this.#engines].flatMap((other) => (other === engine ? [] : other.taken()))
  }

  #fits(taken: readonly Amounts[], demand: Amounts): boolean {
    const { parallel, resources } = this.#options
    const { calls, resources: used } = this.#sum([...taken, demand])
    if (calls > parallel) return false
    return (
      isWithin(used.cpus, resources.cpus) &&
      isWithin(used.gpus, resources.gpus) &&
      isWithin(used.ram_mb, resources.ram_mb)
    )
  }

  #sum(taken: readonly Amounts[]): Others {
    const resources = { cpus: 0, gpus: 0, ram_mb: 0 }
    for (const { cpus, gpus, ram_mb } of taken) {
      resources.cpus += cpus
      resources.gpus += gpus
      resources.ram_mb += ram_mb
    }
    return { calls: taken.length, resources }
  }
}

interface EnginePlacesDeps {
  readonly take: (demand: Amounts) => boolean
  readonly changed: () => void
  /** It is owed nothing more. */
  readonly gone: () => void
  readonly others: () => Others
}

class EnginePlaces implements Places {
  readonly #deps: EnginePlacesDeps
  readonly #calls = new Map<string, Amounts>()
  #kept: Amounts[] = []
  #lapse: NodeJS.Timeout | undefined
  #listener: ((others: Others) => void) | null = null
  /** What it was told last. */
  #told: Others = { calls: 0, resources: { cpus: 0, gpus: 0, ram_mb: 0 } }
  /** Something has been kept for it since then. */
  #isNews = false
  #hasEnded = false

  constructor(deps: EnginePlacesDeps) {
    this.#deps = deps
  }

  /** Whether nothing of it will be heard any more. */
  get isOver(): boolean {
    return this.#hasEnded && this.#calls.size === 0
  }

  running(): Amounts[] {
    return [...this.#calls.values()]
  }

  /** Its calls, and what is kept for it. */
  taken(): Amounts[] {
    return [...this.#calls.values(), ...this.#kept]
  }

  take(call: string, demand: Amounts): boolean {
    if (!this.#deps.take(demand)) return false
    this.#calls.set(call, demand)
    this.#kept.shift()
    if (this.#kept.length === 0) clearTimeout(this.#lapse)
    this.#deps.changed()
    return true
  }

  free(call: string): void {
    if (!this.#calls.delete(call)) return
    if (this.isOver) this.#deps.gone()
    this.#deps.changed()
  }

  listen(listener: (others: Others) => void): void {
    this.#listener = listener
    this.tell()
  }

  end(): void {
    this.#hasEnded = true
    this.#listener = null
    this.#letGo()
  }

  keep(demand: Amounts, ms: number): void {
    this.#kept.push(demand)
    this.#isNews = true
    clearTimeout(this.#lapse)
    this.#lapse = setTimeout(() => this.#letGo(), ms)
  }

  tell(): void {
    const others = this.#deps.others()
    if (!this.#listener || (!this.#isNews && isEqual(others, this.#told))) return
    this.#isNews = false
    this.#told = others
    this.#listener(others)
  }

  #letGo(): void {
    clearTimeout(this.#lapse)
    this.#kept = []
    this.#deps.gone()
    this.#deps.changed()
  }
}

/** Sums of fractions may be a little off. */
const isWithin = (used: number, total: number): boolean => used <= total + 1e-6

const isEqual = (a: Others, b: Others): boolean =>
  a.calls === b.calls &&
  a.resources.cpus === b.resources.cpus &&
  a.resources.gpus === b.resources.gpus &&
  a.resources.ram_mb === b.resources.ram_mb
