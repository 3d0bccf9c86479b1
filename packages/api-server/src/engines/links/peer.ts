/**
 * Another engine as this one reaches it: what its link is, and who waits for it.
 *
 *     down ──somebody needs it──▶ dialling ──hello of the other side──▶ up
 *      ▲  ◀──failed, 5 s over────────┘                                   │
 *      └────────────────────────────lost─────────────────────────────────┘
 *
 * From each state a link that the other engine has dialled leads to *up*, unless it has to yield (links.L1).
 *
 * - peer.E1 after an attempt that failed, and after a link that was lost within a second, nobody dials for 0.2 s, and twice
 *   as long each time up to 2 s. Who needs the engine meanwhile is told at once that nothing was sent.
 * @module
 */
import { SERVICE_RESTART } from '../../http/upgrade.ts'
import type { Log } from '../../process/log.ts'
import type { Dial, DialEnd } from './dial.ts'
import { closeCodes, LinkFault } from './link-fault.ts'
import type { Link } from './link.ts'
import { NotSent } from './refusals.ts'
import { inTicks } from './tick.ts'
import { MAX_ASKED_BYTES, type WireEnd } from './wire.ts'

/** How long somebody waits for a link. */
const DIAL_TICKS = inTicks(5000)
const FIRST_WAIT_TICKS = inTicks(200)
const LAST_WAIT_TICKS = inTicks(2000)
/** How long failures are remembered. */
const MEMORY_TICKS = inTicks(10_000)
/** A link that lives so long was a good one. */
const GOOD_TICKS = inTicks(1000)

/** Somebody who needs a link; one of the callbacks is called once. */
export interface Waiter {
  readonly dueTick: number
  /** What is to be sent. */
  readonly bytes: number
  readonly up: (link: Link) => void
  readonly fail: (error: NotSent) => void
}

/** What a peer is made of. */
export interface PeerDeps {
  readonly engine: string
  /** The id of this engine. */
  readonly self: string
  readonly addressOf: (engine: string) => string | null
  readonly tick: () => number
  readonly dial: (peer: Peer, address: string) => Dial
  readonly onChange: (engine: string, isUp: boolean) => void
  readonly log: Pick<Log, 'info' | 'warn'>
}

/** Those who wait for one link. */
class Waiters {
  readonly #waiters = new Set<Waiter>()
  #bytes: number

  constructor(first: Waiter) {
    this.#waiters.add(first)
    this.#bytes = first.bytes
  }

  all(): Iterable<Waiter> {
    return this.#waiters
  }

  /** False when more would wait than a link takes. */
  add(waiter: Waiter): boolean {
    if (this.#bytes + waiter.bytes > MAX_ASKED_BYTES) return false
    this.#waiters.add(waiter)
    this.#bytes += waiter.bytes
    return true
  }

  remove(waiter: Waiter): void {
    if (this.#waiters.delete(waiter)) this.#bytes -= waiter.bytes
  }
}

interface Dialling {
  readonly kind: 'dialling'
  readonly dueTick: number
  readonly waiters: Waiters
  /** Null after it has yielded to a link of the other engine, which may not come: then there is another at `redialTick`. */
  readonly dial: Dial | null
  readonly redialTick: number
}

type State =
  | { readonly kind: 'down'; readonly freeTick: number }
  | Dialling
  | { readonly kind: 'up'; readonly link: Link; readonly sinceTick: number }

/** One other engine. */
export class Peer {
  readonly engine: string
  readonly #deps: PeerDeps
  #state: State = { kind: 'down', freeTick: 0 }
  /** In a row. */
  #failures = 0

  constructor(deps: PeerDeps) {
    this.#deps = deps
    this.engine = deps.engine
  }

  /** Null while there is none. */
  get link(): Link | null {
    return this.#state.kind === 'up' ? this.#state.link : null
  }

  /** Whether nothing is known of it that matters any more. */
  get isForgotten(): boolean {
    return this.#state.kind === 'down' && this.#deps.tick() > this.#state.freeTick + MEMORY_TICKS
  }

  /** Hands over a link, now or when there is one. */
  need(waiter: Waiter): void {
    const state = this.#state
    if (state.kind === 'up') return waiter.up(state.link)
    if (state.kind === 'down') return this.#needNow(waiter, state.freeTick)
    if (!state.waiters.add(waiter)) waiter.fail(new NotSent(`too much waits for the link to engine ${this.engine}`))
  }

  /** Waits no more. */
  leave(waiter: Waiter): void {
    if (this.#state.kind === 'dialling') this.#state.waiters.remove(waiter)
  }

  /** The other engine has dialled. Throws a {@link LinkFault} where that link has to yield (links.L1, links.L2). */
  makeWay(turn: number): void {
    const state = this.#state
    const yields =
      (state.kind === 'up' && turn < state.link.turn) ||
      (state.kind === 'dialling' && state.dial?.hasGreeted === true && this.#deps.self < this.engine)
    if (yields) throw new LinkFault(closeCodes.otherLink, 'the engines have another link')
    if (state.kind === 'up') state.link.cut('the other engine has lost it')
  }

  /** There is a link. */
  came(link: Link): void {
    const before = this.#state
    this.#state = { kind: 'up', link, sinceTick: this.#deps.tick() }
    if (before.kind === 'dialling') {
      before.dial?.abandon()
      for (const { up } of before.waiters.all()) up(link)
    }
    this.#deps.onChange(this.engine, true)
  }

  /** A link is over. */
  lost(link: Link, { code, detail }: WireEnd): void {
    if (this.#state.kind !== 'up' || this.#state.link !== link) return
    const isGood = this.#deps.tick() - this.#state.sinceTick >= GOOD_TICKS
    const level = code === SERVICE_RESTART ? 'info' : 'warn'
    this.#deps.log[level]({ engine: this.engine, detail }, 'the link to another engine has ended')
    this.#fall(isGood)
    this.#deps.onChange(this.engine, false)
  }

  /** An attempt is over. */
  ended(dial: Dial, end: DialEnd): void {
    const state = this.#state
    if (state.kind !== 'dialling' || state.dial !== dial) return
    if (end.kind === 'failed') return this.#failed(state, end.detail)
    this.#state = { ...state, dial: null, redialTick: this.#deps.tick() + FIRST_WAIT_TICKS }
  }

  /** Another tick has passed. */
  sweep(tick: number): void {
    const state = this.#state
    if (state.kind === 'up') return state.link.sweep(tick)
    if (state.kind === 'down') return
    if (tick > state.dueTick) return this.#failed(state, 'no link was open within 5 s')
    for (const waiter of state.waiters.all()) {
      if (tick <= waiter.dueTick) continue
      state.waiters.remove(waiter)
      waiter.fail(new NotSent(`there was no link to engine ${this.engine} in time`))
    }
    if (state.dial === null && tick > state.redialTick) this.#dial(state)
  }

  /** Nobody needs it any more: this engine stops. */
  close(code: number, reason: string): Promise<void> {
    const state = this.#state
    if (state.kind === 'up') return state.link.close(code, reason)
    if (state.kind === 'dialling') this.#giveUp(state, reason)
    return Promise.resolve()
  }

  #needNow(waiter: Waiter, freeTick: number): void {
    const tick = this.#deps.tick()
    if (tick < freeTick)
      return waiter.fail(new NotSent(`engine ${this.engine} could not be reached a moment ago: try again`))
    if (this.#deps.addressOf(this.engine) === null)
      return waiter.fail(new NotSent(`engine ${this.engine} cannot be reached`, 'it says no address'))
    this.#dial({
      kind: 'dialling',
      dueTick: tick + DIAL_TICKS,
      waiters: new Waiters(waiter),
      dial: null,
      redialTick: 0,
    })
  }

  #dial(state: Dialling): void {
    const address = this.#deps.addressOf(this.engine)
    if (address === null) return this.#failed(state, 'it says no address any more')
    const dial = this.#deps.dial(this, address)
    this.#state = { ...state, dial }
    void dial.begin()
  }

  #failed(state: Dialling, detail: string): void {
    if (this.#failures === 0) this.#deps.log.warn({ engine: this.engine, detail }, 'another engine cannot be reached')
    this.#giveUp(state, detail)
  }

  #giveUp({ dial, waiters }: Dialling, detail: string): void {
    this.#fall(false)
    dial?.abandon()
    for (const { fail } of waiters.all()) fail(new NotSent(`engine ${this.engine} cannot be reached`, detail))
  }

  /** Nobody dials for a while, unless all was well (peer.E1). */
  #fall(isGood: boolean): void {
    const tick = this.#deps.tick()
    const waitTicks = Math.min(FIRST_WAIT_TICKS * 2 ** this.#failures, LAST_WAIT_TICKS)
    // the tick under way is not a whole one
    this.#state = { kind: 'down', freeTick: isGood ? tick : tick + waitTicks + 1 }
    this.#failures = isGood ? 0 : this.#failures + 1
  }
}
