/**
 * Tells how many deliveries a paused flow holds, while that changes (T5): twice a second at most, and the last number
 * always. A change of the flow itself is told at once by whoever makes it.
 * @module
 */
import type { Clock, LiveFlow } from '@flow-service/core'
import type { EngineEvent } from '@flow-service/protocol'

import type { EventBus } from '../events/event-bus.ts'

type FlowEvent = Extract<EngineEvent, { type: 'flow' }>

const PAUSE_MS = 500

/** What the news are made of. */
export interface HeldNewsDeps {
  readonly bus: Pick<EventBus, 'publish' | 'subscribe'>
  readonly clock: Clock
  /** The flows of this engine that run. */
  readonly runtime: { get(name: string): Pick<LiveFlow, 'held' | 'paused'> | undefined }
}

/** Follows every flow from the event that it is paused until it is not; the result ends that. */
export function followHeld({ bus, clock, runtime }: HeldNewsDeps): () => void {
  /** The last event of each paused flow. */
  const told = new Map<string, FlowEvent>()
  let cancel: (() => void) | null = null
  const look = (): void => {
    cancel = null
    for (const [name, event] of told) {
      const flow = runtime.get(name)
      if (flow?.paused !== true) told.delete(name)
      else if (flow.held !== event.held) bus.publish({ ...event, held: flow.held }, clock.now())
    }
    wait()
  }
  const wait = (): void => {
    if (told.size > 0) cancel ??= clock.setTimer(PAUSE_MS, look)
  }
  const unsubscribe = bus.subscribe(
    (event) => {
      if (event.type !== 'flow') return
      if (event.status === 'paused') told.set(event.name, event)
      else told.delete(event.name)
      wait()
    },
    { quiet: true },
  )
  return () => {
    unsubscribe()
    cancel?.()
  }
}
