/**
 * What runs would execute, before they are submitted (wire decision R3).
 * @module
 */
import * as z from 'zod'

import { MAX_SWEEP_RUNS } from './limits.ts'
import { draftSchema, noCacheSchema } from './run.ts'

const paramsSchema = z.record(z.string(), z.json())

/** Body of `POST /runs/flows/{name}/plan`: a submission (`params`, `seed`) or a sweep (`runs`, `seeds`). */
export const runPlanSubmitSchema = z
  .strictObject({
    params: paramsSchema.optional().meta({ description: 'Values of inputs by name, of one run.' }),
    seed: z.int().optional().meta({ description: 'Of one run.' }),
    runs: z.array(paramsSchema).min(1).max(MAX_SWEEP_RUNS).optional().meta({ description: 'The params of each run.' }),
    seeds: z.array(z.int()).max(MAX_SWEEP_RUNS).optional().meta({ description: 'One for each entry of `runs`.' }),
    draft: draftSchema,
    no_cache: noCacheSchema,
  })
  .refine(({ params, seed, runs }) => runs === undefined || (params === undefined && seed === undefined), {
    path: ['runs'],
    error: 'give "params" and "seed" for one run, or "runs" and "seeds" for a sweep, not both',
  })
  .refine(({ runs, seeds }) => seeds === undefined || seeds.length === runs?.length, {
    path: ['seeds'],
    error: '"seeds" has to be as long as "runs": it gives one seed for each',
  })
  .meta({ id: 'RunPlanSubmit', examples: [{ params: { lr: 0.01 }, seed: 7 }] })
/** What a plan is asked about: the params of one run or of many. */
export type RunPlanSubmit = z.infer<typeof runPlanSubmitSchema>

/** What would become of one node over all runs that reach it: `runs` is `hits + misses + unknown`. */
export const plannedStageSchema = z
  .object({
    node: z.string().meta({ description: 'Id of the node.' }),
    runs: z.int().meta({ description: 'Runs that reach it.' }),
    unique: z.int().meta({ description: 'How many different keys are among those that are known.' }),
    hits: z.int().meta({ description: 'Runs that take over what is stored.' }),
    misses: z.int().meta({ description: 'Runs that execute it, or wait for another of them that does.' }),
    unknown: z.int().meta({ description: 'Runs for which it depends on what a node before it returns.' }),
    why: z.array(z.string()).meta({ description: 'Why it is executed or unknown; the first 20 reasons.' }),
    expected_s: z.number().nullable().meta({
      description:
        'Seconds of all its executions together, those that are unknown included, by the median of its last ones; null when there are none.',
    }),
  })
  .meta({ id: 'PlannedStage' })
/** What the runs of a plan find in the cache for one node. */
export type PlannedStage = z.infer<typeof plannedStageSchema>

/** The nodes in dependency order. `expected_s` is the sum of the stages', null when one is not known. */
export const runPlanSchema = z
  .object({
    runs: z.int().meta({ description: 'Runs that the plan is about.' }),
    stages: z.array(plannedStageSchema).meta({ description: 'Nodes with code, in the order of their dependencies.' }),
    expected_s: z
      .number()
      .nullable()
      .meta({ description: 'Seconds of all executions together; null when they are not known for one of the stages.' }),
  })
  .meta({ id: 'RunPlan' })
/** What a run or sweep would execute. `expected_s` is in seconds. */
export type RunPlan = z.infer<typeof runPlanSchema>
