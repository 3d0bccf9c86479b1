/** What a Python stage finds beside its source: there is a result for each environment. */
import { mkdtempSync, rmSync, utimesSync } from 'node:fs'
import { tmpdir } from 'node:os'

import type { StageEnvironment } from '@flow-service/core'
import { type FlowDocumentInput, pythonSource, type WorkerPython } from '@flow-service/protocol'
import { PythonListings } from '@flow-service/worker-agent'
import { afterAll, expect, test } from 'vitest'

import { PythonEnvironments } from '../../../src/runs/stages/environments.ts'
import type { TestEngine } from '../engine.ts'
import { input, node, output } from '../flows.ts'
import { useEngine } from '../use-engine.ts'

const folder = mkdtempSync(`${tmpdir()}/environments-`)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** The environments of an interpreter that has these packages, and how often it was asked. */
function environments(packages: Record<string, string>, imports: Record<string, string[]>) {
  const asked: string[] = []
  const state = {
    now: 0,
    python: { path: '/one/python', version: '3.12.1' } as { path: string; version: string } | null,
  }
  const workers: { name: string; python: WorkerPython | null }[] = []
  const made = new PythonEnvironments({
    agent: {
      get python() {
        return state.python
      },
    },
    named: { find: async () => ({ path: '/named/python', version: '3.11.0' }) },
    listings: new PythonListings({
      list: async (python) => {
        asked.push(python)
        return { folders: [folder], packages: { ...packages }, imports }
      },
      now: () => state.now,
      onProblem() {},
    }),
    pool: {
      list: () =>
        workers.map(({ name, python }) => ({
          answersTo: (label) => label === name,
          isAway: false,
          local: false,
          pythons: python === null ? [] : [python],
        })),
    },
  })
  const of = (source: string, worker: string | null = null, policy: 'require' | 'prefer' = 'require') =>
    made.of({ source, worker, worker_policy: policy, interpreter: null })
  return { of, asked, state, packages, workers }
}

const imports = { numpy: ['numpy'], yaml: ['PyYAML'], google: ['google-a', 'google-b'] }
const versions = { numpy: '2.3', PyYAML: '6.0', 'google-a': '1', 'google-b': '2', unused: '9' }

test.each([
  ['import os', {}],
  ['x = "no words of it"', {}],
  ['import numpy as np, yaml', { numpy: '2.3', PyYAML: '6.0' }],
  ['def run():\n    from numpy.linalg import norm\n', { numpy: '2.3' }],
  ['import os; import yaml', { PyYAML: '6.0' }],
  ['from google.a import b', { 'google-a': '1', 'google-b': '2' }],
  ['from . import numpy', {}],
  ['import constructor', {}],
  [pythonSource('import lab', [{ path: 'lab.py', text: 'import numpy\n' }]), { numpy: '2.3' }],
])('of the source %j the packages count that it imports', async (source, expected) => {
  const { of } = environments(versions, imports)
  expect(await of(source)).toEqual([{ Python: '3.12.1', ...expected }])
})

test('are asked for once, and again when a folder has changed or the interpreter is another', async () => {
  const { of: ofSource, asked, state, packages } = environments({ ...versions }, imports)
  const of = () => ofSource('import numpy')
  await Promise.all([of(), of(), of()])
  state.now = 5_000
  await of()
  expect(asked).toHaveLength(1)
  packages.numpy = '2.4'
  utimesSync(folder, 1, 1)
  state.now = 10_000
  expect(await of()).toEqual([{ Python: '3.12.1', numpy: '2.4' }])
  state.python = { path: '/two/python', version: '3.13.0' }
  expect(await of()).toEqual([{ Python: '3.13.0', numpy: '2.4' }])
  expect(asked).toEqual(['/one/python', '/one/python', '/two/python'])
  state.python = null
  expect(await of()).toBeNull()
})

test('of a stage with a worker those of all workers count that it may execute on, each once', async () => {
  const { of, workers } = environments(versions, imports)
  const told = (numpy: string): WorkerPython => ({ name: null, version: '3.13.0', packages: { numpy }, imports })
  expect(await of('import numpy', 'gpu')).toBeNull()
  expect(await of('import numpy', 'gpu', 'prefer')).toEqual([{ Python: '3.12.1', numpy: '2.3' }])
  workers.push({ name: 'gpu', python: null })
  expect(await of('import numpy', 'gpu', 'prefer')).toBeNull()
  workers.push({ name: 'gpu', python: told('2.4') }, { name: 'cpu', python: told('1') })
  workers.push({ name: 'gpu', python: told('2.4') }, { name: 'gpu', python: told('2.5') })
  const both = [
    { Python: '3.13.0', numpy: '2.4' },
    { Python: '3.13.0', numpy: '2.5' },
  ]
  expect(await of('import numpy', 'gpu')).toEqual(both)
  expect(await of('import numpy')).toEqual([{ Python: '3.12.1', numpy: '2.3' }])
})

let engine: TestEngine
let found: StageEnvironment | null = null
let executed = 0
useEngine({ environment: () => found && [found] }, async (opened) => {
  engine = opened
  engine.code.fit = async () => {
    executed += 1
    return { b: 1 }
  }
})

const flow = (more: object = {}): FlowDocumentInput => ({
  inputs: [{ name: 'lr', dtype: 'float', initial: 0.1 }],
  outputs: [{ name: 'b' }],
  nodes: [node('fit', [input('lr'), output('b')], more)],
})
const whyOf = async (name: string): Promise<string> => {
  const { id } = await engine.submit(name)
  const { nodes } = await engine.finished(id)
  const { cache } = nodes[0] ?? {}
  return cache?.hit ? 'hit' : (cache?.why.join('; ') ?? '')
}

test('a stage cached under other versions is a miss that says so, and a plan says it too [R617]', async () => {
  await engine.publish('trained', flow())
  found = { Python: '3.12.1', numpy: '2.3' }
  expect(await whyOf('trained')).toBe('first run')
  expect(await whyOf('trained')).toBe('hit')
  found = { Python: '3.12.1', numpy: '2.4' }
  const { stages } = await engine.runs.plan('trained', { draft: false, no_cache: false })
  expect(JSON.stringify(stages)).toContain('environment: numpy 2.3 -> 2.4')
  expect(await whyOf('trained')).toBe('environment: numpy 2.3 -> 2.4')
  expect(await whyOf('trained')).toBe('hit')
  found = { Python: '3.13.0', numpy: '2.4', scipy: '1' }
  expect(await whyOf('trained')).toBe('environment: Python 3.12.1 -> 3.13.0, scipy none -> 1')
  expect(executed).toBe(3)
})

test('environments in turn hit, each its own entry; what expires of one leaves the others', async () => {
  await engine.publish('turns', flow({ settings: { turns: true } }))
  const both = ['2.3', '2.4'].map((numpy) => ({ Python: '3.12.1', numpy }))
  for (const each of both) {
    found = each
    expect(await whyOf('turns')).not.toBe('hit')
  }
  executed = 0
  for (const each of [...both, ...both]) {
    found = each
    expect(await whyOf('turns')).toBe('hit')
  }
  expect(executed).toBe(0)
  const counts = await engine.database.sql<{ stages: number; entries: number }[]>`
    select count(distinct stage)::int as stages, count(*)::int as entries from stage_cache where node = 'fit'
      and parts -> 'settings' ->> 'turns' is not null`
  expect(counts).toEqual([{ stages: 1, entries: 2 }])
  await engine.database.sql`
    update stage_cache set outputs = null, loss = 'expired'
    where parts -> 'settings' ->> 'turns' is not null and parts -> 'environment' ->> 'numpy' = '2.3'`
  expect(await whyOf('turns')).toBe('hit')
  found = both[0]!
  expect(await whyOf('turns')).toBe('expired')
})

test('an entry of an engine that knows one of each stage counts as long as its versions are those of here', async () => {
  await engine.publish('older', flow({ settings: { older: true } }))
  found = { Python: '3.12.1', numpy: '2.3' }
  await whyOf('older')
  await engine.database.sql`
    update stage_cache set key = stage, stage = null where parts -> 'settings' ->> 'older' is not null`
  expect(await whyOf('older')).toBe('hit')
  found = { Python: '3.12.1', numpy: '2.4' }
  expect(await whyOf('older')).toBe('environment: numpy 2.3 -> 2.4')
  found = { Python: '3.12.1', numpy: '2.3' }
  expect(await whyOf('older')).toBe('hit')
})

test('what was executed where nothing was known of versions is taken over', async () => {
  found = null
  await engine.publish('unknown', flow({ settings: { a: 1 } }))
  expect(await whyOf('unknown')).not.toBe('hit')
  found = { Python: '3.12.1' }
  expect(await whyOf('unknown')).toBe('hit')
  found = null
  expect(await whyOf('unknown')).toBe('hit')
})
