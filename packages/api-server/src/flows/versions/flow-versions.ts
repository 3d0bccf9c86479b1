/**
 * What was published of flows (V23). Whoever publishes has the content kept in the same transaction.
 *
 * - flow-versions.K1 a content is kept as it was executed: with the code that the library had, and the texts of modules.
 * - flow-versions.K2 beyond the newest ones nothing is kept: neither contents nor the artifacts that only they name.
 * - flow-versions.K3 a version that is published anew under its number, because messages of another flow have new names,
 *   has the content of then.
 * @module
 */
import { digestSteps, documentDigest } from '@flow-service/core'
import {
  type FlowDiff,
  type FlowDocument,
  flowDocumentInputSchema,
  type FlowVersion,
  type FlowVersionContent,
} from '@flow-service/protocol'

import type { Artifacts } from '../../artifacts/artifacts.ts'
import type { Database, Sql } from '../../db/database.ts'
import { ProblemError } from '../../http/errors.ts'
import { inTurns } from '../../process/turns.ts'
import type { DocumentInput } from '../drafts.ts'
import { digestsIn } from '../flow-rows.ts'
import { createLayoutStore } from '../layout-store.ts'
import type { PublishedFlows } from '../published-flows.ts'
import { flowInvalid, noFlow } from '../refusals.ts'
import { createFlowStore, type FlowRow, type FlowStore } from '../store.ts'
import { currentContent, publishedContent, type ReadContent, versionContent } from '../stored-content.ts'
import type { Reader, SourcedDocument } from './document-diff.ts'
import { createVersionStore, type VersionHead, type VersionRow, type VersionStore } from './version-store.ts'

/** What versions are made of. */
export interface FlowVersionsDeps {
  readonly database: Pick<Database, 'sql'>
  readonly artifacts: Pick<Artifacts, 'addRefs' | 'dropRefs'>
  readonly published: Pick<PublishedFlows, 'all'>
  /** How many of each flow are kept. */
  readonly kept: number
}

/** Texts of modules by their paths. */
export type ModuleTexts = Readonly<Record<string, string>>

/** What a version is compared with; null: what the flow has now, its draft if there is one. */
export type DiffTarget = number | 'draft' | 'published' | null

/** Versions of flows by the flow's name; an unknown flow, and a version that is not kept, are refused with `not_found`. */
export class FlowVersions {
  readonly #deps: FlowVersionsDeps
  readonly #store: VersionStore
  readonly #flows: FlowStore

  constructor(deps: FlowVersionsDeps) {
    this.#deps = deps
    this.#store = createVersionStore(deps.database.sql)
    this.#flows = createFlowStore(deps.database.sql)
  }

  /** Keeps what a flow has published, in the transaction that has done so; the oldest version goes. */
  async keep(tx: Sql, row: FlowRow, modules: ModuleTexts = {}): Promise<void> {
    const content = publishedContent(row)
    if (content === null || content.fault) return
    const { document } = content
    const store = createVersionStore(tx)
    const library = Object.fromEntries(
      document.nodes.flatMap(({ library: name, source }) => (name === null || source === null ? [] : [[name, source]])),
    )
    const digest = await inTurns(digestSteps(document))
    const version = await store.keep({ flow: row.id, digest, library, modules })
    if (version === null) return
    const gone = await store.prune(row.id, this.#deps.kept)
    await this.#dropRefs(tx, row.id, [...gone, version])
    const digests = [...(await digestsIn([row.published]))]
    if (digests.length > 0) await this.#deps.artifacts.addRefs(tx, 'flow_version', ownerOf(row.id, version), digests)
  }

  /** Lets go of what the versions of a flow refer to, in the transaction that deletes it. */
  async forget(tx: Sql, flow: string): Promise<void> {
    await this.#dropRefs(tx, flow, await createVersionStore(tx).versions(flow))
  }

  /** Newest first. */
  async list(name: string, page: { readonly before: number | null; readonly limit: number }): Promise<FlowVersion[]> {
    const row = await this.#flow(name)
    for (const old of await this.#store.undigested(row.id)) {
      const digest = documentDigest(contentAt(row, old).document)
      // oxlint-disable-next-line no-await-in-loop -- once for a flow that is older than the table
      await this.#store.digested(row.id, { version: old.version, digest })
    }
    return (await this.#store.list(row.id, page)).map(shown)
  }

  async get(name: string, version: number): Promise<FlowVersionContent> {
    const row = await this.#flow(name)
    const kept = await this.#version(row, version)
    const [{ document, sources }, layout] = [sourced(row, kept), await this.#layoutOf(row)]
    return { ...shown(kept), document: { ...document, layout }, sources: { ...sources } }
  }

  /** Refuses with `not_found` what the flow has not. */
  async diff(name: string, version: number, target: DiffTarget): Promise<FlowDiff> {
    const row = await this.#flow(name)
    const from = sourced(row, await this.#version(row, version))
    const asked = target ?? (row.draft === null ? 'published' : 'draft')
    const to = typeof asked === 'number' ? sourced(row, await this.#version(row, asked)) : await this.#now(row, asked)
    const readers = readersOf(this.#deps.published.all().filter((other) => other.name !== name))
    const { documentChanges, wireChanges, wiresOf } = await import('./document-diff.ts')
    const [old, fresh] = [from, to].map(({ document }) => wiresOf(document, (message) => readers.get(message) ?? []))
    return { from: version, to: asked, ...documentChanges(from, to), wires: wireChanges(old ?? [], fresh ?? []) }
  }

  /**
   * A version as the body of a save. A node is linked to the library only while that has the code of then, and else has
   * the code of its own. Refuses with `flow_invalid` what this engine cannot read.
   */
  async restorable(row: FlowRow, version: number): Promise<DocumentInput> {
    const kept = await this.#version(row, version)
    const { document, fault } = contentAt(row, kept)
    if (fault) throw flowInvalid(row.name, [fault])
    const library = await this.#flows.libraryWith(row.id, document)
    const nodes = document.nodes.map((node) =>
      node.library === null || library?.[node.library] === node.source ? node : { ...node, library: null },
    )
    return flowDocumentInputSchema.parse({ ...document, layout: {}, version: row.version, nodes })
  }

  /** What a flow has now. A node of code has the text of the version whose code it executes, as far as one is kept. */
  async #now(row: FlowRow, which: 'draft' | 'published'): Promise<SourcedDocument> {
    const content = which === 'draft' ? (row.draft === null ? null : currentContent(row)) : publishedContent(row)
    if (content === null)
      throw new ProblemError(
        'not_found',
        `flow "${row.name}" has ${which === 'draft' ? 'no draft' : 'nothing published'}`,
      )
    assertReadable(row.name, content)
    const latest = row.published_version === null ? null : await this.#store.find(row.id, row.published_version)
    return { document: content.document, sources: sourcesOf(content.document, latest?.modules ?? {}), label: which }
  }

  async #flow(name: string): Promise<FlowRow> {
    const row = await this.#flows.byName(name)
    if (row === null) throw noFlow(name)
    return row
  }

  async #version(row: FlowRow, version: number): Promise<VersionRow> {
    const kept = await this.#store.find(row.id, version)
    if (kept) return kept
    const detail = `version ${version} of flow "${row.name}" is not kept: list its versions to see those that are`
    throw new ProblemError('not_found', detail)
  }

  #layoutOf(row: FlowRow) {
    return createLayoutStore(this.#deps.database.sql).of(row.id)
  }

  #dropRefs(tx: Sql, flow: string, versions: readonly number[]): Promise<void> {
    return this.#deps.artifacts.dropRefs(
      tx,
      'flow_version',
      versions.map((version) => ownerOf(flow, version)),
    )
  }
}

const ownerOf = (flow: string, version: number): string => `${flow}/${version}`

/** Versions are listed when all have their digest. */
const shown = ({ version, digest, published_at, published_by, origin, runs }: VersionHead): FlowVersion => ({
  version,
  digest: digest ?? '',
  published_at,
  published_by,
  origin,
  runs,
})

const contentAt = ({ name }: FlowRow, kept: VersionRow): ReadContent => versionContent(name, kept)

function sourced(row: FlowRow, kept: VersionRow): SourcedDocument {
  const content = contentAt(row, kept)
  assertReadable(row.name, content)
  const { document } = content
  return { document, sources: sourcesOf(document, kept.modules), label: `version ${kept.version}` }
}

function assertReadable(name: string, { fault }: ReadContent): void {
  if (fault) throw flowInvalid(name, [fault])
}

/** Code by the ids of nodes, as far as there is any. */
function sourcesOf({ nodes }: FlowDocument, modules: ModuleTexts): Record<string, string> {
  const own = nodes.map(({ id, source, entry }) => [id, source ?? (entry && modules[entry.module])] as const)
  return Object.fromEntries(own.flatMap(([id, code]) => (typeof code === 'string' ? [[id, code]] : [])))
}

/** Ports of these flows by the message that they read. */
function readersOf(documents: readonly FlowDocument[]): ReadonlyMap<string, readonly Reader[]> {
  const inputs = documents.flatMap(({ name: flow, nodes }) =>
    nodes.flatMap(({ id: node, ports }) =>
      ports.flatMap(({ direction, message, port }) =>
        direction === 'input' ? [{ message, reader: { flow, node, port } }] : [],
      ),
    ),
  )
  const groups = Map.groupBy(inputs, ({ message }) => message)
  return new Map([...groups].map(([message, found]) => [message, found.map(({ reader }) => reader)]))
}
