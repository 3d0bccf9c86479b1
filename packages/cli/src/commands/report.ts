import { pipeline } from 'node:stream/promises'

import type { Client, Run } from '@flow-service/client-sdk'

import { CommandFailure } from '../failure.ts'
import { assertFlow } from '../known-flow.ts'
import { openOutput } from '../output.ts'
import { type ReportedGroups, type ReportedRun, reportPage } from '../report-page.ts'
import { aimOf, assertGroupFlags, fieldsOf, type GroupFlags, groupsOf, meanCurves, ofRun } from '../run-groups.ts'
import { type ClientFlags, connect } from '../session.ts'
import { counted } from '../terminal.ts'

interface ReportFlags extends ClientFlags, GroupFlags {
  readonly flow?: string
  readonly group?: string
  readonly output?: string
  readonly force?: boolean
}

/** Runs of one report: its page stands in memory. */
const MAX_RUNS = 100
/** Points of a curve in a report; longer ones are thinned. */
const MAX_POINTS = 1000
/** Points of the curve of a group. */
const GROUP_POINTS = 300

/** `service runs report [id...]`: a page that needs nothing but itself. */
export async function report(ids: readonly string[], flags: ReportFlags): Promise<void> {
  assertGroupFlags(flags)
  const client = connect(flags)
  const chosen = ids.length > 0 ? [...new Set(ids)] : await idsOf(client, flags)
  const runs: ReportedRun[] = []
  for (const id of chosen) {
    // oxlint-disable-next-line no-await-in-loop -- a hundred at once would only wait for each other
    runs.push(await reported(client, await client.runs.get(id)))
  }
  const grouped = flags.by === undefined ? null : await groupedBy(client, runs, flags)
  const file = flags.output ?? 'report.html'
  const output = await openOutput(file, flags.force)
  await pipeline([reportPage(runs, new Date(), grouped)], output)
  console.log(flags.json ? JSON.stringify({ file, runs: chosen }) : `${file}: ${counted(runs.length, 'run')}`)
}

async function idsOf(client: Client, { flow, group }: ReportFlags): Promise<string[]> {
  if (flow === undefined && group === undefined) {
    throw new CommandFailure(2, 'name the runs of the report, or choose them with --flow or --group')
  }
  const filter = { ...(flow === undefined ? {} : { flow }), ...(group === undefined ? {} : { group }) }
  const runs = await client.runs.list({ ...filter, limit: MAX_RUNS })
  if (runs.length === 0) await assertFlow(client, flow)
  if (runs.length === 0) throw new CommandFailure(1, 'no run fits')
  return runs.map(({ id }) => id)
}

/** Groups of the runs with the means of all curves. */
async function groupedBy(client: Client, runs: readonly ReportedRun[], flags: ReportFlags): Promise<ReportedGroups> {
  const own = runs.map(({ run }) => ofRun(run))
  const aim = aimOf(flags, own)
  const groups = groupsOf(own, fieldsOf(flags.by ?? []), aim)
  const metrics = [...new Set(runs.flatMap(({ run }) => run.metrics.map(({ name }) => name)))]
  return { groups, aim, curves: await meanCurves(client, groups, { metrics, points: GROUP_POINTS }) }
}

async function reported(client: Client, run: Run): Promise<ReportedRun> {
  const most = Math.max(0, ...run.metrics.map(({ count }) => count))
  const stride = Math.max(1, Math.ceil(most / MAX_POINTS))
  return { run, curves: run.metrics.length === 0 ? [] : await client.runs.metrics(run.id, { stride }) }
}
