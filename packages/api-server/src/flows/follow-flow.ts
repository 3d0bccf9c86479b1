/**
 * Brings what this engine has of a flow in memory up to date with its row, after another engine has changed it: what it
 * declares, what it executes while it runs here, its values and its name. Changes of this engine itself come by here too,
 * and find nothing to do.
 *
 * - follow-flow.F1 it happens between the changes that this engine makes of the same flow, on the row of that moment.
 * - follow-flow.F2 a flow that runs here though another engine has taken it ends, and the log says who has it.
 * @module
 */
import { canonicalJson } from '@flow-service/protocol'

import type { CodeRegistry } from '../code/registry.ts'
import type { Database } from '../db/database.ts'
import type { LastValues } from '../messages/last-values.ts'
import type { LiveLogs } from '../node-logs/live-logs.ts'
import type { Log } from '../process/log.ts'
import type { Markers } from '../work/markers.ts'
import type { FarStates } from './far-states.ts'
import type { FlowListener } from './flow-news.ts'
import type { LiveFlows } from './live-flows.ts'
import type { Placed, Placement } from './placement.ts'
import type { PublishedFlowsOwner } from './published-flows.ts'
import { createFlowStore, type FlowMark, type FlowRow } from './store.ts'
import { publishedContent } from './stored-content.ts'

/** What follows a flow. */
export interface FollowDeps {
  readonly database: Pick<Database, 'sql' | 'transaction'>
  readonly lastValues: Pick<LastValues, 'commitOf' | 'follow' | 'forget' | 'remove'>
  readonly liveLogs: Pick<LiveLogs, 'forget' | 'rename'>
  readonly markers: Pick<Markers, 'forget'>
  readonly code: Pick<CodeRegistry, 'release'>
  readonly farStates: Pick<FarStates, 'forget'> | null
  readonly live: LiveFlows
  readonly placement: Placement
  readonly published: PublishedFlowsOwner
  /** Hears of flows that are written anew, by whomever. */
  readonly changed: (id: string) => void
  readonly log: Pick<Log, 'warn'>
}

/** What another engine has done is told by that one. */
const followed = { isFollowed: true } as const

/** Follows the flows of a database. */
export const createFlowFollower = (deps: FollowDeps): FlowListener => ({
  known: () => deps.published.all().map(({ name }) => name),
  isAstray: ({ at, name }) => at !== null && at !== deps.placement.engine && deps.live.running({ name }) !== undefined,
  changed(mark, before) {
    if (before?.written !== mark.written) deps.changed(mark.id)
    return deps.live.exclusive(mark.id, () => follow(mark, before, deps))
  },
  gone: (mark) => deps.live.exclusive(mark.id, () => drop(mark, deps)),
})

async function follow(mark: FlowMark, before: FlowMark | null, deps: FollowDeps): Promise<void> {
  const { database, live, placement, published } = deps
  const row = await createFlowStore(database.sql).byId(mark.id)
  // the next look finds that it is gone
  if (row === null) return
  if (before?.at !== mark.at || before.wished !== mark.wished) deps.farStates?.forget(row.name)
  if (before && before.name !== row.name) await rename(before.name, row, deps)
  if (placement.isElsewhere(row)) await yieldPlace(row, deps)
  if (isNews(row, published)) {
    published.take(row)
    await live.rebuild(row)
  } else if (before && isMovedElsewhere(before, mark, placement)) live.announce(row, followed)
}

/** Whether other engines have started, stopped or held it, which they alone have told. */
function isMovedElsewhere(before: FlowMark, { at, wished }: FlowMark, placement: Placement): boolean {
  if (before.at === at && before.wished === wished) return false
  const engines = [before.at, at].filter((engine) => engine !== null)
  return engines.length > 0 && !engines.some((engine) => engine === placement.engine)
}

/** Whether the published content is another one than this engine knows. */
function isNews(row: FlowRow, published: PublishedFlowsOwner): boolean {
  const content = publishedContent(row)
  if (content === null || content.fault !== null) return false
  const known = published.get(row.name)
  return !known || canonicalJson({ ...known, version: 0 }) !== canonicalJson({ ...content.document, version: 0 })
}

/** Ends what runs here by no right; what waits is for who has the flow now. */
async function yieldPlace(row: FlowRow, { live, log }: FollowDeps): Promise<void> {
  const isRunning = live.running(row) !== undefined
  await live.lose([row])
  // why it could not be started here once is no news either
  await live.end(row)
  if (!isRunning) return
  const engine = row.runs_at?.name ?? null
  log.warn({ flow: row.name, engine }, 'a live flow has ended here: another engine has taken it')
  live.announce(row, followed)
}

async function rename(from: string, row: FlowRow, deps: FollowDeps): Promise<void> {
  const { code, database, lastValues, live, markers, published } = deps
  // done by this engine itself, or overtaken by a flow that has the earlier name now
  if (published.get(row.name) !== undefined || (await createFlowStore(database.sql).byName(from)) !== null) return
  const wasActive = await live.end({ id: row.id, name: from }, { keepsPlace: true })
  published.remove(from)
  lastValues.follow({ from, to: row.name })
  markers.forget(from)
  deps.liveLogs.rename({ from, to: row.name })
  code.release(from)
  published.rename(row.id, row.name)
  published.take(row)
  if (wasActive) await live.revive(row)
  else live.announce(row, followed)
}

/** The end of a flow whose row is gone; what it has published meanwhile goes too. */
async function drop(flow: Placed, deps: FollowDeps): Promise<void> {
  const { code, database, lastValues, live, liveLogs, markers, published } = deps
  // another flow may have the name by now
  if ((await createFlowStore(database.sql).byName(flow.name)) !== null) return
  const wasActive = await live.end(flow)
  published.remove(flow.name)
  if (wasActive) await lastValues.commitOf(flow.name)
  lastValues.forget(flow.name)
  markers.forget(flow.name)
  liveLogs.forget(flow.name)
  code.release(flow.name)
  if (!wasActive) return
  await database.transaction(async (tx) => {
    if ((await createFlowStore(tx).byName(flow.name)) === null) await lastValues.remove(tx, flow.name)
  })
}
