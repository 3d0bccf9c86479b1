/**
 * What is told of an error that ended an execution.
 * @module
 */
import { MAX_CASCADE_EXECUTIONS } from '@flow-service/protocol'

import { CodeError } from './host.ts'

/** An error as node states and records carry it. */
export interface Failure {
  /** The exception's name, or one of the words of `CodeError`. */
  readonly type: string
  readonly message: string
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
      return { type: String(error.name), message: String(error.message), traceback: shownStack(error.stack) }
  } catch {
    // told by the text below
  }
  return { type: 'Error', message: textOf(error), traceback: null }
}

/** A frame of a stack, with the file that it names. */
const frame = /^(\s+at (?:async )?(?:.*? \()?)(?:file:\/\/)?(.+)(:\d+:\d+\)?)$/
/** Longer lines are the text of an error. */
const MAX_FRAME = 1000

/** The stack without the directories of this machine: a file of a package is named from there, any other one by itself. */
const shownStack = (stack: unknown): string | null =>
  typeof stack === 'string'
    ? stack
        .split('\n')
        .map((line) => (line.length > MAX_FRAME ? line : line.replace(frame, shortFrame)))
        .join('\n')
    : null

const shortFrame = (_: string, before: string, file: string, after: string): string =>
  `${before}${shortName(file)}${after}`

function shortName(file: string): string {
  if (file.startsWith('node:')) return file
  const inPackage = file.lastIndexOf('node_modules')
  return inPackage < 0 ? file.slice(Math.max(file.lastIndexOf('/'), file.lastIndexOf('\\')) + 1) : file.slice(inPackage)
}

/** The text of anything thrown, in one line where it is an error: `TypeError: x is not a function`. */
export function textOf(thrown: unknown): string {
  try {
    return String(thrown)
  } catch {
    return 'it threw an object that has no text'
  }
}
