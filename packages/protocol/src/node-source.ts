/**
 * The code of a node, and the library of code that nodes share (wire decision G22).
 * @module
 */
import * as z from 'zod'

import { digestSchema } from './artifact.ts'
import { nameSchema } from './names.ts'
import { timestampSchema } from './time.ts'

/** The code that a node executes; `version` is the flow's, or the library source's where the code is shared. */
export const nodeSourceSchema = z
  .object({
    flow: z.string(),
    node: z.string(),
    code: z.string(),
    library: z.string().nullable().meta({ description: 'The library source that the node uses; null: its own code.' }),
    digest: digestSchema,
    version: z.int(),
  })
  .meta({ id: 'NodeSource' })
export type NodeSource = z.infer<typeof nodeSourceSchema>

/** New code of a node; with a `version` only when it is still the current one. */
export const sourceUpdateSchema = z
  .strictObject({
    code: z.string().max(1_000_000),
    version: z.int().min(1).optional().meta({ description: 'As the source was read; left out: whatever it is now.' }),
  })
  .meta({ id: 'SourceUpdate' })

/** Name of the library source to make. */
export const shareRequestSchema = z
  .strictObject({ name: nameSchema.optional().meta({ description: 'Defaults to the id of the node.' }) })
  .meta({ id: 'ShareRequest' })

/** A node that uses a library source, and in which forms of its flow it does. */
export const libraryUseSchema = z
  .object({ flow: z.string(), node: z.string(), draft: z.boolean(), published: z.boolean() })
  .meta({ id: 'LibraryUse' })
export type LibraryUse = z.infer<typeof libraryUseSchema>

/** Code that several nodes share. */
export const librarySourceSchema = z
  .object({
    name: z.string(),
    code: z.string(),
    digest: digestSchema,
    used_by: z.array(libraryUseSchema),
    updated_at: timestampSchema,
  })
  .meta({ id: 'LibrarySource' })
export type LibrarySource = z.infer<typeof librarySourceSchema>
