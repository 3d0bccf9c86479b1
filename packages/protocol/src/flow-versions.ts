/**
 * What was published of a flow, and how two contents of it differ (V23).
 * @module
 */
import * as z from 'zod'

import { layoutSchema } from './flow-layout.ts'
import { flowDocumentSchema } from './flow.ts'
import { timestampSchema } from './time.ts'

/** A content that was published. */
export const flowVersionSchema = z
  .object({
    version: z.int().meta({ description: 'The version of the flow under which it was published.' }),
    digest: z.string().meta({
      description: 'Of what runs of it execute, as the digest of a run: titles, description and layout do not count.',
    }),
    published_at: timestampSchema,
    published_by: z
      .string()
      .nullable()
      .meta({ description: 'E-mail address; null of a flow that is defined in code.' }),
    origin: z.enum(['api', 'code']).meta({ description: 'Whether the API or a module of code has published it.' }),
    runs: z.int().meta({ description: 'How many runs of the flow executed exactly this, drafts of it among them.' }),
  })
  .meta({ id: 'FlowVersion' })
/** A content that was published. */
export type FlowVersion = z.infer<typeof flowVersionSchema>

/** A published content with all of it. */
export const flowVersionContentSchema = flowVersionSchema
  .extend({
    document: flowDocumentSchema
      .extend({ layout: layoutSchema.meta({ description: 'The one layout that the flow has now.' }) })
      .meta({ description: 'The content, under the name that the flow has now.' }),
    sources: z.record(z.string(), z.string()).meta({
      description:
        'Code by the ids of nodes as it was published: shared code as the library had it, and for a node of a flow in code the text of its module.',
    }),
  })
  .meta({ id: 'FlowVersionContent' })
/** A published content with all of it. */
export type FlowVersionContent = z.infer<typeof flowVersionContentSchema>

/** One place of a document that has another value. */
export const changeSchema = z
  .object({
    path: z.string().meta({ description: 'JSON Pointer; of a node it begins at the node.' }),
    from: z.json().optional().meta({ description: 'Left out where there was nothing.' }),
    to: z.json().optional().meta({ description: 'Left out where there is nothing any more.' }),
  })
  .meta({ id: 'Change' })
/** One place of a document that has another value. */
export type Change = z.infer<typeof changeSchema>

/** How a node differs. */
export const nodeChangeSchema = z
  .object({
    id: z.string().meta({ description: 'Of the node.' }),
    change: z.enum(['added', 'removed', 'changed']).meta({ description: 'What has become of it.' }),
    fields: z.array(changeSchema).meta({
      description: 'All of a node that was added or removed; without its source, and the messages that names imply.',
    }),
    source: z.string().nullable().meta({
      description: 'Unified diff of its source (see `sources` of a version); null when that is the same.',
    }),
  })
  .meta({ id: 'NodeChange' })
/** How a node differs. */
export type NodeChange = z.infer<typeof nodeChangeSchema>

/** A value's way from a node to a node. */
export const wireSchema = z
  .object({
    message: z.string().meta({ description: 'Qualified name.' }),
    from: z
      .object({
        node: z.string().meta({ description: 'Id of the node.' }),
        port: z.string().meta({ description: 'Name of its port.' }),
      })
      .meta({ id: 'WireSource' })
      .nullable()
      .meta({ description: 'Null: no node of the flow produces it.' }),
    to: z
      .object({
        flow: z
          .string()
          .meta({ description: 'The flow, or another one that reads the message as it is published now.' }),
        node: z.string().meta({ description: 'Id of the node.' }),
        port: z.string().meta({ description: 'Name of its port.' }),
      })
      .meta({ description: 'What reads it.' }),
  })
  .meta({ id: 'Wire' })
/** A value's way from a node to a node. */
export type Wire = z.infer<typeof wireSchema>

/** Answer of `GET /flows/{name}/versions/{version}/diff`. */
export const flowDiffSchema = z
  .object({
    from: z.int().meta({ description: 'The version that is compared.' }),
    to: z
      .union([z.int(), z.enum(['draft', 'published'])])
      .meta({ description: 'A version, or what the flow has now.' }),
    flow: z.array(changeSchema).meta({
      description: 'Of the flow itself. `/nodes` has the ids that both have, where their order differs.',
    }),
    nodes: z.array(nodeChangeSchema).meta({ description: 'In the order of the newer document, removed ones last.' }),
    wires: z
      .object({
        added: z.array(wireSchema).meta({ description: 'Those that are new.' }),
        removed: z.array(wireSchema).meta({ description: 'Those that are gone.' }),
      })
      .meta({ description: 'Ways of values.' }),
  })
  .meta({ id: 'FlowDiff' })
/** How two contents of a flow differ. */
export type FlowDiff = z.infer<typeof flowDiffSchema>

/** Body of `restore`: the version of the flow that was read. */
export const restoreRequestSchema = z
  .strictObject({ version: z.int().min(0).meta({ description: 'The version of the flow that was read.' }) })
  .meta({ id: 'RestoreRequest' })
