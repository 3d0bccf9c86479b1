/**
 * Failure markers in memory: all that private runs and the memory host have, and what the server reads.
 * @module
 */
import type { FailureMarker, MarkerHost } from './host.ts'

const none: ReadonlyMap<string, FailureMarker> = new Map()

/** One object a host. */
export class MemoryMarkers implements MarkerHost {
  readonly #flows = new Map<string, Map<string, FailureMarker>>()

  of(flow: string): ReadonlyMap<string, FailureMarker> {
    return this.#flows.get(flow) ?? none
  }

  set(flow: string, node: string, marker: FailureMarker): void {
    const known = this.#flows.get(flow)
    if (known === undefined) this.#flows.set(flow, new Map([[node, marker]]))
    else known.set(node, marker)
  }

  clear(flow: string, node: string): void {
    this.#flows.get(flow)?.delete(node)
  }

  /** Forgets the markers of a flow. */
  forget(flow: string): void {
    this.#flows.delete(flow)
  }
}
