/** Documents that tests save and validate. */
import type { FlowDocumentInput, ValidationResult } from '@flow-service/protocol'
import { v7 } from 'uuid'
import { expect } from 'vitest'

import type { Engine } from './engine.ts'

export type NodeInput = NonNullable<FlowDocumentInput['nodes']>[number]
type PortInput = NonNullable<NodeInput['ports']>[number]

/** Stores a document as a draft of a new flow and validates it. */
export async function validate(engine: Engine, document: FlowDocumentInput): Promise<ValidationResult> {
  const name = `validated-${v7()}`
  const saved = await engine.root('PUT', `/flows/${name}`, document)
  expect(saved.status).toBe(201)
  const { status, value } = await engine.ann<ValidationResult>('POST', `/flows/${name}/validate`)
  expect(status).toBe(200)
  expect(value.issues).toEqual(saved.value.issues)
  expect(value.valid).toBe(!value.issues.some(({ severity }) => severity === 'error'))
  return value
}

export const input = (name: string, more: Partial<PortInput> = {}): PortInput => ({ direction: 'input', name, ...more })
export const output = (name: string, more: Partial<PortInput> = {}): PortInput => ({
  direction: 'output',
  name,
  ...more,
})
export const change = (ports: PortInput[], more: Partial<NodeInput> = {}): NodeInput => ({
  id: 'n',
  type: 'change',
  ports,
  ...more,
})
export const python = (source: string | null, more: Partial<NodeInput> = {}): NodeInput => ({
  id: 'n',
  type: 'python',
  source,
  ports: [input('x'), output('y')],
  ...more,
})
export const x = { inputs: [{ name: 'x' }] }
