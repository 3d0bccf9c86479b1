/**
 * The engines of one database, as each of them tells of all.
 * @module
 */
import * as z from 'zod'

import { timestampSchema } from './time.ts'

/** `none`: neither of the two has needed the other one. */
export const engineLinkStatusSchema = z.enum(['up', 'down', 'none'])
export type EngineLinkStatus = z.infer<typeof engineLinkStatusSchema>

/** An engine whose lease is not over. */
export const engineSchema = z
  .object({
    id: z.uuid().nullable().meta({ description: 'Another one with each start; null on the embedded database.' }),
    name: z.string().meta({ description: 'The machine and the process.' }),
    self: z.boolean().meta({ description: 'Whether it is the one that was asked.' }),
    version: z.string().meta({ description: 'Of the engine.' }),
    address: z
      .string()
      .nullable()
      .meta({ description: 'URL of its API; null before it listens, and on the embedded database.' }),
    started_at: timestampSchema,
    lease_s: z.number().nullable().meta({
      description: 'Seconds until its lease is over unless it is renewed; null on the embedded database.',
    }),
    flows: z.int().meta({ description: 'Live flows that it runs, paused ones included.' }),
    link: z
      .object({
        status: engineLinkStatusSchema.meta({ description: '`none`: neither of the two has needed the other one.' }),
        round_trip_ms: z.number().nullable().meta({ description: 'Null before it was measured.' }),
        unsent_bytes: z.int().meta({ description: 'That wait to be sent.' }),
      })
      .meta({ id: 'EngineLink' })
      .nullable()
      .meta({ description: 'From the engine that was asked; null for itself.' }),
  })
  .meta({ id: 'Engine' })
export type Engine = z.infer<typeof engineSchema>

/** Answer of `GET /engines`. */
export const engineListSchema = z
  .object({
    engines: z.array(engineSchema).meta({ description: 'Those that live, the oldest first.' }),
    flows: z
      .object({
        wished: z.int().meta({ description: 'Those that are to run.' }),
        nowhere: z.int().meta({ description: 'Those of them that no engine runs.' }),
        nowhere_names: z.array(z.string()).meta({ description: 'The first 20 of those by name.' }),
      })
      .meta({ id: 'PlacedFlows', description: 'Live flows of all engines, in numbers.' }),
    refused_writes: z.int().meta({
      description:
        'Values and pieces of work that the engine that was asked has not written, since it started: another engine ' +
        'had taken their flow.',
    }),
  })
  .meta({ id: 'EngineList' })
export type EngineList = z.infer<typeof engineListSchema>
