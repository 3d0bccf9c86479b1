/**
 * Whether a run takes a place among those that its engine executes.
 * @module
 */
import type { BatchEvent } from '@flow-service/core'
import type { FlowDocument } from '@flow-service/protocol'

/**
 * Whether a run takes a place among those that its engine executes: not while all that it has begun waits for attached
 * workers, of which there may be none for days.
 */
export class RunPlace {
  readonly #elsewhere: ReadonlySet<string>
  readonly #onChange: (isWaiting: boolean) => void
  readonly #begun = new Map<string, 'waits' | 'executes'>()
  #isWaiting = false

  /** `onChange` hears when the run begins to wait, and when that is over. */
  constructor({ nodes }: FlowDocument, onChange: (isWaiting: boolean) => void) {
    this.#elsewhere = new Set(nodes.filter(({ worker }) => worker !== null).map(({ id }) => id))
    this.#onChange = onChange
  }

  observe(event: BatchEvent): void {
    if (event.kind !== 'node' || this.#elsewhere.size === 0) return
    const { node, status, cache, inLine } = event
    // a stage that another run executes waits for the same worker as that
    const waits = status === 'queued' || (status === 'pending' && cache !== undefined)
    if (inLine) this.#begun.delete(node)
    else if (waits && this.#elsewhere.has(node)) this.#begun.set(node, 'waits')
    else if (waits || status === 'running') this.#begun.set(node, 'executes')
    else this.#begun.delete(node)
    const states = new Set(this.#begun.values())
    const isWaiting = states.has('waits') && !states.has('executes')
    if (isWaiting === this.#isWaiting) return
    this.#isWaiting = isWaiting
    this.#onChange(isWaiting)
  }
}
