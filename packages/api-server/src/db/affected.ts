/**
 * Checks the row count of a write. PGlite answers some failed writes (deeply nested JSON) with success and no row, and
 * a conditional update that met no row is a lost race: neither may pass unseen.
 * @module
 */

/** Returns the result of a write that changed exactly `count` rows; throws otherwise. */
export function affected<T extends { count: number }>(result: T, count: number): T {
  if (result.count === count) return result
  throw new Error(`a write changed ${result.count} rows where ${count} were expected: nothing was acknowledged`)
}
