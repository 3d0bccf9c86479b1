/**
 * Errors of the operating system, by their code: who reads and writes files asks here what has failed.
 * @module
 */

/** Whether it is an error of the system with this code. */
export const hasCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code

/** Null for a file that is not there; throws any other error. */
export function missingAsNull(error: unknown): null {
  if (hasCode(error, 'ENOENT')) return null
  throw error
}
