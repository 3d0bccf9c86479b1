/**
 * The cascades of all live flows: begun, and told to the host when they are over.
 * @module
 */
import { Cascade, type CascadeStart } from './cascade.ts'
import type { EndedCascade, Host } from './host.ts'

/** A cascade that is not over. */
export interface RunningCascade extends CascadeStart {
  readonly executions: number
}

/** One object a runtime. */
export class Cascades {
  readonly #host: Pick<Host, 'clock' | 'newId' | 'cascadeEnded'>
  readonly #running = new Set<Cascade>()

  constructor(host: Pick<Host, 'clock' | 'newId' | 'cascadeEnded'>) {
    this.#host = host
  }

  /** A new cascade, or with an `id` one that an earlier life of the engine had begun. Its caller lets go of it. */
  begin({ id, flow, origin, run }: Pick<EndedCascade, 'flow' | 'origin' | 'run'> & { readonly id?: string }): Cascade {
    const { clock, newId } = this.#host
    const cascade = new Cascade({ id: id ?? newId(), flow, origin, run, startedMs: clock.now() }, this.#over)
    this.#running.add(cascade)
    return cascade
  }

  running(): RunningCascade[] {
    return [...this.#running].map(({ start, executions }) => ({ ...start, executions }))
  }

  readonly #over = (cascade: Cascade): void => {
    this.#running.delete(cascade)
    // a publication that nobody reads sets nothing off
    if (cascade.isSuspended) return
    if (cascade.executions === 0 && cascade.start.origin.node === null) return
    this.#host.cascadeEnded(cascade.ended(this.#host.clock.now()))
  }
}
