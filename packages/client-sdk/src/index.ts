/**
 * Typed client of the flow-service HTTP API.
 * @module
 */
export { ApiError } from './api-error.ts'
export type { ArtifactNamed, FlowNamed, MessageNamed, Received, Request, RunNamed } from './call.ts'
export { Client, type ClientOptions, createClient } from './client.ts'
export type { MetricPoint } from './curve.ts'
export { SlowReader } from './event-queue.ts'
export type { EventOptions } from './event-stream.ts'
export type * from './generated/facade.gen.ts'
export type * from './generated/types.gen.ts'
export type { HttpClient } from './http-client.ts'
export { type MediaFrame, MediaRefused } from './media-stream.ts'
export type { ArtifactCalls, MessageCalls, MessageValue, MetricCalls } from './message-calls.ts'
export {
  type AnyParams,
  type AnyResult,
  type PlanSpec,
  type RunCalls,
  RunFailed,
  type RunHandle,
  type SubmitArguments,
  type SubmitOptions,
  type SweepHandle,
  type SweepSpec,
} from './run-calls.ts'
export { type Axes, grid, repeat, type SweepEntries, type SweepRuns } from './sweep.ts'
export { TrackCancelled, TrackedRun, type TrackEnd, type TrackOptions } from './tracked-run.ts'
