/**
 * Asks of this engine on one link, until they are answered. No ask has a timer of its own: the link sweeps all of them
 * several times a second.
 * @module
 */
import { kinds, NOTHING, outgoingFault } from './frames.ts'
import { Ids } from './ids.ts'
import { malformed } from './link-fault.ts'
import { NotSent, readRefusal, Unanswered } from './refusals.ts'
import { MAX_ASKED_BYTES, type Wire } from './wire.ts'

/** How long an ask waits. */
export interface AskTerms {
  /** The tick after which it is over. */
  readonly dueTick: number
  readonly signal: AbortSignal | undefined
}

interface Ask {
  readonly resolve: (payload: Buffer) => void
  readonly reject: (error: unknown) => void
  readonly dueTick: number
  /** Listens no more to its signal. */
  readonly unlisten: (() => void) | null
}

/** Asks on one link. */
export class Asking {
  readonly #engine: string
  readonly #wire: Wire
  readonly #asks = new Map<number, Ask>()
  readonly #ids = new Ids(1, 1)

  constructor(engine: string, wire: Wire) {
    this.#engine = engine
    this.#wire = wire
  }

  ask(subject: string, payload: Uint8Array, { dueTick, signal }: AskTerms): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      const refusal = this.#refusal(subject, payload, signal)
      if (refusal !== null) return reject(refusal)
      const id = this.#ids.next(this.#asks)
      const unlisten = signal ? this.#listen(id, signal) : null
      this.#asks.set(id, { resolve, reject, dueTick, unlisten })
      this.#wire.write(kinds.ask, id, payload, subject)
    })
  }

  answered(id: number, payload: Buffer): void {
    this.#settle(id)?.resolve(payload)
  }

  refused(id: number, payload: Buffer): void {
    const refusal = readRefusal(payload)
    this.#settle(id)?.reject(refusal)
  }

  /** Gives up what has waited long enough. */
  sweep(tick: number): void {
    for (const [id, { dueTick }] of this.#asks) {
      if (tick > dueTick) this.#giveUp(id, new Unanswered(`engine ${this.#engine} has not answered in time`))
    }
  }

  /** The link is over. */
  ended(detail: string): void {
    for (const id of this.#asks.keys())
      this.#settle(id)?.reject(new Unanswered(`the link to engine ${this.#engine} ended: ${detail}`))
  }

  /** Why it is not sent; null when it is. */
  #refusal(subject: string, payload: Uint8Array, signal: AbortSignal | undefined): unknown {
    if (signal?.aborted) return signal.reason
    const fault = outgoingFault(subject, payload)
    if (fault !== null) return fault
    if (this.#wire.isOver) return new NotSent(`the link to engine ${this.#engine} has just ended`)
    if (this.#wire.unsentBytes + payload.length > MAX_ASKED_BYTES)
      return new NotSent(`engine ${this.#engine} is behind with what was sent to it`)
    return null
  }

  #listen(id: number, signal: AbortSignal): () => void {
    const abort = (): void => this.#giveUp(id, signal.reason)
    signal.addEventListener('abort', abort, { once: true })
    return () => signal.removeEventListener('abort', abort)
  }

  #giveUp(id: number, error: unknown): void {
    this.#settle(id)?.reject(error)
    this.#wire.write(kinds.cancel, id, NOTHING)
  }

  /** Undefined for one that was given up before its answer came. */
  #settle(id: number): Ask | undefined {
    const ask = this.#asks.get(id)
    if (!ask) {
      if (this.#ids.isKnown(id)) return undefined
      throw malformed(`nobody has asked ${id}`)
    }
    this.#asks.delete(id)
    ask.unlisten?.()
    return ask
  }
}
