/**
 * Frames of the event socket `/flows/ws` (wire decisions G46, V19-V21). Clients ignore types they do not know.
 * @module
 */
import * as z from 'zod'

import { flowStatusSchema, healthSchema, nodeStateSchema } from './flow-state.ts'
import { flowModeSchema } from './flow.ts'
import { moduleProgressSchema, moduleStateSchema } from './modules.ts'
import { nodeRunStatusSchema } from './run-status.ts'
import { runSummarySchema } from './run.ts'
import { timestampSchema } from './time.ts'

/**
 * `seq` is a number of the engine, larger with each text frame of a socket. It is not dense there: a gap is no loss.
 */
const framed = { seq: z.int(), ts: timestampSchema }

/**
 * First frame: the whole state that later frames change. `runs` are the active ones; `ts` of a value is null while it is
 * the initial one of a flow input.
 */
export const snapshotFrameSchema = z.object({
  type: z.literal('snapshot'),
  ...framed,
  engine_version: z.string(),
  /** Id of this start of the engine, to which `seq` belongs. */
  engine: z.string(),
  flows: z.array(z.object({ name: z.string(), mode: flowModeSchema, status: flowStatusSchema, held: z.int() })),
  nodes: z.array(nodeStateSchema),
  values: z.array(z.object({ message: z.string(), value: z.json(), ts: timestampSchema.nullable() })),
  health: z.array(
    z.object({
      flow: z.string(),
      node: z.string(),
      status: healthSchema,
      message: z.string().nullable(),
      ts: timestampSchema,
    }),
  ),
  runs: z.array(runSummarySchema),
})

/**
 * The state of a node, in a live flow (`run` null) or in a run. A live node is told of when a state lasts for 50 ms, when it
 * fails and when that is over, and else at most once a second; `executions` began since it was last told of. In a run,
 * where it executes once, `executions` is null.
 */
export const nodeFrameSchema = z.object({
  type: z.literal('node'),
  ...framed,
  flow: z.string(),
  node: z.string(),
  run: z.string().nullable(),
  status: z.union([nodeRunStatusSchema, z.enum(['idle', 'failed'])]),
  cached: z.boolean(),
  error: z.object({ type: z.string(), message: z.string() }).nullable(),
  executions: z.int().nullable(),
})

/** A message has a new value; `step` counts streamed numbers of a run. */
export const valueFrameSchema = z.object({
  type: z.literal('value'),
  ...framed,
  message: z.string(),
  value: z.json(),
  flow: z.string(),
  node: z.string().nullable(),
  port: z.string().nullable(),
  run: z.string().nullable(),
  step: z.int().nullable(),
})

/** The connections of a node changed state. */
export const healthFrameSchema = z.object({
  type: z.literal('health'),
  ...framed,
  flow: z.string(),
  node: z.string(),
  status: healthSchema,
  message: z.string().nullable(),
})

/** A run changed state. */
export const runFrameSchema = z.object({ type: z.literal('run'), ...framed, run: runSummarySchema })

/** A flow changed state. */
export const flowFrameSchema = z.object({
  type: z.literal('flow'),
  ...framed,
  name: z.string(),
  status: flowStatusSchema,
  held: z.int(),
  version: z.int(),
})

/**
 * What the code of a node has printed, for sockets that ask for `kinds=log`. `offset` counts the bytes of what it has printed
 * before: in a run since the node began, in a live flow since the engine started. A gap is text that was left out.
 */
export const logFrameSchema = z.object({
  type: z.literal('log'),
  ...framed,
  flow: z.string(),
  node: z.string(),
  run: z.string().nullable(),
  offset: z.int(),
  text: z.string(),
})

/** The modules of the engine change, or have changed. No flow is named, so sockets that are limited to flows hear none. */
export const modulesFrameSchema = z.object({
  type: z.literal('modules'),
  ...framed,
  state: moduleStateSchema,
  progress: moduleProgressSchema.nullable(),
  error: z.string().nullable(),
})

/** What a socket may be limited to; `log` is told to those alone that name it. */
export const frameKindSchema = z.enum(['node', 'value', 'health', 'run', 'flow', 'log', 'modules'])
/** A kind of frames that tell of changes. */
export type FrameKind = z.infer<typeof frameKindSchema>

/** Answer to a frame the engine does not understand; the socket stays open. */
export const errorFrameSchema = z.object({ type: z.literal('error'), ...framed, code: z.string(), detail: z.string() })

/** Any text frame from the engine. */
export const eventFrameSchema = z.discriminatedUnion('type', [
  snapshotFrameSchema,
  nodeFrameSchema,
  valueFrameSchema,
  healthFrameSchema,
  runFrameSchema,
  flowFrameSchema,
  logFrameSchema,
  modulesFrameSchema,
  errorFrameSchema,
])
/** The state of the engine as a socket gets it first. */
export type SnapshotFrame = z.infer<typeof snapshotFrameSchema>
/** Any text frame from the engine; `type` tells which. */
export type EventFrame = z.infer<typeof eventFrameSchema>

/** An event before a socket numbers and stamps it. */
export type EngineEvent =
  Exclude<EventFrame, { type: 'snapshot' | 'error' }> extends infer F
    ? F extends unknown
      ? Omit<F, 'seq' | 'ts'>
      : never
    : never
