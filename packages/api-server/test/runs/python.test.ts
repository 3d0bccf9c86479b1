import { join } from 'node:path'

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

  test("bytes that code stores and does not return are the run's too [R098]", async () => {
    const source = `
def run():
    save_artifact(b"plot", name="plot.png", media_type="image/png")
    save_artifact(b"frame", volatile=True)
    return {"file": save_artifact(b"model", name="model.bin")}
`
    const { artifacts } = await run('saves', source, [output('file', 'artifact')])
    expect(artifacts).toMatchObject([
      { node: 'code', port: null, name: 'plot.png', media_type: 'image/png', size: 4 },
      { node: 'code', port: 'file', name: 'model.bin' },
    ])
    expect(artifacts).toHaveLength(2)
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

  test('a node that fails is executed again in a new process, and the record has every attempt', async () => {
    const file = JSON.stringify(join(engine.dataDir, 'tries'))
    const source = [
      'import os, sys',
      `def run():\n  with open(${file}, "a+") as tries:\n    tries.write("x")\n    at = tries.tell()`,
      '  print("pid", os.getpid())\n  if at < 3: raise OSError("down")\n  return {"y": at}\n',
    ].join('\n')
    const result = await run('again', source, [output('y', 'int')], { retry: { attempts: 4, delay_s: 0.01 } })
    expect(result).toMatchObject({ status: 'ok', result: { y: 3 }, error: null })
    const [record] = result.nodes
    expect(record?.attempts).toMatchObject([
      { attempt: 1, error: { type: 'OSError', message: 'down' } },
      { attempt: 2, error: { type: 'OSError', message: 'down' } },
      { attempt: 3, error: null },
    ])
    const times = record?.attempts.flatMap((attempt) => [attempt.started_at, attempt.finished_at])
    expect(times).toEqual(times?.toSorted())
    expect(new Set(record?.logs.match(/pid \d+/g)).size).toBe(3)
    expect(record?.logs).toContain('attempt 2 of 4 failed: OSError: down')
    const hit = await engine.finished((await engine.submit('again')).id)
    expect(hit.nodes).toMatchObject([{ cached: true, cached_from: result.id, attempts: [] }])
  })

  test('a node without a retry has one attempt, and one that was skipped has none', async () => {
    await engine.publish('once', {
      outputs: [],
      nodes: [
        node('a', [output('y')], { source: 'def run(): raise OSError("down\\0")' }),
        node('b', [input('y')], { source: 'def run(y): pass' }),
      ],
    })
    const { nodes } = await engine.finished((await engine.submit('once')).id)
    expect(nodes[0]?.attempts).toMatchObject([{ attempt: 1, error: { type: 'OSError' } }])
    expect(nodes[0]?.attempts[0]).toMatchObject({
      started_at: nodes[0]?.started_at,
      finished_at: nodes[0]?.finished_at,
    })
    expect(nodes[1]?.attempts).toEqual([])
  })

  test('digests and names that would reach outside of the artifacts are refused, and the next run works [T60] [T63]', async () => {
    const source = [
      'import json\ndef run(attempts):\n  found = []\n  for how, what in attempts:\n    try:',
      '      found.append(load_artifact(what).decode() if how == "load" else save_artifact(b"x", what)["name"])',
      '    except (OSError, ValueError) as error: found.append(type(error).__name__)',
      '  return {"y": found}\n',
    ].join('\n')
    const digests = [
      '../../../../etc/passwd',
      '/etc/passwd',
      'sha256:../x',
      `sha256:${'A'.repeat(64)}`,
      'sha256:00',
      '',
      '%2e%2e',
    ]
    const names = ['a\r\nSet-Cookie: x', 'x'.repeat(10_000)]
    const attempts = [...digests.map((digest) => ['load', digest]), ...names.map((name) => ['save', name])]
    await engine.publish('outside', {
      inputs: [{ name: 'attempts', dtype: 'array' }],
      outputs: [{ name: 'y' }],
      nodes: [node('code', [input('attempts', 'array'), output('y', 'any')], { source })],
    })
    const { id } = await engine.submit('outside', { params: { attempts } })
    const { status, result } = await engine.finished(id)
    expect(status).toBe('ok')
    expect(result).toEqual({ y: [...digests.map(() => 'FileNotFoundError'), ...names.map(() => 'OSError')] })
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
