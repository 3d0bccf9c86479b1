/**
 * What an event socket shows first (wire decision G46): the same as the API answers at that moment.
 * @module
 */
import { timestampOfMs } from '@flow-service/protocol'

import type { EngineSnapshot } from '../events/event-replay.ts'
import type { Flows } from '../flows/flows.ts'
import type { LiveFlows } from '../flows/live-flows.ts'
import type { PublishedFlows } from '../flows/published-flows.ts'
import type { CurrentValues } from '../messages/current-values.ts'
import type { Runs } from '../runs/runs.ts'

/** Where the state of the engine is. */
interface Shown {
  readonly flows: Pick<Flows, 'states'>
  readonly runs: Pick<Runs, 'active'>
  readonly live: Pick<LiveFlows, 'nodeStates'>
  readonly published: Pick<PublishedFlows, 'dtypeOf'>
  readonly values: Pick<CurrentValues, 'all'>
  /** Resolves when the values of flows that other engines run are known. */
  readonly farValues: () => Promise<void>
}

/** What is stored, then at the call of the result what memory holds. */
export async function takeSnapshot(shown: Shown): Promise<() => EngineSnapshot> {
  const { flows, live, runs, published, values } = shown
  const [states, active] = await Promise.all([flows.states(), runs.active(), shown.farValues()])
  return () => {
    const nodes = states.flatMap(({ name }) => live.nodeStates(name))
    // a message that no flow declares any more keeps its last value, which nobody can ask for
    const declared = values.all().filter(({ message }) => published.dtypeOf(message) !== undefined)
    const ts = timestampOfMs(Date.now())
    return {
      flows: states,
      nodes,
      values: declared as EngineSnapshot['values'],
      health: nodes.map(({ flow, node, health, message }) => ({ flow, node, status: health, message, ts })),
      runs: active,
    }
  }
}
