import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { describe, expect, test } from 'vitest'

import { parsePython } from '../src/index.ts'
import { pythons } from './harness.ts'

describe.each(pythons)('parsing with %s', (python) => {
  const parse = (source: string) => parsePython(source, { python })

  test('tells the functions of the module and their parameters', async () => {
    const source = [
      'if True:\n    def run(a, b=1, *, c, d=2, **more): pass',
      'async def other(x, /): pass',
      'class C:\n    def method(self): pass\n',
    ].join('\n')
    expect(await parse(source)).toEqual({
      functions: [
        {
          name: 'run',
          line: 2,
          decorated: false,
          parameters: [
            { name: 'a', kind: 'keyword', default: false },
            { name: 'b', kind: 'keyword', default: true },
            { name: 'c', kind: 'keyword', default: false },
            { name: 'd', kind: 'keyword', default: true },
            { name: 'more', kind: 'all', default: true },
          ],
        },
        {
          name: 'other',
          line: 3,
          decorated: false,
          parameters: [{ name: 'x', kind: 'positional_only', default: false }],
        },
      ],
      names: ['C'],
      error: null,
    })
  })

  test('tells decorated functions, lambdas with a name, and names that are bound otherwise', async () => {
    const source = [
      '@cached\ndef slow(x): pass',
      'short = lambda x, y=1: x',
      'import os.path, json as j',
      'from lib import *',
      'a, (b, *c) = 1, (2, 3)',
      'class Model:\n    hidden = 1\n',
    ].join('\n')
    const { functions, names } = await parse(source)
    expect(functions.map(({ name, line, decorated }) => [name, line, decorated])).toEqual([
      ['slow', 2, true],
      ['short', 3, false],
    ])
    expect(functions[1]?.parameters.map((parameter) => parameter.name)).toEqual(['x', 'y'])
    expect(names).toEqual(['*', 'Model', 'a', 'b', 'c', 'j', 'os'])
  })

  test.each([
    ['def run(:\n', 1],
    ['x = 1\nreturn x\n', 2],
    ['def run():\n  x = 1\n   y = 2\n', 3],
  ])('tells a syntax error with its line: %j', async (source, line) => {
    expect(await parse(source)).toEqual({ functions: [], names: [], error: { message: expect.any(String), line } })
  })

  test('never executes the source [T77]', async () => {
    const marker = join(tmpdir(), `executed-${process.pid}`)
    const touch = `open(${JSON.stringify(marker)}, "w")`
    await parse(`${touch}\n@${touch}\ndef run(a=${touch}): pass\n`)
    expect(existsSync(marker)).toBe(false)
  })

  test('survives sources that are made to break a parser [T77]', async () => {
    const hostile = [`${'('.repeat(1e6)}`, `x = ${'-'.repeat(1e6)}1`, `${'['.repeat(90)}${']'.repeat(90)}\0`, '\ud800']
    for (const source of hostile)
      expect((await parse(source)).error).toMatchObject({ message: expect.stringMatching(/./) })
  }, 30_000)

  test('an answer that comes too late says nothing of the source [T77]', async () => {
    const late = parsePython('x = 1\n', { python, limitMs: 1 })
    await expect(late).rejects.toThrow('the source was not parsed within 0.001 s')
  })
})

test('an interpreter that is not there is named', async () => {
  await expect(parsePython('', { python: '/nowhere/python3' })).rejects.toThrow('/nowhere/python3 cannot be started')
})
