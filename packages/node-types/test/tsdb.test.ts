import { DtypeViolation } from '@flow-service/connector-sdk'
import { tsdbNode } from '@flow-service/node-types'
import { afterEach, describe, expect, test } from 'vitest'

import { type Seen, Servers } from './servers.ts'
import { codes, findings, Rig, type Setup } from './test-kit.ts'

const servers = new Servers()
afterEach(() => servers.close())

const TOKEN = 'tsdb-token-1'
const connection = { token: TOKEN, org: 'home', bucket: 'climate' }

/** A server that takes points, and answers queries with a text. */
const serving = (csv: string | ((flux: string) => string) = '') =>
  servers.serve(({ path, body }, response) => {
    if (path.endsWith('/write')) response.writeHead(204).end()
    else {
      const { query } = JSON.parse(body) as { query: string }
      response.writeHead(200, { 'content-type': 'text/csv' }).end(typeof csv === 'string' ? csv : csv(query))
    }
  })

const started = (url: string, setup: Setup) =>
  Rig.start(tsdbNode, { ...setup, settings: { url, ...connection, ...setup.settings } })

const queryOf = (seen: Seen | undefined): string => (JSON.parse(seen?.body ?? '') as { query: string }).query

/** An answer of one series of numbers. */
const table = (values: readonly (readonly [string, string])[], type = 'double'): string =>
  [
    `#datatype,string,long,dateTime:RFC3339,dateTime:RFC3339,dateTime:RFC3339,${type},string,string,string`,
    '#default,_result,,,,,,,,',
    ',result,table,_start,_stop,_time,_value,_field,_measurement,room',
    ...values.map(([ts, value]) => `,,0,2026-01-31T07:00:00Z,2026-01-31T08:00:00Z,${ts},${value},temp,climate,hall`),
    '',
    '',
  ].join('\r\n')

describe('a tsdb node that writes', () => {
  const writes = { temp: { measurement: 'climate', field: 'temp', tags: { room: 'hall', floor: 1 } } }
  const line = async (value: unknown, setup: Setup = {}): Promise<string> => {
    const { url, seen } = await serving()
    const rig = await started(url, { inputs: { temp: 'float' }, ...setup, settings: { writes, ...setup.settings } })
    await rig.arrive({ temp: value })
    return seen[0]?.body ?? ''
  }

  test('posts a point of the line protocol to its bucket, with its token [R221] [R222] [R223] [R226]', async () => {
    const { url, seen } = await serving()
    const rig = await started(`${url}/influx`, { settings: { writes }, inputs: { temp: 'float' } })
    await rig.arrive({ temp: 21.5 })
    expect(seen).toMatchObject([
      {
        method: 'POST',
        path: '/influx/api/v2/write',
        query: { org: 'home', bucket: 'climate', precision: 'ms' },
        headers: { authorization: `Token ${TOKEN}`, 'content-type': 'text/plain; charset=utf-8' },
        body: 'climate,floor=1,room=hall temp=21.5 1769846400000',
      },
    ])
    expect(rig.emitted).toEqual([])
  })

  test.each([
    ['ns', '1769846400000000000'],
    ['us', '1769846400000000'],
    ['ms', '1769846400000'],
    ['s', '1769846400'],
  ])('in precision %s has the time %s [R223]', async (write_precision, stamp) => {
    expect((await line(1, { settings: { write_precision } })).split(' ')[2]).toBe(stamp)
  })

  test.each<[NonNullable<Setup['inputs']>[string], unknown, string]>([
    ['float', 1, '1'],
    ['float', -2.5e-7, '-2.5e-7'],
    ['int', 5, '5i'],
    ['any', 5, '5'],
    ['bool', true, 'true'],
    ['str', 'warm, "very" \\ hot', String.raw`"warm, \"very\" \\ hot"`],
    ['str', 'NaN', '"NaN"'],
    ['object', { a: 'x' }, String.raw`"{\"a\":\"x\"}"`],
  ])('writes the %s %j as %s', async (dtype, value, field) => {
    const text = await line(value, { inputs: { temp: dtype } })
    expect(text).toBe(`climate,floor=1,room=hall temp=${field} 1769846400000`)
  })

  test('keeps a line break of a text inside its point', async () => {
    expect(await line('a\nb', { inputs: { temp: 'str' } })).toContain('temp="a\nb" ')
  })

  test('escapes what has a meaning in a line, and takes the field "value" unless told', async () => {
    const names = { measurement: 'a b,c=d', tags: { 'k =,': 'v =,', empty_not: 'x' } }
    expect(await line(1, { settings: { writes: { temp: names } } })).toBe(
      String.raw`a\ b\,c=d,empty_not=x,k\ \=\,=v\ \=\, value=1 1769846400000`,
    )
  })

  test('writes no point for null, and fails for a number that no point holds', async () => {
    expect(await line(null, { inputs: { temp: 'any' } })).toBe('')
    await expect(line('NaN')).rejects.toThrow('takes finite numbers, which "NaN" is not')
  })

  test.each([400, 401, 404, 500, 302])(
    'fails on status %d with the server’s words, without the token',
    async (status) => {
      const { url } = await servers.serve(
        (_, response) =>
          void response.writeHead(status, { location: '/x' }).end(JSON.stringify({ message: `bad ${TOKEN} for temp` })),
      )
      const rig = await started(url, { settings: { writes }, inputs: { temp: 'float' } })
      await expect(rig.arrive({ temp: 1 })).rejects.toMatchObject({
        name: 'http_status',
        message: `POST ${url}/api/v2/write answered ${status}: bad *** for temp`,
      })
      expect(rig.timers).toBe(0)
    },
  )

  test.each([
    ['measurement', { measurement: 'a\nb' }],
    ['measurement', { measurement: '#a' }],
    ['measurement', { measurement: 'a\\' }],
    ['field', { measurement: 'a', field: 'f\r' }],
    ['tag', { measurement: 'a', tags: { 'k\n': 'v' } }],
    ['tag "k"', { measurement: 'a', tags: { k: '' } }],
    ['tag "k"', { measurement: 'a', tags: { k: 'v\\' } }],
  ])('refuses a %s that would break a line: %j', (what, series) => {
    const settings = { url: 'http://h', ...connection, writes: { x: series } }
    expect(findings(tsdbNode, { settings, inputs: { x: 'any' } })).toMatchObject([
      { code: 'bad_setting', path: '/settings/writes', message: expect.stringContaining(`the ${what} `) },
    ])
  })
})

describe('a tsdb node that reads', () => {
  const ports: Setup = { inputs: { tick: 'any' }, outputs: { mean: 'float' } }
  const query = { measurement: 'climate', field: 'temp' }
  const answered = async (csv: string, setup: Setup = {}) => {
    const { url, seen } = await serving(csv)
    const rig = await started(url, { ...ports, ...setup, settings: { queries: { mean: query }, ...setup.settings } })
    await rig.arrive({ tick: 1 })
    return { rig, seen }
  }

  test('queries its bucket on each arrival, for the last value [R221] [R222] [R224] [R227]', async () => {
    const { rig, seen } = await answered(
      table([
        ['2026-01-31T07:30:00Z', '20.5'],
        ['2026-01-31T07:59:00Z', '21.25'],
      ]),
    )
    expect(rig.emitted).toEqual([{ mean: 21.25 }])
    expect(seen).toMatchObject([
      {
        method: 'POST',
        path: '/api/v2/query',
        query: { org: 'home' },
        headers: { authorization: `Token ${TOKEN}`, 'content-type': 'application/json', accept: 'application/csv' },
      },
    ])
    expect(queryOf(seen[0]).split('\n')).toEqual([
      'from(bucket: "climate")',
      '  |> range(start: -1h)',
      '  |> filter(fn: (r) => r._measurement == "climate" and r._field == "temp")',
      '  |> last()',
    ])
  })

  test.each(['last', 'mean', 'min', 'max', 'sum', 'count'])(
    'aggregates by %s over its own window [R227]',
    async (aggregation) => {
      const settings = {
        query_range: '-7d',
        queries: { mean: { ...query, tags: { room: 'hall', n: 2 }, range: '-30m', aggregation } },
      }
      const { seen } = await answered('', { settings })
      expect(queryOf(seen[0])).toContain('range(start: -30m)')
      expect(queryOf(seen[0])).toContain('r._field == "temp" and r["room"] == "hall" and r["n"] == "2")')
      expect(queryOf(seen[0])).toContain(`|> ${aggregation}()`)
    },
  )

  test('takes the window of the node for a query without one [R224]', async () => {
    const { seen } = await answered('', { settings: { query_range: '-7d12h' } })
    expect(queryOf(seen[0])).toContain('range(start: -7d12h)')
  })

  test('writes names as strings of Flux, which nothing leaves', async () => {
    const name = 'a" or true\\ ${r.x}\n'
    const { seen } = await answered('', {
      settings: { queries: { mean: { measurement: name, field: name, tags: { [name]: name } } } },
    })
    const quoted = String.raw`"a\" or true\\ \${r.x}\n"`
    expect(queryOf(seen[0])).toContain(
      `r._measurement == ${quoted} and r._field == ${quoted} and r[${quoted}] == ${quoted})`,
    )
  })

  test.each([
    ['double', '1.5', 1.5],
    ['double', 'NaN', 'NaN'],
    ['double', '+Inf', 'Infinity'],
    ['double', '-Inf', '-Infinity'],
    ['long', '-7', -7],
    ['unsignedLong', '7', 7],
    ['boolean', 'true', true],
    ['boolean', 'false', false],
    ['string', 'true', 'true'],
    ['string', '"a,""b""\n c"', 'a,"b"\n c'],
    ['dateTime:RFC3339', '2026-01-31T07:30:00Z', '2026-01-31T07:30:00Z'],
  ])('reads a %s %j as %j', async (type, text, value) => {
    const { rig } = await answered(table([['2026-01-31T07:30:00Z', text]], type), { outputs: { mean: 'any' } })
    expect(rig.emitted).toEqual([{ mean: value }])
  })

  test('publishes nothing for an answer without rows, and only the outputs that have one', async () => {
    const none = await answered('\r\n')
    expect(none.rig.emitted).toEqual([])
    const { url } = await serving((flux) => (flux.includes('"a"') ? table([['2026-01-31T07:30:00Z', '3']]) : ''))
    const queries = { a: { measurement: 'a', field: 'f' }, b: { measurement: 'b', field: 'f' } }
    const rig = await started(url, { inputs: { t: 'any' }, outputs: { a: 'float', b: 'float' }, settings: { queries } })
    await rig.arrive({ t: 1 })
    expect(rig.emitted).toEqual([{ a: 3 }])
  })

  test('reads answers without annotations by what the values look like', async () => {
    const { rig } = await answered('_time,_value\n2026-01-31T07:30:00Z,4.5\n')
    expect(rig.emitted).toEqual([{ mean: 4.5 }])
  })

  test('has the type of its output', async () => {
    await expect(answered(table([['2026-01-31T07:30:00Z', 'warm']], 'string'))).rejects.toThrow(DtypeViolation)
  })

  test('writes first where an input has a series, then reads', async () => {
    const { url, seen } = await serving(table([['2026-01-31T07:30:00Z', '3']]))
    const settings = { writes: { tick: { measurement: 'ticks' } }, queries: { mean: query } }
    const rig = await started(url, { ...ports, settings })
    await rig.arrive({ tick: 1 })
    expect(seen.map(({ path }) => path)).toEqual(['/api/v2/write', '/api/v2/query'])
    expect(rig.emitted).toEqual([{ mean: 3 }])
  })

  test('reads when it is asked to act, without inputs too', async () => {
    const { url } = await serving(table([['2026-01-31T07:30:00Z', '3']]))
    const rig = await started(url, { outputs: { mean: 'float' }, settings: { queries: { mean: query } } })
    await rig.trigger()
    expect(rig.emitted).toEqual([{ mean: 3 }])
  })

  test('runs the query that an object brings, and gives its rows [R228] [R229] [R230]', async () => {
    const text = `${table([['2026-01-31T07:30:00.123456789Z', '20.5']])}#datatype,string,long,double\n#default,_result,,\n,result,table,_value\n,,1,7\n`
    const { url, seen } = await serving(text)
    const rig = await started(url, {
      inputs: { q: 'object' },
      outputs: { result: 'object', other: 'any' },
      settings: { queries: { other: query } },
    })
    await rig.arrive({ q: { flux: 'buckets()', note: 1 } })
    expect(seen.map(queryOf)).toEqual(['buckets()'])
    expect(rig.emitted).toEqual([
      {
        result: {
          rows: [
            {
              ts: '2026-01-31T07:30:00.123456789Z',
              value: 20.5,
              field: 'temp',
              measurement: 'climate',
              tags: { room: 'hall' },
            },
            { ts: null, value: 7, field: null, measurement: null, tags: {} },
          ],
        },
      },
    ])
  })

  test('gives no rows for a query that finds none [R229]', async () => {
    const { url } = await serving('\r\n')
    const rig = await started(url, { inputs: { q: 'object' }, outputs: { result: 'object' } })
    await rig.arrive({ q: { flux: 'buckets()' } })
    expect(rig.emitted).toEqual([{ result: { rows: [] } }])
  })

  test.each([
    [`#datatype,string,string\n#default,,\n,error,reference\n,failed for ${TOKEN},897\n`, 'failed for ***'],
    ['a,"open\n', 'no CSV'],
  ])('fails for the answer %j', async (csv, message) => {
    const { url } = await serving(csv)
    const rig = await started(url, { ...ports, settings: { queries: { mean: query } } })
    await expect(rig.arrive({ tick: 1 })).rejects.toMatchObject({
      name: 'bad_answer',
      message: expect.stringContaining(message),
    })
  })

  test('fails when no answer comes within the timeout, 10 s unless given, and ends its requests [R225]', async () => {
    let rig: Rig | undefined
    const { url } = await servers.serve(() => void rig?.advance(10.1))
    rig = await started(url, { ...ports, settings: { queries: { mean: query } } })
    const failure = await rig.arrive({ tick: 1 }).catch((error: unknown) => error)
    expect(failure).toMatchObject({ name: 'timeout', message: `POST ${url}/api/v2/query gave no answer within 10 s` })
    expect(rig.timers).toBe(0)
    await expect.poll(() => servers.connections()).toBe(0)
  })

  test('ends its other queries when one fails', async () => {
    const { url } = await servers.serve(({ body }, response) => {
      if (body.includes('bad')) response.writeHead(400).end()
    })
    const queries = { a: { measurement: 'bad', field: 'f' }, b: { measurement: 'slow', field: 'f' } }
    const rig = await started(url, { inputs: { t: 'any' }, outputs: { a: 'any', b: 'any' }, settings: { queries } })
    await expect(rig.arrive({ t: 1 })).rejects.toMatchObject({ name: 'http_status' })
    // a kept connection of the first may stay; the second one is gone
    await expect.poll(() => servers.connections()).toBeLessThanOrEqual(1)
  })

  test('ends its request when the node stops', async () => {
    let rig: Rig | undefined
    const { url } = await servers.serve(() => void rig?.stop())
    rig = await started(url, { ...ports, settings: { queries: { mean: query } } })
    await expect(rig.arrive({ tick: 1 })).rejects.toMatchObject({ type: 'cancelled', message: 'the node stops' })
    expect([rig.timers, rig.emitted]).toEqual([0, []])
  })
})

describe('the settings of a tsdb node', () => {
  const base = { url: 'http://h:8086', org: 'o', bucket: 'b' }

  test('have defaults, but for the connection [R223] [R224] [R225]', () => {
    expect(tsdbNode.settings.parse(base)).toEqual({
      ...base,
      token: null,
      write_precision: 'ms',
      query_range: '-1h',
      timeout: 10,
      writes: {},
      queries: {},
    })
    expect(tsdbNode.settings.safeParse({}).error?.issues.map(({ path }) => path[0])).toEqual(['url', 'org', 'bucket'])
  })

  test.each([
    { write_precision: 'm' },
    { query_range: '1h' },
    { query_range: '-1h) |> drop()' },
    { query_range: '-' },
    { timeout: 0 },
    { writes: { x: {} } },
    { writes: { x: { measurement: 'm', unit: 'C' } } },
    { queries: { x: { measurement: 'm' } } },
    { queries: { x: { measurement: 'm', field: 'f', aggregation: 'drop' } } },
    { queries: { x: { measurement: 'm', field: 'f', range: 'now()' } } },
  ])('refuse %j [R223] [R227]', (bad) => {
    expect(tsdbNode.settings.safeParse({ ...base, ...bad }).success).toBe(false)
  })

  test.each(['host', 'ftp://host', 'http://user:pw@host/', 'http://h/?token=x'])(
    'refuse the address %s [T75]',
    (url) => {
      const found = findings(tsdbNode, { settings: { ...base, url }, inputs: { q: 'any' }, outputs: { r: 'object' } })
      expect(found).toMatchObject([{ code: 'bad_setting', path: '/settings/url' }])
    },
  )

  test('name ports that exist, and say for each port what it does', () => {
    const write = { measurement: 'm' }
    const read = { measurement: 'm', field: 'f' }
    const of = (settings: object, ports: Setup) => codes(tsdbNode, { ...ports, settings: { ...base, ...settings } })
    expect(of({}, {})).toEqual(['unsupported_ports'])
    expect(of({}, { inputs: { x: 'any' } })).toEqual(['bad_setting'])
    expect(of({ writes: { y: write } }, { inputs: { x: 'any' }, outputs: { r: 'any' } })).toEqual(['bad_setting'])
    expect(of({ queries: { y: read } }, { inputs: { x: 'any' }, outputs: { r: 'any' } })).toEqual(['unknown_output'])
    expect(of({ queries: { r: read } }, { inputs: { x: 'any' }, outputs: { r: 'any', s: 'any' } })).toEqual([
      'bad_setting',
    ])
    expect(of({}, { outputs: { r: 'object' } })).toEqual(['bad_setting'])
    expect(of({}, { inputs: { x: 'any' }, outputs: { r: 'float' } })).toEqual(['dtype_mismatch'])
    expect(of({}, { inputs: { x: 'any' }, outputs: { r: 'object' } })).toEqual([])
    expect(
      of({ writes: { x: write }, queries: { r: read } }, { inputs: { x: 'float' }, outputs: { r: 'float' } }),
    ).toEqual([])
  })
})
