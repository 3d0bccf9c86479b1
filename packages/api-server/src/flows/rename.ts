/**
 * Another name for a flow (wire decision G21). Everything that knows flows by name follows in one transaction: its own
 * contents, those of the flows that name its messages, last values with their history, its runs, and dashboards. Bindings
 * of devices are read from the contents. Events and dead letters keep the name of their time.
 * - rename.M1 one renaming at a time: it alone holds several flows, so that two never wait for each other.
 * - rename.M2 nothing publishes under either name until the new one is committed: the flow is ended before, of the active
 *   ones that name its messages those nodes, and values from outside wait. All of them go on afterwards, whatever happened,
 *   with what has come to them; the flow is let go last, when its readers know the new name.
 * - rename.M3 a flow that is defined in code keeps its references: they are changed in its module.
 * @module
 */
import type { NewName } from '@flow-service/core'
import { type Issue, UNROUTED_FLOW_NAME } from '@flow-service/protocol'

import type { CodeRegistry } from '../code/registry.ts'
import type { Database, Sql } from '../db/database.ts'
import { isUniqueViolation } from '../db/transaction.ts'
import { actorOf, type EventLog } from '../events/event-log.ts'
import type { UserPrincipal } from '../http/principal.ts'
import type { LastValues } from '../messages/last-values.ts'
import type { LiveLogs } from '../node-logs/live-logs.ts'
import type { Markers } from '../work/markers.ts'
import type { LiveWork } from '../work/work.ts'
import { renameReferences } from './flow-references.ts'
import type { FlowRows } from './flow-rows.ts'
import type { LiveFlows } from './live-flows.ts'
import { changeOrFind } from './lost-answer.ts'
import type { PublishedFlowsOwner } from './published-flows.ts'
import { refresh } from './refresh.ts'
import { assertOwnedByApi, flowInvalid, nameTaken, noFlow } from './refusals.ts'
import { createFlowStore, type FlowRow, type FlowStore } from './store.ts'
import { publishedContent, type ReadContent } from './stored-content.ts'
import type { FlowVersions } from './versions/flow-versions.ts'

/** What renaming is made of. */
export interface RenameDeps {
  readonly database: Pick<Database, 'sql' | 'transaction'>
  readonly eventLog: Pick<EventLog, 'audit'>
  readonly lastValues: Pick<LastValues, 'commitOf' | 'follow' | 'rename'>
  readonly liveLogs: Pick<LiveLogs, 'rename'>
  readonly markers: Pick<Markers, 'follow' | 'written'>
  readonly code: Pick<CodeRegistry, 'has' | 'release'>
  readonly live: LiveFlows
  readonly published: PublishedFlowsOwner
  readonly flowVersions: Pick<FlowVersions, 'keep'>
  readonly work: Pick<LiveWork, 'rename'>
  /** What is wrong with a content. */
  readonly issuesOf: (content: ReadContent) => Promise<readonly Issue[]>
  /** Gives the runs of a flow another name. */
  readonly renameRuns: (tx: Sql, flowId: string, name: string) => Promise<void>
  /** Has dashboards name the flow by its new name. */
  readonly renameInDashboards: (tx: Sql, names: NewName) => Promise<void>
}

/** What one renaming works with. */
interface Following extends RenameDeps {
  readonly store: FlowStore
}

/** What all renamings hold; no flow has this id. */
const RENAMING = 'rename'

/**
 * Renames a flow; an active one is made anew, and so are nodes of active ones that name it. Refuses with `not_found`,
 * `already_exists` or `code_defined`, with `in_use` while another engine runs it, and with `flow_invalid` when one of those
 * that name it does not start again, or nodes of an active one would get no requests under the new name.
 */
export function renameFlow(names: NewName, by: UserPrincipal, rows: FlowRows, deps: RenameDeps): Promise<FlowRow> {
  const { code, database, live } = deps
  const store = createFlowStore(database.sql)
  return live.exclusive(RENAMING, () =>
    rows.exclusively(names.from, async (flow) => {
      assertOwnedByApi(flow, code)
      live.assertHere(flow)
      if (await store.byName(names.to)) throw nameTaken(names.to)
      if (names.to === UNROUTED_FLOW_NAME && live.running(flow)) await assertRoutable(flow, names, deps)
      const naming = (await store.naming(names.from)).filter((id) => id !== flow.id)
      const change = () => renameHeld({ flow, naming }, names, by, { ...deps, store })
      const { renamed, rest } = await naming.reduce((inner, id) => () => live.exclusive(id, inner), change)()
      // only now: it holds each of them, which nobody does twice
      await refresh(rest, { ...deps, rebuild: true })
      return renamed
    }),
  )
}

/** Refuses a name under which requests to nodes of the flow would not reach them. */
async function assertRoutable(flow: FlowRow, names: NewName, { issuesOf }: RenameDeps): Promise<void> {
  const content = publishedContent({ ...flow, ...renamedContents(flow, names), name: names.to })
  const issues = content === null ? [] : await issuesOf(content)
  const shadowed = issues.filter(({ code }) => code === 'shadowed_route')
  if (shadowed.length > 0) throw flowInvalid(names.from, shadowed)
}

/**
 * Renames a flow while nobody starts, stops or publishes it, or the others that may name it; `rest` are the ids of those
 * that have changed and do not go on with it yet.
 */
async function renameHeld(
  { flow, naming }: { readonly flow: FlowRow; readonly naming: readonly string[] },
  names: NewName,
  by: UserPrincipal,
  deps: Following,
): Promise<{ readonly renamed: FlowRow; readonly rest: readonly string[] }> {
  const { code, live, published, store } = deps
  const others = (await Promise.all(naming.map((id) => store.byId(id)))).filter((row) => row !== null)
  let changed: readonly FlowRow[] = []
  const rowNow = (row: FlowRow): FlowRow => changed.find(({ id }) => id === row.id) ?? row
  const move = async (): Promise<void> => {
    await live.move(flow, async () => {
      changed = await commitNow({ id: flow.id, names, by }, naming, deps)
      return rowNow(flow)
    })
  }
  const replaced = others.filter((row) => live.running(row) && !isCode(row, code) && isNamedIn(row, names))
  const change = replaced.reduce(
    (inner, row) => async () => {
      const next = { ...row, ...renamedContents(row, names) }
      const commit = async (): Promise<FlowRow> => {
        await inner()
        return rowNow(row)
      }
      await live.replace({ row, next, renamed: names, commit })
    },
    move,
  )
  try {
    await published.during(names.from, change)
  } finally {
    live.takeUp(rowNow(flow))
  }
  const done = new Set([flow, ...replaced].map(({ id }) => id))
  return { renamed: rowNow(flow), rest: changed.map(({ id }) => id).filter((id) => !done.has(id)) }
}

/** Stores the new name, and has everything in memory follow at once. */
async function commitNow(renaming: Renaming, naming: readonly string[], deps: Following): Promise<readonly FlowRow[]> {
  const { code, lastValues, liveLogs, markers, published } = deps
  const { id, names } = renaming
  await lastValues.commitOf(names.from)
  await markers.written()
  const changed = await commit(renaming, naming, deps)
  lastValues.follow(names)
  markers.follow(names)
  liveLogs.rename(names)
  code.release(names.from)
  published.remove(names.from)
  published.rename(id, names.to)
  for (const row of changed) published.take(row)
  return changed
}

/** A flow that is given another name, and by whom. */
interface Renaming {
  readonly id: string
  readonly names: NewName
  readonly by: UserPrincipal
}

/** All rows that have changed; `naming` are the ids of those that may. */
function commit(renaming: Renaming, naming: readonly string[], deps: Following): Promise<readonly FlowRow[]> {
  const { store } = deps
  return changeOrFind(
    async () => {
      try {
        return await deps.database.transaction((tx) => follow(tx, renaming, deps))
      } catch (error) {
        throw isUniqueViolation(error) ? nameTaken(renaming.names.to) : error
      }
    },
    async () => {
      const rows = (await Promise.all([renaming.id, ...naming].map((id) => store.byId(id)))).filter(
        (row) => row !== null,
      )
      return rows.some(({ id, name }) => id === renaming.id && name === renaming.names.to) ? rows : null
    },
  )
}

/** Everything stored that knows the flow by its name. */
async function follow(tx: Sql, { id, names, by }: Renaming, deps: Following): Promise<FlowRow[]> {
  const { code, eventLog, flowVersions, lastValues, renameInDashboards, renameRuns, store, work } = deps
  const changed: FlowRow[] = []
  for (const row of await store.lockWithNaming(tx, { id, name: names.from })) {
    const contents = renamedContents(row, names)
    const change = { id: row.id, version: row.version, ...contents, by: by.email }
    const isOwn = row.id === id
    if (!isOwn && (isCode(row, code) || (contents.draft === row.draft && contents.published === row.published)))
      continue
    // oxlint-disable-next-line no-await-in-loop -- statements of one transaction
    const written = await (isOwn ? store.rename(tx, { ...change, name: names.to }) : store.replace(tx, change))
    if (!written) continue
    // oxlint-disable-next-line no-await-in-loop -- see above
    await flowVersions.keep(tx, written)
    changed.push(written)
  }
  const renamed = changed.find((row) => row.id === id)
  if (!renamed) throw noFlow(names.from)
  await lastValues.rename(tx, names)
  await work.rename(tx, names)
  await renameRuns(tx, id, names.to)
  await renameInDashboards(tx, names)
  const detail = { ...names, version: renamed.version }
  await eventLog.audit(tx, { action: 'flow.rename', actor: actorOf(by), flow: names.to, detail })
  return changed
}

const renamedContents = ({ draft, published }: FlowRow, names: NewName) => ({
  draft: renameReferences(draft, names),
  published: renameReferences(published, names),
})

const isNamedIn = ({ published }: FlowRow, names: NewName): boolean => renameReferences(published, names) !== published

const isCode = ({ origin, name }: FlowRow, code: Pick<CodeRegistry, 'has'>): boolean =>
  origin === 'code' && code.has(name)
