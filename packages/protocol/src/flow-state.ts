/**
 * What the engine says about a flow: status, issues, node states, and the answers of the flow endpoints (G11, G18, G24-G27).
 * @module
 */
import * as z from 'zod'

import { layoutSchema } from './flow-layout.ts'
import { flowDocumentSchema, flowModeSchema } from './flow.ts'
import { timestampSchema } from './time.ts'

/** Status of a flow; `failed` means that it should be active but could not be built. */
export const flowStatusSchema = z.enum(['draft', 'ready', 'stopped', 'active', 'paused', 'failed']).meta({
  id: 'FlowStatus',
  description: '`ready`: a batch flow that can run. `failed`: it should be active, and could not be built.',
})
/** Status of a flow. */
export type FlowStatus = z.infer<typeof flowStatusSchema>

/** What an issue is about. */
export const issueCodes = [
  'duplicate_node_id',
  'duplicate_port',
  'unknown_type',
  'bad_setting',
  'missing_setting',
  'bad_source',
  'port_not_identifier',
  'name_collision',
  'dtype_mismatch',
  'unproduced_message',
  'unproduced_output',
  'duplicate_producer',
  'cycle',
  'interval_on_batch_port',
  'live_only_node',
  'unknown_output',
  'missing_source',
  'no_entry',
  'unsupported_target',
  'unsupported_ports',
  'missing_dependency',
  'unknown_secret',
  'unknown_device',
  'unknown_library',
  'unknown_message',
  'unknown_flow',
  'unknown_run',
  'unknown_metric',
  'unknown_artifact',
  'unknown_flavor',
  'unknown_python',
  'unbundlable_dependency',
  'module_missing',
  'worker_ignored',
  'retry_ignored',
  'source_ignored',
  'plain_credential',
  'connector_down',
  'device_offline',
  'device_port_unknown',
  'webhook_without_secret',
  'send_queue_overflow',
  'start_failed',
  'shadowed_route',
] as const
/** A stable word for what an issue is about. */
export type IssueCode = (typeof issueCodes)[number]

/** `error` blocks publish, start and run; `warning` works but impaired; `advisory` is advice. */
export const issueSchema = z
  .object({
    severity: z
      .enum(['error', 'warning', 'advisory'])
      .meta({ description: '`error` keeps the flow from being published, started and run.' }),
    code: z.enum(issueCodes).meta({ description: 'For programs.' }),
    message: z.string().meta({ description: 'What is wrong, and what to do.' }),
    node: z.string().nullable().meta({ description: 'Id of the node; null where it is about the flow.' }),
    path: z.string().nullable().meta({ description: 'JSON Pointer into the document.' }),
  })
  .meta({ id: 'Issue' })
/** A finding about a flow: what is wrong, where, and what to do. Only an `error` blocks. */
export type Issue = z.infer<typeof issueSchema>

/** State of connections of a node. */
export const healthSchema = z.enum(['ok', 'degraded', 'down'])
/** How the connections of a node are. */
export type Health = z.infer<typeof healthSchema>

/** State of one node of a live flow; `failed` is the failure marker. */
export const nodeStateSchema = z
  .object({
    flow: z.string().meta({ description: 'Name of the flow.' }),
    node: z.string().meta({ description: 'Id of the node.' }),
    status: z.enum(['idle', 'queued', 'running', 'failed']).meta({
      description: '`failed` is the failure marker, which stays until it is acknowledged or the node changes.',
    }),
    health: healthSchema.meta({ description: 'How its connections are.' }),
    message: z.string().nullable().meta({ description: 'What it says of its health; null when nothing.' }),
    error: z
      .object({
        type: z.string().meta({ description: 'For programs: the class of an exception, or a word of the engine.' }),
        message: z.string().meta({ description: 'For people.' }),
        traceback: z
          .string()
          .nullable()
          .meta({ description: 'With the lines of its source; null of nodes without code.' }),
        ts: timestampSchema.meta({ description: 'When it happened.' }),
      })
      .meta({ id: 'NodeError' })
      .nullable()
      .meta({ description: 'The last failure; null when there is none to be told.' }),
  })
  .meta({ id: 'NodeState' })
/** A node of a live flow at this moment. */
export type NodeState = z.infer<typeof nodeStateSchema>

/** A flow as the API answers it: the document in normal form and what the engine says about it. */
export const flowSchema = flowDocumentSchema
  .extend({
    layout: layoutSchema,
    status: flowStatusSchema.meta({ description: 'What the flow is doing.' }),
    issues: z.array(issueSchema).meta({ description: 'What is wrong with it, errors first.' }),
    held: z.int().meta({ description: 'Deliveries that wait while it is paused.' }),
    has_draft: z.boolean().meta({ description: 'Whether something is saved and not published.' }),
    published_version: z.int().nullable().meta({ description: 'What is published; null while nothing is.' }),
    is_draft: z.boolean().meta({ description: 'Whether this document is the draft.' }),
    origin: z
      .enum(['api', 'code'])
      .meta({ description: 'Whether it was made over the API, or by code of the engine.' }),
    code: z
      .object({
        module: z.string().meta({ description: 'The module that defines it.' }),
        digest: z.string().meta({ description: 'Of its code.' }),
        commit: z.string().nullable().meta({ description: 'Commit of its sources, as far as it is known.' }),
      })
      .meta({ id: 'FlowCode' })
      .nullable()
      .meta({ description: 'Where a flow in code comes from; null of others.' }),
    node_states: z
      .array(nodeStateSchema)
      .meta({ description: 'Its nodes while it is active, and failure markers of others.' }),
    created_at: timestampSchema,
    updated_at: timestampSchema,
    updated_by: z.string().nullable().meta({ description: 'Address of who has saved it last; null of flows in code.' }),
  })
  .meta({ id: 'Flow' })
/** A flow as the API answers it: its document, status, issues and versions. */
export type Flow = z.infer<typeof flowSchema>

/** A flow that was published, and the nodes that were made anew for it. */
export const publishedFlowSchema = flowSchema
  .extend({
    rebuilt: z.array(z.string()).meta({
      description:
        'Ids of the nodes that were made anew, then of those that have gone; none where the flow is not active.',
    }),
  })
  .meta({ id: 'PublishedFlow' })
/** A flow that was published, and the ids of the nodes that were made anew or have gone. */
export type PublishedFlow = z.infer<typeof publishedFlowSchema>

/** A row of `GET /flows/`. */
export const flowListItemSchema = z
  .object({
    name: z.string().meta({ description: 'By which it is addressed.' }),
    title: z.string().meta({ description: 'For people; empty when it has none.' }),
    mode: flowModeSchema.meta({ description: 'Live or batch.' }),
    status: flowStatusSchema.meta({ description: 'What the flow is doing.' }),
    held: z.int().meta({ description: 'Deliveries that wait while it is paused.' }),
    version: z.int().meta({ description: 'Grows with every save.' }),
    published_version: z.int().nullable().meta({ description: 'What is published; null while nothing is.' }),
    has_draft: z.boolean().meta({ description: 'Whether something is saved and not published.' }),
    origin: z
      .enum(['api', 'code'])
      .meta({ description: 'Whether it was made over the API, or by code of the engine.' }),
    issues: z
      .object({
        error: z.int().meta({ description: 'Those that block it.' }),
        warning: z.int().meta({ description: 'Those with which it works, but impaired.' }),
        advisory: z.int().meta({ description: 'Those that are advice.' }),
      })
      .meta({ description: 'How many issues it has.' }),
    failed_nodes: z.int().meta({ description: 'Nodes with a failure marker, also while the flow is stopped.' }),
    updated_at: timestampSchema,
    last_activity_at: timestampSchema.nullable().meta({
      description:
        'When it last did something: the newest value of its messages, the newest execution in it while this engine runs it, or its newest run; null until then.',
    }),
  })
  .meta({ id: 'FlowListItem' })
/** A flow in the list: without nodes, with counts of its issues. */
export type FlowListItem = z.infer<typeof flowListItemSchema>

/** Answer of `start` and `stop`; `held` counts deliveries that wait while the flow is paused. */
export const flowStateSchema = z
  .object({
    name: z.string().meta({ description: 'Of the flow.' }),
    status: flowStatusSchema.meta({ description: 'What it is doing now.' }),
    held: z.int().meta({ description: 'Deliveries that wait while it is paused.' }),
  })
  .meta({ id: 'FlowState' })
export type FlowState = z.infer<typeof flowStateSchema>

/** Answer of `validate`; `valid` means that no issue is an error. */
export const validationResultSchema = z
  .object({
    valid: z.boolean().meta({ description: 'Whether no issue is an error.' }),
    issues: z.array(issueSchema).meta({ description: 'What is wrong with it.' }),
  })
  .meta({ id: 'ValidationResult' })
export type ValidationResult = z.infer<typeof validationResultSchema>
