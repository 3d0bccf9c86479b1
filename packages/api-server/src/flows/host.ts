/**
 * What the graph runtime reaches outside itself, composed from the slices of the engine.
 * @module
 */
import type { Clock, Host, WorkHost } from '@flow-service/core'

import type { Artifacts } from '../artifacts/artifacts.ts'
import type { DeadLetters } from '../events/dead-letters.ts'
import type { EventBus } from '../events/event-bus.ts'
import type { Hooks } from '../hooks/hooks.ts'
import type { LastValues } from '../messages/last-values.ts'
import type { Dispatcher } from '../workers/dispatch.ts'
import { createIds } from './ids.ts'
import { outgoingFetch } from './outgoing-fetch.ts'

/** The parts of the engine that live flows and runs use. */
export interface HostParts {
  readonly clock: Clock
  readonly artifacts: Pick<Artifacts, 'put' | 'read'>
  readonly deadLetters: Pick<DeadLetters, 'record'>
  readonly dispatcher: Dispatcher
  readonly events: Pick<EventBus, 'isHeard' | 'publish'>
  readonly hooks: Pick<Hooks, 'register'>
  readonly lastValues: Pick<LastValues, 'record'>
  readonly log: { info(fields: object, message: string): void }
  /** Time zone of cron patterns, an IANA name. */
  readonly timeZone: string
  readonly work: WorkHost
  /** Hears of every cascade that is over. */
  readonly cascadeEnded?: Host['cascadeEnded']
}

/** Milliseconds by which the fine clock may be off before it is set again. */
const MAX_SKEW_MS = 20

/**
 * The machine's clock with fractions of a millisecond; follows when the machine's time is corrected. It stands still
 * until the microtask in which it was read is over: reading it for each value would cost more than delivering one.
 */
export function createClock(): Clock {
  let origin = performance.timeOrigin
  let held: number | null = null
  const forget = (): void => {
    held = null
  }
  const read = (): number => {
    const fine = origin + performance.now()
    const coarse = Date.now()
    if (Math.abs(fine - coarse) <= MAX_SKEW_MS) return fine
    origin += coarse - fine
    return coarse
  }
  return {
    now() {
      if (held === null) {
        held = read()
        queueMicrotask(forget)
      }
      return held
    },
    setTimer(delayMs, run) {
      const timer = setTimeout(run, delayMs)
      return () => clearTimeout(timer)
    },
  }
}

/** The engine's host of the runtime. */
export function createHost(parts: HostParts): Host {
  const {
    artifacts,
    clock,
    deadLetters,
    dispatcher,
    events,
    hooks,
    lastValues,
    log,
    timeZone,
    work,
    cascadeEnded = () => {},
  } = parts
  return {
    clock,
    newId: createIds(),
    timeZone,
    record: (source, value, atMs) => lastValues.record(source, value, atMs),
    // by the clock of the values: what is told after a snapshot is told from it by its time
    event: (event) => events.publish(event, clock.now()),
    isWatched: () => events.isHeard(),
    deadLetter: (entry) => deadLetters.record(entry, clock.now()),
    cascadeEnded,
    work,
    log: ({ text, ...place }) => log.info(place, text),
    webhook: (flow, route, handler) => hooks.register(flow, route, handler),
    fetch: outgoingFetch,
    call: (call) => dispatcher.call(call),
    release: (flow, node) => dispatcher.release(flow, node),
    artifacts: {
      save: async (data, options) => (await artifacts.put(data, options)).ref,
      load: (digest) => artifacts.read(digest),
    },
  }
}
