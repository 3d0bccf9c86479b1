import { randomUUID } from 'node:crypto'

import { describe, expect, test } from 'vitest'

import { bundle, children, python, rig } from './harness.ts'

const code = { source: bundle('() => ({ y: process.pid })'), kind: 'code', entry: 'entry' } as const
const script = { source: 'import os\ndef run():\n    return {"y": os.getpid()}\n' } as const
const all = new Set(['code', 'python'] as const)

describe.skipIf(python === null)('spare processes', () => {
  test('there are none until somebody wants them, and then those of the wanted kinds', async () => {
    const id = randomUUID()
    const { worker } = rig({ id, python })
    await worker.ready
    expect(children(id)).toEqual([])
    await worker.prepare(new Set(['code']))
    const [spare, ...others] = children(id)
    expect(spare).toBeDefined()
    expect(others).toEqual([])
    await worker.prepare(new Set(['code']))
    expect(children(id)).toEqual([spare])
    await worker.prepare(all)
    // the zygote and its first fork
    expect(children(id).length).toBeGreaterThanOrEqual(2)
  })

  test('a call has one that was prepared', async () => {
    const id = randomUUID()
    const { worker, call } = rig({ id, python })
    await worker.prepare(all)
    const prepared = children(id)
    for (const request of [code, script]) {
      const last = await call(request)
      expect(prepared).toContain(last.type === 'result' && last.outputs['y'])
    }
  })

  test('one that nobody takes ends, with what it came from; the next call begins another, and is followed by one', async () => {
    const id = randomUUID()
    const { worker, call } = rig({ id, python, idleS: 0.2 })
    await worker.prepare(all)
    await expect.poll(() => children(id)).toEqual([])
    for (const request of [script, code, script, code]) {
      expect((await call(request)).type).toBe('result')
      await expect.poll(() => children(id)).toEqual([])
    }
  })

  test('nothing is left behind calls that take longer than the rest', async () => {
    const id = randomUUID()
    const { worker, call } = rig({ id, python, idleS: 0.001 })
    await worker.prepare(all)
    const slow = { source: 'import time\ndef run():\n    time.sleep(0.3)\n    return {"y": 1}\n' } as const
    const late = {
      ...code,
      source: bundle('() => new Promise((resolve) => setTimeout(() => resolve({ y: 1 }), 300))'),
    } as const
    const both = await Promise.all([call(slow), call(late)])
    expect(both.map(({ type }) => type)).toEqual(['result', 'result'])
    await expect.poll(() => children(id)).toEqual([])
  })

  test('calls that come while spares end lose nothing', async () => {
    const id = randomUUID()
    const { worker, call } = rig({ id, python, idleS: 0.001 })
    for (let round = 0; round < 8; round++) {
      await worker.prepare(all)
      const both = await Promise.all([call(code), call(script)])
      expect(both.map(({ type }) => type)).toEqual(['result', 'result'])
    }
  })

  test('what cannot be had fails with the call that needs it', async () => {
    const { worker, call } = rig({ python: null })
    await worker.prepare(all)
    expect(await call(script)).toMatchObject({ type: 'error', error: { type: 'process_died' } })
  })
})
