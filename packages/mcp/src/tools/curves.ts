/**
 * `get_curve`: how a number of a run went.
 * @module
 */
import { ApiError, type Client } from '@flow-service/client-sdk'
import type { MetricSeries } from '@flow-service/protocol'
import * as z from 'zod'

import { cursorSchema, nextSchema, pageOf } from '../paging.ts'
import { ToolRefusal } from '../refusal.ts'
import { tool } from '../tool.ts'
import { line, moreBy, report } from '../words.ts'
import { runId } from './run-words.ts'

/** Curves of a page: those of one name, of several nodes. */
const CURVES = 5
/** So wide a step gives the first point and the last, and how many there are. */
const ENDS = 1_000_000_000

/** `get_curve`. */
export const getCurve = tool({
  name: 'get_curve',
  title: 'Read a curve',
  description:
    'The points of a metric of a run, such as a loss, thinned to about "points" of them: every so many-th, and always the first and the last. get_run tells the names. To see several runs beside each other use compare_runs.',
  scope: 'runs:read',
  hints: { readOnly: true },
  input: z.strictObject({
    run: runId,
    metric: z.string().min(1).max(201).describe('The message, bare or as <flow>.<message>.'),
    points: z.int().min(2).max(200).default(50),
    cursor: cursorSchema,
  }),
  output: z.object({
    curves: z.array(
      z.object({
        name: z.string(),
        node: z.string(),
        total: z.int().describe('How many points there are.'),
        stride: z.int().describe('Every so many-th is told.'),
        points: z.array(z.object({ step: z.int(), value: z.union([z.number(), z.string()]) })),
      }),
    ),
    next: nextSchema,
  }),
  async run({ client, input: { run, metric, points, cursor }, signal }) {
    const ends = await client.runs.metrics(run, { name: metric, stride: ENDS, signal })
    if (ends.length === 0) throw await noCurve(client, { run, metric, signal })
    const { rows, next } = pageOf(ends, cursor, CURVES)
    const stride = Math.max(1, Math.ceil((Math.max(...rows.map(({ count }) => count)) - 1) / (points - 1)))
    const all =
      stride === 1 && rows.every(({ count }) => count <= 2)
        ? ends
        : await client.runs.metrics(run, { name: metric, stride, signal })
    const chosen = all.filter((each) =>
      rows.some(({ name, node, port }) => name === each.name && node === each.node && port === each.port),
    )
    const curves = chosen.map((series) => ({
      name: series.name,
      node: series.node,
      total: series.count,
      stride,
      // one more than asked for: the last is always told
      points: series.points.slice(0, 201).map(({ step, value }) => ({ step, value })),
    }))
    return {
      text: report(
        [],
        chosen.flatMap((series) => curveLines(series, stride)),
        moreBy('get_curve', next),
      ),
      value: { curves, next },
    }
  },
})

function curveLines({ name, node, count, points }: MetricSeries, stride: number): string[] {
  const numbers = points.map(({ value }) => Number(value)).filter(Number.isFinite)
  const [low, high] = [Math.min(...numbers), Math.max(...numbers)]
  const range =
    numbers.length === 0 ? '' : `, from ${short(low)} to ${short(high)}${stride === 1 ? '' : ' at these points'}`
  // about so many fit beside the names
  const every = Math.max(1, Math.ceil(points.length / 12))
  const told = points.filter((_, at) => at % every === 0 || at === points.length - 1)
  return [
    `${line(name, 120)} of ${node}: ${count} points${range}`,
    told.map(({ step, value }) => `${step}: ${short(value)}`).join(', '),
  ]
}

const short = (value: number | string): string =>
  String(typeof value === 'number' ? Number(value.toPrecision(5)) : value)

async function noCurve(
  client: Client,
  what: { readonly run: string; readonly metric: string; readonly signal: AbortSignal },
) {
  const { run, metric, signal } = what
  const known = await client.metrics.names({ ids: run, signal }).catch((error: unknown) => {
    if (error instanceof ApiError) return []
    throw error
  })
  const names = known.map(({ name }) => name).slice(0, 50)
  return new ToolRefusal('not_found', `run ${run} has no curve "${line(metric, 200)}"`, {
    remedy:
      names.length === 0
        ? 'it has none: only numbers of streaming ports are curves'
        : `use one of ${line(names.join(', '), 600)}`,
    names,
  })
}
