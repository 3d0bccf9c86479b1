/**
 * `submit_run` and `submit_sweep`: runs of what is published.
 * @module
 */
import { MAX_SWEEP_RUNS, runSubmitSchema, sweepSubmitSchema } from '@flow-service/protocol'
import * as z from 'zod'

import { nextSchema, PAGE } from '../paging.ts'
import { tool } from '../tool.ts'
import { report } from '../words.ts'
import { flowName } from './flow-words.ts'
import { outcomeOf, rowOf, runRowSchema } from './run-words.ts'

const { params, seed, no_cache, priority, idempotency_key } = runSubmitSchema.shape

/** `submit_run`. */
export const submitRun = tool({
  name: 'submit_run',
  title: 'Submit a run',
  description:
    'Queues a run of a published batch flow with parameters, and answers at once; get_run tells how it goes on. Stages whose inputs and code have not changed are taken from the cache.',
  scope: 'runs:write',
  hints: { readOnly: false, openWorld: true },
  input: z.strictObject({ flow: flowName, params, seed, no_cache, priority, idempotency_key }),
  output: z.object({ run: runRowSchema, next: nextSchema }),
  async run({ client, input: { flow, ...what }, signal }) {
    const run = await client.http.runs.submit({ name: flow, ...what } as never, { signal })
    return {
      text: report([`Run ${run.id} of ${flow}: ${outcomeOf(run)}. Look at it with get_run.`]),
      value: { run: rowOf(run), next: null },
    }
  },
})

/** `submit_sweep`. */
export const submitSweep = tool({
  name: 'submit_sweep',
  title: 'Submit a sweep',
  description: `Queues a run for each entry of "runs", all of them or none, at most ${MAX_SWEEP_RUNS}. They have a common group_id: list_runs with "group" tells how they go on, compare_runs what came out.`,
  scope: 'runs:write',
  hints: { readOnly: false, openWorld: true },
  input: z.strictObject({
    flow: flowName,
    runs: sweepSubmitSchema.shape.runs,
    seeds: sweepSubmitSchema.shape.seeds,
    no_cache,
    priority,
  }),
  output: z.object({
    group_id: z.string(),
    total: z.int(),
    runs: z.array(z.string()).describe('Ids of the first ones, in the order of the entries.'),
    next: nextSchema,
  }),
  async run({ client, input: { flow, ...what }, signal }) {
    const { group_id: group, runs } = await client.http.runs.sweep({ name: flow, ...what } as never, { signal })
    const ids = runs.slice(0, PAGE).map(({ id }) => id)
    const head = `Queued ${runs.length} runs of ${flow}. Look at them with list_runs and group "${group}". The first ones:`
    return { text: report([head], ids), value: { group_id: group, total: runs.length, runs: ids, next: null } }
  },
})
