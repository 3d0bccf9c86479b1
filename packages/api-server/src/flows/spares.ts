/**
 * Spare processes for the nodes of flows: an engine whose flows execute no code of their own starts none, and the others have
 * one ready for each kind that a published flow has. `Flows` waits for them before it answers a publication or a start, so
 * that the first call does not wait for a process.
 */
import type { FlowDocument } from '@flow-service/protocol'
import type { ProcessKind, Worker } from '@flow-service/worker-agent'

import { MODULE } from '../code/objects.ts'
import type { PublishedFlows } from './published-flows.ts'

/** What spares need. */
export interface SparesDeps {
  readonly agent: Pick<Worker, 'prepare'>
  readonly published: Pick<PublishedFlows, 'all' | 'get' | 'onChange'>
}

/** Follows what is published. */
export class Spares {
  readonly #deps: SparesDeps
  #ready: Promise<unknown> = Promise.resolve()
  #stop: (() => void) | null = null

  constructor(deps: SparesDeps) {
    this.#deps = deps
  }

  /** Settles when the spares of all that is published are there, or cannot be had. */
  async ready(): Promise<void> {
    await this.#ready
  }

  /** Starts those of the flows that there are, and of each that comes. */
  open(): void {
    const { published } = this.#deps
    this.#prepare(published.all())
    this.#stop = published.onChange((name) => {
      const document = published.get(name)
      if (document) this.#prepare([document])
    })
  }

  close(): void {
    this.#stop?.()
  }

  #prepare(documents: readonly FlowDocument[]): void {
    const kinds = new Set(documents.flatMap(kindsOf))
    if (kinds.size > 0) this.#ready = Promise.all([this.#ready, this.#deps.agent.prepare(kinds)])
  }
}

/** The kinds of processes that nodes of a document take in the engine itself, on its usual interpreter. */
function kindsOf({ nodes, resources }: FlowDocument): ProcessKind[] {
  return nodes.flatMap(({ type, entry, worker, worker_policy: policy }) => {
    if (worker !== null && policy === 'require') return []
    if (type === 'python') return resources.python === undefined ? [type] : []
    return type === 'code' && entry?.module !== MODULE ? [type] : []
  })
}
