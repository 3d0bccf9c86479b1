/**
 * Workers and their tokens as the API shows them (wire decisions G53, G55).
 * @module
 */
import * as z from 'zod'

import { nameSchema } from './names.ts'
import { timestampSchema } from './time.ts'

/** Labels that one worker may have. */
const MAX_LABELS = 50

/** Amounts of a machine. */
export const workerAmountsSchema = z
  .object({
    cpus: z.number().meta({ description: 'Processors.' }),
    gpus: z.number(),
    ram_mb: z.number().meta({ description: 'Memory in MB.' }),
  })
  .meta({ id: 'WorkerAmounts' })
/** What a machine has, or has left. */
export type WorkerAmounts = z.infer<typeof workerAmountsSchema>

/** A name or label of a worker: what `worker` of a node asks for. The engine's own worker has its name to itself. */
const wordSchema = nameSchema.refine(
  (word) => word !== 'engine',
  '"engine" is the engine\'s own worker: use another word',
)

/** Labels of a worker, each once. */
export const workerLabelsSchema = z
  .array(wordSchema)
  .max(MAX_LABELS)
  .refine((labels) => new Set(labels).size === labels.length, 'name each label once')

/** A call that a worker executes. */
const workerCallSchema = z
  .object({
    call: z.string(),
    flow: z.string(),
    node: z.string(),
    run: z.string().nullable().meta({ description: 'Null for a node of a live flow.' }),
    status: z.enum(['running', 'ending', 'lost']).meta({
      description:
        '`ending`: it was cancelled, or silent for too long, and the worker ends it. `lost`: the worker has gone on with it for a minute since; its place is free for others.',
    }),
    started_at: timestampSchema.meta({ description: 'When the call was handed to the worker.' }),
  })
  .meta({ id: 'WorkerCall' })

/** A worker of this engine; the engine's own agent is none. */
export const workerSchema = z
  .object({
    id: z
      .string()
      .meta({ description: 'Of the attachment: another one after each reconnection, unless its calls went on.' }),
    name: z.string().meta({ description: 'That of its token.' }),
    labels: z.array(z.string()),
    version: z.string().meta({ description: 'Of its package.' }),
    protocol: z.int(),
    status: z.enum(['attached', 'needs_upgrade']).meta({
      description:
        '`attached`: also while it has lost its link and may come back to its calls; `last_contact_at` is old then. `needs_upgrade`: it was refused because it speaks another version of the protocol. It stands here until a worker of the name attaches or the engine restarts.',
    }),
    parallel: z.int().meta({ description: 'Calls that it takes at a time.' }),
    calls: z.array(workerCallSchema),
    resources: workerAmountsSchema,
    free: workerAmountsSchema,
    python: z.string().nullable().meta({ description: 'Version of its interpreter; null when it has none.' }),
    platform: z.string().meta({ description: 'Such as `linux-x64`; empty when it was refused.' }),
    provisioned_by: z
      .object({
        provisioner: z.string().meta({ description: 'Name of the provisioner.' }),
        profile: z.string().meta({ description: 'Name of its profile.' }),
        job: z.string().meta({ description: 'Id that the scheduler gave the job.' }),
      })
      .meta({ id: 'WorkerOrigin' })
      .nullable()
      .meta({ description: 'The scheduler job that started it.' }),
    attached_at: timestampSchema,
    last_contact_at: timestampSchema,
  })
  .meta({ id: 'Worker' })
/** A worker of this engine. */
export type WorkerEntry = z.infer<typeof workerSchema>

/** A new token: the name and the labels that its workers get. */
export const workerTokenRequestSchema = z
  .strictObject({
    name: wordSchema.meta({ description: 'Name of the worker. No other live token may have it.' }),
    labels: workerLabelsSchema.default([]),
  })
  .meta({ id: 'WorkerTokenCreate' })
export type WorkerTokenRequest = z.output<typeof workerTokenRequestSchema>

/** A token without its text. */
export const workerTokenSchema = z
  .object({
    jti: z.string(),
    name: z.string(),
    labels: z.array(z.string()),
    created_at: timestampSchema,
    expires_at: timestampSchema,
    revoked_at: timestampSchema.nullable(),
    last_used_at: timestampSchema.nullable().meta({ description: 'To the minute.' }),
    provisioned: z.boolean().meta({ description: 'Made by the engine for a worker that it started itself.' }),
  })
  .meta({ id: 'WorkerToken' })
/** A token of workers without its text. */
export type WorkerToken = z.infer<typeof workerTokenSchema>

/** The one answer that has the token. */
export const mintedWorkerTokenSchema = z
  .object({
    token: z.string().meta({ description: 'Shown this once: give it to the worker as SERVICE_WORKER_TOKEN.' }),
    jti: z.string(),
    expires_at: timestampSchema,
    name: z.string(),
    labels: z.array(z.string()),
  })
  .meta({ id: 'WorkerTokenMinted' })
/** A new token of workers with its text. */
export type MintedWorkerToken = z.infer<typeof mintedWorkerTokenSchema>
