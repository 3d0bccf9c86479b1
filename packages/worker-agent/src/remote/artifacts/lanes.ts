/**
 * Turns of downloads on one machine: few at a time, and fair between calls, so that one call with a thousand artifacts does
 * not keep another one with two waiting. What code waits for goes before what it may ask for, and has lanes that nothing
 * else takes (lanes.W1 in DESIGN.md).
 * @module
 */

/** Downloads at a time. */
const LANES = 8
/** Of them those that nobody waits for yet. */
const AHEAD_LANES = 4

/** A place in the queue. */
export interface Turn {
  /** Resolves when it has come; rejects when it was given up before. */
  readonly come: Promise<void>
  /** Somebody waits for it now. */
  urge(): void
  /** It is over, or not needed any more. */
  end(): void
}

interface Place {
  readonly group: object
  readonly start: () => void
  isUrgent: boolean
}

/** The queue of a machine. */
export class Lanes {
  readonly #waiting = new Set<Place>()
  readonly #running = new Set<Place>()

  /** `group` is the call that it is for. */
  turn(group: object, isUrgent: boolean): Turn {
    const { promise: come, resolve, reject } = Promise.withResolvers<void>()
    const place: Place = { group, isUrgent, start: resolve }
    this.#waiting.add(place)
    this.#proceed()
    return {
      come,
      urge: () => {
        place.isUrgent = true
        this.#proceed()
      },
      end: () => {
        this.#waiting.delete(place)
        reject(new Error('it is not needed any more'))
        if (this.#running.delete(place)) this.#proceed()
      },
    }
  }

  #proceed(): void {
    for (let next = this.#next(); next; next = this.#next()) {
      this.#waiting.delete(next)
      this.#running.add(next)
      next.start()
    }
  }

  #next(): Place | undefined {
    const count = this.#running.size
    if (count >= LANES) return undefined
    const urgent = [...this.#waiting].filter(({ isUrgent }) => isUrgent)
    return this.#fairest(urgent.length > 0 || count >= AHEAD_LANES ? urgent : [...this.#waiting])
  }

  /** The first one of the group that has fewest turns now. */
  #fairest(places: readonly Place[]): Place | undefined {
    const turns = new Map<object, number>()
    for (const { group } of this.#running) turns.set(group, (turns.get(group) ?? 0) + 1)
    let best: Place | undefined
    for (const place of places) {
      if (!best || (turns.get(place.group) ?? 0) < (turns.get(best.group) ?? 0)) best = place
    }
    return best
  }
}
