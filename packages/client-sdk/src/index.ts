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
} from './client.ts'
export type { EventOptions } from './event-stream.ts'
export type * from './generated/types.gen.ts'
