/**
 * The graph of everything that exchanges messages (G77): flows, and what is wired to them from outside.
 * @module
 */
import * as z from 'zod'

import { flowStatusSchema, healthSchema } from './flow-state.ts'
import { flowModeSchema } from './flow.ts'

const flowGraphNodeSchema = z
  .object({
    id: z.string().meta({ description: 'Kind and name: `flow:climate`.' }),
    kind: z.enum(['flow', 'device']).meta({ description: 'A flow, or a device that flows wire.' }),
    name: z.string().meta({ description: 'Name of the flow, or id of the device.' }),
    mode: flowModeSchema.nullable().meta({ description: 'Null for devices.' }),
    status: flowStatusSchema.nullable().meta({ description: 'Null for devices.' }),
    health: healthSchema.meta({
      description: 'The worst of its nodes, a failed one is `degraded`; `down` for a flow that failed to start.',
    }),
    issues: z.int().meta({ description: 'How many issues it has, of any severity.' }),
  })
  .meta({ id: 'FlowGraphNode' })

const flowGraphEdgeSchema = z
  .object({
    from: z.string().meta({ description: 'Id of the node whose messages are read, or which publishes them.' }),
    to: z.string().meta({ description: 'Id of the node that reads them.' }),
    messages: z.array(z.string()).meta({ description: 'Qualified names, sorted.' }),
  })
  .meta({ id: 'FlowGraphEdge' })

/** Answer of `GET /flows/graph`. */
export const flowGraphSchema = z
  .object({
    nodes: z.array(flowGraphNodeSchema).meta({ description: 'Flows and devices.' }),
    edges: z.array(flowGraphEdgeSchema).meta({ description: 'Who reads messages of whom.' }),
  })
  .meta({ id: 'FlowGraph' })
export type FlowGraph = z.infer<typeof flowGraphSchema>
