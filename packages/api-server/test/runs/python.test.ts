import { findPython } from '@flow-service/worker-agent'
import { describe, expect, test } from 'vitest'

import type { TestEngine } from './engine.ts'
import { input, node, output, stream } from './flows.ts'
import { useEngine } from './use-engine.ts'

const python = await findPython(process.env)
let engine: TestEngine

async function run(name: string, source: string, ports: Parameters<typeof node>[1], rest: object = {}) {
  await engine.publish(name, {
    inputs: ports
      .filter((port) => port.direction === 'input')
      .map((port) => ({ name: port.name ?? '', dtype: 'any', initial: 1 })),
    outputs: ports
      .filter((port) => port.direction === 'output' && !port.stream)
      .map((port) => ({ name: port.name ?? '' })),
    nodes: [node('code', ports, { source, ...rest })],
  })
  return engine.finished((await engine.submit(name)).id)
}

describe.skipIf(!python)('with an interpreter', () => {
  useEngine({ agent: true }, (opened) => {
    engine = opened
  })

  test('a run executes Python, with its output, its times and the worker in the record [R092, R093]', async () => {
    const source = 'import sys\ndef run(x):\n  print("hello")\n  print("there", file=sys.stderr)\n  return {"y": x + 1}'
    const result = await run('add', source, [input('x', 'any'), output('y', 'any')])
    expect(result).toMatchObject({ status: 'ok', result: { y: 2 } })
    const [record] = result.nodes
    expect(record).toMatchObject({ worker: 'engine', waiting_for: null, logs_truncated: false })
    expect(record?.logs.split('\n').toSorted()).toEqual(['', 'hello', 'there'])
    expect(record?.duration_s).toBeGreaterThan(0)
  })

  test('an exception ends the run with its type, message and traceback [R094]', async () => {
    const result = await run('fail', 'def run():\n  raise ValueError("bad\\0lr")', [output('y', 'any')])
    expect(result).toMatchObject({
      status: 'error',
      error: { node: 'code', type: 'ValueError', message: 'bad\uFFFDlr' },
      nodes: [{ status: 'error', error: { type: 'ValueError' }, traceback: expect.stringContaining('line 2') }],
    })
  })

  test('emit, save_artifact and load_artifact work in Python code [R027]', async () => {
    const source = `
def run():
    for loss in (3, 2, 1):
        emit(loss=loss)
    ref = save_artifact(b"weights", name="w.bin")
    return {"file": ref, "text": load_artifact(ref).decode()}
`
    const result = await run('helpers', source, [stream('loss'), output('file', 'artifact'), output('text', 'str')])
    expect(result).toMatchObject({
      status: 'ok',
      result: { text: 'weights', file: { name: 'w.bin', size: 7 } },
      metrics: [{ name: 'helpers.loss', count: 3, last: 1, step: 2 }],
      artifacts: [{ node: 'code', port: 'file', name: 'w.bin' }],
    })
  })

  test('a cancel ends the process of the node [R414]', async () => {
    const source = 'import os, time\ndef run():\n  emit(pid=os.getpid())\n  time.sleep(600)'
    await engine.publish('sleepy', {
      outputs: [],
      nodes: [node('code', [stream('pid', { dtype: 'int' })], { source })],
    })
    const { id } = await engine.submit('sleepy')
    const event = await engine.event((next) => next.type === 'value' && next.run === id)
    const pid = event.type === 'value' ? (event.value as number) : 0
    expect(process.kill(pid, 0)).toBe(true)
    expect(await engine.runs.cancel(id)).toMatchObject({ status: 'cancelled', nodes: [{ status: 'cancelled' }] })
    await expect.poll(() => isAlive(pid)).toBe(false)
  })

  test('silence beyond the timeout of a node fails it [R685]', async () => {
    const result = await run('silent', 'import time\ndef run():\n  time.sleep(600)', [output('y', 'any')], {
      timeout: 0.3,
    })
    expect(result).toMatchObject({ status: 'error', error: { type: 'timeout' } })
  })
})

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
