/**
 * The catalogue of node types as `GET /flows/node-types` answers it (wire decision G66).
 * @module
 */
import * as z from 'zod'

import { dtypeSchema } from './dtype.ts'
import { flowModeSchema } from './flow.ts'

/** Where a node type stands in the catalogue. */
export const nodeCategorySchema = z.enum(['function', 'network', 'logic', 'device', 'system', 'connector'])
/** A part of the catalogue of node types. */
export type NodeCategory = z.infer<typeof nodeCategorySchema>

/** A node type; `params` is the JSON Schema (2020-12) of its settings. */
export const nodeTypeSchema = z
  .object({
    type: z.string(),
    title: z.string(),
    description: z.string(),
    category: nodeCategorySchema,
    package: z.string().nullable(),
    version: z.string().nullable(),
    contract: z.int().nullable(),
    available: z.boolean(),
    missing: z.string().nullable(),
    modes: z.array(flowModeSchema),
    has_source: z.boolean(),
    superuser: z.boolean(),
    ports: z.object({
      inputs: z.enum(['none', 'any', 'fixed']),
      outputs: z.enum(['none', 'any', 'fixed']),
      fixed: z.array(
        z.object({
          direction: z.enum(['input', 'output']),
          port: z.string(),
          dtype: dtypeSchema,
          trigger: z.boolean(),
        }),
      ),
    }),
    params: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'NodeType' })
/** A node type as the catalogue shows it, with the JSON Schema of its settings. */
export type NodeType = z.infer<typeof nodeTypeSchema>
