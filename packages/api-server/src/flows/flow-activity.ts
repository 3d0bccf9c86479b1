/**
 * When flows did something last (V26), for the list of flows. Values are known of all flows, executions of those that this
 * engine runs, and runs are asked for once a list.
 * @module
 */
import { timestampOfMs } from '@flow-service/protocol'

import type { EventBus } from '../events/event-bus.ts'
import type { LastValues } from '../messages/last-values.ts'
import type { FlowHead } from './store.ts'

/** Where flows are seen to do something. */
export interface FlowActivityDeps {
  readonly bus: Pick<EventBus, 'subscribe'>
  readonly lastValues: Pick<LastValues, 'newest'>
}

/** Times in the engine's spelling, which order as texts. */
export type ActivityOf = (flow: Pick<FlowHead, 'id' | 'name'>) => string | null

/** Notices executions from the time that it is made. */
export class FlowActivity {
  readonly #deps: FlowActivityDeps
  /** Of the newest execution in each live flow, in milliseconds. */
  readonly #executed = new Map<string, number>()
  readonly #end: () => void

  constructor(deps: FlowActivityDeps) {
    this.#deps = deps
    this.#end = deps.bus.subscribe(
      (event, atMs) => {
        if (event.type === 'node' && event.run === null && (event.executions ?? 0) > 0)
          this.#executed.set(event.flow, atMs)
      },
      { quiet: true },
    )
  }

  /** What is known now; `runs` are the times of newest runs by the flow's id. */
  read(runs: ReadonlyMap<string, string>): ActivityOf {
    const values = this.#deps.lastValues.newest()
    return ({ id, name }) => {
      const executedMs = this.#executed.get(name)
      const executed = executedMs === undefined ? undefined : timestampOfMs(executedMs)
      const times = [values.get(name), executed, runs.get(id)].filter((time) => time !== undefined)
      return times.toSorted().at(-1) ?? null
    }
  }

  /** A later flow of the name has done nothing yet. */
  forget(name: string): void {
    this.#executed.delete(name)
  }

  close(): void {
    this.#end()
  }
}
