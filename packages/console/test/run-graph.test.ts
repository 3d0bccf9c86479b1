/** What of a document becomes the graph of a run. */
import type { FlowDocument, Run } from '@flow-service/client-sdk'
import { expect, test } from 'vitest'

import { graphOf } from '../src/runs/graph.ts'

const port = (direction: 'input' | 'output', name: string) => ({ direction, name })
const run = (nodes: object[]) => ({ nodes }) as unknown as Run

test('ports of the same message are tied once, inputs of the run come from its parameters, states are those of the records', () => {
  const document = {
    inputs: [{ name: 'lr' }],
    nodes: [
      { id: 'a', type: 'python', title: 'First', ports: [port('input', 'lr'), port('output', 'x')] },
      { id: 'b', type: 'python', ports: [port('input', 'x'), port('input', 'x'), port('input', 'other.flow')] },
    ],
  } as unknown as FlowDocument
  expect(graphOf(run([{ node: 'a', status: 'ok', cached: true }]), document)).toEqual({
    nodes: [
      { id: '$parameters', title: 'Parameters', type: 'of the run', status: 'ok' },
      { id: 'a', title: 'First', type: 'python', status: 'cached' },
      { id: 'b', title: '', type: 'python', status: 'pending' },
    ],
    wires: [
      { from: '$parameters', to: 'a', message: 'lr' },
      { from: 'a', to: 'b', message: 'x' },
    ],
  })
})
