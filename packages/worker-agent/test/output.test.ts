import { setTimeout as pause } from 'node:timers/promises'

import { describe, expect, test } from 'vitest'

import { bundle, python, rig, sharedRig } from './harness.ts'

const code = { kind: 'code', entry: 'entry' } as const
const memoryOf = 'int(open("/proc/self/statm").read().split()[1]) * 4'

describe.skipIf(python === null)('floods', () => {
  const shared = sharedRig({ python })

  test.each([
    [
      'one line of 1 GB without end',
      'import os\ndef run():\n    text = b"x" * 1000000\n    for i in range(1000):\n        os.write(1, text)\n    return {"y": 1}\n',
    ],
    [
      '1 GB that is no text',
      'import os\ndef run():\n    for i in range(1000):\n        os.write(2, bytes(range(256)) * 4000)\n    return {"y": 1}\n',
    ],
  ])('of output (%s) keep 1 MiB and count the rest, in flat memory [F66]', async (_, source) => {
    const id = shared().begin({ source })
    const before = process.memoryUsage().rss
    let most = before
    const timer = setInterval(() => (most = Math.max(most, process.memoryUsage().rss)), 10)
    expect(await shared().last(id)).toMatchObject({ outputs: { y: 1 } })
    clearInterval(timer)
    // Kept, it would be 1,000. What is read waits for the garbage collector, which is late on a busy machine.
    expect((most - before) / 2 ** 20).toBeLessThan(500)
    const log = shared().log(id)
    expect(log.length).toBeLessThanOrEqual(1024 * 1024 + 200)
    expect(log).toMatch(/\d{8,} more bytes of output were dropped/)
    expect(log).not.toContain('\0')
  })

  test('a character that is cut between two writes stays whole', async () => {
    const source =
      'import os, time\ndef run():\n    os.write(1, b"\\xc3")\n    time.sleep(0.05)\n    os.write(1, b"\\xbc")\n'
    const id = shared().begin({ source })
    await shared().last(id)
    expect(shared().log(id)).toBe('ü')
  })

  test('a million emissions arrive in order, in batches, with flat memory in the process [F68]', async () => {
    const source = `def run():\n    for i in range(1000000):\n        emit(loss=i)\n    return {"y": ${memoryOf}}\n`
    const id = shared().begin({ source })
    const start = performance.now()
    const last = await shared().last(id)
    const seconds = (performance.now() - start) / 1000
    expect(last).toMatchObject({ type: 'result' })
    const values = shared().emitted(id)
    expect(values).toHaveLength(1_000_000)
    expect(values.findIndex((value, index) => value['loss'] !== index)).toBe(-1)
    expect(last.type === 'result' && last.outputs['y']).toBeLessThan(60_000)
    console.log(`emissions: ${Math.round(1_000_000 / seconds)} a second`)
  }, 60_000)
})

describe.skipIf(python === null)('a full disk of artifacts', () => {
  test.each([
    ['Python', { source: 'def run():\n    save_artifact(b"x")\n' }, 'OSError'],
    ['TypeScript', { source: bundle('(_, ctx) => ctx.saveArtifact(new Uint8Array(1))'), ...code }, 'Error'],
  ])('fails the %s code that saves, which can be caught, and no later call [F24]', async (_, request, type) => {
    const own = rig({ python })
    const keep = own.stored.set.bind(own.stored)
    own.stored.set = () => {
      throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })
    }
    expect(await own.call(request)).toMatchObject({ error: { type, message: 'no space left on device' } })
    own.stored.set = keep
    expect(await own.call({ source: 'def run():\n    return {"y": save_artifact(b"x")["size"]}\n' })).toMatchObject({
      outputs: { y: 1 },
    })
  })
})

describe.skipIf(python === null)('an artifact of more than 1 GiB', () => {
  const shared = sharedRig({ python })

  test.each([
    ['Python', { source: 'def run():\n    save_artifact(bytes(2**30 + 1))\n' }, 'ValueError'],
    [
      'TypeScript',
      { source: bundle('(_, ctx) => ctx.saveArtifact(new Uint8Array(2 ** 30 + 1))'), ...code },
      'RangeError',
    ],
  ])('is refused in the %s code, before it travels [T61]', async (_, request, type) => {
    const last = await shared().call(request)
    expect(last).toMatchObject({ error: { type, message: expect.stringContaining('1073741824 bytes') } })
  })
})

describe.skipIf(python === null)('an engine that is behind', () => {
  const endless = 'def run():\n    i = 0\n    while True:\n        i += 1\n        emit(loss=i)\n'
  const endlessCode = bundle('(_, ctx) => { for (let i = 0; ; i++) ctx.emit("loss", i) }')

  test.each([
    ['Python', { source: endless }],
    ['TypeScript', { source: endlessCode, ...code }],
  ])('holds the %s code back, and silence is not counted then', async (_, request) => {
    const gate = Promise.withResolvers<void>()
    let count = 0
    const own = rig({ python }, (frame) => {
      if (frame.type !== 'emit') return
      count += frame.batch.length
      return gate.promise
    })
    const id = own.begin({ ...request, timeout_s: 0.2 })
    await own.seen('emit')
    await pause(600)
    const held = count
    // What fits into the socket's buffers and no more: 20 bytes an emission.
    expect(held).toBeLessThan(100_000)
    expect(own.frames.some((frame) => frame.type === 'error')).toBe(false)
    gate.resolve()
    await own.seen('emit', () => count > held + 1000)
    own.engine.send({ type: 'cancel', call: id })
    expect(await own.last(id)).toMatchObject({ error: { type: 'cancelled' } })
  })

  test('does not keep a call from being cancelled', async () => {
    const own = rig({ python }, (frame) => (frame.type === 'emit' ? new Promise<void>(() => {}) : undefined))
    const id = own.begin({ source: endless })
    await own.seen('emit')
    own.engine.send({ type: 'cancel', call: id })
    expect(await own.last(id)).toMatchObject({ error: { type: 'cancelled' } })
  })
})
