import { describe, expect, test } from 'vitest'

import { type Body, refusal, seen, useEchoApi } from './echo-api.ts'

const api = useEchoApi()
const { post } = api

const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)
const bytesOf = (...bytes: number[]) => Uint8Array.from(bytes)

const at = (path: string, code: string) => ({ errors: [{ path, code }] })

/** Title, body, and members that the problem has besides. */
type Bad = [title: string, body: Body, more?: object]
const malformed: Bad[] = [
  ['nothing', '', { detail: 'the body is empty; send JSON' }],
  ['white space', ' \n'],
  ['an open object', '{"a":1', { position: 6 }],
  ['an open string', '{"a":"x'],
  ['a string that ends in a backslash', '"\\'],
  ['a trailing comma', '[1,]'],
  ['a key without quotes', '{a:1}', { position: 1 }],
  ['single quotes', "{'a':1}"],
  ['a comment', '{/*x*/}'],
  ['NaN', '{"a":NaN}'],
  ['Infinity', '[Infinity]'],
  ['undefined', 'undefined'],
  ['a leading zero', '[01]'],
  ['two values', '{} {}', { position: 3 }],
  ['a closing bracket too many', '[]]'],
  ['brackets that do not match', '[}'],
  ['a raw line break in a string', '"a\nb"'],
  ['a bad escape', '"\\x41"'],
  ['a bad escape in a key', '{"\\x41":1}'],
  ['bytes that are not UTF-8', bytesOf(0x22, 0xff, 0x22)],
  ['UTF-16', bytesOf(0xff, 0xfe, 0x7b, 0, 0x7d, 0)],
  ['an encoded surrogate', bytesOf(0x22, 0xed, 0xa0, 0x80, 0x22)],
]

const unfit: Bad[] = [
  ['depth 65', nested(65), at('/0'.repeat(64), 'too_deep')],
  ['depth 65 of objects', `${'{"a":'.repeat(65)}1${'}'.repeat(65)}`, at('/a'.repeat(64), 'too_deep')],
  ['depth 1,000,000', nested(1_000_000)],
  ['depth without an end', '['.repeat(100_000)],
  ['a key given twice', '{"a":1,"b":2,"a":3}', at('/a', 'duplicate_key')],
  ['a key given twice deep down', '{"n":[{},{"x":{"k":1,"k":1}}]}', at('/n/1/x/k', 'duplicate_key')],
  ['a key given twice by an escape', '{"ab":1,"\\u0061b":2}', at('/ab', 'duplicate_key')],
  ['a key with a slash given twice', '{"a/b~":1,"a/b~":2}', at('/a~1b~0', 'duplicate_key')],
  ['__proto__', '{"__proto__":{"admin":true}}', at('/__proto__', 'reserved_key')],
  ['__proto__ by an escape', '{"\\u005f_proto__":1}', at('/__proto__', 'reserved_key')],
  ['__proto__ in an array', '[{"a":[{"__proto__":1}]}]', at('/0/a/0/__proto__', 'reserved_key')],
  ['constructor.prototype', '{"constructor":{"prototype":{"x":1}}}', at('/constructor', 'reserved_key')],
  ['a NUL in a value', '{"a":["\\u0000"]}', at('/a/0', 'bad_text')],
  ['a NUL in a key', '{"a\\u0000":1}', at('/a\0', 'bad_text')],
  ['a lone high surrogate', '{"a":"\\ud800"}', at('/a', 'bad_text')],
  ['a lone low surrogate', '"\\udc00x"', at('', 'bad_text')],
  ['swapped surrogates', '["\\udc00\\ud800"]', at('/0', 'bad_text')],
  ['a lone surrogate in a key', '{"\\ud800":1}'],
  ['1e400', '{"a":1e400}', at('/a', 'out_of_range')],
  ['-1e999', '[-1e999]', at('/0', 'out_of_range')],
  ['2^53 + 1', '{"a":{"b":[0,9007199254740993]}}', at('/a/b/1', 'out_of_range')],
  ['-2^53 - 1', '-9007199254740993', at('', 'out_of_range')],
  ['a number of 19 digits', '{"id":1234567890123456789}', at('/id', 'out_of_range')],
  ['a number of 400 digits', '9'.repeat(400), at('', 'out_of_range')],
]

const unlike: Bad[] = [
  ['no object', '[]', at('', 'invalid_type')],
  ['null', 'null', at('', 'invalid_type')],
  ['a missing key', '{}', at('/name', 'invalid_type')],
  ['a value of another type', '{"name":1}', at('/name', 'invalid_type')],
  ['a value too long', '{"name":"sixsix"}', at('/name', 'too_big')],
  ['an unknown key', '{"name":"a","a/b":1}', at('/a~1b', 'unrecognized_keys')],
  ['the key constructor', '{"name":"a","constructor":1}', at('/constructor', 'unrecognized_keys')],
  ['the alternative that is meant', '{"name":"a","size":{"width":1}}', at('/size/height', 'invalid_type')],
  ['no alternative', '{"name":"a","size":"x"}', at('/size', 'invalid_union')],
]

describe('JSON that is refused', () => {
  test.each(malformed)('%s is malformed [R667]', async (_title, body, more) => {
    expect(await seen(await post('/any', body))).toMatchObject(refusal(400, 'malformed_json', more))
  })
  test.each(unfit)('%s is not valid here', async (_title, body, more) => {
    expect(await seen(await post('/any', body))).toMatchObject(refusal(422, 'validation_failed', more))
  })
  test.each(unlike)('%s departs from the schema', async (_title, body, more) => {
    expect(await seen(await post('/strict', body))).toMatchObject(refusal(422, 'validation_failed', more))
  })

  test('two faults are told together', async () => {
    expect(await seen(await post('/strict', '{"x":1,"name":2}'))).toMatchObject(
      refusal(422, 'validation_failed', {
        detail: expect.stringMatching(/ \(and 1 more\)$/),
        errors: [{ path: '/name' }, { path: '/x' }],
      }),
    )
  })

  test('a message never repeats the body, which may hold a password', async () => {
    const answer = await post('/any', 'password=hunter2')
    expect(await answer.text()).not.toContain('hunter2')
  })

  test('after 200 hostile bodies the prototype is clean and answers are as before', async () => {
    const hostile = '{"constructor":{"prototype":{"polluted":1}},"__proto__":{"polluted":1}}'
    for (let batch = 0; batch < 4; batch += 1)
      await Promise.all(Array.from({ length: 50 }, () => post('/any', hostile).then((answer) => answer.arrayBuffer())))
    expect(({} as Record<string, unknown>).polluted).toBeUndefined()
    expect(await (await post('/any', '{"a":1}')).json()).toEqual({ a: 1 })
  })
})

describe('JSON that is accepted', () => {
  test.each([
    ['depth 64', nested(64)],
    ['the same key in two objects', '{"a":{"k":1},"b":{"k":1},"k":[{"k":1},{"k":2}]}'],
    ['a value that equals a key', '{"a":"a","b":["a","a"]}'],
    ['braces, quotes and commas in strings', '{"a":"}],\\"{[:","b\\\\":"\\\\"}'],
    ['a pair of surrogates', '["\\ud83d\\ude00","😀"]'],
    ['a column that is called constructor', '{"constructor":"ferrari","prototype":1}'],
    ['the largest float', '[1.7976931348623157e308,-0,1e-400]'],
    ['the largest safe integers', '[9007199254740991,-9007199254740991]'],
    ['2^53 and a larger one, which are read as they are written', '[9007199254740992,100000000000000000000]'],
    ['floats that are rounded', '[0.1234567890123456789,9007199254740993.5,1.2345678901234567891e30]'],
    ['digits in a text', '{"9007199254740993":"9007199254740993"}'],
    ['escapes', '{"caf\\u00e9":"\\u00e9\\ud7ff\\n\\"\\/"}'],
    ['a scalar', '"x"'],
    ['duplicates of values', '[1,1,{},{}]'],
  ])('%s', async (_title, body) => {
    const answer = await post('/any', body)
    expect([answer.status, await answer.json()]).toEqual([200, JSON.parse(JSON.stringify(JSON.parse(body)))])
  })

  test('a byte order mark is skipped', async () => {
    expect(await (await post('/any', '\u{FEFF}{"a":1}')).json()).toEqual({ a: 1 })
  })

  test('a body that is not required may be missing or empty', async () => {
    const missing = await fetch(`${api.running().url}/optional`, { method: 'POST' })
    expect(await missing.json()).toEqual({ seed: 7 })
    expect(await (await post('/optional', '')).json()).toEqual({ seed: 7 })
    expect(await (await post('/optional', '{"seed":1}')).json()).toEqual({ seed: 1 })
  })

  test('an endpoint without a body ignores one', async () => {
    expect((await post('/none', 'not JSON at all')).status).toBe(200)
  })
})

describe('forms', () => {
  const type = { 'content-type': 'application/x-www-form-urlencoded' }

  test('fields are decoded', async () => {
    const answer = await post('/form', 'username=a%2Bb+c&password=%C3%A9', type)
    expect(await answer.json()).toEqual({ username: 'a+b c', password: 'é' })
  })

  test.each([
    ['a field given twice', 'username=a&username=b&password=c', 422, at('/username', 'duplicate_key')],
    ['a field as a list', 'username[]=a&password=c', 422, at('/username', 'invalid_type')],
    ['a missing field', 'username=a', 422, at('/password', 'invalid_type')],
    ['a NUL', 'username=a%00&password=c', 422, at('/username', 'bad_text')],
    ['__proto__', '__proto__=a&password=c', 422, at('/__proto__', 'reserved_key')],
    ['a long field', `username=a&password=${'x'.repeat(1025)}`, 422, at('/password', 'too_big')],
    ['1 MB', `username=a&password=${'x'.repeat(1_000_000)}`, 413, { max_bytes: 65_536 }],
  ])('%s is refused', async (_title, body, status, more) => {
    expect(await seen(await post('/form', body, type))).toMatchObject(
      refusal(status, status === 413 ? 'payload_too_large' : 'validation_failed', more),
    )
  })
})
