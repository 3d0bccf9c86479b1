import { randomUUID } from 'node:crypto'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import type { EngineFrame } from '@flow-service/protocol'
import { expect, onTestFinished, test } from 'vitest'

import { createWorker, memoryTransport, WorkerRefused } from '../src/index.ts'
import { children, python, until } from './harness.ts'

const refused: EngineFrame = {
  type: 'refused',
  code: 'protocol_mismatch',
  protocol: 2,
  detail: 'worker "lab" speaks protocol 1, this engine speaks protocol 2: upgrade the worker',
}
const unused = (): Promise<never> => Promise.reject(new Error('no artifacts here'))

/** A warm worker, and what an engine does when it says hello. */
function start(onHello: (link: ReturnType<typeof memoryTransport>['engine']) => void) {
  const id = randomUUID()
  const directory = mkdtempSync(join(tmpdir(), 'refused-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  const link = memoryTransport({ get: unused, put: unused })
  const worker = createWorker(link.worker, { id, directory, python, warm: true })
  onTestFinished(() => worker.close())
  let warm: readonly number[] = []
  link.engine.onFrame(async (frame) => {
    if (frame.type !== 'hello') return
    await until(() => (warm = children(id)).length > 0)
    onHello(link.engine)
  })
  return { worker, directory, children: () => children(id), warmed: () => warm.length }
}

test('a worker that the engine refuses ends with its processes and says why [R690]', async () => {
  const { worker, directory, ...own } = start((engine) => {
    engine.send(refused)
    engine.close('refused')
  })
  const reason = await worker.ready.catch((error: unknown) => error)
  expect(reason).toBeInstanceOf(WorkerRefused)
  expect(reason).toMatchObject({
    code: 'protocol_mismatch',
    message: `the engine refused this worker: ${refused.detail}`,
  })
  expect(own.warmed()).toBeGreaterThan(0)
  expect([own.children(), readdirSync(directory)]).toEqual([[], []])
})

test('it does not wait for the engine to close the link [R690]', async () => {
  const { worker, ...own } = start((engine) => engine.send(refused))
  await expect(worker.ready).rejects.toThrow('upgrade the worker')
  expect(own.children()).toEqual([])
})

test('a link that ends without an answer is an error as well', async () => {
  const { worker, ...own } = start((engine) => engine.close())
  await expect(worker.ready).rejects.toThrow('ended before the engine had welcomed it')
  expect(own.children()).toEqual([])
})
