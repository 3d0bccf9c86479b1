/**
 * Values on their way into the database.
 * @module
 */

/**
 * The JSON text of a value, or null when it has none (a cycle, a bigint) or takes more than `maxBytes` bytes of UTF-8.
 */
export function boundedJson(value: unknown, maxBytes: number): string | null {
  const text = jsonOf(value)
  if (text === null || text.length > maxBytes) return null
  // a UTF-16 unit takes at most three bytes
  return text.length * 3 > maxBytes && Buffer.byteLength(text) > maxBytes ? null : text
}

function jsonOf(value: unknown): string | null {
  try {
    return JSON.stringify(value) ?? null
  } catch {
    return null
  }
}
