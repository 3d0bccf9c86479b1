/**
 * A queue of deliveries without an object per delivery.
 * @module
 */

/** Slots of a delivery: receiver, what, value, cause. */
const SLOTS = 4

/**
 * First in, first out; grows and never shrinks. A delivery is four slots of one array: pushing and dropping it
 * allocates nothing.
 */
export class Ring<Receiver, What, Cause> {
  #slots: unknown[]
  #mask: number
  #head = 0
  #tail = 0

  /** `capacity` is in deliveries, a power of two. */
  constructor(capacity = 256) {
    this.#slots = new Array(capacity * SLOTS).fill(undefined)
    this.#mask = capacity * SLOTS - 1
  }

  get size(): number {
    return (this.#tail - this.#head) / SLOTS
  }

  push(receiver: Receiver, what: What, value: unknown, cause: Cause): void {
    if (this.#tail - this.#head > this.#mask) this.#grow()
    const slots = this.#slots
    const at = this.#tail & this.#mask
    slots[at] = receiver
    slots[at + 1] = what
    slots[at + 2] = value
    slots[at + 3] = cause
    this.#tail += SLOTS
  }

  // The oldest delivery, read in place; `drop` forgets it.
  get receiver(): Receiver {
    return this.#slots[this.#head & this.#mask] as Receiver
  }
  get what(): What {
    return this.#slots[(this.#head & this.#mask) + 1] as What
  }
  get value(): unknown {
    return this.#slots[(this.#head & this.#mask) + 2]
  }
  get cause(): Cause {
    return this.#slots[(this.#head & this.#mask) + 3] as Cause
  }

  /** Takes out everything, oldest first. */
  takeAll(): { receiver: Receiver; what: What; value: unknown; cause: Cause }[] {
    const taken = []
    while (this.size > 0) {
      const { receiver, what, value, cause } = this
      taken.push({ receiver, what, value, cause })
      this.drop()
    }
    return taken
  }

  drop(): void {
    const slots = this.#slots
    const at = this.#head & this.#mask
    slots[at + 2] = undefined
    slots[at + 3] = undefined
    this.#head += SLOTS
    // Starting over keeps the counters small integers, which V8 does not allocate.
    if (this.#head === this.#tail) this.#head = this.#tail = 0
  }

  #grow(): void {
    const length = this.#mask + 1
    const from = this.#head & this.#mask
    const slots = this.#slots.slice(from).concat(this.#slots.slice(0, from))
    this.#slots = slots.concat(new Array(length).fill(undefined))
    this.#mask = 2 * length - 1
    this.#head = 0
    this.#tail = length
  }
}
