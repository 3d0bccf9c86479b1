import { describe, expect, test } from 'vitest'

import { encodingsOf } from '../../src/secrets/encodings.ts'
import { MASK, Redactor } from '../../src/secrets/redactor.ts'

/** Awkward for every encoding: quotes, a backslash, a line break, signs of URLs, letters beyond ASCII. */
const awkward = 'pä"ss\\wo\'rd\n/+?& (1)!*=ü'

const knowing = (...values: string[]): Redactor => {
  const redactor = new Redactor()
  redactor.set(values)
  return redactor
}

describe.each([
  ['plain', 'hunter2-hunter2'],
  ['awkward', awkward],
  ['of bytes that base64 writes with + and /', 'þÿþÿ~~~???>>>þÿ'],
])('a value, %s, is found [T80]', (_kind, value) => {
  const bytes = Buffer.from(value)
  const python = JSON.stringify(value).replaceAll(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  const base64 = (alphabet: 'base64' | 'base64url') =>
    ['', 'a', 'ab', 'user:'].map((before) =>
      Buffer.concat([Buffer.from(before), bytes, Buffer.from('z')]).toString(alphabet),
    )
  const lower = (text: string) => text.replaceAll(/%[0-9A-F]{2}/g, (escape) => escape.toLowerCase())
  test.each([
    ['as it is', value],
    ['in JSON', JSON.stringify({ value })],
    ['in JSON of ASCII', `{"value": ${python}}`],
    ['in a text of JSON in JSON', JSON.stringify({ body: JSON.stringify({ value }) })],
    ['in a URL', `https://example.org/?q=${encodeURIComponent(value)}&more`],
    ['in a URL in lower case', `https://example.org/?q=${lower(encodeURIComponent(value))}&more`],
    ['as Python quotes it', encodeURIComponent(value).replaceAll('%2F', '/')],
    ['in a form', new URLSearchParams({ a: value, b: '1' }).toString()],
    ...base64('base64').map((text, at): [string, string] => [`in base64, ${at}`, text]),
    ...base64('base64url').map((text, at): [string, string] => [`in base64url, ${at}`, text]),
  ])('%s', (_how, text) => {
    const masked = knowing(value).mask(`before ${text} after`)
    expect(masked).toContain(MASK)
    expect(masked.startsWith('before ') && masked.endsWith(' after')).toBe(true)
    // of base64, up to a character at either side may depend on its neighbours too
    for (const form of encodingsOf(value)) expect(masked).not.toContain(form)
    for (let at = 0; at + 6 < value.length; at++) expect(masked).not.toContain(value.slice(at, at + 6))
  })
})

test('values of fewer than 8 characters mask nothing', () => {
  const redactor = knowing('1', 'seven77', '')
  const text = 'seven77 of 1'
  expect(redactor.mask(text)).toBe(text)
  expect(knowing('eight888').mask('eight888')).toBe(MASK)
})

test('forms that overlap or stand side by side leave nothing of either', () => {
  const redactor = knowing('abcdefgh', 'ghijklmn', 'abcdefgh-longer')
  expect(redactor.mask('xabcdefghijklmnx')).toBe('x***x')
  expect(redactor.mask('abcdefgh-longer!')).toBe('***!')
  expect(redactor.mask('abcdefgh-lon')).toBe('***-lon')
  expect(redactor.mask('abcdefghghijklmn')).toBe('***')
})

describe('JSON', () => {
  const redactor = knowing('a long secret')

  test('is masked in texts and keys at any depth; the rest stays as it is', () => {
    const value = { n: 1, ok: true, none: null, deep: [{ 'a long secret': 'x a long secret y' }], big: -0 }
    expect(redactor.mask(value)).toEqual({ n: 1, ok: true, none: null, deep: [{ '***': 'x *** y' }], big: -0 })
  })

  test('without a value in it is the very same object', () => {
    const value = { deep: [{ text: 'nothing' }, 1, Number.NaN] }
    expect(redactor.mask(value)).toBe(value)
    const bytes = { bytes: new Uint8Array([1]) }
    expect(redactor.mask(bytes)).toBe(bytes)
  })

  test('that holds itself, or is nested deeper than calls can be, ends in the mask', () => {
    const circle: Record<string, unknown> = { text: 'a long secret' }
    circle['self'] = circle
    expect(redactor.mask(circle)).toEqual({ text: '***', self: '***' })
    let deep: unknown = 'a long secret'
    for (let at = 0; at < 100_000; at++) deep = [deep]
    expect(JSON.stringify(redactor.mask(deep))).toBe(`${'['.repeat(500)}"***"${']'.repeat(500)}`)
  })
})

describe('a stream', () => {
  const values = ['hunter2-hunter2', 'hunter2-hunter2-and-more', awkward]
  const said = `begin hunter2-hunter2 ${awkward} hunter2-hunter2-and-mor hunter2-hun end ${Buffer.from(awkward).toString('base64')} h`

  test('shows the same however its chunks are cut, and a value in none [T80]', () => {
    const redactor = knowing(...values)
    const whole = redactor.mask(said)
    for (let size = 1; size <= said.length; size++) {
      const stream = redactor.stream()
      let shown = ''
      for (let at = 0; at < said.length; at += size) shown += stream.push(said.slice(at, at + size))
      expect(shown + stream.end()).toBe(whole)
    }
    expect(whole.startsWith('begin *** *** ***-and-mor hunter2-hun end ')).toBe(true)
  })

  test('holds back no more than what may be the beginning of a value, and goes on after its end', () => {
    const stream = knowing('hunter2-hunter2').stream()
    expect(stream.push('a line\n')).toBe('a line\n')
    expect(stream.push('say hunter2-')).toBe('say ')
    expect(stream.push('x')).toBe('hunter2-x')
    expect(stream.push('hunter2-hun')).toBe('')
    expect(stream.end()).toBe('hunter2-hun')
    expect(stream.push('ter2')).toBe('ter2')
    expect(stream.end()).toBe('')
  })

  test('begins to mask when a first value comes, and lets go of what it holds when the last one goes', () => {
    const redactor = new Redactor()
    const stream = redactor.stream()
    expect(stream.push('hunter2-hunter2')).toBe('hunter2-hunter2')
    redactor.set(['hunter2-hunter2'])
    expect(stream.push('hunter2-hunter2 hunter2')).toBe('*** ')
    redactor.set([])
    expect(stream.push('!')).toBe('hunter2!')
  })
})

test('without values a text costs next to nothing, and with a hundred of them less than reading it as JSON', () => {
  const text = JSON.stringify(Array.from({ length: 2_000 }, (_, at) => ({ at, line: `value ${at} of the log, say` })))
  const none = new Redactor()
  const many = knowing(...Array.from({ length: 100 }, (_, at) => `${at}-secret-${at * 7919}`))
  const work = { parsing: () => JSON.parse(text), none: () => none.mask(text), many: () => many.mask(text) }
  const best = { parsing: Infinity, none: Infinity, many: Infinity }
  // one beside the other, and the fastest of many: a machine that is shared changes its speed from one moment to the next
  for (let round = 0; round < 200; round++) {
    for (const name of ['parsing', 'none', 'many'] as const) {
      const startedMs = performance.now()
      work[name]()
      best[name] = Math.min(best[name], performance.now() - startedMs)
    }
  }
  expect(best.none).toBeLessThan(best.parsing / 10)
  expect(best.many).toBeLessThan(best.parsing * 5)
})
