/**
 * The link to one engine while it is up: what its frames mean.
 *
 * - link.K1 each side says something every second. One of which no byte has come for 5 s is cut.
 * - link.K2 when it ends, all that waits for it is told at once: asks and pipes are `Unanswered`, handlers hear that nobody
 *   waits.
 * @module
 */
import type { Duplex } from 'node:stream'

import type { Clock } from '@flow-service/core'

import type { Log } from '../../process/log.ts'
import { type Answerer, Answering } from './answering.ts'
import { Asking, type AskTerms } from './asking.ts'
import { kinds, NOTHING, outgoingFault, readSubject } from './frames.ts'
import type { Hello } from './greeting.ts'
import { malformed } from './link-fault.ts'
import { Piping, type PipeTaker } from './piping.ts'
import { NotSent } from './refusals.ts'
import { inTicks } from './tick.ts'
import type { Receiver, Wire, WireEnd } from './wire.ts'

const PING_TICKS = inTicks(1000)
const SILENT_TICKS = inTicks(5000)

/** Hears what is sent under a subject. */
export type Hearer = (payload: Buffer, from: string) => void

/** Who takes what comes, by its subject. */
export interface Subjects {
  readonly answerers: ReadonlyMap<string, Answerer>
  readonly hearers: ReadonlyMap<string, Hearer>
  readonly takers: ReadonlyMap<string, PipeTaker>
}

/** What a link is made of. */
export interface LinkDeps extends Subjects {
  readonly wire: Wire
  readonly hello: Hello
  /** Whether this engine has dialled. */
  readonly hasDialled: boolean
  readonly clock: Pick<Clock, 'now'>
  readonly log: Pick<Log, 'error' | 'warn'>
  readonly onEnd: (link: Link, end: WireEnd) => void
}

/** A link that is up. */
export class Link implements Receiver {
  readonly #deps: LinkDeps
  readonly #wire: Wire
  readonly #asking: Asking
  readonly #answering: Answering
  readonly #piping: Piping
  #roundTripMs: number | null = null
  #ping = 0
  #pingAtMs = 0
  #ticks = 0
  #silentTicks = 0
  #bytesRead: number

  constructor(deps: LinkDeps) {
    const { wire, hello, hasDialled, answerers, takers, log } = deps
    const engine = hello.id
    this.#deps = deps
    this.#wire = wire
    this.#asking = new Asking(engine, wire)
    this.#answering = new Answering({ engine, wire, answerers, log })
    this.#piping = new Piping({ engine, hasDialled, wire, takers, log })
    this.#bytesRead = wire.bytesRead
    wire.receiver = this
  }

  /** Of the hello of the other engine; a later one tells that it knows this link no more. */
  get turn(): number {
    return this.#deps.hello.turn
  }

  get roundTripMs(): number | null {
    return this.#roundTripMs
  }

  get unsentBytes(): number {
    return this.#wire.unsentBytes
  }

  ask(subject: string, payload: Uint8Array, terms: AskTerms): Promise<Buffer> {
    return this.#asking.ask(subject, payload, terms)
  }

  /** Throws a `TooLong` or a RangeError for what cannot be sent. */
  send(subject: string, payload: Uint8Array): boolean {
    const fault = outgoingFault(subject, payload)
    if (fault !== null) throw fault
    this.#wire.write(kinds.send, 0, payload, subject)
    return !this.#wire.isOver
  }

  /** Throws a {@link NotSent}. */
  pipe(subject: string, payload: Uint8Array): Duplex {
    if (this.#wire.isOver) throw new NotSent(`the link to engine ${this.#deps.hello.id} has just ended`)
    return this.#piping.open(subject, payload)
  }

  frame(kind: number, id: number, payload: Buffer): void {
    switch (kind) {
      case kinds.ask:
        return this.#answering.asked(id, payload)
      case kinds.answer:
        return this.#asking.answered(id, payload)
      case kinds.refuse:
        return this.#asking.refused(id, payload)
      case kinds.cancel:
        return this.#answering.cancelled(id, payload)
      case kinds.send:
        return this.#heard(payload)
      case kinds.open:
        return this.#piping.opened(id, payload)
      case kinds.chunk:
        return this.#piping.chunk(id, payload)
      case kinds.end:
        return this.#piping.end(id, payload)
      case kinds.credit:
        return this.#piping.credit(id, payload)
      case kinds.reset:
        return this.#piping.reset(id, payload)
      case kinds.ping:
        return this.#pinged(id, payload)
      case kinds.pong:
        return this.#ponged(id, payload)
      default:
        throw malformed(`a frame is of kind ${kind}`)
    }
  }

  ended(end: WireEnd): void {
    const { detail } = end
    this.#deps.onEnd(this, end)
    this.#asking.ended(detail)
    this.#answering.ended()
    this.#piping.ended(detail)
  }

  /** Another tick has passed. */
  sweep(tick: number): void {
    this.#asking.sweep(tick)
    const read = this.#wire.bytesRead
    this.#silentTicks = read === this.#bytesRead ? this.#silentTicks + 1 : 0
    this.#bytesRead = read
    if (this.#silentTicks >= SILENT_TICKS) return this.cut('nothing has come of it for 5 s')
    this.#ticks += 1
    if (this.#ticks % PING_TICKS !== 0) return
    this.#ping = (this.#ping + 1) >>> 0
    this.#pingAtMs = this.#deps.clock.now()
    this.#wire.write(kinds.ping, this.#ping, NOTHING)
  }

  /** Ends it at once. */
  cut(detail: string): void {
    this.#wire.cut(detail)
  }

  /** Ends it with what was sent so far; the other engine hears why. */
  close(code: number, reason: string): Promise<void> {
    return this.#wire.close(code, reason)
  }

  #heard(payload: Buffer): void {
    const { subject, rest } = readSubject(payload)
    try {
      // a subject that nobody hears is of another version
      this.#deps.hearers.get(subject)?.(rest, this.#deps.hello.id)
    } catch (error) {
      this.#deps.log.error({ err: error, subject }, 'what another engine has sent failed unexpectedly')
    }
  }

  #pinged(id: number, payload: Buffer): void {
    if (payload.length > 0) throw malformed('a ping has a payload')
    this.#wire.write(kinds.pong, id, NOTHING)
  }

  #ponged(id: number, payload: Buffer): void {
    if (payload.length > 0) throw malformed('a pong has a payload')
    // one that is late tells nothing of now
    if (id === this.#ping) this.#roundTripMs = Math.max(0, this.#deps.clock.now() - this.#pingAtMs)
  }
}
