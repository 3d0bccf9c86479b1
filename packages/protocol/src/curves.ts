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
    value: numberSchema,
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
