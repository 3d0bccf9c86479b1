import { DtypeViolation } from '@flow-service/connector-sdk'
import { fileNode } from '@flow-service/node-types'
import { describe, expect, test } from 'vitest'

import { codes, findings, Rig, shapeOf } from './test-kit.ts'

const writer = async (settings: Record<string, unknown>, values: readonly unknown[]): Promise<string> => {
  const rig = await Rig.start(fileNode, { settings: { path: 'a/b.txt', ...settings }, inputs: { value: 'any' } })
  for (const value of values) await rig.arrive({ value })
  expect(rig.emitted).toEqual([])
  return rig.read('a/b.txt')
}

const reader = (content: string, settings: Record<string, unknown> = {}, dtype: 'str' | 'any' | 'object' = 'any') =>
  Rig.start(fileNode, {
    settings: { path: 'in.txt', ...settings },
    inputs: { tick: 'any' },
    outputs: { content: dtype },
    files: { 'in.txt': content },
  })

describe('file', () => {
  test.each([
    [{ mode: 'write' }, ['a', 'b'], 'b\n'],
    [{ mode: 'write', newline: false }, ['a', 'b'], 'b'],
    [{ mode: 'append' }, ['a', 'b'], 'a\nb\n'],
    [{ mode: 'append', newline: false }, ['a', 'b'], 'ab'],
    [{ mode: 'append' }, [1.5, true, null, { k: [1] }, 'ü'], '1.5\ntrue\nnull\n{"k":[1]}\nü\n'],
    [{ mode: 'append', format: 'json' }, ['a', { k: 1 }], '"a"\n{"k":1}\n'],
    [{ mode: 'write', format: 'json', newline: false }, [{ k: 'ü' }], '{"k":"ü"}'],
    [{ mode: 'write' }, [''], '\n'],
  ])('with %j writes %j as %j [R294] [R295] [R296]', async (settings, values, expected) => {
    expect(await writer(settings, values)).toBe(expected)
  })

  test('reads the whole file on each arrival, and when it is asked to act [R294]', async () => {
    const rig = await reader('line 1\nline 2\n')
    await rig.arrive({ tick: 1 })
    await rig.write('in.txt', 'new')
    await rig.trigger()
    expect(rig.emitted).toEqual([{ content: 'line 1\nline 2\n' }, { content: 'new' }])
  })

  test('reads JSON back as it was written [R295]', async () => {
    const value = { a: [1, 2.5, null, 'ü'], b: { c: true } }
    const text = await writer({ mode: 'write', format: 'json' }, [value])
    const rig = await reader(text ?? '', { format: 'json' }, 'object')
    await rig.arrive({ tick: 1 })
    expect(rig.emitted).toEqual([{ content: value }])
  })

  test.each(['{"a":', '', 'a\nb', '{"a":1}\n{"a":2}\n'])('fails for %j, which is no JSON', async (content) => {
    const rig = await reader(content, { format: 'json' })
    await expect(rig.arrive({ tick: 1 })).rejects.toMatchObject({
      name: 'unusable',
      message: expect.stringContaining('the file "in.txt" holds no JSON'),
    })
    expect(rig.emitted).toEqual([])
  })

  test('fails for JSON that is nested too deeply, and for a value that is not of the port’s type [F61]', async () => {
    const deep = await reader(`${'['.repeat(65)}${']'.repeat(65)}`, { format: 'json' })
    await expect(deep.arrive({ tick: 1 })).rejects.toThrow('more than 64 levels')
    const list = await reader('[1]', { format: 'json' }, 'object')
    await expect(list.arrive({ tick: 1 })).rejects.toThrow(DtypeViolation)
  })

  test('fails when there is no such file', async () => {
    const rig = await reader('x', { path: 'other.txt' })
    await expect(rig.arrive({ tick: 1 })).rejects.toMatchObject({ name: 'missing' })
  })

  test('reads text with line breaks unless told otherwise, and has no default path [R292] [R294] [R295] [R296]', () => {
    expect(fileNode.settings.parse({ path: 'x' })).toEqual({ path: 'x', mode: 'read', format: 'text', newline: true })
    expect(fileNode.settings.safeParse({}).error?.issues[0]?.path).toEqual(['path'])
  })

  test('has one output to read into, or inputs to write', () => {
    const read = { path: 'x' }
    const write = { path: 'x', mode: 'write' }
    expect(codes(fileNode, { settings: read, outputs: { a: 'str' } })).toEqual([])
    expect(codes(fileNode, { settings: read, inputs: { t: 'any' } })).toEqual(['unsupported_ports'])
    expect(codes(fileNode, { settings: read, outputs: { a: 'str', b: 'str' } })).toEqual(['unsupported_ports'])
    expect(codes(fileNode, { settings: write, inputs: { a: 'any', b: 'any' } })).toEqual([])
    expect(codes(fileNode, { settings: write })).toEqual(['unsupported_ports'])
    expect(codes(fileNode, { settings: write, inputs: { a: 'any' }, outputs: { b: 'any' } })).toEqual([
      'unsupported_ports',
    ])
    expect(findings(fileNode, { settings: read, outputs: { a: 'object' } })).toMatchObject([
      { code: 'dtype_mismatch', path: '/outputs/0/dtype' },
    ])
    expect(codes(fileNode, { settings: { ...read, format: 'json' }, outputs: { a: 'object' } })).toEqual([])
  })

  test('is not repeated after a crash when it appends', () => {
    const idempotent = fileNode.idempotent as (shape: ReturnType<typeof shapeOf>) => boolean
    const of = (mode: string) => idempotent(shapeOf(fileNode, { settings: { path: 'x', mode } }))
    expect(['read', 'write', 'append'].map(of)).toEqual([true, true, false])
  })
})
