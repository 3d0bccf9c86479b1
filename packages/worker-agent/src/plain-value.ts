/**
 * What TypeScript node code publishes, made into JSON values, or an error that says how to send it.
 * @module
 */

const MAX_DEPTH = 64

/**
 * The JSON form of a value. NaN and the infinities pass on ports of dtype float, in the spelling of protobuf's JSON
 * mapping. Throws a TypeError for what JSON cannot carry.
 */
export function plainValue(value: unknown, dtype: string, depth = 0): unknown {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value
  if (typeof value === 'object') return plainObject(value, depth)
  if (typeof value !== 'number') throw new TypeError(`a ${typeof value} has no JSON form`)
  if (Number.isFinite(value)) return value
  if (dtype === 'float') return String(value)
  throw new TypeError(`${value} can only travel as the value of a float port`)
}

/** About as many characters as the JSON text of such a value has. */
export function roughSize(value: unknown): number {
  if (typeof value === 'string') return value.length + 2
  if (typeof value !== 'object' || value === null) return 8
  if (Array.isArray(value)) return value.reduce((size: number, item) => size + roughSize(item) + 1, 2)
  return Object.entries(value).reduce((size, [key, item]) => size + key.length + roughSize(item) + 4, 2)
}

/** The number behind a float port's spelling of NaN and the infinities; any other value as it is. */
export const numberOf = (value: unknown): unknown =>
  value === 'NaN' || value === 'Infinity' || value === '-Infinity' ? Number(value) : value

function plainObject(value: object, depth: number): unknown {
  if (depth === MAX_DEPTH) throw new TypeError(`it is nested deeper than ${MAX_DEPTH} levels`)
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer)
    throw new TypeError('bytes do not travel in messages: store them with ctx.saveArtifact() and send its reference')
  if (Array.isArray(value)) return value.map((item) => plainValue(item ?? null, 'any', depth + 1))
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null)
    throw new TypeError(`a ${value.constructor?.name ?? 'class instance'} has no JSON form: send a plain object`)
  const plain: [string, unknown][] = []
  for (const [key, item] of Object.entries(value))
    if (item !== undefined) plain.push([key, plainValue(item, 'any', depth + 1)])
  return Object.fromEntries(plain)
}
