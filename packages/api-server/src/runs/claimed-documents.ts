/**
 * What the runs execute that an engine has claimed lately: of a document with many runs one copy, which is read once.
 * `run-writes.ts` names with each claim what it has. Without it every claimed run brings a document of its own, a sixth of the
 * engine's time for one of three nodes, and more for larger ones.
 * @module
 */
import type { FlowDocument } from '@flow-service/protocol'

import type { ClaimedRun } from './lease-store.ts'

/** Documents that are kept. */
const MAX_DOCUMENTS = 32
/** Nodes of all documents but the newest. */
const MAX_NODES = 10_000

/** Documents by their digest, the ones used last at the end. They are never changed. */
export type KnownDocuments = ReadonlyMap<string, FlowDocument>

/** The documents of one engine. */
export class ClaimedDocuments {
  #byDigest: KnownDocuments = new Map()

  /** As they are now: the map that is given stays as it is. */
  get known(): KnownDocuments {
    return this.#byDigest
  }

  /** Gives their documents to runs that were claimed with these known. */
  complete(runs: readonly Pick<ClaimedRun, 'digest' | 'document'>[], known: KnownDocuments): void {
    const used = new Map<string, FlowDocument>()
    for (const run of runs) {
      const { digest } = run
      if (digest === null) continue
      const document = used.get(digest) ?? this.#byDigest.get(digest) ?? known.get(digest) ?? run.document
      if (document !== null) used.set(digest, document)
      run.document = document
    }
    this.#keep(used)
  }

  #keep(used: KnownDocuments): void {
    if (used.size === 0) return
    const all = [...this.#byDigest].filter(([digest]) => !used.has(digest)).concat([...used])
    const kept: [string, FlowDocument][] = []
    let nodes = 0
    for (const [digest, document] of all.toReversed()) {
      nodes += document.nodes.length
      if (kept.length === MAX_DOCUMENTS || (kept.length > 0 && nodes > MAX_NODES)) break
      kept.push([digest, document])
    }
    this.#byDigest = new Map(kept.toReversed())
  }
}
