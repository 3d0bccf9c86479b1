/**
 * What the runs execute that an engine has claimed lately: of a document with many runs one copy, which is read once.
 * `run-writes.ts` names with each claim what it has. Without it every claimed run brings a document of its own, a sixth of the
 * engine's time for one of three nodes, and more for larger ones.
 * @module
 */
import type { FlowDocument } from '@flow-service/protocol'

import { Recent } from '../process/recent.ts'
import type { ClaimedRun } from './lease-store.ts'

/** Documents that are kept, and nodes in them. */
const KEPT = { count: 32, weight: 10_000, weightOf: ({ nodes }: Pick<FlowDocument, 'nodes'>) => nodes.length }

/** Documents by their digest. They are never changed. */
export type KnownDocuments = ReadonlyMap<string, FlowDocument>

/** The documents of one engine. */
export class ClaimedDocuments {
  readonly #recent = new Recent<string, FlowDocument>(KEPT)

  /** As they are now: what is given stays as it is. */
  known(): KnownDocuments {
    return this.#recent.all()
  }

  /** Gives their documents to runs that were claimed with these known. */
  complete(runs: readonly Pick<ClaimedRun, 'digest' | 'document'>[], known: KnownDocuments): void {
    const used = new Map<string, FlowDocument>()
    for (const run of runs) {
      const { digest } = run
      if (digest === null) continue
      const document = used.get(digest) ?? this.#recent.get(digest) ?? known.get(digest) ?? run.document
      if (document === null) continue
      used.set(digest, document)
      run.document = document
    }
    for (const [digest, document] of used) this.#recent.set(digest, document)
  }
}
