/**
 * What is told of an error that ended an execution.
 * @module
 */
import { MAX_CASCADE_EXECUTIONS } from '@flow-service/protocol'

import { CodeError } from './host.ts'
import { tracebackOf } from './traceback.ts'

/** An error as node states and records carry it. */
export interface Failure {
  /** The exception's name, or one of the words of `CodeError`. */
  readonly type: string
  readonly message: string
  /** Lines of whoever wrote the code that failed; null where that is us. */
  readonly traceback: string | null
}

/** A cascade has executed too much. */
export const loopLimit: Failure = {
  type: 'loop_limit',
  message: `the cascade passed ${MAX_CASCADE_EXECUTIONS} executions and was stopped; break the loop with a passive input`,
  traceback: null,
}

/** Describes anything thrown; a thrown object may fail when it is asked for its text. */
export function failureOf(error: unknown): Failure {
  try {
    if (error instanceof CodeError) return { type: error.type, message: error.message, traceback: error.traceback }
    if (error instanceof Error)
      return { type: String(error.name), message: String(error.message), traceback: tracebackOf(error) }
  } catch {
    // told by the text below
  }
  return { type: 'Error', message: textOf(error), traceback: null }
}

/** The text of anything thrown, in one line where it is an error: `TypeError: x is not a function`. */
export function textOf(thrown: unknown): string {
  try {
    return String(thrown)
  } catch {
    return 'it threw an object that has no text'
  }
}
