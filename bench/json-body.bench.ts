/**
 * What a JSON body costs beyond its parser: one object of 71,000 keys, and rows of a table, against `JSON.parse` of the
 * same text.
 */
import { expect, test } from 'vitest'

import { parseJson } from '../packages/api-server/test/http/json-body.ts'

const ROUNDS = 31

const rows = Array.from({ length: 9_000 }, (_, row) => ({ id: row, name: `row ${row}`, celsius: row / 7, tags: ['a'] }))

test.each([
  ['71,000 keys', 1.5, Object.fromEntries(Array.from({ length: 71_000 }, (_, key) => [`key ${key}`, 1]))],
  ['9,000 rows', 2, rows],
])('%s take at most %d times as long as JSON.parse', (title, most, value) => {
  const text = JSON.stringify(value)
  const body = Buffer.from(text)
  const ours: number[] = []
  const bare: number[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    ours.push(timed(() => parseJson(body)))
    bare.push(timed(() => void JSON.parse(body.toString())))
  }
  const ratio = median(ours) / median(bare)
  console.log(
    `${title}, ${body.length} bytes: ${median(ours).toFixed(1)} ms, JSON.parse ${median(bare).toFixed(1)} ms: ratio ${ratio.toFixed(2)}`,
  )
  expect(ratio).toBeLessThan(most)
})

function timed(work: () => void): number {
  const started = performance.now()
  work()
  return performance.now() - started
}

const median = (times: readonly number[]): number => times.toSorted((a, b) => a - b)[times.length >> 1] ?? 0
