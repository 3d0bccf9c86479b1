/**
 * Flows: documents with a draft and a published form, and the switch of the live ones (wire decisions G11-G27).
 * @module
 */
import type { NodeRegistry, Surroundings } from '@flow-service/core'
import {
  artifactRefsIn,
  type Flow,
  type FlowDocument,
  type flowDocumentInputSchema,
  type FlowListItem,
  type FlowState,
  type Issue,
  normalizeDocument,
  type ValidationResult,
} from '@flow-service/protocol'
import { v7 } from 'uuid'
import type * as z from 'zod'

import type { Artifacts } from '../artifacts/artifacts.ts'
import type { Database, Sql } from '../db/database.ts'
import type { EventLog } from '../events/event-log.ts'
import { invalid, ProblemError } from '../http/errors.ts'
import type { UserPrincipal } from '../http/principal.ts'
import type { LastValues } from '../messages/last-values.ts'
import type { CodeRegistry } from './code-registry.ts'
import { structuralFaults, unknownEntries } from './document-faults.ts'
import { createFlowView, type FlowView } from './flow-view.ts'
import type { LiveFlows } from './live.ts'
import { privilegedChanges } from './privilege.ts'
import type { PublishedFlowsOwner } from './published-flows.ts'
import type { PythonIssues } from './python-issues.ts'
import { createFlowStore, type FlowRow, type FlowStore } from './store.ts'
import { contentOf, currentContent, publishedContent, type ReadContent } from './stored-content.ts'

/** A parsed body of a save. */
export type DocumentInput = z.output<typeof flowDocumentInputSchema>

/** What flows are made of. */
export interface FlowsDeps {
  readonly database: Pick<Database, 'sql' | 'transaction'>
  readonly registry: NodeRegistry
  readonly artifacts: Pick<Artifacts, 'addRefs' | 'dropRefs'>
  readonly eventLog: Pick<EventLog, 'audit'>
  readonly lastValues: Pick<LastValues, 'flush' | 'forget' | 'remove'>
  readonly code: CodeRegistry
  readonly live: LiveFlows
  readonly published: PublishedFlowsOwner
  readonly pythonIssues: PythonIssues
  /** What a node type lacks on this engine; null when nothing. */
  readonly missing: NonNullable<Surroundings['missing']>
  /** Ids of the queued and running runs of a flow, read in the transaction that deletes it. */
  readonly activeRuns: (tx: Sql, flowId: string) => Promise<readonly string[]>
}

/** Flows by name; an unknown name is refused with `not_found`. */
export class Flows {
  readonly #deps: FlowsDeps
  readonly #store: FlowStore
  readonly #view: FlowView

  constructor(deps: FlowsDeps) {
    this.#deps = deps
    this.#store = createFlowStore(deps.database)
    this.#view = createFlowView(deps)
  }

  /** All flows by name. */
  async list(): Promise<FlowListItem[]> {
    return this.#view.list(await this.#store.list())
  }

  /** The draft if there is one, else the published content; with `onlyPublished` that one, or `not_published`. */
  async get(name: string, onlyPublished: boolean): Promise<Flow> {
    const row = await this.#find(name)
    if (onlyPublished && row.published === null) throw notPublished(name)
    return this.#view.flow(row, onlyPublished ? 'published' : 'current')
  }

  /**
   * Stores a draft over the version that the body names, 0 for a flow that does not exist yet. Refuses with
   * `validation_failed`, `version_conflict`, `code_defined` or `forbidden`; then nothing is stored.
   */
  async save(name: string, body: DocumentInput, by: UserPrincipal): Promise<{ flow: Flow; created: boolean }> {
    const stored = await this.#store.byName(name)
    if (stored === null && body.version !== 0) throw noFlow(name)
    if (stored) this.#assertOwnedByApi(stored)
    if (stored && stored.version !== body.version) throw versionConflict(name, stored.version)
    const content = contentOf(this.#prepare(stored, name, body, by))
    const draft = { version: body.version, content, by: by.email }
    const row = await this.#change((tx) =>
      stored ? this.#store.save(tx, { id: stored.id, ...draft }) : this.#store.create(tx, { id: v7(), name, ...draft }),
    )
    if (row === null) throw await this.#conflict(name)
    this.#deps.code.release(name)
    this.#deps.live.announce(row)
    return { flow: await this.#view.flow(row), created: stored === null }
  }

  /**
   * Makes the draft of that version the published form; an active flow is rebuilt. Refuses with `version_conflict`,
   * `code_defined` or `flow_invalid`.
   */
  async publish(name: string, version: number, by: UserPrincipal): Promise<Flow> {
    const { eventLog, live, published } = this.#deps
    const stored = await this.#find(name)
    this.#assertOwnedByApi(stored)
    if (stored.version !== version) throw versionConflict(name, stored.version)
    await this.#assertSound(currentContent(stored), stored)
    if (stored.draft === null) return this.#view.flow(stored)
    return live.exclusive(stored.id, async () => {
      const row = await this.#change(async (tx) => {
        const changed = await this.#store.publish(tx, { id: stored.id, version, by: by.email })
        if (changed) await eventLog.audit(tx, auditOf('flow.publish', changed, by))
        return changed
      })
      if (row === null) throw await this.#conflict(name)
      published.set(currentContent(row).document)
      await live.rebuild(row)
      return this.#view.flow(row)
    })
  }

  /** Ends a flow, the active one too. Refuses with `flow_has_active_runs` or `code_defined`. */
  async remove(name: string, by: UserPrincipal): Promise<void> {
    const { activeRuns, code, database, live } = this.#deps
    const { id } = await this.#find(name)
    await live.exclusive(id, async () => {
      const row = await this.#find(name)
      this.#assertOwnedByApi(row)
      await database.transaction(async (tx) => assertNoRuns(row, await activeRuns(tx, id)))
      await live.end(row)
      await this.#erase(row, by)
      code.release(name)
    })
  }

  /** Checks the draft, or the published content where there is none. */
  async validate(name: string): Promise<ValidationResult> {
    const row = await this.#find(name)
    const issues = [...(await this.#view.issues(currentContent(row))), ...this.#deps.code.issues(name)]
    return { valid: !issues.some(isError), issues }
  }

  /** Makes the published content of a live flow active. Refuses with `wrong_mode`, `not_published` or `flow_invalid`. */
  async start(name: string): Promise<FlowState> {
    const { live } = this.#deps
    const { id } = await this.#find(name)
    return live.exclusive(id, async () => {
      const row = await this.#find(name)
      const content = publishedContent(row)
      assertLive(name, (content ?? currentContent(row)).document)
      if (content === null) throw notPublished(name)
      await this.#assertSound(content, row)
      if (!(await live.start(row))) throw flowInvalid(name, live.state(row).issues)
      return this.#state(row)
    })
  }

  /** Stops a live flow. Refuses with `wrong_mode`. */
  async stop(name: string): Promise<FlowState> {
    const { live } = this.#deps
    const { id } = await this.#find(name)
    return live.exclusive(id, async () => {
      const row = await this.#find(name)
      assertLive(name, (publishedContent(row) ?? currentContent(row)).document)
      await live.stop(row)
      return this.#state(row)
    })
  }

  /** Leaves nothing that a later flow of the name would inherit: neither the row nor values of its messages. */
  async #erase(row: FlowRow, by: UserPrincipal): Promise<void> {
    const { activeRuns, artifacts, database, eventLog, lastValues, published } = this.#deps
    const declared = published.get(row.name)
    // nobody publishes into it from here on, and what was published is written before it is removed
    published.remove(row.name)
    try {
      await lastValues.flush()
      await database.transaction(async (tx) => {
        await this.#store.lock(tx, row.id)
        // one may have been submitted while the flow ended
        assertNoRuns(row, await activeRuns(tx, row.id))
        await artifacts.dropRefs(tx, 'flow_input', [row.id])
        await lastValues.remove(tx, row.name)
        await eventLog.audit(tx, auditOf('flow.delete', row, by))
        await this.#store.remove(tx, row.id)
      })
    } catch (error) {
      if (declared) published.set(declared)
      throw error
    }
    lastValues.forget(row.name)
  }

  async #find(name: string): Promise<FlowRow> {
    const row = await this.#store.byName(name)
    if (!row) throw noFlow(name)
    return row
  }

  #state(row: FlowRow): FlowState {
    const { status, held } = this.#view.state(row)
    return { name: row.name, status, held }
  }

  #assertOwnedByApi(row: FlowRow): void {
    if (row.origin === 'api' || !this.#deps.code.has(row.name)) return
    throw new ProblemError('code_defined', `flow "${row.name}" is defined in ${row.code?.module}; change it there`)
  }

  async #assertSound(content: ReadContent, row: FlowRow): Promise<void> {
    const issues = [...(await this.#view.issues(content)), ...this.#deps.code.issues(row.name)]
    if (issues.some(isError)) throw flowInvalid(row.name, issues)
  }

  /** A change of a row, and of the references of its contents to artifacts, in one transaction. */
  #change(write: (tx: Sql) => Promise<FlowRow | null>): Promise<FlowRow | null> {
    return this.#deps.database.transaction(async (tx) => {
      const row = await write(tx)
      if (row) await keepRefs(this.#deps.artifacts, tx, row)
      return row
    })
  }

  async #conflict(name: string): Promise<ProblemError> {
    return versionConflict(name, (await this.#find(name)).version)
  }

  /** The document that a body asks for, in normal form, after every check that can refuse it. */
  #prepare(stored: FlowRow | null, name: string, body: DocumentInput, by: UserPrincipal): FlowDocument {
    const { code, registry } = this.#deps
    const before = stored && currentContent(stored).document
    const sources = new Map(before?.nodes.map(({ id, source }) => [id, source]))
    const next = normalizeDocument(name, body, (id) => sources.get(id) ?? null)
    const faults = structuralFaults(next, body.name)
    if (faults.length > 0) throw invalid(faults)
    const refused = by.superuser ? [] : privilegedChanges(before, next, registry)
    if (refused.length > 0)
      throw new ProblemError('forbidden', `${refused[0]?.path}: ${refused[0]?.message}`, { errors: refused })
    const entries = unknownEntries(before, next, (entry) => code.hasEntry(entry))
    if (entries.length > 0) throw invalid(entries)
    return next
  }
}

const noFlow = (name: string): ProblemError => new ProblemError('not_found', `there is no flow "${name}"`)

const isError = ({ severity }: Issue): boolean => severity === 'error'

const versionConflict = (name: string, current: number): ProblemError =>
  new ProblemError('version_conflict', `flow "${name}" is at version ${current} now; read it, merge, and save again`, {
    current_version: current,
  })

const notPublished = (name: string): ProblemError =>
  new ProblemError('not_published', `nothing of flow "${name}" is published; publish it first`)

function flowInvalid(name: string, issues: readonly Issue[]): ProblemError {
  const errors = issues.filter(isError)
  const [first] = errors
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : ''
  return new ProblemError('flow_invalid', `flow "${name}": ${first?.message ?? 'it has errors'}${more}`, {
    errors: errors.map(({ path, code, message }) => ({ path: path ?? '', code, message })),
  })
}

function assertLive(name: string, { mode }: FlowDocument): void {
  if (mode === 'live') return
  throw new ProblemError('wrong_mode', `flow "${name}" is a batch flow: it is run, not started`)
}

function assertNoRuns(row: FlowRow, runs: readonly string[]): void {
  if (runs.length === 0) return
  const detail = `flow "${row.name}" has ${runs.length} unfinished runs; cancel them or wait for them`
  throw new ProblemError('flow_has_active_runs', detail, { runs })
}

const auditOf = (action: string, { name, version }: FlowRow, by: UserPrincipal) => ({
  action,
  actor: { id: by.id, email: by.email },
  flow: name,
  detail: { version },
})

/** What initial values refer to is kept as long as the draft or the published form does. */
export async function keepRefs(artifacts: FlowsDeps['artifacts'], tx: Sql, row: FlowRow): Promise<void> {
  const digests = [row.draft, row.published].flatMap(artifactRefsIn).map(({ digest }) => digest)
  await artifacts.dropRefs(tx, 'flow_input', [row.id])
  if (digests.length > 0) await artifacts.addRefs(tx, 'flow_input', row.id, [...new Set(digests)])
}
