/**
 * The cascades of all live flows: begun here, and reported to the host when they are over (cascade.C1).
 * @module
 */
import type { CascadeBeginning, Host } from '../host.ts'
import { Cascade, type CascadeStart, type Moment } from './cascade.ts'

/** A cascade that is not over. */
export interface RunningCascade extends CascadeStart {
  readonly executions: number
}

/** One object a runtime. Those that are not over are linked: beginning and ending one costs no look-up. */
export class Cascades {
  readonly #host: Pick<Host, 'cascadeEnded' | 'clock' | 'momentIds'>
  /** Of the last one that began. */
  #moment: Moment | null = null
  #oldest: Cascade | null = null
  #newest: Cascade | null = null

  constructor(host: Pick<Host, 'cascadeEnded' | 'clock' | 'momentIds'>) {
    this.#host = host
  }

  /** A new cascade, or with an `id` one that an earlier life of the engine had begun. Its caller lets go of it. */
  begin(beginning: CascadeBeginning, id?: string): Cascade {
    const moment = this.#now()
    const cascade = new Cascade(beginning, moment, id ?? moment.ids.reserve())
    const newest = this.#newest
    if (newest === null) this.#oldest = cascade
    else {
      cascade.earlier = newest
      newest.later = cascade
    }
    this.#newest = cascade
    return cascade
  }

  running(): RunningCascade[] {
    const running: RunningCascade[] = []
    for (let cascade = this.#oldest; cascade !== null; cascade = cascade.later) {
      running.push({ ...cascade.start(), executions: cascade.executions })
    }
    return running
  }

  #now(): Moment {
    const ms = this.#host.clock.now()
    const ids = this.#host.momentIds()
    const before = this.#moment
    if (before !== null && before.ms === ms && before.ids === ids) return before
    return (this.#moment = { ms, ids, over: this.#over })
  }

  readonly #over = (cascade: Cascade): void => {
    const { earlier, later } = cascade
    if (earlier === null) this.#oldest = later
    else earlier.later = later
    if (later === null) this.#newest = earlier
    else later.earlier = earlier
    // who keeps it for its id keeps no others
    cascade.earlier = null
    cascade.later = null
    if (cascade.isSuspended) return
    // a publication that nobody reads sets nothing off
    if (cascade.executions === 0 && cascade.origin.node === null) return
    this.#host.cascadeEnded(cascade, this.#host.clock.now())
  }
}
