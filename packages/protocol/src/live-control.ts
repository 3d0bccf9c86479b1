/**
 * Bodies and answers of the operations on active flows and their nodes (wire decisions G24, G26, G27).
 * @module
 */
import * as z from 'zod'

import { flowStateSchema, nodeStateSchema } from './flow-state.ts'

/** Answer of `step`; `released` counts deliveries let through. */
export const stepResultSchema = flowStateSchema
  .extend({ released: z.int().meta({ description: 'Deliveries that were let through.' }) })
  .meta({ id: 'StepResult' })
export type StepResult = z.infer<typeof stepResultSchema>

/** Body of `trigger`: values by port. */
export const triggerRequestSchema = z
  .strictObject({
    values: z
      .record(z.string(), z.json())
      .default({})
      .meta({ description: 'Values by input port, in place of the last ones.' }),
  })
  .meta({ id: 'TriggerRequest' })

/** Answer of `trigger`. */
export const triggerResultSchema = z
  .object({ cascade: z.string().meta({ description: 'What it has set off, by id.' }) })
  .meta({ id: 'TriggerResult' })
export type TriggerResult = z.infer<typeof triggerResultSchema>

/** Answer of a node's `cancel`: how many executions were ended. */
export const nodeCancelResultSchema = z
  .object({ cancelled: z.int().meta({ description: 'Executions that were ended.' }) })
  .meta({ id: 'NodeCancelResult' })
export type NodeCancelResult = z.infer<typeof nodeCancelResultSchema>

/** Body of a flow's `run`: values by the name of the flow's inputs. */
export const flowRunRequestSchema = z
  .strictObject({
    inputs: z
      .record(z.string(), z.json())
      .default({})
      .meta({ description: 'Values by the name of an input, in place of the initial ones.' }),
  })
  .meta({ id: 'FlowRunRequest' })

/** What came of running a live flow once by itself: the last value of each message, by qualified name. */
export const liveRunResultSchema = z
  .object({
    cascade: z.string().meta({ description: 'What it has set off, by id.' }),
    status: z.enum(['ok', 'error', 'timed_out']).meta({ description: '`timed_out`: it was not over in time.' }),
    values: z.record(z.string(), z.json()).meta({ description: 'The last value of each message, by qualified name.' }),
    nodes: z.array(nodeStateSchema).meta({ description: 'How each node is.' }),
  })
  .meta({ id: 'LiveRunResult' })
export type LiveRunResult = z.infer<typeof liveRunResultSchema>
