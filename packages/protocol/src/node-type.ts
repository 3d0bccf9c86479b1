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
    type: z.string().meta({ description: 'What `type` of a node names.' }),
    title: z.string().meta({ description: 'For people.' }),
    description: z.string().meta({ description: 'What it does.' }),
    category: nodeCategorySchema.meta({ description: 'Where it stands in the catalogue.' }),
    package: z.string().nullable().meta({ description: 'npm package that it comes from; null of built-in types.' }),
    version: z.string().nullable().meta({ description: 'Of that package.' }),
    contract: z
      .int()
      .nullable()
      .meta({ description: 'Of the interface between engine and package; null of built-in types.' }),
    available: z.boolean().meta({ description: 'Whether nodes of it can start here.' }),
    missing: z
      .string()
      .nullable()
      .meta({ description: 'What has to be installed for that; null when nothing is missing.' }),
    modes: z.array(flowModeSchema).meta({ description: 'Kinds of flows that may have it.' }),
    has_source: z.boolean().meta({ description: 'Whether its nodes have code.' }),
    superuser: z.boolean().meta({ description: 'Whether only superusers may add nodes of it, and change their code.' }),
    ports: z
      .object({
        inputs: z.enum(['none', 'any', 'fixed']).meta({ description: '`any`: as its node declares them.' }),
        outputs: z.enum(['none', 'any', 'fixed']).meta({ description: '`any`: as its node declares them.' }),
        fixed: z
          .array(
            z.object({
              direction: z
                .enum(['input', 'output'])
                .meta({ description: 'Whether the node reads or publishes there.' }),
              port: z.string().meta({ description: 'By which it is known.' }),
              dtype: dtypeSchema.meta({ description: 'Type of its values.' }),
              trigger: z.boolean().meta({ description: 'Whether an arrival runs the node.' }),
            }),
          )
          .meta({ description: 'Ports that each of its nodes has.' }),
      })
      .meta({ description: 'Which ports its nodes may have.' }),
    params: z.record(z.string(), z.unknown()).meta({ description: 'JSON Schema (2020-12) of its settings.' }),
  })
  .meta({ id: 'NodeType' })
/** A node type as the catalogue shows it, with the JSON Schema of its settings. */
export type NodeType = z.infer<typeof nodeTypeSchema>
