/**
 * What a node does beyond its flow: it calls out, takes requests, and acts on its own timers. All of it waits while the engine
 * has no right to act for the flow; `engine-context.ts` does nothing of it otherwise.
 * @module
 */
import { CodeError, type Lease } from './host.ts'

/** Why a node that has ended does nothing any more. */
export const stops = (): CodeError => new CodeError('cancelled', 'the node stops', null)

/** The acts of one node. */
export class NodeActs {
  readonly lease: Lease | undefined
  readonly #node: { readonly closed: boolean }
  /** Requests and durable arrivals that are being taken. */
  #taking = 0
  #taken: (() => void) | null = null

  /** Without a lease nothing waits. */
  constructor(lease: Lease | undefined, node: { readonly closed: boolean }) {
    this.lease = lease
    this.#node = node
  }

  get mayAct(): boolean {
    return this.lease?.holds() !== false
  }

  /** Acts once the lease holds, unless the node has ended by then. */
  act<T>(act: () => Promise<T>): Promise<T> {
    if (this.lease === undefined || this.lease.holds()) return act()
    return this.lease.held().then(() => {
      if (this.#node.closed) throw stops()
      return act()
    })
  }

  /** As `act`, for what comes in. */
  async take<T>(taking: () => Promise<T>): Promise<T> {
    this.#taking++
    try {
      return await this.act(taking)
    } finally {
      if (--this.#taking === 0) this.#taken?.()
    }
  }

  /** Settles when nothing that has come in is being taken. */
  taken(): Promise<void> {
    return this.#taking === 0 ? Promise.resolve() : new Promise((resolve) => (this.#taken = resolve))
  }
}
