/**
 * Numbers that JSON does not have, there and back: parameters, results and messages of the client go through here.
 * @module
 */
import type { FlowObject } from '@flow-service/protocol'

import type { Run } from './generated/types.gen.ts'

/** NaN and the infinities travel as strings. */
export const toWire = <T>(value: T): T =>
  (typeof value === 'number' && !Number.isFinite(value) ? String(value) : value) as T

/** What travelled as a string because JSON has no such number, as the number it was; other dtypes pass unchanged. */
export const fromWire = (dtype: string | undefined, value: unknown): unknown =>
  dtype === 'float' && typeof value === 'string' ? Number(value) : value

/** A result with its floats as numbers. */
export function resultOf(flow: FlowObject, result: Run['result']): unknown {
  const produced = (flow.document.nodes ?? []).flatMap((node) => node.ports ?? [])
  const dtypes = new Map<string, string>()
  for (const { name, port = name } of flow.document.outputs ?? []) {
    const source = produced.find((item) => item.direction === 'output' && item.name === name)
    const input = flow.document.inputs?.find((item) => item.name === name)
    dtypes.set(port, source?.dtype ?? input?.dtype ?? 'any')
  }
  return Object.fromEntries(
    Object.entries(result ?? {}).map(([port, value]) => [port, fromWire(dtypes.get(port), value)]),
  )
}
