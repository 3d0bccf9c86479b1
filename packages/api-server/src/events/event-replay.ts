/**
 * What a socket is told after its snapshot. Events are gathered from before the snapshot is taken, so that none is
 * missed; this leaves out those whose outcome the snapshot already holds.
 *
 * The last event of a thing either happened before its state was read, and then says what the snapshot says, or after,
 * and then is news: telling it is right in both cases. An earlier one would only take the reader back in time.
 * @module
 */
import { type EngineEvent, type SnapshotFrame, timestampOfMs } from '@flow-service/protocol'

import type { EventText } from './event-text.ts'

/** The state that a snapshot frame tells. */
export type EngineSnapshot = Omit<SnapshotFrame, 'type' | 'seq' | 'ts' | 'engine_version'>

/** The gathered events that are news after `snapshot`, in order. */
export function newsSince(snapshot: EngineSnapshot, gathered: readonly EventText[]): EventText[] {
  const last = new Map(gathered.map((text) => [thingOf(text.event), text]))
  const told = new Set<string>()
  return gathered.filter((text) => {
    const thing = thingOf(text.event)
    // emissions and node states of a run are in no snapshot
    if (thing === null) return true
    const isLast = last.get(thing) === text
    const isNews = isLast ? told.has(thing) || !isToldBy(snapshot, text.event) : isLaterValue(snapshot, text)
    if (isNews) told.add(thing)
    return isNews
  })
}

/** What an event tells the state of; null when every event of its kind counts. */
function thingOf(event: EngineEvent): string | null {
  switch (event.type) {
    case 'value':
      return event.run === null ? `value ${event.message}` : null
    case 'node':
      return event.run === null ? `node ${event.flow} ${event.node}` : null
    case 'health':
      return `health ${event.flow} ${event.node}`
    case 'run':
      return `run ${event.run.id}`
    case 'flow':
      return `flow ${event.name}`
  }
}

function isToldBy(snapshot: EngineSnapshot, event: EngineEvent): boolean {
  switch (event.type) {
    case 'value': {
      const told = valueIn(snapshot, event.message)
      return told !== undefined && JSON.stringify(told.value) === JSON.stringify(event.value)
    }
    case 'node': {
      const told = snapshot.nodes.find((node) => node.flow === event.flow && node.node === event.node)
      return told?.status === event.status
    }
    case 'health': {
      const told = snapshot.health.find((entry) => entry.flow === event.flow && entry.node === event.node)
      return told?.status === event.status && told.message === event.message
    }
    case 'run':
      return snapshot.runs.find((run) => run.id === event.run.id)?.status === event.run.status
    case 'flow':
      // the snapshot tells no version
      return false
  }
}

/** Values are a series, not only a state: an earlier one is news too when it came after the one in the snapshot. */
function isLaterValue(snapshot: EngineSnapshot, { event, atMs }: EventText): boolean {
  if (event.type !== 'value') return false
  const told = valueIn(snapshot, event.message)
  return told === undefined || timestampOfMs(atMs) > told.ts
}

const valueIn = (snapshot: EngineSnapshot, message: string) =>
  snapshot.values.find((entry) => entry.message === message)
