import { expect, test } from 'vitest'

import { NodeRegistry, StartError, unrepeatableNodes } from '../../src/index.ts'
import { memoryHost } from '../../src/testing.ts'
import { flow, input, output, pass, type } from '../documents.ts'

const push = { ...type('push', () => ({})), idempotent: false }
const sender = {
  ...type('sender', () => ({})),
  idempotent: ({ inputs }: { inputs: readonly unknown[] }) => inputs.length === 0,
}
const context = { host: memoryHost(), registry: new NodeRegistry([pass, push, sender]) }
const idsOf = (nodes: Parameters<typeof flow>[0]) => unrepeatableNodes(flow(nodes), context).map(({ id }) => id)

test('nodes whose work must not be done twice are told by their types, and by the shape of the node', () => {
  expect(
    idsOf([
      { id: 'a', type: 'pass', ports: [input('x'), output('y')] },
      { id: 'b', type: 'push', ports: [input('x')] },
      { id: 'listens', type: 'sender', ports: [output('x')] },
      { id: 'sends', type: 'sender', ports: [input('x')] },
    ]),
  ).toEqual(['b', 'sends'])
})

test('what cannot be told is refused', () => {
  expect(() => idsOf([{ id: 'a', type: 'nobody' }])).toThrow(StartError)
  expect(() => idsOf([{ id: 'a', type: 'push', settings: { no: 1 } }])).toThrow(StartError)
  expect(() => idsOf([{ id: 'a', type: 'pass', settings: { no: { $secret: 'nobody' } } }])).toThrow(StartError)
})
