/**
 * Links: one WebSocket between each two engines of a database. Whoever needs another engine asks here: for a flow that it
 * has, for what only its sockets know, for values as they come. A link decides nothing and keeps nothing: who has a flow is
 * in the database, and what was on its way when a link broke is lost.
 *
 * - links.L1 between two engines one link is up at a time, so what one sends the other one hears in order. Nothing is sent
 *   before both have said hello. When both dial at once, the link that the smaller id has dialled stays, and what waited for
 *   the other one goes over it.
 * - links.L2 hellos of an engine are numbered. A later one than that of the link says that its engine has lost the link, which
 *   ends here too; an earlier one was overtaken, and is refused.
 * - links.L3 who asks is told `NotSent` only where the other engine has certainly done nothing, and `Unanswered` where it may
 *   have. Nothing is sent a second time.
 * - links.L4 whatever comes over a link harms that link alone.
 * @module
 */
import type { Duplex } from 'node:stream'

import type { Clock } from '@flow-service/core'

import type { SigningKey } from '../../auth/signing-key.ts'
import { SERVICE_RESTART, STOPPING, type UpgradeHandler } from '../../http/upgrade.ts'
import type { Log } from '../../process/log.ts'
import type { Answerer } from './answering.ts'
import { Arrivals } from './arrivals.ts'
import type { AskTerms } from './asking.ts'
import { Dial } from './dial.ts'
import { mintEngineToken } from './engine-token.ts'
import { checkSubject, outgoingFault } from './frames.ts'
import { type Hello, LINK_PROTOCOL, sayHello } from './greeting.ts'
import { type Hearer, Link, type Subjects } from './link.ts'
import { Peer, type Waiter } from './peer.ts'
import type { PipeTaker } from './piping.ts'
import { NotSent } from './refusals.ts'
import { inTicks, TICK_MS } from './tick.ts'
import type { Wire, WireEnd } from './wire.ts'

export { Elsewhere, NotSent, TooLong, Unanswered } from './refusals.ts'

/** How long an ask waits unless it says otherwise. */
const ASK_MS = 30_000

/** How an ask is made. */
interface AskOptions {
  /** Aborts the signal of the handler, and rejects with the reason. */
  readonly signal?: AbortSignal
  /** From now on, the wait for the link included; 30 seconds by default. */
  readonly timeoutMs?: number
}

/** The link to an engine, or what there is in its place. */
interface LinkState {
  readonly engine: string
  readonly isUp: boolean
  /** Null before it was measured. */
  readonly roundTripMs: number | null
  readonly unsentBytes: number
}

/** What links are made of. */
export interface LinksDeps {
  /** This life of this engine. */
  readonly self: { readonly id: string; readonly version: string }
  /** The origin of an engine's API (`http:` or `https:`); null where none is known. */
  readonly addressOf: (engine: string) => string | null
  /** The key of the database. */
  readonly signingKey: SigningKey
  readonly clock: Clock
  readonly log: Log
  /** {@link LINK_PROTOCOL} unless given. */
  readonly protocol?: number
}

/**
 * Links to the other engines. Payloads are not copied: what is sent must not be changed before the turn of the event loop is
 * over, and what has come holds the memory of its whole message.
 */
export interface Links {
  /**
   * Asks an engine. Rejects with `NotSent` or `Unanswered` (links.L3), with `Elsewhere` or another `ProblemError` that
   * the handler has thrown, and with `TooLong` for more than 8 MiB.
   */
  ask(engine: string, subject: string, payload: Uint8Array, options?: AskOptions): Promise<Buffer>
  /** Who answers a subject; one each. The result ends that, as those below do. */
  answer(subject: string, answerer: Answerer): () => void
  /** Sends without an answer; false when there is no link now. */
  send(engine: string, subject: string, payload: Uint8Array): boolean
  /** Who hears what is sent; one each. */
  hear(subject: string, hearer: Hearer): () => void
  /** Opens a stream of bytes both ways. Rejects with `NotSent`; that nobody takes it is an error of the stream. */
  pipe(engine: string, subject: string, payload: Uint8Array): Promise<Duplex>
  /** Who takes streams; one each. */
  accept(subject: string, taker: PipeTaker): () => void
  /** Resolves when the link to an engine is up; rejects with `NotSent`. */
  reach(engine: string): Promise<void>
  /** Hears of links that come up or go. */
  onChange(listener: (engine: string, isUp: boolean) => void): () => void
  state(): readonly LinkState[]
  /** Answers upgrades at `/internal/link`. */
  readonly upgrade: UpgradeHandler
  /** Ends all links; what is asked from now on is `NotSent`. */
  close(): Promise<void>
}

/** Links of one engine, none of them up. */
export const createLinks = (deps: LinksDeps): Links => new EngineLinks(deps)

class EngineLinks implements Links {
  readonly #deps: LinksDeps
  readonly #protocol: number
  readonly #peers = new Map<string, Peer>()
  readonly #arrivals: Arrivals
  readonly #listeners = new Set<(engine: string, isUp: boolean) => void>()
  readonly #answerers = new Map<string, Answerer>()
  readonly #hearers = new Map<string, Hearer>()
  readonly #takers = new Map<string, PipeTaker>()
  #turn = 0
  #tick = 0
  #cancelTick: (() => void) | null = null
  #isClosed = false

  constructor(deps: LinksDeps) {
    this.#deps = deps
    this.#protocol = deps.protocol ?? LINK_PROTOCOL
    this.#arrivals = new Arrivals({
      ...deps,
      self: deps.self.id,
      protocol: this.#protocol,
      tick: () => this.#tick,
      onOpen: () => this.#plan(),
      onHello: (engine, wire, hello) => this.#greeted(engine, wire, hello),
    })
  }

  ask(
    engine: string,
    subject: string,
    payload: Uint8Array,
    { signal, timeoutMs = ASK_MS }: AskOptions = {},
  ): Promise<Buffer> {
    const terms: AskTerms = { dueTick: this.#tick + inTicks(timeoutMs), signal }
    const link = this.#peers.get(engine)?.link
    if (link) return link.ask(subject, payload, terms)
    const fault = outgoingFault(subject, payload)
    if (fault !== null) return Promise.reject(fault)
    return this.#linkTo(engine, terms, payload.length).then((opened) => opened.ask(subject, payload, terms))
  }

  answer(subject: string, answerer: Answerer): () => void {
    return register(this.#answerers, subject, answerer)
  }

  send(engine: string, subject: string, payload: Uint8Array): boolean {
    return this.#peers.get(engine)?.link?.send(subject, payload) ?? false
  }

  hear(subject: string, hearer: Hearer): () => void {
    return register(this.#hearers, subject, hearer)
  }

  async pipe(engine: string, subject: string, payload: Uint8Array): Promise<Duplex> {
    const fault = outgoingFault(subject, payload)
    if (fault !== null) throw fault
    const link = await this.#linkTo(engine, { dueTick: Infinity, signal: undefined }, payload.length)
    return link.pipe(subject, payload)
  }

  accept(subject: string, taker: PipeTaker): () => void {
    return register(this.#takers, subject, taker)
  }

  async reach(engine: string): Promise<void> {
    await this.#linkTo(engine, { dueTick: Infinity, signal: undefined }, 0)
  }

  onChange(listener: (engine: string, isUp: boolean) => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  state(): readonly LinkState[] {
    return [...this.#peers.values()].map(({ engine, link }) => ({
      engine,
      isUp: link !== null,
      roundTripMs: link?.roundTripMs ?? null,
      unsentBytes: link?.unsentBytes ?? 0,
    }))
  }

  get upgrade(): UpgradeHandler {
    return this.#arrivals.upgrade
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#cancelTick?.()
    await Promise.all([
      ...[...this.#peers.values()].map((peer) => peer.close(SERVICE_RESTART, STOPPING)),
      this.#arrivals.close(),
    ])
  }

  /** Waits for the link to an engine; rejects with `NotSent`, or the reason of the signal. */
  #linkTo(engine: string, { dueTick, signal }: AskTerms, bytes: number): Promise<Link> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason as Error)
      if (engine === this.#deps.self.id) return reject(new NotSent(`engine ${engine} is this one itself`))
      if (this.#isClosed) return reject(new NotSent(STOPPING))
      const peer = this.#peerOf(engine)
      const done = (): void => signal?.removeEventListener('abort', abort)
      const waiter: Waiter = {
        dueTick,
        bytes,
        up(link) {
          done()
          resolve(link)
        },
        fail(error) {
          done()
          reject(error)
        },
      }
      const abort = (): void => {
        peer.leave(waiter)
        reject(signal?.reason as Error)
      }
      signal?.addEventListener('abort', abort, { once: true })
      peer.need(waiter)
    })
  }

  #peerOf(engine: string): Peer {
    const known = this.#peers.get(engine)
    if (known) return known
    const { self, addressOf, log } = this.#deps
    const peer = new Peer({
      engine,
      self: self.id,
      addressOf,
      log,
      tick: () => this.#tick,
      dial: (of, address) => this.#dial(of, address),
      onChange: (of, isUp) => {
        for (const listener of this.#listeners) listener(of, isUp)
      },
    })
    this.#peers.set(engine, peer)
    this.#plan()
    return peer
  }

  #dial(peer: Peer, address: string): Dial {
    const dial: Dial = new Dial({
      engine: peer.engine,
      address,
      protocol: this.#protocol,
      token: () => mintEngineToken({ from: this.#deps.self.id, to: peer.engine }, this.#deps),
      hello: () => this.#hello(),
      log: this.#deps.log,
      onUp: (wire, hello) => peer.came(this.#linkOver(peer, wire, hello, true)),
      onEnd: (end) => peer.ended(dial, end),
    })
    return dial
  }

  /** An engine that has dialled says hello. Throws a `LinkFault` where its link has to yield. */
  #greeted(engine: string, wire: Wire, hello: Hello): void {
    const peer = this.#peerOf(engine)
    peer.makeWay(hello.turn)
    sayHello(wire, this.#hello())
    peer.came(this.#linkOver(peer, wire, hello, false))
  }

  #hello(): Hello {
    return { protocol: this.#protocol, ...this.#deps.self, turn: ++this.#turn }
  }

  #linkOver(peer: Peer, wire: Wire, hello: Hello, hasDialled: boolean): Link {
    const { clock, log } = this.#deps
    const onEnd = (link: Link, end: WireEnd): void => peer.lost(link, end)
    return new Link({ wire, hello, hasDialled, clock, log, onEnd, ...this.#subjects })
  }

  get #subjects(): Subjects {
    return { answerers: this.#answerers, hearers: this.#hearers, takers: this.#takers }
  }

  /** Ticks while there is anything that may be due. */
  #plan(): void {
    if (this.#cancelTick !== null || this.#isClosed || this.#peers.size + this.#arrivals.size === 0) return
    this.#cancelTick = this.#deps.clock.setTimer(TICK_MS, () => {
      this.#cancelTick = null
      this.#sweep()
      this.#plan()
    })
  }

  #sweep(): void {
    const tick = ++this.#tick
    this.#arrivals.sweep(tick)
    for (const peer of this.#peers.values()) {
      peer.sweep(tick)
      if (peer.isForgotten) this.#peers.delete(peer.engine)
    }
  }
}

/** Gives a subject to somebody. Throws when somebody has it, and a RangeError for a subject that is none. */
function register<T>(table: Map<string, T>, subject: string, who: T): () => void {
  checkSubject(subject)
  if (table.has(subject)) throw new Error(`"${subject}" is taken already: give each subject to one`)
  table.set(subject, who)
  return () => {
    if (table.get(subject) === who) table.delete(subject)
  }
}
