/**
 * Dashboards: what people see of messages and runs, with a draft and a published content (wire decisions G41, U9). All of it
 * is read from the database whenever somebody asks, so that engines of one database tell the same.
 * @module
 */
import type { NewName } from '@flow-service/core'
import {
  artifactRefsIn,
  type Dashboard,
  type DashboardCreate,
  type DashboardListItem,
  type DashboardSave,
} from '@flow-service/protocol'

import type { Artifacts } from '../artifacts/artifacts.ts'
import type { Database, Sql } from '../db/database.ts'
import { isUniqueViolation } from '../db/transaction.ts'
import { actorOf, type EventLog } from '../events/event-log.ts'
import { noFlow, notPublished } from '../flows/refusals.ts'
import type { RunnableFlows } from '../flows/runnable-flows.ts'
import { ProblemError } from '../http/errors.ts'
import type { UserPrincipal } from '../http/principal.ts'
import { newId } from '../process/new-id.ts'
import { dashboardIssues, type DashboardIssuesDeps } from './dashboard-issues.ts'
import { renameFlow } from './flow-references.ts'
import {
  assertName,
  assertSize,
  codeDefined,
  nameTaken,
  neverPublished,
  noDashboard,
  nothingPublished,
  versionConflict,
} from './refusals.ts'
import { resultsDashboard } from './results-dashboard.ts'
import { createDashboardStore, type DashboardRow, type DashboardStore } from './store.ts'
import { currentContent, type ReadContent, readContent } from './stored-content.ts'

/** What dashboards are made of. */
export interface DashboardsDeps extends DashboardIssuesDeps {
  readonly artifacts: Pick<Artifacts, 'addRefs' | 'dropRefs' | 'missing'>
  readonly database: Pick<Database, 'sql' | 'transaction'>
  readonly eventLog: Pick<EventLog, 'audit'>
  readonly flows: Pick<RunnableFlows, 'byName'>
  /** Whether a module that is loaded defines the dashboard of a name. */
  readonly isRegistered: (name: string) => boolean
}

/**
 * Dashboards by name; an unknown name is refused with `not_found`. A change that names a version is refused with
 * `version_conflict` when there is another one by then, and every change of one that is defined in code with `code_defined`.
 */
export class Dashboards {
  readonly #deps: DashboardsDeps
  readonly #store: DashboardStore

  constructor(deps: DashboardsDeps) {
    this.#deps = deps
    this.#store = createDashboardStore(deps.database.sql)
  }

  /** All of them by name. */
  async list(): Promise<DashboardListItem[]> {
    const rows = (await this.#store.list()).map((row) => ({ row, read: currentContent(row) }))
    const issues = await dashboardIssues(
      rows.map(({ read }) => read.shown.content),
      this.#deps,
    )
    return rows.map(({ row, read }, at) => ({ ...this.#head(row, read), issues: issuesOf(read, issues[at]) }))
  }

  /** The published content, or the draft if there is one. Without the former, that is `not_found` too. */
  async get(name: string, draft: boolean): Promise<Dashboard> {
    const row = await this.#store.byName(name)
    if (row === null) throw noDashboard(name)
    if (!draft && row.published === null) throw nothingPublished(name)
    return this.#shown(row, draft ? 'current' : 'published')
  }

  /** A new dashboard with a draft. Refuses with `already_exists`, and with `payload_too_large`. */
  async create(name: string, content: DashboardCreate, by: UserPrincipal): Promise<Dashboard> {
    assertSize(content.content)
    return this.#change(name, async (tx) => {
      const row = await this.#store.create(tx, { id: newId(), name, content })
      if (row === null) throw nameTaken(name)
      await this.#audit(tx, { verb: 'create', by }, row)
      return row
    })
  }

  /**
   * A published dashboard of the results of a batch flow, by default `{flow}_results`. Refuses with `wrong_mode`,
   * `not_published` or `already_exists`, and with `validation_failed` when the default name is too long.
   */
  async fromFlow(flow: string, name = `${flow}_results`, by: UserPrincipal): Promise<Dashboard> {
    assertName(name)
    const { flows, published } = this.#deps
    const found = await flows.byName(flow, 'published')
    if (found === null) throw noFlow(flow)
    if (found.mode === 'live') throw wrongMode(flow)
    if (found.document === null) throw notPublished(flow)
    const content = resultsDashboard(found.document, (message) => published.dtypeOf(message))
    return this.#change(name, async (tx) => {
      const row = await this.#store.createPublished(tx, { id: newId(), name, content })
      if (row === null) throw nameTaken(name)
      await this.#audit(tx, { verb: 'create', by, flow }, row)
      await this.#audit(tx, { verb: 'publish', by, flow }, row)
      return row
    })
  }

  /** Replaces title and content of the draft, as far as they are given. Refuses with `payload_too_large`. */
  async save(name: string, { version, ...given }: DashboardSave): Promise<Dashboard> {
    if (given.content) assertSize(given.content)
    return this.#changeRow(name, version, (tx, row) => {
      const { title, content } = currentContent(row).shown
      const next = { title: given.title ?? title, content: given.content ?? content }
      return this.#store.save(tx, { ...row, content: next })
    })
  }

  /** Makes the draft the published content; without one nothing changes. */
  async publish(name: string, version: number | undefined, by: UserPrincipal): Promise<Dashboard> {
    return this.#changeRow(name, version, async (tx, row) => {
      if (row.draft === null) return row
      const changed = await this.#store.publish(tx, row)
      await this.#audit(tx, { verb: 'publish', by }, row)
      return changed
    })
  }

  /** Removes the draft; without one nothing changes. Refuses with `not_published`. */
  async discard(name: string, by: UserPrincipal): Promise<Dashboard> {
    return this.#changeRow(name, undefined, async (tx, row) => {
      if (row.published === null) throw neverPublished(name)
      if (row.draft === null) return row
      const changed = await this.#store.discard(tx, row)
      await this.#audit(tx, { verb: 'discard', by }, changed ?? row)
      return changed
    })
  }

  /** Refuses with `already_exists`. */
  async rename({ from, to }: NewName, by: UserPrincipal): Promise<Dashboard> {
    assertName(to)
    if ((await this.#store.byName(to)) !== null) throw nameTaken(to)
    try {
      return await this.#changeRow(from, undefined, async (tx, row) => {
        const changed = await this.#store.rename(tx, { ...row, name: to })
        await this.#audit(tx, { verb: 'rename', by, from, to }, changed ?? row)
        return changed
      })
    } catch (error) {
      throw isUniqueViolation(error) ? nameTaken(to) : error
    }
  }

  /** The current content as the draft of a new dashboard, by default `{name}_copy`. Refuses as `create` and `fromFlow` do. */
  async duplicate(from: string, to = `${from}_copy`, by: UserPrincipal): Promise<Dashboard> {
    assertName(to)
    return this.#change(to, async (tx) => {
      const original = await this.#store.lock(tx, from)
      if (original === null) throw noDashboard(from)
      const row = await this.#store.create(tx, { id: newId(), name: to, content: currentContent(original).shown })
      if (row === null) throw nameTaken(to)
      await this.#audit(tx, { verb: 'duplicate', by, from }, row)
      return row
    })
  }

  async remove(name: string, by: UserPrincipal): Promise<void> {
    await this.#deps.database.transaction(async (tx) => {
      const row = await this.#lock(tx, name)
      await this.#deps.artifacts.dropRefs(tx, 'dashboard', [row.id])
      await this.#audit(tx, { verb: 'delete', by }, row)
      await this.#store.remove(tx, row.id)
    })
  }

  /** Has dashboards follow a flow to another name, in the transaction that renames it. Those in code keep what they say. */
  async renameFlow(tx: Sql, names: NewName): Promise<void> {
    for (const row of await this.#store.lockNaming(tx, names.from)) {
      if (this.#isCode(row)) continue
      const [draft, published] = [row.draft, row.published].map((stored) => followed(stored, names))
      if (draft === row.draft && published === row.published) continue
      // oxlint-disable-next-line no-await-in-loop -- statements of one transaction
      await this.#store.replace(tx, { ...row, draft, published })
    }
  }

  /** A change, with the references to artifacts of what is there afterwards, in one transaction. */
  async #change(name: string, write: (tx: Sql) => Promise<DashboardRow | null>): Promise<Dashboard> {
    const row = await this.#deps.database.transaction(async (tx) => {
      const changed = await write(tx)
      if (changed === null) throw noDashboard(name)
      await keepRefs(this.#deps.artifacts, tx, changed)
      return changed
    })
    return this.#shown(row, 'current')
  }

  /** A change of a dashboard that is there, which nobody else changes meanwhile, by whoever may. */
  #changeRow(
    name: string,
    version: number | undefined,
    write: (tx: Sql, row: DashboardRow) => Promise<DashboardRow | null>,
  ): Promise<Dashboard> {
    return this.#change(name, async (tx) => {
      const row = await this.#lock(tx, name)
      if (version !== undefined && version !== row.version) throw versionConflict(name, row.version)
      return write(tx, row)
    })
  }

  async #lock(tx: Sql, name: string): Promise<DashboardRow> {
    const row = await this.#store.lock(tx, name)
    if (row === null) throw noDashboard(name)
    if (this.#isCode(row)) throw codeDefined(name, row.module ?? 'code')
    return row
  }

  /** One whose module is gone, or not loaded by this engine, is like any other. */
  #isCode({ origin, name }: DashboardRow): boolean {
    return origin === 'code' && this.#deps.isRegistered(name)
  }

  #audit(tx: Sql, { verb, by, ...more }: Act, { name, version }: DashboardRow): Promise<void> {
    const detail = { dashboard: name, version, ...more }
    return this.#deps.eventLog.audit(tx, { action: `dashboard.${verb}`, actor: actorOf(by), detail })
  }

  async #shown(row: DashboardRow, which: 'current' | 'published'): Promise<Dashboard> {
    const read = which === 'published' ? readContent(row.published) : currentContent(row)
    const { content } = read.shown
    const [issues] = await dashboardIssues([content], this.#deps)
    const isDraft = which === 'current' && row.draft !== null
    return { ...this.#head(row, read), is_draft: isDraft, issues: issuesOf(read, issues), content }
  }

  #head(row: DashboardRow, { shown: { title } }: ReadContent) {
    const { name, version, draft, published_version, created_at, updated_at } = row
    const origin = this.#isCode(row) ? ('code' as const) : ('api' as const)
    return { name, title, version, has_draft: draft !== null, published_version, origin, created_at, updated_at }
  }
}

/** What somebody did, and what else the audit trail says of it. */
interface Act {
  readonly verb: string
  readonly by: UserPrincipal
  readonly flow?: string
  readonly from?: string
  readonly to?: string
}

/** What a dashboard shows is kept as long as its draft or its published content does. */
export async function keepRefs(artifacts: Pick<Artifacts, 'addRefs' | 'dropRefs'>, tx: Sql, row: DashboardRow) {
  const digests = [row.draft, row.published].flatMap(artifactRefsIn).map(({ digest }) => digest)
  await artifacts.dropRefs(tx, 'dashboard', [row.id])
  if (digests.length > 0) await artifacts.addRefs(tx, 'dashboard', row.id, [...new Set(digests)])
}

/** What cannot be read stays as it is. */
function followed(stored: unknown, names: NewName): unknown {
  const { shown, fault } = readContent(stored)
  if (stored === null || fault) return stored
  const next = renameFlow(shown, names)
  return next === shown ? stored : next
}

const issuesOf = ({ fault }: ReadContent, issues: Dashboard['issues'] = []): Dashboard['issues'] =>
  fault ? [fault, ...issues] : issues

const wrongMode = (flow: string): ProblemError =>
  new ProblemError('wrong_mode', `flow "${flow}" is live, and has no runs to show: name a batch flow`)
