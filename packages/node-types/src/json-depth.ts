/**
 * Bound of nesting for JSON from outside.
 * @module
 */

/** Whether a JSON value is nested deeper than so many levels; looks no deeper than that. */
export function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some((item) => isDeeper(item, levels - 1))
}
