/**
 * Drafts of flows (wire decisions G19, G20), and what is saved beside them: the layout (V22). A change is made over the
 * version that was read; when somebody else was faster, it begins again with what there is then.
 * @module
 */
import { endsStep, type NodeRegistry, type Steps } from '@flow-service/core'
import type { FlowDocument, flowDocumentInputSchema, Layout } from '@flow-service/protocol'
import type * as z from 'zod'

import type { CodeRegistry } from '../code/registry.ts'
import type { Database, Sql } from '../db/database.ts'
import { actorOf, type EventLog } from '../events/event-log.ts'
import { invalid } from '../http/errors.ts'
import type { UserPrincipal } from '../http/principal.ts'
import { newId } from '../process/new-id.ts'
import { inTurns } from '../process/turns.ts'
import { normalSteps } from './content-text.ts'
import { structuralFaults, unknownEntries } from './document-faults.ts'
import type { FlowRows } from './flow-rows.ts'
import { createLayoutStore, fittingLayout } from './layout-store.ts'
import type { LiveFlows } from './live-flows.ts'
import { changeOrFind, isStored, savedBy } from './lost-answer.ts'
import { assertPrivileged } from './privilege.ts'
import { assertOwnedByApi, noFlow, notPublished, versionConflict } from './refusals.ts'
import { createFlowStore, type FlowRow, type FlowStore } from './store.ts'
import { contentOf, currentContent } from './stored-content.ts'

/** A parsed body of a save. */
export type DocumentInput = z.output<typeof flowDocumentInputSchema>

/** Which version becomes the draft, over which version of the flow. */
export interface Restoring {
  readonly kept: number
  readonly version: number
}

/** What drafts are made of. */
export interface DraftsDeps {
  readonly database: Pick<Database, 'sql'>
  readonly registry: NodeRegistry
  readonly eventLog: Pick<EventLog, 'audit'>
  readonly code: CodeRegistry
  readonly live: Pick<LiveFlows, 'announce'>
  readonly flowVersions: {
    /** A version that is kept as the body of a save. */
    readonly restorable: (row: FlowRow, version: number) => Promise<DocumentInput>
  }
}

/** Drafts by the flow's name; an unknown name is refused with `not_found`. */
export class Drafts {
  readonly #deps: DraftsDeps
  readonly #store: FlowStore
  readonly #rows: FlowRows

  constructor(deps: DraftsDeps, rows: FlowRows) {
    this.#deps = deps
    this.#store = createFlowStore(deps.database.sql)
    this.#rows = rows
  }

  /**
   * Stores a draft over the version that the body names, 0 for a flow that does not exist yet. Where nothing but the
   * layout differs, that alone is stored. Refuses with `validation_failed`, `version_conflict`, `code_defined` or
   * `forbidden`; then nothing is stored.
   */
  async save(name: string, body: DocumentInput, by: UserPrincipal): Promise<{ row: FlowRow; created: boolean }> {
    const stored = await this.#store.byName(name)
    if (stored === null && body.version !== 0) throw noFlow(name)
    if (stored) assertOwnedByApi(stored, this.#deps.code)
    if (stored && stored.version !== body.version) throw versionConflict(name, stored.version)
    const document = await this.prepare(stored, name, body, by)
    const layout = layoutIn(body, [document, stored?.published])
    if (
      stored &&
      layout &&
      (await inTurns(unchangedSteps(stored, document))) &&
      (await this.#isNewLayout(stored, layout))
    ) {
      await this.#saveLayout(stored, layout)
      return { row: stored, created: false }
    }
    const row = await this.#saveDraft(stored, document, by, async (tx, { id }) => {
      if (layout) await createLayoutStore(tx).save(id, layout)
    })
    if (row === null) return this.save(name, body, by)
    return { row, created: stored === null }
  }

  /** Null when somebody else was faster. */
  async #saveDraft(
    stored: FlowRow | null,
    document: FlowDocument,
    by: UserPrincipal,
    also: (tx: Sql, row: FlowRow) => Promise<void>,
  ): Promise<FlowRow | null> {
    const { name, version } = document
    const content = contentOf(document)
    const draft = { version, content, by: by.email }
    const id = stored?.id ?? newId()
    const write = async (tx: Sql): Promise<FlowRow | null> => {
      const saved = stored
        ? this.#store.save(tx, { id, ...draft, before: stored })
        : this.#store.create(tx, { id, name, ...draft })
      const row = await saved
      if (row) await also(tx, row)
      return row
    }
    const row = await changeOrFind(
      () => this.#rows.change(write),
      async () => savedBy(await this.#store.byId(id), version + 1, content, by.email),
    )
    if (row === null) return null
    this.#deps.code.release(name)
    this.#deps.live.announce(row)
    return row
  }

  /**
   * Makes a version that is kept the draft. Refuses as {@link save} does, with `not_found` when it is not kept, and with
   * `flow_invalid` when this engine cannot read it.
   */
  async restore(name: string, of: Restoring, by: UserPrincipal): Promise<FlowRow> {
    const stored = await this.#rows.find(name)
    assertOwnedByApi(stored, this.#deps.code)
    if (stored.version !== of.version) throw versionConflict(name, stored.version)
    const kept = await this.#deps.flowVersions.restorable(stored, of.kept)
    const document = await this.prepare(stored, name, kept, by)
    const detail = { restored: of.kept, version: of.version + 1 }
    const row = await this.#saveDraft(stored, document, by, (tx) =>
      this.#deps.eventLog.audit(tx, { action: 'flow.restore', actor: actorOf(by), flow: name, detail }),
    )
    return row === null ? this.restore(name, of, by) : row
  }

  /** Replaces the layout, of a flow in code too; nothing else of the flow changes. */
  async saveLayout(name: string, layout: Layout): Promise<Layout> {
    const stored = await this.#rows.find(name)
    const fitting = fittingLayout(layout, [stored.draft, stored.published])
    await this.#saveLayout(stored, fitting)
    return fitting
  }

  async #isNewLayout({ id }: FlowRow, layout: Layout): Promise<boolean> {
    return !isStored(await createLayoutStore(this.#deps.database.sql).of(id), layout)
  }

  async #saveLayout({ id, name }: FlowRow, layout: Layout): Promise<void> {
    if (!(await createLayoutStore(this.#deps.database.sql).save(id, layout))) throw noFlow(name)
  }

  /** Removes the draft; the version grows, and without a draft nothing changes. Refuses with `not_published` or `code_defined`. */
  async discard(name: string, by: UserPrincipal): Promise<FlowRow> {
    const stored = await this.#rows.find(name)
    assertOwnedByApi(stored, this.#deps.code)
    if (stored.published === null) throw notPublished(name)
    if (stored.draft === null) return stored
    const { id, version } = stored
    const row = await changeOrFind(
      () =>
        this.#rows.change(async (tx) => {
          const discarded = await this.#store.discard(tx, { id, version, by: by.email })
          const entry = { action: 'flow.discard', actor: actorOf(by), flow: name, detail: { version } }
          if (discarded) await this.#deps.eventLog.audit(tx, entry)
          return discarded
        }),
      async () => savedBy(await this.#store.byId(id), version + 1, null, by.email),
    )
    if (row === null) return this.discard(name, by)
    this.#deps.live.announce(row)
    return row
  }

  /**
   * The document that a body asks for, in normal form, after every check that can refuse it. What takes a superuser is
   * asked for only when it is stored by somebody.
   */
  prepare(stored: FlowRow | null, name: string, body: DocumentInput, by: UserPrincipal | null): Promise<FlowDocument> {
    return inTurns(this.#prepareSteps(stored, name, body, by))
  }

  *#prepareSteps(
    stored: FlowRow | null,
    name: string,
    body: DocumentInput,
    by: UserPrincipal | null,
  ): Steps<FlowDocument> {
    const { code, registry } = this.#deps
    const before = stored && currentContent(stored).document
    const sources = new Map(before?.nodes.map(({ id, source }) => [id, source]))
    yield
    const next = yield* normalSteps(
      name,
      body,
      (id) => sources.get(id) ?? null,
      (node, port) => registry.imposedTrigger(node, port),
    )
    yield
    const faults = structuralFaults(next, body.name, registry)
    if (faults.length > 0) throw invalid(faults)
    yield
    if (by) assertPrivileged(before, next, by, registry)
    yield
    const entries = unknownEntries(before, next, (entry) => code.hasEntry(entry))
    if (entries.length > 0) throw invalid(entries)
    return next
  }
}

/** The layout of a body, null when it says nothing; without places of nodes that none of these contents has. */
function layoutIn({ layout }: DocumentInput, contents: readonly unknown[]): Layout | null {
  if (Object.keys(layout).length === 0) return null
  return fittingLayout({ ...layout, nodes: layout.nodes ?? {} }, contents)
}

/** Whether a document is the current content of a flow of the API. */
function* unchangedSteps(row: FlowRow, document: FlowDocument): Steps<boolean> {
  const { document: stored, fault } = currentContent(row)
  if (row.origin !== 'api' || fault !== null || stored.nodes.length !== document.nodes.length) return false
  const [{ nodes: before, ...old }, { nodes: after, ...fresh }] = [contentOf(stored), contentOf(document)]
  if (!isStored(old, fresh)) return false
  for (const [at, node] of after.entries()) {
    if (endsStep(at)) yield
    if (!isStored(before[at], node)) return false
  }
  return true
}
