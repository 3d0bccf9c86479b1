/**
 * Lists of kept work that `far-values.ts` passes on to the engines of the flows that read it: one at a time for each flow, so
 * that none overtakes another, whatever becomes of a list.
 * @module
 */
import type { Clock } from '@flow-service/core'

import type { Log } from '../process/log.ts'

/** Items of a list at most. */
const MOST = 100
/** Between two attempts to have a list taken. */
const AGAIN_MS = 500

/** What is on its way; `done` when it is taken, or nobody is to read it. */
interface Kept<T> {
  readonly item: T
  readonly done: () => void
}

/** Whether items were taken, or nobody is to read them; the only thing it rejects with is a `TooLong`. */
type Take<T> = (flow: string, items: readonly T[]) => Promise<boolean>

/** Work that waits until it is taken. */
export class KeptMail<T> {
  readonly #take: Take<T>
  readonly #deps: { readonly clock: Clock; readonly log: Pick<Log, 'warn'> }
  readonly #waiting = new Map<string, Kept<T>[]>()
  #isClosed = false

  constructor(take: Take<T>, deps: { readonly clock: Clock; readonly log: Pick<Log, 'warn'> }) {
    this.#take = take
    this.#deps = deps
  }

  /** Settles when the item is taken, which it never is once this is closed. Never rejects. */
  pass(flow: string, item: T): Promise<void> {
    return new Promise((done) => {
      const waiting = this.#waiting.get(flow)
      if (waiting) return void waiting.push({ item, done })
      const first: Kept<T>[] = [{ item, done }]
      this.#waiting.set(flow, first)
      // what comes in this turn goes together
      setImmediate(() => void this.#passAll(flow, first))
    })
  }

  /** What waits is left for the next start of its publisher. */
  close(): void {
    this.#isClosed = true
  }

  async #passAll(flow: string, waiting: Kept<T>[]): Promise<void> {
    let most = MOST
    while (waiting.length > 0 && !this.#isClosed) {
      const list = waiting.slice(0, most)
      try {
        const items = list.map(({ item }) => item)
        // oxlint-disable-next-line no-await-in-loop -- the next list follows this one
        const isTaken = await this.#take(flow, items)
        const taken = isTaken ? waiting.splice(0, list.length) : []
        for (const { done } of taken) done()
        // oxlint-disable-next-line no-await-in-loop -- as above
        if (!isTaken) await new Promise<void>((resolve) => this.#deps.clock.setTimer(AGAIN_MS, resolve))
        most = MOST
      } catch (error) {
        if (list.length === 1) this.#leaveOut(flow, waiting.shift(), error)
        most = Math.ceil(list.length / 2)
      }
    }
    if (waiting.length === 0) this.#waiting.delete(flow)
  }

  #leaveOut(flow: string, kept: Kept<T> | undefined, err: unknown): void {
    const detail = 'a durable value is too long for a flow of another engine, which does not get it'
    this.#deps.log.warn({ err, flow }, detail)
    kept?.done()
  }
}
