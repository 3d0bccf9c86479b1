/**
 * Typed client of the flow-service HTTP API.
 * @module
 */
export { ApiError } from './api-error.ts'
export {
  Client,
  type ClientOptions,
  createClient,
  type MessageValue,
  RunFailed,
  type RunHandle,
  type SubmitArguments,
  type SubmitOptions,
  type SweepSpec,
  type SweepHandle,
} from './client.ts'
export type { MetricPoint } from './curve.ts'
export { SlowReader } from './event-queue.ts'
export type { EventOptions } from './event-stream.ts'
export type * from './generated/types.gen.ts'
export { type MediaFrame, MediaRefused } from './media-stream.ts'
export { TrackCancelled, TrackedRun, type TrackEnd, type TrackOptions } from './tracked-run.ts'
export { type Axes, grid, repeat, type SweepEntries, type SweepRuns } from './sweep.ts'
