import { access, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { batchFlow, stage, t } from '@flow-service/flow-sdk'
import type { FlowDocumentInput, ValidationResult } from '@flow-service/protocol'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { type Engine, openEngine } from './engine.ts'
import { input, type NodeInput, output, python, validate, x } from './validation.ts'

let engine: Engine
beforeAll(async () => {
  engine = await openEngine()
})
afterAll(async () => {
  await engine[Symbol.asyncDispose]()
})

describe('the entry of a Python source', () => {
  const sourceIssues = async (source: string, more: Partial<NodeInput> = {}): Promise<string[]> => {
    const { issues } = await validate(engine, { inputs: [{ name: 'x' }, { name: 'z' }], nodes: [python(source, more)] })
    return issues.filter(({ code }) => code === 'bad_source').map(({ message }) => message)
  }

  test.each([
    ['takes ports and settings by name', 'def run(x, lr): pass', { settings: { lr: 1 } }],
    ['takes some of them as **kwargs', 'def run(x, **more): pass', { settings: { lr: 1, deep: true } }],
    ['has defaults for what is not given', 'def run(x, lr=0.1, *, depth=2): pass', {}],
    ['has keyword-only parameters', 'def run(*, x): pass', {}],
    ['is a coroutine', 'async def run(x): pass', {}],
    ['is a generator', 'def run(x):\n    yield {"y": x}', {}],
    ['is the only public function', 'def _help(): pass\ndef work(x): pass', {}],
    [
      'is defined inside of a condition',
      'try:\n    import torch\n    def run(x): pass\nexcept ImportError:\n    def run(x): pass',
      {},
    ],
    ['is imported', 'from lib import run', {}],
    ['may be imported by a star', 'from lib import *', {}],
    ['is assigned', 'run = make(1)', {}],
    ['is a lambda', 'run = lambda x: {"y": x}', {}],
    ['is a decorated function, whose parameters nobody can tell', '@app.task\ndef run(self, other): pass', {}],
  ])('%s', async (_what, source, more) => {
    expect(await sourceIssues(source, more)).toEqual([])
  })

  test.each([
    [
      'misses an input port',
      'def run(): pass',
      {},
      /line 1: run\(\) does not take "x", an input port .*add a parameter/,
    ],
    ['misses a setting', 'def run(x): pass', { settings: { lr: 1 } }, /does not take "lr", a setting/],
    ['asks for more', 'def run(x, z): pass', {}, /asks for "z", which is neither an input port nor a setting/],
    ['asks by position', 'def run(x, /): pass', { ports: [] }, /"x", by position only/],
    ['is a lambda that asks for more', 'run = lambda x, z: x', {}, /line 1: run\(\) asks for "z"/],
    ['is nowhere', 'X = 1', {}, /the source has no function "run"; name the function to call "run"/],
    ['is nowhere in an empty source', '', {}, /no function "run"/],
    ['could be one of two', 'def a(x): pass\ndef b(x): pass', {}, /no function "run", and 2 public ones: "a", "b"/],
    ['is in a source with a syntax error', 'x = 1\ndef run(x:\n', {}, /line 2: /],
    ['is in a source that the language refuses', 'return 1', {}, /line 1: .*return/],
  ])('that %s is an issue with words to act on', async (_what, source, more, message) => {
    expect(await sourceIssues(source, more)).toEqual([expect.stringMatching(message)])
  })

  test('a passive input is an argument, too', async () => {
    const ports = [input('x'), input('z', { trigger: false }), output('y')]
    expect(await sourceIssues('def run(x): pass', { ports })).toEqual([expect.stringMatching(/does not take "z"/)])
    expect(await sourceIssues('def run(x, z=None): pass', { ports })).toEqual([])
  })

  test('one issue is told for each fault of a source', async () => {
    expect(await sourceIssues('def run(a, b): pass', { settings: { lr: 1 } })).toHaveLength(4)
  })
})

test('no source is executed by saving, validating, publishing or sharing it [T77]', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'marker-'))
  const marker = join(directory, 'executed')
  const touch = `open(${JSON.stringify(marker)}, "w")`
  const source = [
    `import os, subprocess`,
    touch,
    `os.system("touch ${marker}")`,
    `class Meta(type):\n    def __new__(*args): ${touch}`,
    `class Model(metaclass=Meta): x = ${touch}`,
    `def deco(f): ${touch}; return f`,
    `@deco\n@(lambda f: ${touch})\ndef helper(a=${touch}, *, b: ${touch} = ${touch}) -> ${touch}: pass`,
    `def run(x, y=${touch}): return {"y": [${touch} for _ in ${touch}]}`,
  ].join('\n')
  const document: FlowDocumentInput = { ...x, mode: 'batch', nodes: [python(source)] }
  await engine.root('PUT', '/flows/hostile', document)
  expect((await engine.ann<ValidationResult>('POST', '/flows/hostile/validate')).value).toEqual({
    valid: true,
    issues: [],
  })
  expect((await engine.root('POST', '/flows/hostile/publish', { version: 1 })).status).toBe(200)
  expect((await engine.root('POST', '/flows/hostile/nodes/n/share', { name: 'hostile' })).status).toBe(200)
  expect((await engine.root('PUT', '/flows/hostile/nodes/n/source', { code: `${source}\n# more` })).status).toBe(200)
  await expect(access(marker)).rejects.toThrow('ENOENT')
  await rm(directory, { recursive: true })
})

test('validation executes nothing of a flow in TypeScript [T77]', async () => {
  let executions = 0
  const count = () => {
    executions += 1
    return { z: 1 }
  }
  const counting = stage('g', { in: { y: t.any }, out: { z: t.any }, run: count })
  const flow = batchFlow('typed', { y: t.float }, (p, use) => ({ z: use(counting, { y: p.y }).z }))
  await using other = await openEngine({ objects: [flow] })
  const { value } = await other.ann<ValidationResult>('POST', '/flows/typed/validate')
  expect(value).toEqual({ valid: true, issues: [] })
  expect(executions).toBe(0)
})

test('sources made to break a parser are issues, and the engine goes on [T77]', async () => {
  const hostile = ['('.repeat(1e6), `x = ${'-'.repeat(9e5)}1`, `${'a = 1\n'.repeat(160_000)}def run(:`]
  for (const source of hostile) {
    const { valid, issues } = await validate(engine, { ...x, nodes: [python(source)] })
    expect(valid).toBe(false)
    expect(issues).toMatchObject([{ code: 'bad_source', node: 'n', message: expect.stringMatching(/^.{10,300}$/s) }])
  }
  expect((await engine.ann('GET', '/flows/')).status).toBe(200)
})
