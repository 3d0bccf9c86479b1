import type { WorkerFrame } from '@flow-service/protocol'
import { expect, onTestFinished, test } from 'vitest'

import { createWorker, FrameTooLarge, memoryTransport } from '../src/index.ts'
import { bundle, callFrame, isAlive, welcome } from './harness.ts'

const none = (): Promise<never> => Promise.reject(new Error('no artifacts here'))

/** A worker on a link that carries frames of at most 1000 characters. */
function start() {
  const frames: WorkerFrame[] = []
  const { worker: end, engine } = memoryTransport({ get: none, put: none })
  const narrow: typeof end = {
    ...end,
    send(frame) {
      if (JSON.stringify(frame).length > 1000) throw new FrameTooLarge('too large: use save_artifact()')
      return end.send(frame)
    },
  }
  const worker = createWorker(narrow, { python: null })
  onTestFinished(() => worker.close())
  let over: (() => void) | null = null
  engine.onFrame((frame) => {
    if (frame.type === 'hello') engine.send(welcome)
    else frames.push(frame)
    if (frame.type === 'result' || frame.type === 'error') over?.()
  })
  const call = async (run: string): Promise<readonly WorkerFrame[]> => {
    frames.length = 0
    await new Promise<void>((resolve) => {
      over = resolve
      engine.send(callFrame('a', { source: bundle(run), kind: 'code', entry: 'entry' }))
    })
    return frames
  }
  return { call }
}

const tooLarge = { type: 'FrameTooLarge', message: 'too large: use save_artifact()', traceback: null }

test.each([
  ['a result', '() => ({ y: "x".repeat(1000) })'],
  ['an error', '() => { throw new Error("x".repeat(1000)) }'],
])('%s that the link does not carry is the failure of its call, and the next call runs', async (_, run) => {
  const { call } = start()
  expect((await call(run)).filter(({ type }) => type !== 'started')).toEqual([
    { type: 'error', call: 'a', error: tooLarge },
  ])
  expect((await call('() => ({ y: 1 })')).at(-1)).toMatchObject({ type: 'result', outputs: { y: 1 } })
})

test('an emission that the link does not carry ends the process, and then the call', async () => {
  const { call } = start()
  const frames = await call(
    'async function* () { yield { loss: "x".repeat(1000) }; await new Promise((r) => setTimeout(r, 1e6)) }',
  )
  expect(frames.map(({ type }) => type)).toEqual(['started', 'error'])
  const [started, error] = frames
  expect(error).toEqual({ type: 'error', call: 'a', error: tooLarge })
  expect(started?.type === 'started' && isAlive(started.pid)).toBe(false)
})
