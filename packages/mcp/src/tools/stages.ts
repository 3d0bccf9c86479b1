/**
 * `get_logs` and `why_miss`: what happened inside of a run.
 * @module
 */
import type { NodeRecord, Run } from '@flow-service/protocol'
import { nameSchema } from '@flow-service/protocol'
import * as z from 'zod'

import { cursorSchema, nextSchema, offsetOf, pageOf } from '../paging.ts'
import { ToolRefusal } from '../refusal.ts'
import { tool } from '../tool.ts'
import { clip, count, line, MAX_TEXT, moreBy, report } from '../words.ts'
import { errorText, failedNode, runId } from './run-words.ts'

/** Units of a page of logs. */
const LOG_PAGE = 1200
/** Of the end of a traceback: the line that failed stands last. */
const TRACEBACK = 500

/** `get_logs`. */
export const getLogs = tool({
  name: 'get_logs',
  title: 'Read logs',
  description:
    'The end of what a node of a run printed, with its error. Without "node": that of the node that failed, else of the last one that printed anything. "next" leads to earlier parts.',
  scope: 'runs:read',
  hints: { readOnly: true },
  input: z.strictObject({ run: runId, node: nameSchema.optional(), cursor: cursorSchema }),
  output: z.object({
    node: z.string().nullable().describe('null: no node of the run has printed anything.'),
    status: z.string().nullable(),
    error: z.string().nullable(),
    traceback: z.string().nullable().describe('Its end.'),
    text: z.string(),
    from: z.int().describe('Where the text begins in what is kept, in UTF-16 units.'),
    truncated: z.boolean().describe('More was printed than is kept.'),
    next: nextSchema.describe('The part before.'),
  }),
  async run({ client, input: { run: id, node: wanted, cursor }, signal }) {
    const run = await client.runs.get(id, { signal })
    const record = recordOf(run, wanted)
    if (!record) {
      const nothing = { node: null, status: null, error: null, traceback: null, text: '', from: 0, truncated: false }
      return { text: 'No node of the run has printed anything yet.', value: { ...nothing, next: null } }
    }
    const { node, status, logs, logs_truncated: truncated } = record
    const end = cursor === undefined ? logs.length : Math.min(offsetOf(cursor), logs.length)
    const from = startOf(logs, end)
    const next = from > 0 ? String(from) : null
    const error = record.error && errorText(record.error)
    const traceback = cursor === undefined && record.traceback !== null ? record.traceback.slice(-TRACEBACK) : null
    const head = [
      `${node}: ${status}${error === null ? '' : `, ${error}`}`,
      ...(traceback === null ? [] : [`Traceback, its end:\n${traceback}`]),
      `Printed${truncated ? ' (only the end is kept)' : ''}, ${from} to ${end} of ${logs.length}:`,
    ].join('\n')
    const more = moreBy('get_logs', next)
    const room = MAX_TEXT - head.length - (more?.length ?? 0) - 2
    const text = logs.slice(from, end)
    const shownText = text === '' ? '(nothing)' : text.slice(-Math.max(0, room))
    return {
      text: clip([head, shownText, ...(more === null ? [] : [more])].join('\n'), MAX_TEXT),
      value: { node, status, error, traceback, text, from, truncated, next },
    }
  },
})

/** Where a page that ends at `end` begins: with a line, if that is not far. */
function startOf(logs: string, end: number): number {
  const start = Math.max(0, end - LOG_PAGE)
  if (start === 0) return 0
  const newline = logs.indexOf('\n', start)
  return newline === -1 || newline - start > 200 || newline + 1 >= end ? start : newline + 1
}

function recordOf(run: Run, wanted: string | undefined): NodeRecord | undefined {
  if (wanted === undefined) return failedNode(run) ?? run.nodes.findLast(({ logs }) => logs !== '')
  return run.nodes.find(({ node }) => node === wanted) ?? missing(run, wanted)
}

function missing(run: Run, wanted: string): never {
  const names = line(run.nodes.map(({ node }) => node).join(', '), 400)
  throw new ToolRefusal('not_found', `run ${run.id} has no node "${wanted}"`, { remedy: `use one of ${names}` })
}

/** `why_miss`. */
export const whyMiss = tool({
  name: 'why_miss',
  title: 'Why stages were executed',
  description:
    'For each node with code of a run whether its result came from the cache, and why it was executed if not: what has changed since the most similar stage, such as "input lr: 0.1 -> 0.2".',
  scope: 'runs:read',
  hints: { readOnly: true },
  input: z.strictObject({ run: runId, node: nameSchema.optional(), cursor: cursorSchema }),
  output: z.object({
    stages: z.array(
      z.object({
        node: z.string(),
        hit: z.boolean(),
        why: z.array(z.string()).describe('Of a miss, its reasons.'),
        cached_from: z.string().nullable().describe('The run that executed it.'),
      }),
    ),
    misses: z.int(),
    hits: z.int(),
    next: nextSchema,
  }),
  async run({ client, input: { run: id, node, cursor }, signal }) {
    const run = await client.runs.get(id, { signal })
    const records =
      node === undefined ? run.nodes : [run.nodes.find((each) => each.node === node) ?? missing(run, node)]
    const stages = records.flatMap(stageOf).toSorted((a, b) => Number(a.hit) - Number(b.hit))
    const hits = stages.filter(({ hit }) => hit).length
    const { rows, next } = pageOf(stages, cursor)
    const lines = rows.map(({ node, hit, why, cached_from: from }) =>
      hit
        ? `${node}: from the cache${from === null ? '' : `, executed by run ${from}`}`
        : `${node}: executed, because ${why.join('; ')}`,
    )
    const misses = stages.length - hits
    const none = 'No node with code has had its turn yet, or the run has none.'
    const head = stages.length === 0 ? none : `${count(misses, 'stage')} executed, ${hits} from the cache`
    return {
      text: report([head], lines, moreBy('why_miss', next)),
      value: { stages: rows.slice(), misses, hits, next },
    }
  },
})

function stageOf({ node, cache, cached_from: from }: NodeRecord) {
  if (cache === null) return []
  const why = cache.why.slice(0, 8).map((reason) => line(words[reason] ?? reason, 300))
  return [{ node, hit: cache.hit, why, cached_from: from }]
}

/** Reasons that are short for people who know them. */
const words: Readonly<Record<string, string>> = {
  'first run': 'it is the first run: no stage of this node is known',
  no_cache: 'the run was submitted with no_cache',
  'cache: false': 'the node says "cache": false',
  expired: 'what was kept has expired',
}
