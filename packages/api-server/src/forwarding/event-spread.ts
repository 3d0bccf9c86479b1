/**
 * Events of flows that other engines run, shown on the event sockets of this one: each engine tells the others what its
 * sockets ask for altogether, and they send that, the events of a turn together.
 *
 * - event-spread.E1 events of one flow come in their order, since one engine runs it and one link brings them.
 * - event-spread.E2 states of runs are left out: engines tell each other of these through the database. So is what is each
 *   engine's own: progress of modules.
 * @module
 */
import type { EngineEvent } from '@flow-service/protocol'

import type { EngineLease } from '../engines/lease.ts'
import type { Links } from '../engines/links/links.ts'
import type { EventBus } from '../events/event-bus.ts'
import { type Interest, isWithin } from '../events/event-session.ts'
import type { EventSockets } from '../events/event-socket.ts'
import { flowsOf } from '../events/event-text.ts'
import type { LastValues } from '../messages/last-values.ts'

const WANT = 'events.want'
const TELL = 'events'
const NOTHING = Buffer.alloc(0)

/** An interest as JSON; null for none. */
type Wanted = { readonly flows: readonly string[] | null; readonly kinds: readonly string[] } | null

type Told = readonly [event: EngineEvent, atMs: number]

/** What spreading events takes. */
export interface EventSpreadDeps {
  readonly bus: Pick<EventBus, 'show' | 'subscribe'>
  readonly lease: Pick<EngineLease, 'engines' | 'id' | 'onEngines'>
  readonly links: Pick<Links, 'answer' | 'ask' | 'hear' | 'onChange' | 'send'>
  readonly lastValues: Pick<LastValues, 'learn'>
  readonly sockets: Pick<EventSockets, 'interests'>
}

/** What this engine shows of others, and they of it. */
export class EventSpread {
  readonly #deps: EventSpreadDeps
  /** What others ask for, by engine. */
  readonly #wanted = new Map<string, Interest>()
  readonly #waiting = new Map<string, Told[]>()
  /** What the others were asked for, as text. */
  #asked = 'null'
  #unsubscribe: (() => void) | null = null
  readonly #ends: (() => void)[] = []

  constructor(deps: EventSpreadDeps) {
    this.#deps = deps
  }

  open(): void {
    const { bus, lease, links, sockets } = this.#deps
    this.#ends.push(
      links.answer(WANT, (payload, { from }) => this.#want(from, JSON.parse(payload.toString()) as Wanted)),
      links.hear(TELL, (payload) => {
        for (const told of JSON.parse(payload.toString()) as Told[]) this.#show(told)
      }),
      // an engine that has begun anew does not know what was asked for
      links.onChange((engine, isUp) => {
        if (isUp) this.#ask([engine])
        else this.#forget(engine)
      }),
      sockets.interests.onChange(() => this.#follow()),
    )
    lease.onEngines(() => {
      if (this.#asked !== 'null') this.#ask(this.#others)
    })
  }

  close(): void {
    for (const end of this.#ends) end()
    this.#unsubscribe?.()
  }

  get #others(): string[] {
    const { engines, id } = this.#deps.lease
    return engines.flatMap((engine) => (engine.id === id ? [] : [engine.id]))
  }

  /** A snapshot that is being made has what was shown before it (event-replay.P1): values are in memory, too. */
  #show([event, atMs]: Told): void {
    const { bus, lastValues } = this.#deps
    if (event.type === 'value' && event.run === null)
      lastValues.learn(event.message, event.value, Math.round(atMs * 1000))
    bus.show(event, atMs)
  }

  /** The sockets of this engine ask for something else. */
  #follow(): void {
    const interest = this.#deps.sockets.interests.together()
    const wanted: Wanted = interest && {
      flows: interest.flows && [...interest.flows].toSorted(),
      kinds: [...interest.kinds].toSorted(),
    }
    const asked = JSON.stringify(wanted)
    if (asked === this.#asked) return
    this.#asked = asked
    this.#ask(this.#others)
  }

  /** Does not wait: a socket is shown what comes. */
  #ask(engines: readonly string[]): void {
    const payload = Buffer.from(this.#asked)
    // one that does not hear it now is asked when its link is up
    for (const engine of engines) this.#deps.links.ask(engine, WANT, payload).catch(() => {})
  }

  #want(engine: string, wanted: Wanted): Buffer {
    if (wanted === null) this.#forget(engine)
    else {
      const { flows, kinds } = wanted
      this.#wanted.set(engine, { flows: flows && new Set(flows), kinds: new Set(kinds) as Interest['kinds'] })
      this.#unsubscribe ??= this.#deps.bus.subscribe((event, atMs) => this.#hear(event, atMs))
    }
    return NOTHING
  }

  #forget(engine: string): void {
    this.#wanted.delete(engine)
    if (this.#wanted.size > 0) return
    this.#unsubscribe?.()
    this.#unsubscribe = null
  }

  #hear(event: EngineEvent, atMs: number): void {
    if (event.type === 'run' || event.type === 'modules') return
    const flows = flowsOf(event)
    for (const [engine, interest] of this.#wanted) {
      if (isWithin(interest, event, flows)) this.#tell(engine, [event, atMs])
    }
  }

  #tell(engine: string, told: Told): void {
    const waiting = this.#waiting.get(engine)
    if (waiting) {
      waiting.push(told)
      return
    }
    this.#waiting.set(engine, [told])
    setImmediate(() => {
      const all = this.#waiting.get(engine) ?? []
      this.#waiting.delete(engine)
      this.#deps.links.send(engine, TELL, Buffer.from(JSON.stringify(all)))
    })
  }
}
