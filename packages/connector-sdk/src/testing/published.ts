/**
 * What a fake context lets a node publish: as the engine does, in the engine's words.
 * @module
 */
import { accepts, describeValue } from '@flow-service/protocol'

import { DtypeViolation } from '../context.ts'
import type { NodePort, Values } from '../node.ts'

/**
 * The values of a delivery as they travel; null when there is none in it. Throws for a port that the node lacks, and a
 * {@link DtypeViolation} for a value that is not of its port's dtype.
 */
export function delivered(outputs: readonly NodePort[], values: Values): Values | null {
  const ports = new Map(outputs.map((output) => [output.port, output]))
  for (const port of Object.keys(values)) if (!ports.has(port)) throw unknownOutput(port, outputs)
  const given = outputs.filter(({ port }) => values[port] !== undefined)
  if (given.length === 0) return null
  return Object.fromEntries(given.map((output) => [output.port, travelling(output, values[output.port])]))
}

function travelling({ port, dtype }: NodePort, value: unknown): unknown {
  if (accepts(dtype, value)) return value
  if (dtype === 'float' && typeof value === 'number') return String(value)
  throw new DtypeViolation(`output "${port}" is ${dtype}, which ${describeValue(value)} is not`)
}

function unknownOutput(port: string, outputs: readonly NodePort[]): Error {
  const has = outputs.map((output) => `"${output.port}"`).join(', ')
  return new Error(`there is no output port "${port}"; the node has ${has || 'none'}`)
}
