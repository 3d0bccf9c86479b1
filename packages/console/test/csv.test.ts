/** A table is read from any text, and none is lost between its fields. */
import fc from 'fast-check'
import { expect, test } from 'vitest'

import { tableOf } from '../src/runs/csv.ts'

test('quoted fields have separators, line ends and quotes in them', () => {
  expect(tableOf('a,b\r\n1,"two, ""2"""\r\n"x\ny",\r\n')).toMatchObject({
    head: ['a', 'b'],
    rows: [
      ['1', 'two, "2"'],
      ['x\ny', ''],
    ],
  })
  expect(tableOf('\uFEFFa\tb\n1\t2', '\t')).toMatchObject({ head: ['a', 'b'], rows: [['1', '2']] })
  expect(tableOf('')).toEqual({ head: [], rows: [], more: 0, hidden: 0 })
  expect(tableOf('a,b\n1,2,3\n4,"never closed')).toMatchObject({
    head: ['a', 'b', ''],
    rows: [
      ['1', '2', '3'],
      ['4', 'never closed', ''],
    ],
  })
})

test('what is written comes back', () => {
  const cell = fc.string({ unit: fc.constantFrom('a', '1', ',', '"', '\n', '\r', ' ', 'é') })
  const written = fc
    .integer({ min: 2, max: 5 })
    .chain((width) => fc.array(fc.array(cell, { minLength: width, maxLength: width }), { minLength: 1, maxLength: 9 }))
  fc.assert(
    fc.property(written, fc.constantFrom('\n', '\r\n'), (rows, end) => {
      const text = rows.map((row) => row.map((one) => `"${one.replaceAll('"', '""')}"`).join()).join(end)
      const { head, rows: others } = tableOf(text)
      expect([head, ...others]).toEqual(rows)
    }),
  )
})

test('any text ends in a table', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('a', ',', '"', '\n', '\r') }), (text) => {
      const { head, rows } = tableOf(text)
      for (const row of rows) expect(row.length).toBe(head.length)
    }),
  )
})

test('of a long and wide table the beginning is shown, and how much is not', () => {
  const row = Array.from({ length: 50 }, (_, at) => at).join()
  const table = tableOf(Array.from({ length: 300 }, () => row).join('\n'))
  expect([table.head.length, table.rows.length, table.more, table.hidden]).toEqual([40, 200, 99, 10])
})
