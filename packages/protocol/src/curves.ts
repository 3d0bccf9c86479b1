/**
 * Curves: the numbers that runs emit, alone and compared (wire decisions G36, V17).
 * @module
 */
import * as z from 'zod'

import { runStatusSchema } from './run-status.ts'
import { timestampSchema } from './time.ts'

/** A number as it travels: NaN and the infinities as strings. */
export const numberSchema = z.union([z.number(), z.literal(['NaN', 'Infinity', '-Infinity'])])
/** A number as JSON carries it: `Number()` reads each of them. */
export type WireNumber = z.infer<typeof numberSchema>

/** A curve in short. */
export const curveSummarySchema = z
  .object({
    count: z.int().meta({ description: 'Points so far.' }),
    step: z.int().meta({ description: 'Step of the last point.' }),
    last: numberSchema.meta({ description: 'Value of the last point.' }),
    min: z.number().nullable().meta({ description: 'Least finite value; null where there is none.' }),
    max: z.number().nullable().meta({ description: 'Greatest finite value; null where there is none.' }),
  })
  .meta({ id: 'CurveSummary', description: 'A curve in short.' })
export type CurveSummary = z.infer<typeof curveSummarySchema>

/** One numeric emission; `step` counts the emissions of that message in that run from 0. */
export const metricPointSchema = z
  .object({
    step: z.int().meta({ description: 'From 0, one for each emission.' }),
    ts: timestampSchema.meta({ description: 'When it was emitted.' }),
    value: numberSchema.meta({ description: 'The value.' }),
  })
  .meta({ id: 'MetricPoint' })
/** A point of a curve. */
export type MetricPoint = z.infer<typeof metricPointSchema>

/** A curve; `run` is the run that emitted it, which differs from the run asked for on a cache hit. */
export const metricSeriesSchema = z
  .object({
    name: z.string().meta({ description: 'Qualified: `<flow>.<message>`.' }),
    node: z.string().meta({ description: 'Id of the node that emits it.' }),
    port: z.string().meta({ description: 'The output of that node.' }),
    run: z.string().meta({ description: 'Id of the run that emitted it: another one after a cache hit.' }),
    count: z.int().meta({ description: 'Points of the whole curve.' }),
    points: z.array(metricPointSchema).meta({ description: 'Those that were asked for, in order.' }),
  })
  .meta({ id: 'MetricSeries' })
/** A curve of a run. */
export type MetricSeries = z.infer<typeof metricSeriesSchema>

/** A curve's name, and how many of the runs asked for have it. */
export const metricNameSchema = z
  .object({
    name: z.string().meta({ description: 'Qualified: `<flow>.<message>`.' }),
    runs: z.int().meta({ description: 'How many of the runs have it.' }),
  })
  .meta({ id: 'MetricName' })
export type MetricName = z.infer<typeof metricNameSchema>

const curvePointSchema = z
  .object({
    x: numberSchema.meta({ description: 'As `x` of the comparison says.' }),
    y: numberSchema.meta({ description: 'The value.' }),
  })
  .meta({ id: 'CurvePoint' })
const comparedCurveSchema = z
  .object({
    run: z.string().meta({ description: 'Id of the run.' }),
    flow: z.string().meta({ description: 'Name of its flow.' }),
    status: runStatusSchema,
    params: z.record(z.string(), z.json()).meta({ description: 'Values of its inputs by name.' }),
    points: z.array(curvePointSchema).meta({ description: 'None where the run lacks the curve.' }),
  })
  .meta({ id: 'ComparedCurve' })

/** One curve of several runs over a common x axis; a run without the curve has no points. */
export const metricComparisonSchema = z
  .object({
    metric: z.string().meta({ description: 'Name of the curve.' }),
    x: z.string().meta({ description: '`step`, `time` (seconds since the start of the run), or another metric.' }),
    series: z.array(comparedCurveSchema).meta({ description: 'In the order of the ids that were asked for.' }),
  })
  .meta({ id: 'MetricComparison' })
export type MetricComparison = z.infer<typeof metricComparisonSchema>

const columnsShape = {
  x: z.array(z.number()).meta({ description: 'Ascending; as `x` of the request says.' }),
  y: z.array(numberSchema).meta({ description: 'The values, as many as there are x.' }),
}

/** A curve of a run as columns, thinned so that its extremes stay. */
export const curveColumnsSchema = z
  .object({
    ...columnsShape,
    name: z.string().meta({ description: 'Qualified: `<flow>.<message>`.' }),
    node: z.string().meta({ description: 'Id of the node that emits it.' }),
    port: z.string().meta({ description: 'The output of that node.' }),
    run: z.string().meta({ description: 'Id of the run that emitted it: another one after a cache hit.' }),
    count: z.int().meta({ description: 'Points of the whole curve.' }),
    last_step: z.int().meta({ description: 'Step of its last point: what comes later is behind it.' }),
    ts: z.array(timestampSchema).meta({ description: 'When each was emitted.' }),
  })
  .meta({ id: 'CurveColumns' })
export type CurveColumns = z.infer<typeof curveColumnsSchema>

const comparedColumnsSchema = z
  .object({
    ...columnsShape,
    metric: z.string().meta({ description: 'As it was asked for.' }),
    run: z.string().meta({ description: 'Id of the run.' }),
    flow: z.string().meta({ description: 'Name of its flow.' }),
    status: runStatusSchema,
    count: z.int().meta({ description: 'Points of the whole curve; 0 where the run lacks it.' }),
  })
  .meta({ id: 'ComparedColumns' })
export type ComparedColumns = z.infer<typeof comparedColumnsSchema>

const numbers = (description: string) => z.array(z.number()).meta({ description })
const curveGroupSchema = z
  .object({
    metric: z.string().meta({ description: 'As it was asked for.' }),
    key: z.json().meta({ description: 'The value that the runs share; null where they have none.' }),
    runs: z.array(z.string()).meta({ description: 'Ids of the runs.' }),
    x: numbers('Ascending; bins where x is time.'),
    mean: numbers('Mean of the finite values at each x.'),
    sd: numbers('Their standard deviation, over n - 1; 0 of a single value.'),
    min: numbers('The least of them.'),
    max: numbers('The greatest of them.'),
    n: z.array(z.int()).meta({ description: 'How many there are.' }),
  })
  .meta({ id: 'CurveGroup' })
export type CurveGroup = z.infer<typeof curveGroupSchema>

/** Fewest and most points of a curve that can be asked for. */
export const MIN_CURVE_POINTS = 2
export const MAX_CURVE_POINTS = 20_000

/** What is compared by POST. */
export const curveComparisonRequestSchema = z
  .strictObject({
    ids: z.array(z.uuid()).min(1).max(1000).meta({ description: 'Ids of the runs.' }),
    metrics: z
      .array(z.string().min(1).max(200))
      .min(1)
      .max(20)
      .meta({ description: 'Messages, bare or as `<flow>.<message>`.' }),
    x: z.string().min(1).max(200).default('step').meta({
      description: '`step`, `time` (seconds since the start of the run), or another metric, joined at equal steps.',
    }),
    points: z
      .int()
      .min(MIN_CURVE_POINTS)
      .max(MAX_CURVE_POINTS)
      .nullable()
      .default(1000)
      .meta({ description: 'Most points of a curve; null for all. The least and greatest value of each range stay.' }),
    after_step: z.int().min(0).optional().meta({ description: 'Only points of later steps.' }),
    group: z
      .string()
      .max(200)
      .optional()
      .meta({ description: 'An input, as `params.lr`: means and spread over the runs that share its value.' }),
  })
  .meta({
    id: 'CurveComparisonRequest',
    examples: [{ ids: ['01a20beb-33d9-744f-8650-f4571dc9f3fa'], metrics: ['loss'], points: 1000, group: 'params.lr' }],
  })
export type CurveComparisonRequest = z.infer<typeof curveComparisonRequestSchema>

/** Curves of several runs as columns. */
export const curveComparisonSchema = z
  .object({
    x: z.string().meta({ description: '`step`, `time` (seconds since the start of the run), or another metric.' }),
    series: z.array(comparedColumnsSchema).meta({ description: 'Metric by metric, each in the order of the ids.' }),
    params: z
      .record(z.string(), z.record(z.string(), z.json()))
      .meta({ description: 'Values of the inputs of each run, by its id.' }),
    groups: z.array(curveGroupSchema).nullable().meta({ description: 'Null unless a group is asked for.' }),
  })
  .meta({ id: 'CurveComparison' })
export type CurveComparison = z.infer<typeof curveComparisonSchema>
