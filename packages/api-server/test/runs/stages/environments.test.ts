/** What a Python stage finds beside its source: a result of other versions is not taken over. */
import { mkdtempSync, rmSync, utimesSync } from 'node:fs'
import { tmpdir } from 'node:os'

import type { StageEnvironment } from '@flow-service/core'
import { type FlowDocumentInput, pythonSource } from '@flow-service/protocol'
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
  const made = new PythonEnvironments({
    agent: {
      get python() {
        return state.python
      },
    },
    list: async (python) => {
      asked.push(python)
      return { folders: [folder], packages: { ...packages }, imports }
    },
    clock: { now: () => state.now },
    log: { warn() {} },
  })
  return { made, asked, state, packages }
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
  const { made } = environments(versions, imports)
  expect(await made.of(source)).toEqual({ Python: '3.12.1', ...expected })
})

test('are asked for once, and again when a folder has changed or the interpreter is another', async () => {
  const { made, asked, state, packages } = environments({ ...versions }, imports)
  const of = () => made.of('import numpy')
  await Promise.all([of(), of(), of()])
  state.now = 5_000
  await of()
  expect(asked).toHaveLength(1)
  packages.numpy = '2.4'
  utimesSync(folder, 1, 1)
  state.now = 10_000
  expect(await of()).toEqual({ Python: '3.12.1', numpy: '2.4' })
  state.python = { path: '/two/python', version: '3.13.0' }
  expect(await of()).toEqual({ Python: '3.13.0', numpy: '2.4' })
  expect(asked).toEqual(['/one/python', '/one/python', '/two/python'])
  state.python = null
  expect(await of()).toBeNull()
})

let engine: TestEngine
let found: StageEnvironment | null = null
let executed = 0
useEngine({ environment: () => found }, async (opened) => {
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

test('what was executed where nothing was known of versions is taken over', async () => {
  found = null
  await engine.publish('unknown', flow({ settings: { a: 1 } }))
  expect(await whyOf('unknown')).not.toBe('hit')
  found = { Python: '3.12.1' }
  expect(await whyOf('unknown')).toBe('hit')
  found = null
  expect(await whyOf('unknown')).toBe('hit')
})
