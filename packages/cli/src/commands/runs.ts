import type { Run, RunSummary } from '@flow-service/client-sdk'

import { CommandFailure } from '../failure.ts'
import { assertFlow } from '../known-flow.ts'
import { type ClientFlags, connect } from '../session.ts'
import { duration, oneLine, printable, table, varying } from '../table.ts'
import { counted, printAnswer, shortTime } from '../terminal.ts'

interface ListFlags extends ClientFlags {
  readonly flow?: string
  readonly status?: string
  readonly group?: string
  readonly since?: string
  readonly before?: string
  readonly limit?: number
  readonly filter?: string
  readonly sort?: string
  readonly archived?: boolean
  /** Fields, as filters name them. */
  readonly columns?: readonly string[]
}

/** `service runs list`. */
export async function listRuns(flags: ListFlags): Promise<void> {
  const { url: _url, token: _token, json, columns = [], archived, ...query } = flags
  const fields = [...new Set([...columns, ...sortedBy(query.sort)])]
  const runs = await connect(flags).runs.list({
    ...query,
    include: 'params,results,metrics',
    ...(archived === true ? { archived: 'any' as const } : {}),
  })
  if (json) return console.log(JSON.stringify(runs, null, 2))
  const rows = runs.map((run) => [
    run.id,
    run.flow,
    run.status,
    shortTime(run.created_at),
    duration(run.duration_s),
    run.seed === null ? '-' : String(run.seed),
    ...fields.map((field) => shownField(run, field)),
    run.error ? oneLine(run.error.message, 60) : '',
  ])
  const names = fields.map((field) => field.replace(/^(?:params|results|metrics)\./, '').toUpperCase())
  console.log(table(['ID', 'FLOW', 'STATUS', 'CREATED', 'DURATION', 'SEED', ...names, 'ERROR'], rows, 'No runs match.'))
}

/** The fields of a sort that the table does not show anyway. */
const sortedBy = (sort = ''): string[] =>
  sort.split(',').flatMap((key) => /^-?((?:params|results|metrics)\..+)$/.exec(key)?.[1] ?? [])

/** A field of a run in a table. */
function shownField(run: RunSummary, field: string): string {
  const value = fieldOf(run, field)
  if (value === undefined || value === null) return '-'
  if (typeof value === 'number') return rounded(value)
  return Array.isArray(value) && field === 'tags' ? oneLine(value.join(' '), 30) : oneLine(value, 30)
}

/** A number with the digits that people compare by; `--json` has all. */
const rounded = (value: number): string => String(Number(value.toPrecision(6)))

/** The value of a field that filters name: `params.lr`, `metrics.loss:min`, `note`. */
export function fieldOf(run: RunSummary, field: string): unknown {
  const [column = '', ...rest] = field.split('.')
  if (column === 'metrics') {
    const [message = '', aggregate = 'last'] = rest.join('.').split(':')
    return run.metrics?.[message]?.[aggregate as 'last']
  }
  if (column !== 'params' && column !== 'results') return run[field as 'note']
  let value: unknown = run[column]
  for (const name of rest) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
    value = (value as Record<string, unknown>)[name]
  }
  return value
}

interface BestFlags extends ClientFlags {
  readonly metric: string
  readonly min?: boolean
  readonly max?: boolean
  readonly last?: boolean
  readonly flow?: string
  readonly group?: string
  readonly filter?: string
  readonly limit?: number
}

/** `service runs best --metric <name>`. */
export async function bestRuns(flags: BestFlags): Promise<void> {
  const { url: _url, token: _token, json, metric, min, max, last, limit = 5, ...query } = flags
  if (min === max)
    throw new CommandFailure(2, 'tell whether the least value is the best (--min) or the greatest (--max)')
  const client = connect(flags)
  await assertFlow(client, query.flow)
  const field = fieldOfMetric(metric, last === true ? 'last' : min === true ? 'min' : 'max')
  const include = 'params,results,metrics'
  const listed = await client.runs.list({ ...query, sort: `${max === true ? '-' : ''}${field}`, limit, include })
  const runs = listed.filter((run) => typeof fieldOf(run, field) === 'number')
  if (runs.length === 0) throw new CommandFailure(1, `no run that fits has ${field}`)
  if (json) return console.log(JSON.stringify(runs, null, 2))
  const differing = varying(runs.map(({ params }) => params ?? {})).filter((name) => name !== 'seed')
  const rows = runs.map((run) => [
    run.id,
    run.flow,
    shownField(run, field),
    ...differing.map((name) => oneLine(run.params?.[name] ?? '-', 20)),
    run.seed === null ? '-' : String(run.seed),
    shortTime(run.created_at),
  ])
  console.log(
    table(['ID', 'FLOW', ...[field, ...differing].map((name) => name.toUpperCase()), 'SEED', 'CREATED'], rows, ''),
  )
}

/** A curve unless it is named as an output; `loss:last` and the like stay as they are. */
function fieldOfMetric(metric: string, aggregate: string): string {
  if (metric.startsWith('results.')) return metric
  const name = metric.startsWith('metrics.') ? metric : `metrics.${metric}`
  return name.includes(':') ? name : `${name}:${aggregate}`
}

interface EditFlags extends ClientFlags {
  readonly note?: string
  readonly tag?: readonly string[]
  readonly untag?: readonly string[]
  /** Set to false by `--no-pin`. */
  readonly pin?: boolean
  /** Set to false by `--no-archive`. */
  readonly archive?: boolean
}

/** `service runs edit <id...>`. */
export async function editRuns(ids: string[], { note, tag, untag, pin, archive, ...flags }: EditFlags): Promise<void> {
  const changes = {
    ...(tag === undefined ? {} : { addTags: [...tag] }),
    ...(untag === undefined ? {} : { removeTags: [...untag] }),
    ...(pin === undefined ? {} : { pinned: pin }),
    ...(archive === undefined ? {} : { archived: archive }),
  }
  if (note === undefined && Object.keys(changes).length === 0) {
    throw new CommandFailure(2, 'tell what to change: --note, --tag, --untag, --pin or --archive')
  }
  if (note !== undefined && ids.length > 1) throw new CommandFailure(2, 'a note is of one run: name one')
  const { runs } = connect(flags)
  if (note !== undefined) await runs.update(ids[0]!, { note })
  const changed = Object.keys(changes).length > 0 ? (await runs.updateMany({ ids, ...changes })).changed : 1
  printAnswer({ changed }, flags.json, () => `changed ${counted(changed, 'run')}`)
}

/** `service runs show <id>`. */
export async function showRun(id: string, flags: ClientFlags): Promise<void> {
  const run = await connect(flags).runs.get(id)
  console.log(flags.json ? JSON.stringify(run, null, 2) : describeRun(run))
}

/** A run for people: head line, inputs, nodes, metrics, result, what the nodes have printed. */
export function describeRun(run: Run): string {
  const nodes = run.nodes.map((node) => [
    `  ${node.node}`,
    node.cached ? `${node.status} (cached)` : node.status,
    duration(node.duration_s),
    node.waiting_for === null ? (node.worker ?? '') : `waits for ${node.waiting_for}`,
    node.error ? oneLine(node.error.message, 80) : '',
  ])
  const metrics = run.metrics.map(({ name, count, last }) => `  ${name}  ${count} points, last ${last}`)
  const parts = [
    `run ${run.id} of ${run.flow}: ${run.status}${run.duration_s === null ? '' : `, ${duration(run.duration_s)}`}`,
    ...(run.error ? [`error: ${printable(run.error.message)}`] : []),
    ...section('inputs', pairs(Object.fromEntries(run.inputs.map(({ name, value }) => [name, value])))),
    ...section('nodes', nodes.length > 0 ? [table(['  NODE', 'STATUS', 'DURATION', 'WORKER', ''], nodes, '')] : []),
    ...section('metrics', metrics),
    ...section('result', pairs(run.result ?? {})),
    ...run.nodes.flatMap(logOf),
    ...run.nodes.flatMap((node) =>
      node.traceback ? ['', `traceback of ${node.node}:`, printable(node.traceback.trimEnd())] : [],
    ),
  ]
  return parts.join('\n')
}

/** Lines of a log that are shown; all of them are in the record. */
const LOG_LINES = 20

/** The end of what a node has printed. */
function logOf({ node, logs }: Run['nodes'][number]): string[] {
  const lines = logs.trimEnd().split('\n')
  if (logs.trimEnd() === '') return []
  const left = lines.length > LOG_LINES ? `, the last ${LOG_LINES} of ${lines.length} lines (--json has them all)` : ''
  return ['', `log of ${node}${left}:`, ...lines.slice(-LOG_LINES).map(printable)]
}

const section = (title: string, lines: string[]): string[] => (lines.length > 0 ? [`${title}:`, ...lines] : [])

const pairs = (values: Record<string, unknown>): string[] =>
  Object.entries(values).map(([name, value]) => `  ${printable(name)} = ${oneLine(value)}`)
