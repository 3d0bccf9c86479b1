/**
 * Tracked runs: another program executes them, and tells how they go (wire decision V27).
 * @module
 */
import * as z from 'zod'

import { digestSchema } from './artifact.ts'
import { numberSchema } from './curves.ts'
import { curveNameRule } from './name-rules.ts'
import { nameSchema } from './names.ts'
import { MAX_NOTE_CHARACTERS, MAX_RUN_TAGS, runTagSchema } from './run-annotation.ts'
import { seedSchema } from './run.ts'
import { timestampInputSchema, timestampSchema } from './time.ts'

/** Points of one request. */
const MAX_TRACKED_POINTS = 100_000
/** Curves of one tracked run; points of further ones are dropped. */
export const MAX_TRACKED_CURVES = 1000
/** Params of one tracked run, and its results. */
export const MAX_TRACKED_VALUES = 1000
/** Artifacts of one tracked run. */
export const MAX_TRACKED_ARTIFACTS = 1000
/** Largest body of `POST /runs/{id}/track`, in bytes. */
export const MAX_TRACKED_BYTES = 8 * 1024 * 1024

const storable = (text: string): boolean => text.isWellFormed() && !text.includes('\0')
const unstorable = 'use characters that can be stored: no U+0000, no half of a surrogate pair'

/** Values by names that people write into filters. */
const namedValuesSchema = z
  .record(
    z
      .string()
      .regex(/^[^\p{Cc}]{1,200}$/u, 'use 1 to 200 characters without control characters')
      .refine((name) => name.isWellFormed(), unstorable),
    z.json(),
  )
  .refine((values) => Object.keys(values).length <= MAX_TRACKED_VALUES, `use at most ${MAX_TRACKED_VALUES} names`)

/** Body of `POST /runs/track`. */
export const runTrackSchema = z
  .strictObject({
    id: z.uuidv7('use a UUID of version 7').optional().meta({
      description: 'Chosen by the client, so that it can ask again: a UUID of version 7. Else by the engine.',
    }),
    flow: nameSchema.meta({
      description: 'Under which name the run is listed. No flow has to be there, and none is made.',
    }),
    params: namedValuesSchema.default({}).meta({ description: 'What it was given, by name. Nothing is checked.' }),
    seed: seedSchema.optional().meta({ description: 'Seed of the run.' }),
    note: z
      .string()
      .max(MAX_NOTE_CHARACTERS)
      .refine(storable, unstorable)
      .default('')
      .meta({ description: 'What is written about it.' }),
    tags: z.array(runTagSchema).max(MAX_RUN_TAGS).default([]).meta({ description: 'Words by which it is found.' }),
    commit: z
      .string()
      .min(1)
      .max(200)
      .refine(storable, unstorable)
      .optional()
      .meta({ description: 'Commit of the sources that execute.' }),
    started_at: timestampInputSchema.optional().meta({ description: 'When it began; now unless given.' }),
  })
  .meta({ id: 'RunTrack', examples: [{ flow: 'fit', params: { lr: 0.01 }, tags: ['baseline'] }] })
/** How a tracked run begins. */
export type RunTrack = z.infer<typeof runTrackSchema>

const trackedCurveSchema = z
  .strictObject({
    name: z.string().regex(curveNameRule.pattern, curveNameRule.remedy).meta({ description: 'Of the curve.' }),
    steps: z.array(z.int().min(0)).meta({ description: 'Ascending, also behind those that were sent before.' }),
    values: z.array(numberSchema).meta({ description: 'As many as there are steps; NaN and infinities as strings.' }),
    ts: z
      .array(z.number().min(0).max(8_640_000_000_000))
      .optional()
      .meta({ description: 'When each was, in ms since 1970; the time of arrival unless given.' }),
  })
  .refine(({ steps, values, ts }) => values.length === steps.length && (ts?.length ?? steps.length) === steps.length, {
    path: ['values'],
    error: '"steps", "values" and "ts" have to be of one length',
  })
  .meta({ id: 'TrackedCurve' })

const trackedArtifactSchema = z
  .strictObject({
    name: z
      .string()
      .min(1)
      .max(255)
      .regex(/^[^\p{Cc}/\\]*$/u, 'use a file name: no control characters, "/" or "\\"')
      .refine((name) => name.isWellFormed(), unstorable)
      .meta({ description: 'File name, shown when the bytes are downloaded.' }),
    digest: digestSchema.meta({ description: 'Of bytes that were stored before.' }),
  })
  .meta({ id: 'TrackedArtifact' })

/** Body of `POST /runs/{id}/track`. */
export const runTrackAppendSchema = z
  .strictObject({
    seq: z.int().min(1).meta({ description: 'Counts what is sent of the run, from 1. Alone it says: still running.' }),
    metrics: z.array(trackedCurveSchema).max(MAX_TRACKED_CURVES).default([]).meta({ description: 'Points of curves.' }),
    params: namedValuesSchema
      .optional()
      .meta({ description: 'Further params; a known name has this value from now on.' }),
    result: namedValuesSchema.optional().meta({ description: 'Further results; likewise.' }),
    logs: z.string().optional().meta({ description: 'What the program has printed since.' }),
    artifacts: z
      .array(trackedArtifactSchema)
      .max(MAX_TRACKED_ARTIFACTS)
      .default([])
      .meta({ description: 'Stored bytes that belong to the run.' }),
    status: z.enum(['ok', 'error', 'cancelled']).optional().meta({ description: 'Ends the run.' }),
    error: z
      .strictObject({
        type: z.string().max(200).meta({ description: 'For programs: the class of an exception.' }),
        message: z.string().max(100_000).meta({ description: 'For people.' }),
      })
      .optional()
      .meta({ description: 'Why it failed; with `status: "error"`.' }),
  })
  .refine(({ metrics }) => metrics.reduce((sum, { steps }) => sum + steps.length, 0) <= MAX_TRACKED_POINTS, {
    path: ['metrics'],
    error: `send at most ${MAX_TRACKED_POINTS} points at once`,
  })
  .refine(({ status, error }) => error === undefined || status === 'error', {
    path: ['error'],
    error: '"error" goes with the status "error"',
  })
  .meta({
    id: 'RunTrackAppend',
    examples: [{ seq: 1, metrics: [{ name: 'loss', steps: [0, 1], values: [0.9, 'NaN'] }] }],
  })
/** What a tracked run has done since. */
export type RunTrackAppend = z.infer<typeof runTrackAppendSchema>

/** Answer to what a tracked run has told. */
export const runTrackedSchema = z
  .object({
    seq: z.int().meta({ description: 'The last that is stored.' }),
    lease_until: timestampSchema
      .nullable()
      .meta({ description: 'Until when to say something more; null of a run that is not running.' }),
    cancelled: z.boolean().meta({ description: 'Whether the run is cancelled: nothing more is stored. Stop.' }),
    dropped: z
      .record(z.string(), z.int())
      .meta({ description: 'Points that were not stored, by curve: their steps did not ascend.' }),
  })
  .meta({ id: 'RunTracked' })
/** Answer to what a tracked run has told. */
export type RunTracked = z.infer<typeof runTrackedSchema>
