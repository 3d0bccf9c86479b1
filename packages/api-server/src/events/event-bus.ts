/**
 * The engine's own news: what happened to flows, nodes, values and runs, passed from where it happens to everyone
 * who shows or keeps it.
 * @module
 */
import type { EngineEvent } from '@flow-service/protocol'

/** Hears every event in order; `atMs` is its time in milliseconds since the Unix epoch. Must not block. */
export type EventListener = (event: EngineEvent, atMs: number) => void

/** Passes events on, synchronously and in order. */
export interface EventBus {
  /** Tells every listener; `atMs` is now unless given. Never throws. */
  publish(event: EngineEvent, atMs?: number): void
  /** Tells those that show what has happened of what has happened in another engine. Never throws. */
  show(event: EngineEvent, atMs: number): void
  /** Tells everybody here of what another engine has done, and tells itself to the others. Never throws. */
  follow(event: EngineEvent): void
  /** Whether there is any listener that is not `quiet`. */
  isHeard(): boolean
  /**
   * The result ends the subscription. For a `quiet` listener alone nobody needs to make events of values; one that `shows` is
   * told of other engines too; one that `spreads` tells other engines.
   */
  subscribe(listener: EventListener, options?: SubscribeOptions): () => void
}

interface SubscribeOptions {
  readonly quiet?: boolean
  readonly shows?: boolean
  readonly spreads?: boolean
}

/** An event bus; a listener that throws is reported to `onError` and keeps no other one from hearing the event. */
export function createEventBus(
  onError: (error: unknown) => void = (error) => process.emitWarning(error as Error),
): EventBus {
  let listeners: readonly EventListener[] = []
  let showing: readonly EventListener[] = []
  let following: readonly EventListener[] = []
  let heard = 0
  const tell = (all: readonly EventListener[], event: EngineEvent, atMs: number): void => {
    for (const listener of all) {
      try {
        listener(event, atMs)
      } catch (error) {
        onError(error)
      }
    }
  }
  return {
    publish: (event, atMs = Date.now()) => tell(listeners, event, atMs),
    show: (event, atMs) => tell(showing, event, atMs),
    follow: (event) => tell(following, event, Date.now()),
    isHeard: () => heard > 0,
    subscribe(listener, { quiet = false, shows = false, spreads = false } = {}) {
      // a fresh function each time, so that one listener may subscribe twice
      const entry: EventListener = (event, atMs) => listener(event, atMs)
      listeners = [...listeners, entry]
      if (shows) showing = [...showing, entry]
      if (!spreads) following = [...following, entry]
      if (!quiet) heard += 1
      return () => {
        if (!listeners.includes(entry)) return
        listeners = listeners.filter((other) => other !== entry)
        showing = showing.filter((other) => other !== entry)
        following = following.filter((other) => other !== entry)
        if (!quiet) heard -= 1
      }
    },
  }
}
