import { describe, expect, test } from 'vitest'

import { bundle, python, sharedRig } from './harness.ts'

const MEGABYTES = 50_000_000

describe.skipIf(python === null)('what Python code gives', () => {
  const shared = sharedRig({ python })
  const nested =
    'def deep(levels):\n    value = []\n    for _ in range(levels):\n        value = [value]\n    return value\n'

  test.each([
    [
      'returns 50 MB',
      `def run():\n    return {"y": "x" * ${MEGABYTES}}\n`,
      'bytes are more than 33554432; use save_artifact()',
    ],
    [
      'emits 50 MB',
      `def run():\n    emit(y="x" * ${MEGABYTES})\n`,
      'bytes are more than 33554432; use save_artifact()',
    ],
    ['returns 100,000 levels', `${nested}def run():\n    return {"y": deep(100000)}\n`, 'nested deeper than 64 levels'],
    ['returns 65 levels', `${nested}def run():\n    return {"y": deep(64)}\n`, 'nested deeper than 64 levels'],
  ])('and %s of is a failure of the node, and the next call works [F61]', async (_what, source, text) => {
    const [failed, next] = [
      await shared().call({ source, mode: 'live' }),
      await shared().call({ source: 'def run():\n    return {"y": 1}\n', mode: 'live' }),
    ]
    expect(failed).toMatchObject({ type: 'error', error: { message: expect.stringContaining(text) } })
    expect(next).toMatchObject({ outputs: { y: 1 } })
  })

  test('is sent in several frames when it is emitted in small parts that are large together [F61]', async () => {
    const source = 'def run():\n    for n in range(8):\n        emit(loss=n, y="x" * 10000000)\n    return {"y": 1}\n'
    const outputs = ['y', 'loss'].map((port) => ({ port, dtype: 'any', stream: true }) as const)
    const id = shared().begin({ source, mode: 'live', outputs })
    expect(await shared().last(id)).toMatchObject({ outputs: { y: 1 } })
    expect(
      shared()
        .emitted(id)
        .map(({ loss }) => loss),
    ).toEqual([0, 1, 2, 3, 4, 5, 6, 7])
  })

  test('is bounded no sooner: 30 MB and 64 levels arrive [F61]', async () => {
    const source = `${nested}def run():\n    return {"y": ["x" * 30000000, deep(62)]}\n`
    const last = await shared().call({ source, mode: 'live' })
    expect(JSON.stringify(last).length).toBeGreaterThan(30_000_000)
  })

  test('and what 50 MB and 64 levels of input are to it [F61]', async () => {
    const deep = JSON.parse(`${'['.repeat(64)}${']'.repeat(64)}`) as unknown
    const source = 'def run(a, b):\n    return {"y": len(a) if b else 0}\n'
    const last = await shared().call({ source, mode: 'live', inputs: { a: 'x'.repeat(MEGABYTES), b: deep } })
    expect(last).toMatchObject({ outputs: { y: MEGABYTES } })
  })
})

describe('what TypeScript code gives', () => {
  const shared = sharedRig({ python: null })

  test.each([
    ['returns 50 MB', `() => ({ y: 'x'.repeat(${MEGABYTES}) })`, 'bytes are more than 33554432'],
    [
      'returns 100,000 levels',
      '() => { let y = []; for (let n = 0; n < 1e5; n++) y = [y]; return { y } }',
      'deeper than 64',
    ],
  ])('and %s of is a failure of the node, and the next call works [F61]', async (_what, run, text) => {
    const of = (code: string) => shared().call({ source: bundle(code), kind: 'code', entry: 'entry', mode: 'live' })
    const failed = await of(run)
    expect(failed).toMatchObject({ type: 'error', error: { message: expect.stringContaining(text) } })
    expect(await of('() => ({ y: 1 })')).toMatchObject({ outputs: { y: 1 } })
  })

  test('is sent in several frames when it is emitted in small parts that are large together [F61]', async () => {
    const outputs = [{ port: 'y', dtype: 'any', stream: true } as const]
    const run =
      "(_, ctx) => { const y = 'x'.repeat(10e6); for (let n = 0; n < 8; n++) ctx.emit('y', y); return { y: 1 } }"
    const id = shared().begin({ source: bundle(run, ''), kind: 'code', entry: 'entry', mode: 'live', outputs })
    expect(await shared().last(id)).toMatchObject({ outputs: { y: 1 } })
    expect(shared().emitted(id)).toHaveLength(8)
  })
})
