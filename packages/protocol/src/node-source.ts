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
    flow: z.string().meta({ description: 'Name of the flow.' }),
    node: z.string().meta({ description: 'Id of the node.' }),
    code: z.string().meta({ description: 'The text.' }),
    library: z.string().nullable().meta({ description: 'The library source that the node uses; null: its own code.' }),
    digest: digestSchema.meta({ description: 'SHA-256 of the text.' }),
    version: z.int().meta({ description: 'Of the flow, or of the library source where the code is shared.' }),
  })
  .meta({ id: 'NodeSource' })
export type NodeSource = z.infer<typeof nodeSourceSchema>

/** New code of a node; with a `version` only when it is still the current one. */
export const sourceUpdateSchema = z
  .strictObject({
    code: z.string().max(1_000_000).meta({ description: 'The new text.' }),
    version: z.int().min(1).optional().meta({ description: 'As the source was read; left out: whatever it is now.' }),
  })
  .meta({ id: 'SourceUpdate' })

/** Name of the library source to make. */
export const shareRequestSchema = z
  .strictObject({ name: nameSchema.optional().meta({ description: 'Defaults to the id of the node.' }) })
  .meta({ id: 'ShareRequest' })

/** A node that uses a library source, and in which forms of its flow it does. */
export const libraryUseSchema = z
  .object({
    flow: z.string().meta({ description: 'Name of the flow.' }),
    node: z.string().meta({ description: 'Id of the node.' }),
    draft: z.boolean().meta({ description: 'Whether the draft of the flow uses it.' }),
    published: z.boolean().meta({ description: 'Whether the published flow uses it.' }),
  })
  .meta({ id: 'LibraryUse' })
export type LibraryUse = z.infer<typeof libraryUseSchema>

/** Code that several nodes share. */
export const librarySourceSchema = z
  .object({
    name: z.string().meta({ description: 'By which nodes refer to it.' }),
    code: z.string().meta({ description: 'The text.' }),
    digest: digestSchema.meta({ description: 'SHA-256 of the text.' }),
    used_by: z.array(libraryUseSchema).meta({ description: 'Nodes that refer to it.' }),
    updated_at: timestampSchema,
  })
  .meta({ id: 'LibrarySource' })
export type LibrarySource = z.infer<typeof librarySourceSchema>
