import { expect, test } from 'vitest'

import { LogTail } from '../../src/runs/log-tail.ts'

test('short output is kept whole', () => {
  const tail = new LogTail()
  tail.add('one\n')
  tail.add('two\n')
  expect(tail.read()).toEqual({ text: 'one\ntwo\n', truncated: false })
})

test('of long output the last 65,536 bytes are kept, in whole characters', () => {
  const tail = new LogTail()
  for (let line = 0; line < 40_000; line += 1) tail.add(`é${line}€`)
  const { text, truncated } = tail.read()
  expect(truncated).toBe(true)
  expect(text.endsWith('é39999€')).toBe(true)
  expect(text).not.toContain('\uFFFD')
  const bytes = Buffer.byteLength(text)
  expect(bytes).toBeLessThanOrEqual(65_536)
  expect(bytes).toBeGreaterThan(65_530)
})

test('a null character, which the database cannot keep, is replaced', () => {
  const tail = new LogTail()
  tail.add('a\0b')
  expect(tail.read().text).toBe('a\uFFFDb')
})
