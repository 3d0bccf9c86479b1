/**
 * Ends the live flows that this engine has lost: those whose writes are refused, and those that it finds gone when it comes
 * back under another lease. Without it an engine would go on with flows that others have.
 * @module
 */
import type { Fence } from '../engines/fence.ts'
import type { EngineLease } from '../engines/lease.ts'
import type { Log } from '../process/log.ts'
import type { LiveFlows } from './live-flows.ts'
import type { Placed, Placement } from './placement.ts'

/** What lost flows are ended with. */
export interface LossDeps {
  readonly fence: Pick<Fence, 'flows' | 'onLost'>
  readonly lease: Pick<EngineLease, 'onReturn'>
  readonly live: Pick<LiveFlows, 'exclusive' | 'lose'>
  readonly placement: Pick<Placement, 'renew'>
  /** Flows have ended here: who runs them now, and whether they are this engine's once more, is to be found out. */
  readonly lost: () => void
  readonly log: Pick<Log, 'warn'>
}

/** Ends what is lost from now on. */
export function followLosses({ fence, lease, live, log, lost, placement }: LossDeps): void {
  // between other changes: a flow that is begun anew meanwhile is not lost
  const lose = async (flows: readonly Placed[]): Promise<void> => {
    const names = flows.map(({ name }) => name)
    if (names.length > 0) log.warn({ flows: names }, 'live flows end here: other engines have taken them')
    await Promise.all(flows.map((flow) => live.exclusive(flow.id, () => live.lose([flow]))))
    lost()
  }
  fence.onLost((flows) => void lose(flows))
  lease.onReturn(async (earlier) => {
    const had = fence.flows
    const kept = await placement.renew(earlier)
    return () => lose(had.filter(({ id }) => !kept.has(id)))
  })
}
