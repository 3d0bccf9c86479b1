import { LiveRuntime, NodeRegistry } from '@flow-service/core'
import { memoryHost } from '@flow-service/core/testing'
import { nodeTypes } from '@flow-service/node-types'
import { flowDocumentInputSchema, normalizeDocument } from '@flow-service/protocol'
import { expect, test } from 'vitest'

test('a failure of a built-in type has no traceback: there is no line of its user in it', async () => {
  const ports = [
    { direction: 'input' as const, name: 'go' },
    { direction: 'output' as const, name: 'text' },
  ]
  const input = { mode: 'live', nodes: [{ id: 'read', type: 'file', settings: { path: 'missing.txt' }, ports }] }
  const runtime = new LiveRuntime(memoryHost(), new NodeRegistry(nodeTypes))
  const flow = await runtime.start(normalizeDocument('f', flowDocumentInputSchema.parse(input)))
  flow.trigger('read', { go: 1 })
  await flow.idle()
  expect(flow.nodeStates()).toMatchObject([
    { status: 'failed', error: { message: expect.stringContaining('missing.txt'), traceback: null } },
  ])
  await runtime.close()
})
