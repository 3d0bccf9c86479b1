/**
 * Flows: documents with a draft and a published form, and the switch of the live ones (wire decisions G11-G27).
 * @module
 */
import type { NewName, NodeRegistry } from '@flow-service/core'
import {
  type Flow,
  type FlowGraph,
  type FlowListItem,
  type FlowMode,
  type FlowState,
  type Issue,
  type Layout,
  type PublishedFlow,
  type PublishRequest,
  type ValidationResult,
} from '@flow-service/protocol'

import type { Artifacts } from '../artifacts/artifacts.ts'
import type { CodeRegistry } from '../code/registry.ts'
import type { Database, Sql } from '../db/database.ts'
import type { DeviceWiring } from '../devices/device-wiring.ts'
import { actorOf, type EventLog } from '../events/event-log.ts'
import type { UserPrincipal } from '../http/principal.ts'
import type { LastValues } from '../messages/last-values.ts'
import type { LiveLogs } from '../node-logs/live-logs.ts'
import type { Markers } from '../work/markers.ts'
import type { LiveWork } from '../work/work.ts'
import { type DocumentInput, Drafts, type Restoring } from './drafts.ts'
import { duplicateFlow } from './duplicate.ts'
import type { EngineSurroundings } from './engine-surroundings.ts'
import type { FarStates } from './far-states.ts'
import type { FlowActivity } from './flow-activity.ts'
import { FlowDigests } from './flow-digests.ts'
import { flowGraph } from './flow-graph.ts'
import { removeFlow } from './flow-removal.ts'
import { FlowRows } from './flow-rows.ts'
import type { FlowSecrets } from './flow-secrets.ts'
import { createFlowView, type FlowView } from './flow-view.ts'
import type { LiveFlows } from './live-flows.ts'
import { changeOrFind, isStored } from './lost-answer.ts'
import type { PublishedFlowsOwner } from './published-flows.ts'
import type { PythonIssues } from './python-issues.ts'
import { assertLive, assertOwnedByApi, flowInvalid, isError, notPublished, versionConflict } from './refusals.ts'
import { renameFlow } from './rename.ts'
import type { Spares } from './spares.ts'
import { createFlowStore, type FlowHead, type FlowRow, type FlowStore } from './store.ts'
import { contentOf, currentContent, publishedContent, type ReadContent } from './stored-content.ts'
import type { FlowVersions } from './versions/flow-versions.ts'

/** What flows are made of. */
export interface FlowsDeps extends EngineSurroundings {
  readonly deviceWiring: Pick<DeviceWiring, 'of'>
  readonly database: Pick<Database, 'sql' | 'transaction'>
  readonly registry: NodeRegistry
  readonly artifacts: Pick<Artifacts, 'addRefs' | 'dropRefs'>
  readonly eventLog: Pick<EventLog, 'audit'>
  readonly lastValues: Pick<LastValues, 'commitOf' | 'follow' | 'forget' | 'remove' | 'rename'>
  readonly liveLogs: Pick<LiveLogs, 'forget' | 'rename'>
  readonly markers: Pick<Markers, 'follow' | 'forget' | 'written'>
  readonly code: CodeRegistry
  readonly live: LiveFlows
  readonly published: PublishedFlowsOwner
  readonly pythonIssues: PythonIssues
  readonly flowVersions: Pick<FlowVersions, 'forget' | 'keep' | 'restorable'>
  readonly secrets: FlowSecrets
  readonly work: Pick<LiveWork, 'rename'>
  /** Ids of the queued and running runs of a flow, read in the transaction that deletes it. */
  readonly activeRuns: (tx: Sql, flowId: string) => Promise<readonly string[]>
  /** Gives the runs of a flow another name, in the transaction that renames it. */
  readonly renameRuns: (tx: Sql, flowId: string, name: string) => Promise<void>
  /** When the newest run of each flow did something, by the flow's id. */
  readonly newestRuns: () => Promise<ReadonlyMap<string, string>>
  readonly activity: FlowActivity
  /** How flows are that other engines run; null on the embedded database. */
  readonly farStates: Pick<FarStates, 'refresh'> | null
  readonly spares: Pick<Spares, 'ready'>
  /** Has dashboards name a flow as it is called from now on, in the transaction that renames it. */
  readonly renameInDashboards: (tx: Sql, names: NewName) => Promise<void>
}

/**
 * Flows by name; an unknown name is refused with `not_found`. A change is made over the version that was read; when
 * somebody else was faster, it begins again with what there is then.
 */
export class Flows {
  readonly #deps: FlowsDeps
  readonly #store: FlowStore
  readonly #rows: FlowRows
  readonly #digests: FlowDigests
  readonly #view: FlowView
  readonly #drafts: Drafts

  constructor(deps: FlowsDeps) {
    this.#deps = deps
    this.#store = createFlowStore(deps.database.sql)
    this.#rows = new FlowRows(deps)
    this.#digests = new FlowDigests(deps)
    this.#view = createFlowView(deps)
    this.#drafts = new Drafts(deps, this.#rows)
  }

  /** All flows by name. */
  async list(): Promise<FlowListItem[]> {
    const [listed, runs] = await Promise.all([
      this.#digests.list(),
      this.#deps.newestRuns(),
      this.#deps.farStates?.refresh(),
    ])
    const activityOf = this.#deps.activity.read(runs)
    return listed.map((flow) => this.#view.item(flow, activityOf(flow.head)))
  }

  /** The states of all flows by name. */
  async states(): Promise<(FlowState & { mode: FlowMode })[]> {
    const [heads] = await Promise.all([this.#store.heads(), this.#deps.farStates?.refresh()])
    return heads.map((head) => ({ ...this.#state(head), mode: head.mode }))
  }

  /** All flows and devices, and whose messages they read. */
  async graph(): Promise<FlowGraph> {
    const [listed] = await Promise.all([this.#digests.list(), this.#deps.farStates?.refresh()])
    return flowGraph(listed, this.#view, this.#deps)
  }

  /** The draft if there is one, else the published content; with `onlyPublished` that one, or `not_published`. */
  async get(name: string, onlyPublished: boolean): Promise<Flow> {
    const row = await this.#rows.find(name)
    if (onlyPublished && row.published === null) throw notPublished(name)
    return this.#view.flow(row, onlyPublished ? 'published' : 'current')
  }

  /** See `Drafts.save`. */
  async save(name: string, body: DocumentInput, by: UserPrincipal): Promise<{ flow: Flow; created: boolean }> {
    const { row, created } = await this.#drafts.save(name, body, by)
    return { flow: await this.#view.flow(row), created }
  }

  /** See `Drafts.restore`. */
  async restore(name: string, of: Restoring, by: UserPrincipal): Promise<Flow> {
    return this.#view.flow(await this.#drafts.restore(name, of, by))
  }

  /** See `Drafts.saveLayout`. */
  saveLayout(name: string, layout: Layout): Promise<Layout> {
    return this.#drafts.saveLayout(name, layout)
  }

  /**
   * Makes the draft of that version the published form. Of an active flow the nodes that it changes are made anew, with
   * `restart` all of them; `rebuilt` names them. Refuses with `version_conflict`, `code_defined` or `flow_invalid`, also
   * when a node does not start: then nothing has changed.
   */
  async publish(name: string, { version, restart }: PublishRequest, by: UserPrincipal): Promise<PublishedFlow> {
    const { live, published } = this.#deps
    const stored = await this.#rows.find(name)
    assertOwnedByApi(stored, this.#deps.code)
    if (stored.version !== version) throw versionConflict(name, stored.version)
    await this.#assertSound(currentContent(stored), stored)
    const isCurrent = live.running(stored)?.isOutdated !== true
    if (stored.draft === null && !restart && isCurrent) return { ...(await this.#view.flow(stored)), rebuilt: [] }
    const made = await this.#rows.exclusively(name, async (row) => {
      if (row.version !== version || (row.draft === null) !== (stored.draft === null)) return null
      const next = row.draft === null ? row : { ...row, published: row.draft, published_version: version, draft: null }
      const commit = async (rebuilt: readonly string[]): Promise<FlowRow> => {
        const changed = await this.#commitPublished(row, by, { restart, rebuilt })
        if (changed === null) throw overtaken
        published.take(changed)
        return changed
      }
      return live.replace({ row, next, restart, commit }).catch(nullIfOvertaken)
    })
    if (made === null) return this.publish(name, { version, restart }, by)
    await this.#deps.spares.ready()
    return { ...(await this.#view.flow(made.row)), rebuilt: [...made.rebuilt] }
  }

  /** Null when the row is of another version by now. */
  #commitPublished(
    stored: FlowRow,
    by: UserPrincipal,
    done: { readonly restart: boolean; readonly rebuilt: readonly string[] },
  ): Promise<FlowRow | null> {
    const { id, draft } = stored
    return changeOrFind(
      () =>
        this.#rows.change(async (tx) => {
          const changed = draft === null ? stored : await this.#store.publish(tx, stored, by.email)
          if (changed && draft !== null) await this.#deps.flowVersions.keep(tx, changed)
          if (changed) await this.#deps.eventLog.audit(tx, publication(changed, by, done))
          return changed
        }),
      async () => publishedFrom(await this.#store.byId(id), stored),
    )
  }

  /** See `Drafts.discard`. */
  async discardDraft(name: string, by: UserPrincipal): Promise<Flow> {
    return this.#view.flow(await this.#drafts.discard(name, by))
  }

  /** See `renameFlow`. */
  async rename(names: NewName, by: UserPrincipal): Promise<Flow> {
    const issuesOf = (content: ReadContent): Promise<Issue[]> => this.#view.issues(content)
    return this.#view.flow(await renameFlow(names, by, this.#rows, { ...this.#deps, issuesOf }))
  }

  /** See `duplicateFlow`. */
  async duplicate(from: string, to: string | undefined, by: UserPrincipal): Promise<Flow> {
    return this.#view.flow(await duplicateFlow({ from, to }, by, this.#rows, this.#deps))
  }

  /** Ends a flow, the active one too. Refuses with `flow_has_active_runs` or `code_defined`. */
  remove(name: string, by: UserPrincipal): Promise<void> {
    return this.#rows.exclusively(name, (row) => removeFlow(row, by, this.#deps))
  }

  /**
   * Checks a document as if it were the draft; without one the draft, or the published content where there is none.
   * Refuses with `not_found`, and a document with `validation_failed`.
   */
  async validate(name: string, body?: DocumentInput): Promise<ValidationResult> {
    const stored = await this.#rows.find(name)
    const row = body ? await this.#withDraft(stored, body) : stored
    const issues = await this.#issuesOf(currentContent(row), row)
    return { valid: !issues.some(isError), issues }
  }

  /**
   * Makes the published content of a live flow active. Refuses with `wrong_mode`, `not_published`, `flow_invalid`, or
   * `in_use` while another engine runs it. A flow that lacks nothing but secrets is failed then, and starts when they are stored.
   */
  async start(name: string): Promise<FlowState> {
    const { live, spares } = this.#deps
    const state = await this.#rows.exclusively(name, async (row) => {
      const content = publishedContent(row)
      assertLive(name, (content ?? currentContent(row)).document)
      if (content === null) throw notPublished(name)
      live.assertHere(row)
      const issues = await this.#issuesOf(content, row)
      const errors = issues.filter(isError)
      // the wish is kept over what a stored secret mends; `LiveFlows` finds the same error, and builds nothing
      if (errors.some(({ code }) => code !== 'unknown_secret')) throw flowInvalid(name, issues)
      // another engine may have published it a moment ago
      this.#deps.published.take(row)
      const isActive = await live.start(row)
      if (!isActive) throw flowInvalid(name, errors.length > 0 ? issues : live.state(row).issues)
      return this.#state(row)
    })
    await spares.ready()
    return state
  }

  /** Stops a live flow. Refuses with `wrong_mode`, and with `in_use` while another engine runs it. */
  stop(name: string): Promise<FlowState> {
    return this.#rows.exclusively(name, async (row) => {
      assertLive(name, (publishedContent(row) ?? currentContent(row)).document)
      await this.#deps.live.stop(row)
      return this.#state({ ...row, wished: 'stopped' })
    })
  }

  #state(row: FlowHead): FlowState {
    const { status, held } = this.#view.state(row)
    return { name: row.name, status, held }
  }

  async #assertSound(content: ReadContent, row: FlowRow): Promise<void> {
    const issues = await this.#issuesOf(content, row)
    if (issues.some(isError)) throw flowInvalid(row.name, issues)
  }

  async #issuesOf(content: ReadContent, { name }: FlowRow): Promise<Issue[]> {
    return [...(await this.#view.issues(content)), ...this.#deps.code.issues(name)]
  }

  /** The row as it would be with that draft. */
  async #withDraft(row: FlowRow, body: DocumentInput): Promise<FlowRow> {
    const draft = contentOf(await this.#drafts.prepare(row, row.name, body, null))
    return { ...row, draft, library: await this.#store.libraryWith(row.id, draft) }
  }
}

/** A save has changed the row that was about to be published. */
const overtaken = new Error('the flow has changed meanwhile')

function nullIfOvertaken(error: unknown): null {
  if (error === overtaken) return null
  throw error
}

/** A row when it has the draft of this one as its published form. */
function publishedFrom(row: FlowRow | null, { draft, version }: FlowRow): FlowRow | null {
  const isDone = row?.version === version && row.draft === null && isStored(row.published, draft)
  return isDone ? row : null
}

const publication = (
  { name, version }: FlowRow,
  by: UserPrincipal,
  done: { readonly restart: boolean; readonly rebuilt: readonly string[] },
) => ({
  action: 'flow.publish',
  actor: actorOf(by),
  flow: name,
  detail: { version, ...done, rebuilt: [...done.rebuilt] },
})
