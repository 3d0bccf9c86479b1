/**
 * `compare_runs`: what differs between runs.
 * @module
 */
import { canonicalJson, type Run } from '@flow-service/protocol'
import * as z from 'zod'

import { cursorSchema, nextSchema, pageOf } from '../paging.ts'
import { tool } from '../tool.ts'
import { bounded, count, moreBy, report, shown } from '../words.ts'
import { outcomeOf, rowOf, runId, runRowSchema } from './run-words.ts'

const MAX_RUNS = 20

/** `compare_runs`. */
export const compareRuns = tool({
  name: 'compare_runs',
  title: 'Compare runs',
  description: `What differs between 2 to ${MAX_RUNS} runs: parameters, version and code of the flow, results, last values of curves. What is equal in all of them is left out. Values stand in the order of the runs; null: the run has none.`,
  scope: 'runs:read',
  hints: { readOnly: true },
  input: z.strictObject({ runs: z.array(runId).min(2).max(MAX_RUNS), cursor: cursorSchema }),
  output: z.object({
    runs: z.array(runRowSchema),
    differences: z.array(
      z.object({
        kind: z.enum(['flow', 'param', 'result', 'curve']),
        name: z.string(),
        values: z.array(z.unknown()).describe('One for each run; a long one is its JSON text, cut.'),
      }),
    ),
    equal: z.int().describe('How many were compared and do not differ.'),
    next: nextSchema,
  }),
  async run({ client, input: { runs: ids, cursor }, signal }) {
    const runs = await Promise.all(ids.map((id) => client.runs.get(id, { signal })))
    const rows = kinds.flatMap(({ kind, of }) => rowsOf(runs.map(of)).map((row) => ({ kind, ...row })))
    const differing = rows.filter(({ values }) => new Set(values.map((value) => canonicalJson(value))).size > 1)
    const page = pageOf(differing, cursor)
    const head = [
      ...runs.map((run, at) => `${at + 1}. ${run.id} ${run.flow}: ${outcomeOf(run)}`.slice(0, 120)),
      `${count(differing.length, 'difference')}, in the order of the runs:`,
    ]
    const lines = page.rows.map(
      ({ kind, name, values }) => `${kind} ${name}: ${values.map((value) => shown(value, 60)).join(' | ')}`,
    )
    return {
      text: report(head, lines, moreBy('compare_runs', page.next)),
      value: {
        runs: runs.map(rowOf),
        differences: page.rows.map(({ kind, name, values }) => ({
          kind,
          name,
          values: values.map((value) => bounded(value, 300).value),
        })),
        equal: rows.length - differing.length,
        next: page.next,
      },
    }
  },
})

type Values = Readonly<Record<string, unknown>>

const kinds: readonly { readonly kind: 'flow' | 'param' | 'result' | 'curve'; readonly of: (run: Run) => Values }[] = [
  {
    kind: 'param',
    of: ({ params, inputs }) => ({ ...Object.fromEntries(inputs.map(({ name, value }) => [name, value])), ...params }),
  },
  { kind: 'result', of: ({ result }) => result ?? {} },
  { kind: 'curve', of: ({ metrics }) => Object.fromEntries(metrics.map(({ name, last }) => [name, last])) },
  {
    kind: 'flow',
    of: ({ flow, flow_version: version, digest, commit, seed, draft }) => ({
      flow,
      version,
      digest,
      commit,
      seed,
      draft,
    }),
  },
]

/** The values of each name in all runs. */
function rowsOf(all: readonly Values[]): { readonly name: string; readonly values: unknown[] }[] {
  const names = new Set(all.flatMap((values) => Object.keys(values)))
  return [...names].map((name) => ({ name, values: all.map((values) => values[name] ?? null) }))
}
