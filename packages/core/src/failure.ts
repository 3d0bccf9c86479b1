/**
 * What is told of an error that ended an execution.
 * @module
 */
import { CodeError } from './host.ts'

/** An error as node states and records carry it. */
export interface Failure {
  /** The exception's name, or one of the words of `CodeError`. */
  readonly type: string
  readonly message: string
  readonly traceback: string | null
}

/** Describes anything thrown. */
export function failureOf(error: unknown): Failure {
  if (error instanceof CodeError) return { type: error.type, message: error.message, traceback: error.traceback }
  if (error instanceof Error) return { type: error.name, message: error.message, traceback: error.stack ?? null }
  return { type: 'Error', message: String(error), traceback: null }
}
