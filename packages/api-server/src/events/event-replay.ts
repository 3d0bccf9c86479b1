/**
 * Events that follow the snapshot of a socket. They are gathered from before the snapshot is taken, so that none is
 * missed; those whose outcome the snapshot already holds are left out here.
 *
 * - event-replay.P1 what memory holds (values, nodes, health) is read at the moment of the snapshot, after everything
 *   gathered: such an event is news only when it is about a node that the snapshot does not show.
 * - event-replay.P2 what is stored (flows, runs) was read a little earlier. The last event of such a thing either
 *   happened before its state was read, and then says what the snapshot says, or after, and then is news: telling it is
 *   right in both cases. An earlier one would only take the reader back in time.
 * - event-replay.P3 emissions and node states of a run, what nodes print, and the progress of modules are in no snapshot: all of them are news.
 * @module
 */
import { isDeepStrictEqual } from 'node:util'

import type { EngineEvent, SnapshotFrame } from '@flow-service/protocol'

import type { EventText } from './event-text.ts'

/** The state that a snapshot frame tells. */
export type EngineSnapshot = Omit<SnapshotFrame, 'type' | 'seq' | 'ts' | 'engine_version' | 'engine'>

/** The gathered events that are news after `snapshot`, in order. */
export function newsSince(snapshot: EngineSnapshot, gathered: readonly EventText[]): EventText[] {
  const nodes = new Set(snapshot.nodes.map(nodeKey))
  const runs = new Map(snapshot.runs.map((run) => [run.id, run]))
  const last = new Map<string, EventText>()
  for (const text of gathered) {
    const stored = storedThing(text.event)
    if (stored !== null) last.set(stored, text)
  }
  return gathered.filter((text) => {
    const { event } = text
    switch (event.type) {
      case 'value':
        return event.run !== null
      case 'node':
        return event.run !== null || !nodes.has(nodeKey(event))
      case 'health':
        return !nodes.has(nodeKey(event))
      case 'run':
        return isLast(last, text) && !isDeepStrictEqual(runs.get(event.run.id), event.run)
      case 'flow':
        // the snapshot tells no version
        return isLast(last, text)
      case 'log':
      case 'modules':
        return true
    }
  })
}

const nodeKey = ({ flow, node }: { flow: string; node: string }): string => `${flow} ${node}`

function storedThing(event: EngineEvent): string | null {
  if (event.type === 'run') return `run ${event.run.id}`
  return event.type === 'flow' ? `flow ${event.name}` : null
}

const isLast = (last: ReadonlyMap<string, EventText>, text: EventText): boolean =>
  last.get(storedThing(text.event) ?? '') === text
