import fc from 'fast-check'
import { expect, test } from 'vitest'

import { type KeptOutput, logPart, LogTail } from '../../src/node-logs/log-tail.ts'

const KEPT = 65_536

const tailOf = (texts: readonly string[]): LogTail => {
  const tail = new LogTail()
  for (const text of texts) tail.add(text)
  return tail
}
const keptOf = (tail: LogTail): KeptOutput => ({ text: tail.read().text, bytes: tail.bytes })

test('short output is kept whole', () => {
  expect(tailOf(['one\n', 'two\n']).read()).toEqual({ text: 'one\ntwo\n', truncated: false })
  expect(new LogTail().read()).toEqual({ text: '', truncated: false })
})

test('of long output the last 65,536 bytes are kept, in whole characters', () => {
  const { text, truncated } = tailOf(Array.from({ length: 40_000 }, (_, line) => `é${line}€`)).read()
  expect(truncated).toBe(true)
  expect(text.endsWith('é39999€')).toBe(true)
  expect(text).not.toContain('\uFFFD')
  const bytes = Buffer.byteLength(text)
  expect(bytes).toBeLessThanOrEqual(KEPT)
  expect(bytes).toBeGreaterThan(KEPT - 6)
})

test('a null character, which the database cannot keep, and half a character are replaced', () => {
  expect(tailOf(['a\0b\uD83D', '\uDE00']).read().text).toBe('a\uFFFDb\uFFFD\uFFFD')
})

const line = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.tuple(fc.constantFrom('x', 'é', '€', '😀'), fc.nat(30_000)).map(([of, times]) => of.repeat(times)),
)

test('whatever is added in whatever pieces, the end of it is kept and all of it is counted', () => {
  fc.assert(
    fc.property(fc.array(line, { maxLength: 12 }), fc.nat(12), (texts, at) => {
      const whole = Buffer.from(texts.map((text) => text.replaceAll('\0', '\uFFFD').toWellFormed()).join(''))
      // as the next engine goes on with it
      const first = tailOf(texts.slice(0, at))
      const tail = new LogTail({ ...first.read(), bytes: first.bytes })
      for (const text of texts.slice(at)) tail.add(text)
      const { text, truncated } = tail.read()
      const kept = Buffer.byteLength(text)
      expect(tail.bytes).toBe(whole.length)
      expect(whole.toString('utf8', whole.length - kept)).toBe(text)
      expect(truncated).toBe(kept < whole.length)
      expect(kept).toBeGreaterThan(Math.min(whole.length, KEPT - 4) - 1)
      expect(tail.size).toBeLessThanOrEqual(KEPT)
    }),
  )
})

test('parts that are read one after the other are the kept text, whatever their limit', () => {
  fc.assert(
    fc.property(fc.array(line, { maxLength: 5 }), fc.integer({ min: 1, max: 100_000 }), (texts, limit) => {
      const kept = keptOf(tailOf(texts))
      const step = Math.max(limit, Math.ceil(kept.bytes / 50))
      let after = 0
      let read = ''
      while (after < kept.bytes) {
        const part = logPart(kept, { after, limit: step })
        expect(part.next - part.from).toBe(Buffer.byteLength(part.text))
        expect(part.next).toBeGreaterThan(part.from)
        expect(part.cut).toBe(part.from > after)
        read += part.text
        after = part.next
      }
      expect(read).toBe(kept.text)
    }),
  )
})

test('characters are never parted: one is given though it is larger than the limit', () => {
  const kept = { text: 'a€b', bytes: 5 }
  expect(logPart(kept, { after: 0, limit: 1 })).toEqual({ from: 0, next: 1, text: 'a', cut: false })
  expect(logPart(kept, { after: 1, limit: 1 })).toEqual({ from: 1, next: 4, text: '€', cut: false })
  expect(logPart(kept, { after: 2, limit: 9 })).toEqual({ from: 4, next: 5, text: 'b', cut: false })
  expect(logPart(kept, { after: 0, limit: 3 })).toMatchObject({ next: 1, text: 'a' })
})

test('what is asked for before what is kept begins with that, cut; the end is empty, and behind it is a mistake', () => {
  const kept = { text: 'kept', bytes: 100 }
  expect(logPart(kept, { after: 5, limit: 10 })).toEqual({ from: 96, next: 100, text: 'kept', cut: true })
  expect(logPart(kept, { after: 96, limit: 2 })).toEqual({ from: 96, next: 98, text: 'ke', cut: false })
  expect(logPart(kept, { after: 100, limit: 10 })).toEqual({ from: 100, next: 100, text: '', cut: false })
  expect(() => logPart(kept, { after: 101, limit: 10 })).toThrow(/printed 100 bytes so far.* nothing after 101/)
  expect(logPart({ text: '', bytes: 7 }, { after: 0, limit: 1 })).toEqual({ from: 7, next: 7, text: '', cut: true })
})
