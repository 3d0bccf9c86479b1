import fs from 'node:fs'

import fc from 'fast-check'
import { expect, test } from 'vitest'

import { withoutWideJoins } from '../../src/db/wide-joins.ts'

/** Its types are of browsers alone. */
const { WebAssembly: wasm } = globalThis as unknown as {
  WebAssembly: {
    Module: new (code: Uint8Array) => object
    Instance: new (module: object) => { readonly exports: { readonly f: (x: number, y: number) => number } }
  }
}

const leb = (value: number): number[] => (value < 128 ? [value] : [(value & 127) | 128, ...leb(value >>> 7)])
const section = (id: number, content: readonly number[]): number[] => [id, ...leb(content.length), ...content]

const [BLOCK, LOOP, IF, END, BR, BR_IF, BR_TABLE, RETURN] = [2, 3, 4, 0x0b, 0x0c, 0x0d, 0x0e, 0x0f]
const VOID = 0x40
const header = [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]
const local = (code: 'get' | 'set', index: number): number[] => [code === 'get' ? 0x20 : 0x21, ...leb(index)]
const constant = (value: number): number[] => [0x41, value & 63]
/** `local = local * 33 + value`: which cases were passed, and in which order, shows. */
const note = (value: number): number[] => [
  ...local('get', 1),
  ...constant(33),
  0x6c,
  ...constant(value),
  0x6a,
  ...local('set', 1),
]

/** How a case goes on: to the one place, to the next case, to another one, or around again while there is fuel. */
type Way = 'join' | 'next' | 'maybe join' | 'far' | 'again' | 'switch' | 'return' | 'nested'

/** A module that exports `f(x, y)`: a switch in a loop, whose cases are nested as compilers nest them. */
function switchModule(ways: readonly Way[], skipped: number): Uint8Array {
  const cases = ways.length
  // behind the end of case `at` stand those above around it, then the place, then the loop
  const bodies = ways.flatMap((way, at) => {
    const [join, again] = [cases - 1 - at, cases - at]
    const go: Record<Way, number[]> = {
      join: [BR, ...leb(join)],
      next: [],
      'maybe join': [...local('get', 1), ...constant(1), 0x71, BR_IF, ...leb(join)],
      far: [BR, ...leb(Math.floor(join / 2))],
      // fuel is local 2
      again: [
        [...local('get', 2), ...constant(1), 0x6b, 0x22, 2],
        [...constant(0), 0x4a, IF, VOID, ...local('get', 1), ...constant(31), 0x71, ...local('set', 0)],
        [BR, ...leb(again + 1), END, BR, ...leb(join)],
      ].flat(),
      switch: [
        ...local('get', 1),
        ...constant(3),
        0x71,
        BR_TABLE,
        2,
        ...leb(join),
        ...leb(Math.floor(join / 3)),
        ...leb(join),
      ],
      return: [...local('get', 1), RETURN],
      nested: [BLOCK, VOID, ...local('get', 1), BR_IF, ...leb(join + 1), END],
    }
    const pad = Array<number>(Math.ceil(70_000 / cases)).fill(1)
    return [...note(at & 31), ...pad, ...go[way], END]
  })
  const blocks = Array<number[]>(cases + 1)
    .fill([BLOCK, VOID])
    .flat()
  const table = Array.from({ length: cases }, (_, at) => leb((at * skipped) % cases)).flat()
  const code = [
    [1, 1, 0x7f],
    [...local('get', 1), ...local('set', 2)],
    [LOOP, VOID, ...blocks],
    [...local('get', 0), BR_TABLE, ...leb(cases - 1), ...table, END],
    bodies,
    [...note(7), END, ...local('get', 1), END],
  ].flat()
  return Uint8Array.from([
    ...header,
    ...section(1, [1, 0x60, 2, 0x7f, 0x7f, 1, 0x7f]),
    ...section(3, [1, 0]),
    ...section(7, [1, 1, 0x66, 0, 0]),
    ...section(10, [1, ...leb(code.length), ...code]),
    // one that nobody knows, behind the code
    ...section(0, [1, 0x78, 1, 2, 3]),
  ])
}

const way = fc.oneof(
  { arbitrary: fc.constant<Way>('join'), weight: 12 },
  fc.constantFrom<Way>('next', 'maybe join', 'far', 'again', 'switch', 'return', 'nested'),
)

const functionOf = (module: Uint8Array) => new wasm.Instance(new wasm.Module(module)).exports.f

test('a function in which very many branches leave for one place does the same with fewer', () => {
  const program = fc.record({
    ways: fc.array(way, { minLength: 1800, maxLength: 2400 }),
    skipped: fc.integer({ min: 1, max: 400 }),
  })
  fc.assert(
    fc.property(program, ({ ways, skipped }) => {
      const module = switchModule(ways, skipped)
      const narrow = withoutWideJoins(module)
      expect(Buffer.compare(narrow, module)).not.toBe(0)
      // nothing is left of it
      expect(withoutWideJoins(narrow)).toBe(narrow)
      expect([...narrow.subarray(-6)]).toEqual([...module.subarray(-6)])
      const [before, after] = [functionOf(module), functionOf(narrow)]
      for (let x = 0; x < ways.length + 2; x += 3)
        for (const y of [0, 1, 6])
          if (after(x, y) !== before(x, y)) expect([x, y, after(x, y)]).toEqual([x, y, before(x, y)])
    }),
    { numRuns: 15, endOnFailure: true },
  )
})

test('what has no such place, what is not understood, and what is no module stay as they are', () => {
  const few = switchModule(Array<Way>(900).fill('join'), 1)
  const odd = switchModule(Array<Way>(1800).fill('join'), 1)
  expect(withoutWideJoins(odd)).not.toBe(odd)
  // a vector instruction in place of two of its `nop`s
  odd.set(
    [0xfd, 0x01],
    odd.findIndex((byte, at) => at > 20_000 && byte === 1 && odd[at + 1] === 1 && odd[at - 1] === 1),
  )
  const strange = [[], header, [1, 2, 3]].map((bytes) => Uint8Array.from(bytes))
  for (const module of [few, odd, ...strange]) expect(withoutWideJoins(module)).toBe(module)
})

test('the embedded database has such a place', () => {
  const code = fs.readFileSync(new URL('pglite.wasm', import.meta.resolve('@electric-sql/pglite')))
  const narrow = withoutWideJoins(code)
  expect(narrow).not.toBe(code)
  expect(withoutWideJoins(narrow)).toBe(narrow)
})
