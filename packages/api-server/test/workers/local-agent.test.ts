import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { memoryHost } from '@flow-service/core/testing'
import type { Worker } from '@flow-service/worker-agent'
import { afterAll, beforeAll, expect, test } from 'vitest'

import { createDispatcher, type Dispatcher } from '../../src/workers/dispatch.ts'
import { LOCAL_AGENT, startLocalAgent } from '../../src/workers/local-agent.ts'
import { WorkerPool } from '../../src/workers/pool.ts'
import { realClock } from '../runs/engine.ts'
import { codeCall, noFlavors } from './code-call.ts'

const bundle = `
export const draw = {
  kind: 'stage', id: 'draw', initials: {},
  async run({ x }, ctx) {
    ctx.emit('loss', x)
    const file = await ctx.saveArtifact(new TextEncoder().encode('bytes'), { name: 'b.txt', mediaType: 'text/plain' })
    return { file, pid: process.pid }
  },
}`
const entry = { module: 'flows/draw.ts', export: 'draw', digest: `sha256:${'0'.repeat(64)}`, modules: [] }

let directory: string
let agent: Worker
let dispatcher: Dispatcher
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'agent-'))
  const pool = new WorkerPool({ clock: realClock, newId: () => 'w', engineVersion: '0.0.0' })
  const { artifacts } = memoryHost()
  const store = {
    put: async (data: never, options: never) => ({ ref: await artifacts.save(data, options), created: true }),
    read: (digest: string) => artifacts.load(digest),
  }
  agent = startLocalAgent(pool, store, { directory, python: null })
  await agent.ready
  dispatcher = createDispatcher({ pool, bundleOf: async () => bundle, inProcess: () => null, flavors: noFlavors })
})
afterAll(async () => {
  await agent.close()
  await rm(directory, { recursive: true, force: true })
})

test('the code of a bundle runs in another process, with emissions and artifacts', async () => {
  const ports = codeCall({}).node.ports
  const call = codeCall({
    node: {
      type: 'code',
      source: null,
      entry,
      ports: [...ports.map((port) => ({ ...port })), input, file, pid] as never,
    },
    inputs: { x: 0.5 },
  })
  const outputs = await dispatcher.call(call)
  expect(outputs['file']).toMatchObject({ name: 'b.txt', size: 5, media_type: 'text/plain' })
  expect(outputs['pid']).not.toBe(process.pid)
  expect(call.record.emits.map(([values]) => values)).toEqual([{ loss: 0.5 }])
  expect(call.record.places.at(-1)).toEqual({ worker: LOCAL_AGENT })
})

test('a cancelled call ends at once', async () => {
  const call = codeCall({ node: { type: 'code', source: null, entry } })
  const done = dispatcher.call(call)
  call.record.cancel()
  await expect(done).rejects.toMatchObject({ type: 'cancelled' })
})

test('a bundle that is gone fails the call', async () => {
  const pool = new WorkerPool({ clock: realClock, newId: () => 'w', engineVersion: '0.0.0' })
  const lost = createDispatcher({
    pool,
    bundleOf: () => Promise.reject(new Error('no bundle')),
    inProcess: () => null,
    flavors: noFlavors,
  })
  await expect(lost.call(codeCall({ node: { type: 'code', source: null, entry } }))).rejects.toThrow('no bundle')
})

const input = { direction: 'input', name: 'x', port: 'x', dtype: 'float' }
const file = { direction: 'output', name: 'file', port: 'file', dtype: 'artifact' }
const pid = { direction: 'output', name: 'pid', port: 'pid', dtype: 'int' }
