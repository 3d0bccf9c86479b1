/**
 * Runs that ended elsewhere, and are taken in with their curves and bytes (wire decision G33).
 * @module
 */
import * as z from 'zod'

import { numberSchema } from './curves.ts'
import { MAX_IMPORT_RUNS } from './limits.ts'
import { nameSchema } from './names.ts'
import { seedSchema } from './run.ts'
import { timestampInputSchema } from './time.ts'

/** A point of an imported curve; `name` is a message of the run's flow, bare or as `<flow>.<message>`. */
export const importedMetricPointSchema = z
  .strictObject({
    name: z.string().min(1).max(201).meta({ description: 'A message of the flow, bare or as `<flow>.<message>`.' }),
    step: z.int().min(0).meta({ description: 'Place of the point in its curve, from 0.' }),
    ts: timestampInputSchema.optional().meta({ description: 'Left out: the `created_at` of the run.' }),
    value: numberSchema.meta({ description: 'The value.' }),
  })
  .meta({ id: 'ImportedMetricPoint' })
export type ImportedMetricPoint = z.infer<typeof importedMetricPointSchema>

/** Bytes that an imported run brings. */
export const importedArtifactSchema = z
  .strictObject({
    name: z
      .string()
      .min(1)
      .max(255)
      .regex(/^[^\p{Cc}/\\]*$/u, 'use a file name: no control characters, "/" or "\\"')
      .meta({ description: 'File name, shown when the bytes are downloaded.' }),
    media_type: z
      .string()
      .regex(
        /^[\w!#$&^.+-]{1,127}\/[\w!#$&^.+-]{1,127}(?:;[\u0020-\u007e]{0,200})?$/,
        'use a media type such as image/png',
      )
      .default('application/octet-stream')
      .meta({ description: 'Media type of the bytes.' }),
    data: z.base64('use base64 with padding').meta({ description: 'The bytes in base64.' }),
  })
  .meta({ id: 'ImportedArtifact' })

/** A run that ended elsewhere. */
export const importedRunSchema = z
  .strictObject({
    flow: nameSchema.meta({ description: 'Name of a flow that is here.' }),
    external_id: z.string().min(1).max(200).meta({ description: 'Names the run for ever: a repeat is no other run.' }),
    params: z.record(z.string(), z.json()).default({}).meta({ description: 'Values of its inputs by name.' }),
    seed: seedSchema.optional().meta({ description: 'Seed of the run.' }),
    status: z
      .enum(['ok', 'error', 'cancelled', 'abandoned'], 'only finished runs can be imported')
      .meta({ description: 'How it ended.' }),
    created_at: timestampInputSchema.meta({ description: 'When it was submitted there.' }),
    finished_at: timestampInputSchema.optional().meta({ description: 'When it ended there; not known unless given.' }),
    result: z.record(z.string(), z.json()).optional().meta({ description: 'Its outputs by name.' }),
    metrics: z.array(importedMetricPointSchema).default([]).meta({ description: 'Points of all of its curves.' }),
    artifacts: z.array(importedArtifactSchema).max(1000).default([]).meta({ description: 'Bytes that it brings.' }),
  })
  .meta({ id: 'ImportedRun' })
export type ImportedRun = z.infer<typeof importedRunSchema>

/** Body of `POST /runs/import`. */
export const runImportSchema = z
  .strictObject({
    runs: z.array(importedRunSchema).min(1).max(MAX_IMPORT_RUNS).meta({ description: 'Runs that ended elsewhere.' }),
  })
  .meta({ id: 'RunImport' })

const takenInSchema = z
  .object({
    external_id: z.string().meta({ description: 'Of the entry.' }),
    id: z.uuid().meta({ description: 'Of the run here.' }),
    created: z.boolean().meta({ description: 'False where the run was known.' }),
  })
  .meta({ id: 'RunTakenIn' })

/** What became of the entries of an import; `created` is false where the run was known. */
export const runImportResultSchema = z
  .object({ runs: z.array(takenInSchema).meta({ description: 'In the order of the entries.' }) })
  .meta({ id: 'RunImportResult' })
export type RunImportResult = z.infer<typeof runImportResultSchema>
