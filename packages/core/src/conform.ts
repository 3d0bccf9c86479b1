/**
 * Values on their way out of a node: the port exists, the dtype holds (G12), and every reader can write it as JSON.
 * @module
 */
import { DtypeViolation, type Values } from '@flow-service/connector-sdk'
import { accepts, describeValue, type Dtype, type StoredKind } from '@flow-service/protocol'

import { StoredValue } from './stored-value.ts'

/** Levels of lists and objects: writing far more than these as JSON overflows the stack of whoever reads the value. */
const MAX_LEVELS = 1000

/**
 * The value as it travels under a dtype: on `float`, numbers that JSON lacks become strings. `subject` begins the
 * error's text. Throws {@link DtypeViolation}.
 */
export function conform(dtype: Dtype, value: unknown, subject: string): unknown {
  if (value instanceof StoredValue) {
    if (accepts(dtype, shapes[value.kind])) return value
    throw new DtypeViolation(`${subject} is ${dtype}, which ${describeValue(shapes[value.kind])} is not`)
  }
  if (isDeeper(value, MAX_LEVELS)) {
    throw new DtypeViolation(`${subject} has more than ${MAX_LEVELS} levels: hand it over as an artifact`)
  }
  if (accepts(dtype, value)) return value
  if (dtype === 'float' && typeof value === 'number') return String(value)
  throw new DtypeViolation(`${subject} is ${dtype}, which ${describeValue(value)} is not`)
}

/** A value of each kind, as dtypes see it. */
const shapes: Readonly<Record<StoredKind, unknown>> = { object: {}, array: [], string: '' }

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  const items: readonly unknown[] = Array.isArray(value) ? value : Object.values(value)
  return levels === 0 || items.some((item) => isDeeper(item, levels - 1))
}

/** The ports that values name, in the ports' order; a port without a value is left out. Throws for an unknown port. */
export function namedPorts<P>(values: Values, ports: ReadonlyMap<string, P>): P[] {
  const names = Object.keys(values)
  for (const port of names) if (!ports.has(port)) throw unknownOutput(port, ports)
  const [only] = names
  // most emissions have one value, and there can be a million of them
  if (names.length === 1 && only !== undefined && values[only] !== undefined) return [ports.get(only) as P]
  return [...ports].flatMap(([port, found]) => (values[port] === undefined ? [] : [found]))
}

/** The error of a value for an output port that does not exist. */
export function unknownOutput(port: string, ports: ReadonlyMap<string, unknown>): Error {
  const has = [...ports.keys()].map((name) => `"${name}"`).join(', ')
  return new Error(`there is no output port "${port}"; the node has ${has || 'none'}`)
}
