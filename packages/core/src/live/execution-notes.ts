/**
 * Notes of executions that must not be repeated (flow-work.K1, flow-work.K3). A commit takes a millisecond or more: the
 * note of a node whose last execution was *quick* waits until the next one has lasted {@link QUICK_MS}, or a busy node
 * would have notes written and taken back all the time.
 * @module
 */
import type { Clock } from '../host.ts'
import type { Arrivals } from './arrivals.ts'
import type { Cascade, Work } from './cascade.ts'
import type { HomeNode } from './node-home.ts'

/** Executions that are over before this many milliseconds are quick. */
export const QUICK_MS = 10

/** An execution that goes on. */
export interface Begun {
  readonly node: HomeNode
  readonly arrivals: Arrivals
  readonly cascade: Cascade
}

interface Noted extends Begun {
  readonly sinceMs: number
  work: Work | null
}

/** One object a flow. */
export class ExecutionNotes {
  readonly #clock: Clock
  readonly #keep: (begun: Begun) => Work
  /** In the order in which they began. */
  readonly #going = new Set<Noted>()
  /** Nodes whose last execution was quick. */
  readonly #quick = new Set<HomeNode>()
  #isWaiting = false

  constructor(clock: Clock, keep: (begun: Begun) => Work) {
    this.#clock = clock
    this.#keep = keep
  }

  /** The result takes the note back. */
  begin({ node, arrivals, cascade }: Begun): () => void {
    const begun: Noted = { node, arrivals, cascade, sinceMs: this.#clock.now(), work: null }
    this.#going.add(begun)
    if (!this.#quick.has(node)) begun.work = this.#keep(begun)
    else if (!this.#isWaiting) this.#wait(QUICK_MS)
    return () => this.#end(begun)
  }

  /** Keeps the notes of all that go on: the flow stops. */
  keepAll(): void {
    for (const begun of this.#going) begun.work ??= this.#keep(begun)
  }

  #end(begun: Noted): void {
    this.#going.delete(begun)
    if (this.#clock.now() - begun.sinceMs < QUICK_MS) this.#quick.add(begun.node)
    else this.#quick.delete(begun.node)
    begun.work?.leave()
  }

  #wait(delayMs: number): void {
    this.#isWaiting = true
    this.#clock.setTimer(delayMs, () => this.#look())
  }

  #look(): void {
    this.#isWaiting = false
    const nowMs = this.#clock.now()
    for (const begun of this.#going) {
      if (begun.work !== null) continue
      const leftMs = begun.sinceMs + QUICK_MS - nowMs
      // more is left only when the clock was set back, and then nobody knows how long it has lasted
      if (leftMs > 0 && leftMs <= QUICK_MS) return this.#wait(Math.ceil(leftMs))
      begun.work = this.#keep(begun)
    }
  }
}
