/**
 * `service runs compare`: curves of runs beside each other, or what groups of runs have on average.
 * @module
 */
import type { Client } from '@flow-service/client-sdk'
import { MAX_COMPARED_RUNS } from '@flow-service/protocol'

import { drawCurves } from '../curve.ts'
import { CommandFailure } from '../failure.ts'
import { assertFlow } from '../known-flow.ts'
import {
  type Aim,
  aimOf,
  assertGroupFlags,
  fieldsOf,
  type GroupedRun,
  type GroupFlags,
  groupsOf,
  groupText,
  inRanges,
  isBest,
  keyText,
  type MeanCurve,
  meanCurves,
  metricsOf,
  ofRun,
  ofSummary,
  type RunGroup,
  spreadNotes,
  spreadText,
} from '../run-groups.ts'
import { type ClientFlags, connect } from '../session.ts'
import { oneLine, printable, table, varying } from '../table.ts'
import { bold, counted, dim, printAnswer } from '../terminal.ts'

interface CompareFlags extends ClientFlags, GroupFlags {
  readonly flow?: string
  readonly group?: string
  readonly filter?: string
  readonly x?: string
}

const PICTURE = { width: 72, height: 16 }
/** Groups whose runs are read; the engine compares no more at once. */
const MAX_GROUPED_RUNS = 1000
/** More curves would hide each other. */
const MAX_DRAWN_GROUPS = 8
/** Points of the curve of a group. */
const GROUP_POINTS = 1000
/** Ranges of times, or of another metric, for which a mean is drawn. */
const RANGES = 32

/** `service runs compare <metric> [id...]`. */
export async function compareRuns(metric: string, ids: readonly string[], flags: CompareFlags): Promise<void> {
  const { flow, group, filter } = flags
  if (ids.length === 0 && flow === undefined && group === undefined && filter === undefined) {
    throw new CommandFailure(2, 'name the runs to compare, or choose them with --flow, --group or --filter')
  }
  assertGroupFlags(flags, metric)
  const client = connect(flags)
  await (flags.by === undefined ? compareEach : compareGroups)(client, { metric, ids, flags })
}

interface Asked {
  readonly metric: string
  readonly ids: readonly string[]
  readonly flags: CompareFlags
}

/** Options of a list with the runs that are meant. */
const selectionOf = ({ flow, group, filter }: CompareFlags) => ({
  ...(flow === undefined ? {} : { flow }),
  ...(group === undefined ? {} : { group }),
  ...(filter === undefined ? {} : { filter }),
  status: 'ok',
})

async function noneFits(client: Client, { flow }: CompareFlags): Promise<CommandFailure> {
  await assertFlow(client, flow)
  return new CommandFailure(1, 'no run that ended ok fits')
}

async function compareEach(client: Client, { metric, ids, flags }: Asked): Promise<void> {
  const { x, json } = flags
  const chosen =
    ids.length > 0
      ? ids
      : (await client.runs.list({ ...selectionOf(flags), limit: MAX_COMPARED_RUNS })).map(({ id }) => id)
  if (chosen.length === 0) throw await noneFits(client, flags)
  const compared = await client.compare(chosen, metric, x === undefined ? {} : { x })
  if (compared.series.every(({ points }) => points.length === 0)) throw await noCurve(client, compared, chosen)
  printAnswer(compared, json, () => {
    const differing = varying(compared.series.map(({ params }) => params))
    const nameOf = (at: number): string => {
      const { run, params } = compared.series[at]!
      return [run.slice(-12), ...differing.map((name) => `${oneLine(name, 40)}=${oneLine(params[name], 20)}`)].join(' ')
    }
    const curves = compared.series.map(({ points }, at) => ({
      name: nameOf(at),
      points: points.map((point) => ({ x: Number(point.x), y: Number(point.y) })),
    }))
    const rows = compared.series.map(({ run, points }, at) => [
      run,
      ...differing.map((name) => oneLine(compared.series[at]!.params[name], 20)),
      String(points.at(-1)?.y ?? '-'),
      String(points.length),
    ])
    const names = differing.map((name) => oneLine(name, 40).toUpperCase())
    return [
      bold(`${compared.metric} by ${compared.x}`),
      drawCurves(curves, PICTURE),
      '',
      table(['RUN', ...names, 'LAST', 'POINTS'], rows, 'No run has the metric.'),
    ].join('\n')
  })
}

/** Means and spread of groups; a metric that is an output has no curves. */
async function compareGroups(client: Client, { metric, ids, flags }: Asked): Promise<void> {
  const { x, json, by = [] } = flags
  const runs = ids.length > 0 ? await runsOf(client, ids) : await listedRuns(client, flags)
  if (runs.length === 0) throw await noneFits(client, flags)
  const aim = aimOf(flags, runs, metric)
  const groups = groupsOf(runs, fieldsOf(by), aim)
  const drawn = json === true ? groups : groups.slice(0, MAX_DRAWN_GROUPS)
  const isOutput = metric.startsWith('results.')
  const curves = await meanCurves(client, isOutput ? [] : drawn, { metrics: [metric], x, points: GROUP_POINTS })
  const curveOf = (group: RunGroup): MeanCurve | undefined => curves.get(group)?.[0]
  if (!isOutput && !drawn.some(curveOf)) {
    throw await noCurve(client, { metric, x: x ?? 'step' }, drawn[0]?.runs ?? [])
  }
  const answer = {
    metric,
    x: isOutput ? null : (x ?? 'step'),
    by: fieldsOf(by),
    groups: groups.map((group) => ({
      ...group,
      best: isBest(group, groups, aim),
      curve: curveOf(group) ?? null,
    })),
  }
  printAnswer(answer, json, () =>
    [
      ...(isOutput ? [] : [pictureOf(answer, drawn, curveOf), '']),
      ...(drawn.length < groups.length ? [`the first ${drawn.length} of ${groups.length} groups are drawn`, ''] : []),
      tableOf(groups, aim),
      ...spreadNotes(groups).map(dim),
      ...(runs.length === MAX_GROUPED_RUNS ? [`the newest ${MAX_GROUPED_RUNS} runs are counted, not more`] : []),
    ].join('\n'),
  )
}

async function runsOf(client: Client, ids: readonly string[]): Promise<GroupedRun[]> {
  const runs: GroupedRun[] = []
  // oxlint-disable-next-line no-await-in-loop -- as many as stand on a command line
  for (const id of new Set(ids.map((one) => one.toLowerCase()))) runs.push(ofRun(await client.runs.get(id)))
  return runs
}

/** The newest that fit, page by page; runs that end meanwhile move the others, and each counts once. */
async function listedRuns(client: Client, flags: CompareFlags): Promise<GroupedRun[]> {
  const runs = new Map<string, GroupedRun>()
  const limit = MAX_GROUPED_RUNS / 2
  for (let offset = 0; offset < MAX_GROUPED_RUNS; offset += limit) {
    const include = 'params,results,metrics'
    // oxlint-disable-next-line no-await-in-loop -- a page follows a full one
    const page = await client.runs.list({ ...selectionOf(flags), include, limit, offset })
    for (const run of page) runs.set(run.id, ofSummary(run))
    if (page.length < limit) break
  }
  return [...runs.values()]
}

function pictureOf(
  { metric, x }: { readonly metric: string; readonly x: string | null },
  groups: readonly RunGroup[],
  curveOf: (group: RunGroup) => MeanCurve | undefined,
): string {
  const curves = groups.map((group) => {
    const curve = curveOf(group)
    const drawn = curve && x !== 'step' ? inRanges(curve, RANGES) : curve
    const { x: xs = [], mean = [], min = [], max = [], n = [] } = drawn ?? {}
    const isBand = n.some((count) => count > 1)
    return {
      name: `${groupText(group)} (${counted(group.runs.length, 'run')}${xs.length === 0 ? ', no curve' : ''})`,
      points: xs.map((at, which) => ({ x: at, y: mean[which]! })),
      ...(isBand ? { band: xs.map((at, which) => ({ x: at, low: min[which]!, high: max[which]! })) } : {}),
    }
  })
  const ranges = x === 'step' ? '' : ` in ${RANGES} ranges`
  const title = `${printable(metric)} by ${printable(x ?? '')}: means of the groups${ranges}`
  const isSpread = curves.some(({ band }) => band !== undefined)
  return [
    bold(`${title}${isSpread ? ', dotted from the least to the greatest' : ''}`),
    drawCurves(curves, PICTURE),
  ].join('\n')
}

function tableOf(groups: readonly RunGroup[], aim: Aim | null): string {
  const fields = Object.keys(groups[0]?.key ?? {})
  const metrics = metricsOf(groups)
  const mark = aim && `<- best: ${aim.least ? 'least' : 'greatest'} ${oneLine(aim.metric, 40)}`
  const rows = groups.map((group) => [
    ...fields.map((field) => keyText(group.key[field])),
    String(group.runs.length),
    ...[...metrics.keys()].map((name) => spreadText(group.metrics[name] ?? null, group.runs.length)),
    mark !== null && isBest(group, groups, aim) ? bold(mark) : '',
  ])
  const heads = [...fields.map((field) => oneLine(field.slice('params.'.length), 40)), 'runs', ...metrics.values()]
  return table([...heads.map((head) => head.toUpperCase()), ''], rows, '')
}

/** None of the runs has the curve: which it could be. */
async function noCurve(
  client: Client,
  { metric, x }: { readonly metric: string; readonly x: string },
  [first = '']: readonly string[],
): Promise<CommandFailure> {
  const names = (await client.runs.get(first)).metrics.map(({ name }) => name)
  const known = names.length === 0 ? 'has no curves' : `has ${names.join(', ')}`
  return new CommandFailure(1, printable(`none of these runs has points of "${metric}" by "${x}"; ${first} ${known}`))
}
