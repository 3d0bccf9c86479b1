/**
 * The failure marker of a live node. The host keeps it, so that it stays over a stop, a start and a rebuild, as long as
 * the node is what it was (node.N7).
 * @module
 */
import type { FlowDocument, NodeState } from '@flow-service/protocol'

import type { FailureMarker, MarkerHost } from '../host.ts'
import type { HomeNews, HomeNode } from './node-home.ts'

/** One object a node. */
export class NodeMarker {
  readonly #markers: MarkerHost
  readonly #flow: string
  readonly #node: string
  readonly #contentOf: () => string

  /** `contentOf` gives the digest of what the node is, and is asked only when there is a marker. */
  constructor(markers: MarkerHost, place: { readonly flow: string; readonly node: string }, contentOf: () => string) {
    this.#markers = markers
    this.#flow = place.flow
    this.#node = place.node
    this.#contentOf = contentOf
  }

  get error(): NodeState['error'] {
    const marker = this.#markers.of(this.#flow).get(this.#node)
    return marker !== undefined && marker.content === this.#contentOf() ? marker.error : null
  }

  set(error: FailureMarker['error']): void {
    this.#markers.set(this.#flow, this.#node, { error, content: this.#contentOf() })
  }

  clear(): void {
    this.#markers.clear(this.#flow, this.#node)
  }
}

/** A flow that has got another document. */
interface ChangedFlow {
  readonly document: FlowDocument
  readonly units: ReadonlyMap<string, { readonly node: HomeNode; readonly content: string }>
  readonly news: HomeNews
}

/** Clears the markers of nodes that have another content or are gone. */
export function clearOutdated({ document, units, news }: ChangedFlow, markers: MarkerHost): void {
  for (const [id, { content }] of markers.of(document.name)) {
    const unit = units.get(id)
    // one that does not start is there no more, and still of the document
    const isSame = unit === undefined ? document.nodes.some((node) => node.id === id) : unit.content === content
    if (isSame) continue
    markers.clear(document.name, id)
    if (unit !== undefined) news.changed(unit.node)
  }
}
