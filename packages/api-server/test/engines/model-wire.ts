/**
 * The connection of a model's engine to the database: each statement takes a moment on the way, and its answer another.
 * @module
 */
import type { VirtualClock } from '@flow-service/core/testing'

import type { PlacementTables } from './placement-tables.ts'

const WAY_MS = 1

/** What the wire needs of the engine at its end. */
interface WireEngine {
  readonly isDeaf: boolean
  readonly world: {
    readonly clock: VirtualClock
    readonly tables: PlacementTables
    readonly isAway: boolean
    trouble(): void
  }
  within(run: () => void): void
}

interface Asked {
  readonly fail: (error: Error) => void
  /** A statement that was not executed yet; it is not. */
  readonly drop: () => void
}

/** Delays, cuts, and loses what an engine asks. */
export class ModelWire {
  readonly #engine: WireEngine
  readonly #asked = new Set<Asked>()
  /** How much longer the next statement is on its way. */
  delayMs = 0
  #isCut = false
  #lateUntilMs = 0

  constructor(engine: WireEngine) {
    this.#engine = engine
  }

  /** Whether statements get to the database, and none is late. */
  get isUp(): boolean {
    const { world } = this.#engine
    return !this.#isCut && !world.isAway && this.delayMs === 0 && !this.isLate
  }

  /** Whether a statement is on its way that was delayed. */
  get isLate(): boolean {
    return this.#engine.world.clock.now() <= this.#lateUntilMs
  }

  /** What is being asked has failed for the engine; the database does it all the same unless `isDone` is false. */
  cut(isDone = true): void {
    if (isDone) this.#isCut = true
    this.#engine.world.trouble()
    for (const asked of this.#asked) {
      if (!isDone) asked.drop()
      asked.fail(new Error('the database is away'))
    }
  }

  mend(): void {
    if (!this.#isCut) return
    this.#isCut = false
    this.mended()
    this.#engine.world.trouble()
  }

  /** Statements get through again. */
  mended(): void {
    this.#engine.within(() => this.#heard())
  }

  #heard: () => void = () => {}

  async listen(heard: () => void): Promise<() => Promise<void>> {
    const { world } = this.#engine
    const before = this.#heard
    this.#heard = () => {
      before()
      heard()
    }
    const told = (): void => {
      if (this.#isCut || world.isAway || this.#engine.isDeaf) return
      world.clock.setTimer(WAY_MS, () => this.#engine.within(heard))
    }
    const end = world.tables.listen(told)
    return async () => end()
  }

  ask<T>(act: () => T): Promise<T> {
    const { clock } = this.#engine.world
    const { promise, reject, resolve } = Promise.withResolvers<T>()
    const end = (settle: () => void): void => this.#engine.within(settle)
    if (this.#isCut || this.#engine.world.isAway) {
      clock.setTimer(WAY_MS, () => end(() => reject(new Error('the database is away'))))
      return promise
    }
    const wayMs = WAY_MS + this.delayMs
    if (this.delayMs > 0) this.#lateUntilMs = clock.now() + wayMs
    this.delayMs = 0
    const cancel = clock.setTimer(wayMs, () => {
      const answer = attempt(act)
      clock.setTimer(WAY_MS, () => {
        if (!this.#asked.delete(asked)) return
        end(() => (answer.error === null ? resolve(answer.value as T) : reject(answer.error)))
      })
    })
    const asked: Asked = {
      drop: cancel,
      fail: (error) => {
        this.#asked.delete(asked)
        end(() => reject(error))
      },
    }
    this.#asked.add(asked)
    return promise
  }
}

function attempt<T>(act: () => T): { readonly value?: T; readonly error: Error | null } {
  try {
    return { value: act(), error: null }
  } catch (error) {
    return { error: error as Error }
  }
}
