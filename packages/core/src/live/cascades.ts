/**
 * The cascades of all live flows: begun here, and reported to the host when they are over (cascade.C1).
 * @module
 */
import type { EndedCascade, Host } from '../host.ts'
import { Cascade, type CascadeStart } from './cascade.ts'

/** A cascade that is not over. */
export interface RunningCascade extends CascadeStart {
  readonly executions: number
}

/** One object a runtime. Those that are not over are linked: beginning and ending one costs no look-up. */
export class Cascades {
  readonly #host: Pick<Host, 'clock' | 'newId' | 'cascadeEnded'>
  #oldest: Cascade | null = null
  #newest: Cascade | null = null

  constructor(host: Pick<Host, 'clock' | 'newId' | 'cascadeEnded'>) {
    this.#host = host
  }

  /** A new cascade, or with an `id` one that an earlier life of the engine had begun. Its caller lets go of it. */
  begin({ id, flow, origin, run }: Pick<EndedCascade, 'flow' | 'origin' | 'run'> & { readonly id?: string }): Cascade {
    const startedMs = this.#host.clock.now()
    const cascade = new Cascade({ id: id ?? this.#host.newId(), flow, origin, run, startedMs }, this.#over)
    cascade.earlier = this.#newest
    if (this.#newest === null) this.#oldest = cascade
    else this.#newest.later = cascade
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

  readonly #over = (cascade: Cascade): void => {
    const { earlier, later } = cascade
    if (earlier === null) this.#oldest = later
    else earlier.later = later
    if (later === null) this.#newest = earlier
    else later.earlier = earlier
    if (cascade.isSuspended) return
    // a publication that nobody reads sets nothing off
    if (cascade.executions === 0 && cascade.origin.node === null) return
    this.#host.cascadeEnded(cascade.ended(this.#host.clock.now()))
  }
}
