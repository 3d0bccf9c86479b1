/**
 * Shows events of flows that other engines run on the event sockets of this one, from when the engine begins until it ends:
 * each engine tells the others what its sockets ask for altogether, and they send that, the events of a turn together.
 *
 * - event-spread.E1 events of one flow come in their order, since one engine runs it and one link brings them.
 * - event-spread.E2 states of runs are left out: engines tell each other of these through the database. So is what is each
 *   engine's own: progress of modules; and what another engine has done, which that one tells.
 * @module
 */
import type { Clock } from '@flow-service/core'
import type { EngineEvent } from '@flow-service/protocol'

import type { EngineLease } from '../engines/lease.ts'
import type { Links } from '../engines/links/links.ts'
import { StandingWish } from '../engines/links/standing-wish.ts'
import { TurnMail } from '../engines/links/turn-mail.ts'
import type { EventBus } from '../events/event-bus.ts'
import { type Interest, isWithin } from '../events/event-session.ts'
import type { EventSockets } from '../events/event-socket.ts'
import { flowsOf } from '../events/event-text.ts'
import type { LastValues } from '../messages/last-values.ts'
import type { Log } from '../process/log.ts'

const WANT = 'events.want'
const TELL = 'events'
const NOTHING = Buffer.alloc(0)

/** An interest as JSON; null for none. */
type Wanted = { readonly flows: readonly string[] | null; readonly kinds: readonly string[] } | null

type Told = readonly [event: EngineEvent, atMs: number]

/** What spreading events takes. */
export interface EventSpreadDeps {
  readonly bus: Pick<EventBus, 'show' | 'subscribe'>
  readonly clock: Clock
  readonly lease: Pick<EngineLease, 'onEngines' | 'others'>
  readonly links: Pick<Links, 'answer' | 'ask' | 'hear' | 'onChange' | 'reach' | 'send'>
  readonly lastValues: Pick<LastValues, 'learn'>
  readonly sockets: Pick<EventSockets, 'interests'>
  readonly log: Pick<Log, 'warn'>
}

/** What this engine shows of others, and they of it. */
export class EventSpread {
  readonly #deps: EventSpreadDeps
  /** What others ask for, by engine. */
  readonly #wanted = new Map<string, Interest>()
  readonly #mail: TurnMail
  readonly #wish: StandingWish
  #unsubscribe: (() => void) | null = null
  readonly #ends: (() => void)[] = []

  constructor(deps: EventSpreadDeps) {
    this.#deps = deps
    this.#mail = new TurnMail(TELL, deps.links, deps.log)
    this.#wish = new StandingWish(WANT, 'null', deps)
  }

  open(): void {
    const { links, sockets } = this.#deps
    this.#ends.push(
      links.answer(WANT, (payload, { from }) => this.#want(from, JSON.parse(payload.toString()) as Wanted)),
      links.hear(TELL, (payload) => {
        for (const told of JSON.parse(payload.toString()) as Told[]) this.#show(told)
      }),
      links.onChange((engine, isUp) => {
        if (!isUp) this.#forget(engine)
      }),
      sockets.interests.onChange(() => this.#follow()),
    )
    this.#wish.open()
  }

  close(): void {
    for (const end of this.#ends) end()
    this.#wish.close()
    this.#unsubscribe?.()
  }

  /** A snapshot that is being made has what was shown before it (event-replay.P1): values are in memory, too. */
  #show([event, atMs]: Told): void {
    const { bus, lastValues } = this.#deps
    if (event.type === 'value' && event.run === null)
      lastValues.learn(event.message, event.value, Math.round(atMs * 1000))
    bus.show(event, atMs)
  }

  /** The sockets of this engine ask for something else. Does not wait: a socket is shown what comes. */
  #follow(): void {
    const interest = this.#deps.sockets.interests.together()
    const wanted: Wanted = interest && {
      flows: interest.flows && [...interest.flows].toSorted(),
      kinds: [...interest.kinds].toSorted(),
    }
    this.#wish.set(JSON.stringify(wanted))
  }

  #want(engine: string, wanted: Wanted): Buffer {
    if (wanted === null) this.#forget(engine)
    else {
      const { flows, kinds } = wanted
      this.#wanted.set(engine, { flows: flows && new Set(flows), kinds: new Set(kinds) as Interest['kinds'] })
      this.#unsubscribe ??= this.#deps.bus.subscribe((event, atMs) => this.#hear(event, atMs), { spreads: true })
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
      if (isWithin(interest, event, flows)) this.#mail.add(engine, [event, atMs])
    }
  }
}
