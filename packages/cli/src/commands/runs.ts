import type { Run } from '@flow-service/client-sdk'

import { type ClientFlags, connect } from '../session.ts'
import { duration, oneLine, printable, table } from '../table.ts'
import { shortTime } from '../terminal.ts'

interface ListFlags extends ClientFlags {
  readonly flow?: string
  readonly status?: string
  readonly group?: string
  readonly since?: string
  readonly before?: string
  readonly limit?: number
}

/** `service runs list`. */
export async function listRuns(flags: ListFlags): Promise<void> {
  const { url: _url, token: _token, json: _json, ...query } = flags
  const runs = await connect(flags).runs.list(query)
  if (flags.json) return console.log(JSON.stringify(runs, null, 2))
  const rows = runs.map((run) => [
    run.id,
    run.flow,
    run.status,
    shortTime(run.created_at),
    duration(run.duration_s),
    run.seed === null ? '-' : String(run.seed),
    run.error ? oneLine(run.error.message, 60) : '',
  ])
  console.log(table(['ID', 'FLOW', 'STATUS', 'CREATED', 'DURATION', 'SEED', 'ERROR'], rows, 'No runs match.'))
}

/** `service runs show <id>`. */
export async function showRun(id: string, flags: ClientFlags): Promise<void> {
  const run = await connect(flags).runs.get({ id })
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
