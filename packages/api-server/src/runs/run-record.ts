/**
 * Runs as the API shows them, made of the rows that keep them.
 * @module
 */
import {
  type ArtifactRef,
  type FlowDocument,
  isFinished,
  type NodeAttempt,
  type NodeCache,
  type NodeRecord,
  type NodeRunStatus,
  type Run,
  type RunInput,
  type RunStatus,
  type RunSummary,
  type RunHead,
  runHeadSchema,
} from '@flow-service/protocol'

import { epochUs } from '../db/timestamps.ts'

/** What went wrong, as rows and answers carry it. */
export interface Failure {
  readonly type: string
  readonly message: string
}

/** A reference that a run recorded, with the place it came from. */
export type RunArtifact = ArtifactRef & { readonly node: string; readonly port: string | null }

/** The columns of a list row: a {@link RunSummary} as it is. */
export type SummaryRow = RunSummary

/** The columns of one run with its details. `document` is null while a draft run is queued, and on imports. */
export interface DetailRow extends RunHead {
  readonly inputs: RunInput[]
  readonly no_cache: boolean
  readonly priority: number
  readonly result: Run['result']
  readonly artifacts: RunArtifact[]
  readonly document: FlowDocument | null
}

/** A row of `run_node`. */
export interface NodeRow {
  readonly node: string
  readonly status: NodeRunStatus
  readonly cached: boolean
  readonly cached_from: string | null
  /** The node that executed, in the run `cached_from`. */
  readonly cached_node: string | null
  readonly cache: NodeCache | null
  readonly worker: string | null
  readonly queued_at: string | null
  readonly started_at: string | null
  readonly finished_at: string | null
  readonly waiting_for: string | null
  readonly logs: string
  readonly logs_truncated: boolean
  /** Bytes of all that it has printed. */
  readonly log_bytes: number
  readonly traceback: string | null
  readonly error: Failure | null
  /** Of a node with a retry; null of others, whose one attempt the row itself tells. */
  readonly attempts: readonly NodeAttempt[] | null
}

/** A curve in one line. */
export type MetricSummary = Run['metrics'][number]

/** A node that nothing has happened to. */
export const untouchedNode = (node: string): NodeRow => ({
  node,
  status: 'pending',
  cached: false,
  cached_from: null,
  cached_node: null,
  cache: null,
  worker: null,
  queued_at: null,
  started_at: null,
  finished_at: null,
  waiting_for: null,
  logs: '',
  logs_truncated: false,
  log_bytes: 0,
  traceback: null,
  error: null,
  attempts: null,
})

/** A run with its details. Nodes come in the document's order; a tracked run has one, which nobody has drawn. */
export function runRecord(
  { document, ...row }: DetailRow,
  nodes: readonly NodeRow[],
  metrics: readonly MetricSummary[],
): Run {
  const rows = new Map(nodes.map((node) => [node.node, node]))
  const tracked = row.origin === 'track' ? nodes.map(({ node }) => ({ id: node, type: 'track' })) : []
  const drawn = document?.nodes ?? tracked
  return {
    ...row,
    params: paramsOf(row.inputs),
    nodes: drawn.map(({ id, type }) => nodeRecord(rows.get(id) ?? untouchedNode(id), type, row.status)),
    metrics: [...metrics],
  }
}

/** What lists show of a run only when they are asked for it. */
export const unasked = { params: null, params_cut: null, results: null, metrics: null, progress: null } as const

const HEAD = Object.keys(runHeadSchema.shape) as (keyof RunHead)[]

/** What every form of a run has, of a row that may have more. */
export function headOf(row: RunHead): RunHead {
  const head: Partial<Record<keyof RunHead, unknown>> = {}
  for (const key of HEAD) head[key] = row[key]
  return head as RunHead
}

/** The list form of a run, whatever else is known of it. */
export const summaryOf = (run: RunHead): RunSummary => ({ ...headOf(run), ...unasked })

/** Effective values by input name. */
export const paramsOf = (inputs: readonly RunInput[]): Run['params'] =>
  Object.fromEntries(inputs.map(({ name, value }) => [name, value]))

/** A node that a finished run left without a final state was cancelled with it. */
function nodeRecord(node: NodeRow, type: string, run: RunStatus): NodeRecord {
  const { cached_node: _cachedNode, log_bytes: _bytes, ...row } = node
  const open = row.status === 'pending' || row.status === 'queued' || row.status === 'running'
  return {
    ...row,
    type,
    status: open && isFinished(run) ? 'cancelled' : row.status,
    duration_s: secondsBetween(row.started_at, row.finished_at),
    attempts: attemptsOf(row),
  }
}

function attemptsOf({
  attempts,
  cached,
  started_at,
  finished_at,
  error,
}: Omit<NodeRow, 'cached_node' | 'log_bytes'>): NodeAttempt[] {
  if (attempts !== null) return [...attempts]
  return cached || started_at === null ? [] : [{ attempt: 1, started_at, finished_at, error }]
}

/** Seconds between two engine timestamps, null while one is missing. */
export function secondsBetween(from: string | null, to: string | null): number | null {
  if (from === null || to === null) return null
  return (epochUs(to) - epochUs(from)) / 1e6
}

/** Text as PostgreSQL can keep it: U+0000 and lone surrogates become U+FFFD. */
export const storableText = <T extends string | null>(text: T): T =>
  (text?.replaceAll('\0', '\uFFFD').toWellFormed() ?? null) as T
