import { describe, expect, test } from 'vitest'

import { checkJson, parseJson } from '../../src/http/json-text.ts'
import { isPlainJson } from '../../src/http/plain-json.ts'

const deep = '['.repeat(65)
const bytes = (text: string) => Buffer.from(text)

describe('a body is walked once and parsed', () => {
  const keys = Array.from({ length: 71_000 }, (_, index) => `"k${index}":1`)
  const numbers = Array.from({ length: 30_000 }, (_, index) => `{"step":${index},"at":${index / 7},"on":true}`)
  test.each([
    ['many keys', `{${keys.join(',')}}`],
    ['many objects of the same keys', `[${numbers.join(',')}]`],
    ['letters beyond ASCII, as they are and by their escapes', '{"größe":"é \\u00e9 \\n","\u{1F600}":[""]}'],
    ['numbers of every shape', '[0,-1,999999999999999,1.5e-7,1E+99,0.12345678901234567]'],
  ])('that has %s', (_title, text) => {
    expect(isPlainJson(bytes(text))).toBe(true)
    expect(parseJson(bytes(text))).toEqual(JSON.parse(text))
  })
})

test.each([1, 2, 16, 17, 26])('a thousand objects with the same %i keys are known at first sight', (count) => {
  const keys = Array.from({ length: count }, (_, index) => `"${String.fromCharCode(97 + index)}":1`)
  const text = `[${Array.from({ length: 1_000 }, () => `{${keys.join(',')}}`).join(',')}]`
  expect(isPlainJson(bytes(text))).toBe(true)
})

describe('a second look is taken at', () => {
  test.each([
    ['a key that comes again', '{"a":1,"b":{"a":1},"a":2}'],
    ['a key with an escape', '{"\\u0061":1}'],
    ['keys of the prototype', '{"constructor":1}'],
    ['what may be a NUL', '["\\u0000"]'],
    ['one half of a pair', '["\\uD83D\\uDE00"]'],
    ['a long integer', '[1000000000000000]'],
    ['a long exponent', '[1e100]'],
    ['a long number', `[${'1'.repeat(300)}.5]`],
    ['depth', deep],
  ])('%s', (_title, text) => expect(isPlainJson(bytes(text))).toBe(false))

  test('keys that were made to collide', () => {
    // the hash of a key is known, so that its last bytes can be chosen for the place in the table
    const found: string[] = []
    const slot = (key: string) => {
      let high = Math.imul(3, 0x9e3779b1)
      for (const byte of bytes(key)) high = Math.imul(high ^ byte, 0x01000193)
      return ((high | 1) ^ ((high | 1) >>> 15)) & 0xfff
    }
    for (let index = 0; found.length < 100; index += 1) if (slot(`k${index}`) === 7) found.push(`"k${index}":${index}`)
    const text = `{${found.join(',')}}`
    expect(isPlainJson(bytes(text))).toBe(false)
    expect(parseJson(bytes(text))).toEqual(JSON.parse(text))
  })
})

test('a body that somebody else parses is refused alike', async () => {
  const refused = { '{"a":1,"a":2}': 'twice', '[9007199254740993]': 'exact', '["\\u0000"]': 'NUL', [deep]: 'nesting' }
  const checks = Object.entries(refused).map(([text, why]) =>
    expect(async () => checkJson(bytes(text))).rejects.toThrow(why),
  )
  await Promise.all(checks)
  await expect(async () => checkJson(Uint8Array.of(0x22, 0xff, 0x22))).rejects.toThrow('UTF-8')
  await checkJson(bytes('{"a":[1,"ü"]}'))
})

test('what is done with a long body leaves turns to others, and with a short one it does not', async () => {
  const turnsDuring = async (text: string): Promise<number> => {
    let isOver = false
    let turns = 0
    const count = (): void => {
      if (isOver) return
      turns += 1
      setImmediate(count)
    }
    setImmediate(count)
    await checkJson(bytes(text))
    isOver = true
    return turns
  }
  const odd = (length: number): string => `{"\\u0061":"${'x'.repeat(length)}"}`
  expect(await turnsDuring(odd(1_000_000))).toBeGreaterThanOrEqual(2)
  expect(await turnsDuring(`["${'x'.repeat(1_000_000)}"]`)).toBe(1)
  expect(await turnsDuring(odd(1_000))).toBe(0)
})

test('300,000 keys in one object take no more than a few times what JSON.parse takes', () => {
  const text = `{${Array.from({ length: 300_000 }, (_, index) => `"k${index}":1`).join(',')}}`
  const body = Buffer.from(text)
  const timed = (work: () => unknown) => {
    const start = performance.now()
    work()
    return performance.now() - start
  }
  const ratios = [1, 2, 3].map(() => timed(() => parseJson(body)) / timed(() => JSON.parse(text)))
  expect(Math.min(...ratios)).toBeLessThan(4)
})
