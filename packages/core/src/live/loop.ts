/**
 * The delivery loop of one live flow: a ring of deliveries, drained first in first out in a microtask. A burst longer
 * than 8 ms goes on after the event loop has had its turn. Invariants loop.L1-L7 of DESIGN.md.
 * @module
 */
import { MAX_HELD } from '@flow-service/protocol'

import type { Lease } from '../host.ts'
import type { Cause } from './cascade.ts'
import { Ring } from './ring.ts'

/** What a loop delivers to. */
export interface Receiver<What> {
  /** Takes a delivery, and lets go of its cause once that is decided. */
  receive(what: What, value: unknown, cause: Cause): void
}

/** What one receiver is given of a delivery to several, and who that is. */
export type Addressed<R, What> = What & { readonly consumer: R }

/** A delivery outside the ring. */
export interface Delivery<R, What> {
  readonly node: R
  readonly what: What
  readonly value: unknown
  readonly cause: Cause
}

/** What a loop does with deliveries that it does not drain. */
export interface Fate<R, What> {
  /** A delivery begins to wait for a release; answers the cause that it waits with. */
  held(receiver: R, what: What, value: unknown, cause: Cause): Cause
  /** The oldest delivery is given up because more than 1,000 are held. */
  overflow(receiver: R, what: What, value: unknown, cause: Cause): void
  /** A delivery came after the close, or waited when it came. */
  closed(receiver: R, what: What, value: unknown, cause: Cause): void
}

const BUDGET_MS = 8
/** Deliveries between two looks at the clock. */
const STRIDE = 63

/** `held` keeps deliveries until they are stepped or released; `closed` discards them. */
type Phase = 'open' | 'held' | 'closed'

/** What waits. One delivery to several has no receiver, and all of them in place of what; nothing that is held is one. */
type Waiting<R, What> = Ring<R | null, What | readonly Addressed<R, What>[], Cause>

/** First in, first out; what a delivery causes is delivered after everything that already waits. */
export class Loop<R extends Receiver<What>, What> {
  #ring: Waiting<R, What> = new Ring()
  /** How many have had the oldest delivery, where it is to several. */
  #had = 0
  readonly #fate: Fate<R, What>
  readonly #lease: Lease | undefined
  #phase: Phase = 'open'
  #scheduled = false
  #executing = 0
  #idle: (() => void)[] = []

  constructor(fate: Fate<R, What>, lease?: Lease) {
    this.#fate = fate
    this.#lease = lease
  }

  /** Deliveries that wait for a release. */
  get held(): number {
    return this.#phase === 'held' ? this.#ring.size : 0
  }

  get paused(): boolean {
    return this.#phase === 'held'
  }

  deliver(receiver: R, what: What, value: unknown, cause: Cause): void {
    cause.enter(1)
    if (this.#phase === 'open') {
      this.#ring.push(receiver, what, value, cause)
      if (!this.#scheduled) this.#schedule()
    } else if (this.#phase === 'held') {
      this.#ring.push(receiver, what, value, this.#fate.held(receiver, what, value, cause))
      this.#limit()
    } else this.#fate.closed(receiver, what, value, cause)
  }

  /** Delivers to several, one after the other, as `deliver` would to each. The list must not change any more. */
  deliverEach(to: readonly Addressed<R, What>[], value: unknown, cause: Cause): void {
    if (this.#phase === 'open') {
      cause.enter(to.length)
      this.#ring.push(null, to, value, cause)
      if (!this.#scheduled) this.#schedule()
    } else for (const one of to) this.deliver(one.consumer, one, value, cause)
  }

  /** Holds what waits and what comes, behind deliveries that their nodes had not begun. */
  hold(older: readonly Delivery<R, What>[]): void {
    if (this.#phase !== 'open') return
    this.#phase = 'held'
    const newer = this.#takeOut()
    const keep = ({ node, what, value, cause }: Delivery<R, What>): void => {
      this.#ring.push(node, what, value, this.#fate.held(node, what, value, cause))
      this.#limit()
    }
    for (const delivery of older) keep(delivery)
    for (const delivery of newer) keep(delivery)
  }

  release(): void {
    if (this.#phase !== 'held') return
    this.#phase = 'open'
    if (!this.#scheduled) this.#schedule()
  }

  /** Lets the oldest held delivery through; none while the lease does not hold. */
  step(): 0 | 1 {
    if (this.#phase !== 'held' || this.#ring.size === 0 || this.#lease?.holds() === false) return 0
    this.#one()
    return 1
  }

  /**
   * Passes what waits through `change`, oldest first: what it answers takes the delivery's place, and null takes it out.
   */
  change(change: (delivery: Delivery<R, What>) => Pick<Delivery<R, What>, 'node' | 'what' | 'value'> | null): void {
    for (const delivery of this.#takeOut()) {
      const changed = change(delivery)
      if (changed !== null) this.#ring.push(changed.node, changed.what, changed.value, delivery.cause)
    }
  }

  /** Discards everything that waits, and all that comes. */
  close(): void {
    this.#phase = 'closed'
    this.#discardAll()
    this.#settle()
  }

  /** An execution goes on after its delivery. */
  begin(): void {
    this.#executing++
  }

  /** Such an execution has ended. */
  end(): void {
    this.#executing--
    this.#settle()
  }

  /** Resolves once nothing executes and nothing waits but what is held. */
  idle(): Promise<void> {
    return new Promise((resolve) => {
      this.#idle.push(resolve)
      this.#settle()
    })
  }

  readonly #drain = (): void => {
    if (this.#lease?.holds() === false) return void this.#lease.held().then(this.#drain)
    const endMs = performance.now() + BUDGET_MS
    let count = 0
    while (this.#phase === 'open' && this.#ring.size > 0) {
      this.#one()
      if ((++count & STRIDE) === 0 && performance.now() > endMs) {
        setImmediate(this.#drain)
        return
      }
    }
    this.#scheduled = false
    this.#settle()
  }

  #one(): void {
    const ring = this.#ring
    const { receiver, what, value, cause } = ring
    if (receiver === null) return this.#oneOf(what as readonly Addressed<R, What>[], value, cause)
    ring.drop()
    receiver.receive(what as What, value, cause)
  }

  #oneOf(to: readonly Addressed<R, What>[], value: unknown, cause: Cause): void {
    const one = to[this.#had]!
    this.#had++
    if (this.#had === to.length) {
      this.#had = 0
      this.#ring.drop()
    }
    one.consumer.receive(one, value, cause)
  }

  /** Everything that waits, which it does no more. */
  #takeOut(): Iterable<Delivery<R, What>> {
    const taken = singly<R, What>(this.#ring, this.#had)
    this.#ring = new Ring()
    this.#had = 0
    return taken
  }

  #schedule(): void {
    this.#scheduled = true
    queueMicrotask(this.#drain)
  }

  #limit(): void {
    const ring = this.#ring as Ring<R, What, Cause>
    while (ring.size > MAX_HELD) {
      const { receiver, what, value, cause } = ring
      ring.drop()
      this.#fate.overflow(receiver, what, value, cause)
    }
  }

  #discardAll(): void {
    for (const { node, what, value, cause } of this.#takeOut()) this.#fate.closed(node, what, value, cause)
  }

  #settle(): void {
    if (this.#idle.length === 0 || this.#executing > 0) return
    // once it is closed a round has nothing left to do: who ends the flow does not wait for the lease
    if (this.#phase !== 'closed' && this.#scheduled) return
    if (this.#phase === 'open' && this.#ring.size > 0) return
    for (const resolve of this.#idle.splice(0)) resolve()
  }
}

/** Empties a ring, oldest first and each delivery to one receiver; `had` have had the first. */
function* singly<R, What>(ring: Waiting<R, What>, had: number): Generator<Delivery<R, What>> {
  for (let from = had; ring.size > 0; from = 0) {
    const { receiver: node, what, value, cause } = ring
    ring.drop()
    if (node !== null) yield { node, what: what as What, value, cause }
    else {
      const to = (what as readonly Addressed<R, What>[]).slice(from)
      for (const one of to) yield { node: one.consumer, what: one, value, cause }
    }
  }
}
