/**
 * Which worker has the warm process of a live node: the node stays there until it is released or the worker is gone
 * (dispatch.D3).
 * @module
 */
import type { CallFrame } from '@flow-service/protocol'

import type { AttachedWorker } from './attached-worker.ts'
import type { WorkerPool } from './pool.ts'
import { WorkerBusy } from './worker-deps.ts'

type NodeName = Pick<CallFrame, 'flow' | 'node'>

/** Workers by the nodes that live there. */
export class LiveHomes {
  readonly #pool: Pick<WorkerPool, 'list'>
  /** Ids of workers, by node. */
  readonly #homes = new Map<string, string>()

  constructor(pool: Pick<WorkerPool, 'list'>) {
    this.#pool = pool
  }

  /** The id of the worker that has the node's process; null when there is none. */
  of(node: NodeName): string | null {
    return this.#homes.get(keyOf(node)) ?? null
  }

  /**
   * Makes a worker the node's, and begins a call of it there. A node that moves leaves no process behind: what that keeps
   * in memory would be old when the node comes back.
   */
  async begin<T>(node: NodeName, { id }: AttachedWorker, start: () => Promise<T>): Promise<T> {
    const key = keyOf(node)
    const before = this.#homes.get(key)
    this.#homes.set(key, id)
    if (before !== id) this.#end(node, before)
    try {
      return await start()
    } catch (error) {
      // no process was begun there: the node may go elsewhere
      if (error instanceof WorkerBusy && before !== id) this.#homes.delete(key)
      throw error
    }
  }

  /** Ends the node's process wherever it is. */
  release(node: NodeName): void {
    this.#homes.delete(keyOf(node))
    for (const worker of this.#pool.list()) worker.release(node.flow, node.node)
  }

  #end({ flow, node }: NodeName, at: string | undefined): void {
    for (const worker of this.#pool.list()) if (worker.id === at) worker.release(flow, node)
  }
}

/** No name holds a line break. */
const keyOf = ({ flow, node }: NodeName): string => `${flow}\n${node}`
