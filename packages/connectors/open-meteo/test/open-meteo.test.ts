/**
 * The weather of Open-Meteo, from exchanges that were written by hand from its documentation: the request in the tests, the
 * answers in `exchanges/`.
 */
import { readFileSync } from 'node:fs'

import { nodeTypeOf } from '@flow-service/connector-sdk'
import { expect, test } from 'vitest'
import * as z from 'zod'

import { findings, Rig, type Setup } from '../../../node-types/test/test-kit.ts'
import { OpenMeteo } from '../src/index.ts'

const openMeteo = nodeTypeOf('open_meteo', OpenMeteo)
const outputs = { temperature: 'float', humidity: 'float', weather_code: 'int', is_day: 'bool', time: 'str' } as const
const berlin = { latitude: 52.52, longitude: 13.42 }
const json = { 'content-type': 'application/json; charset=utf-8' }

const exchange = (name: string): string => readFileSync(new URL(`exchanges/${name}.json`, import.meta.url), 'utf8')

/** A node whose requests are answered by `answer`, and those requests. */
async function reading(answer: (signal: AbortSignal) => Promise<Response> | Response, setup: Setup = {}) {
  const asked: URL[] = []
  const rig = await Rig.start(openMeteo, {
    settings: berlin,
    outputs,
    ...setup,
    fetch: async (input, init) => {
      const request = new Request(input, init)
      asked.push(new URL(request.url))
      return answer(request.signal)
    },
  })
  await rig.advance(0)
  return { rig, asked }
}

const answering = (name: string, status = 200) => reading(() => new Response(exchange(name), { status, headers: json }))

test('the weather now is asked for by the ports of the node, and published as one delivery', async () => {
  const { rig, asked } = await answering('now')
  expect(rig.emitted).toEqual([
    { temperature: -1.4, humidity: 87, weather_code: 71, is_day: true, time: '2026-01-31T08:00Z' },
  ])
  expect(asked.map(({ origin, pathname }) => origin + pathname)).toEqual(['https://api.open-meteo.com/v1/forecast'])
  expect(Object.fromEntries(asked[0]?.searchParams ?? [])).toEqual({
    latitude: '52.52',
    longitude: '13.42',
    current: 'temperature_2m,relative_humidity_2m,weather_code,is_day',
    wind_speed_unit: 'ms',
    timezone: 'UTC',
  })
  await rig.advance(900)
  expect([rig.emitted.length, asked.length, rig.health.map(({ status }) => status)]).toEqual([1, 2, ['ok', 'ok']])
  await rig.stop()
})

test('what the model does not know is left out', async () => {
  const { rig } = await answering('unknown-values')
  expect(rig.emitted).toEqual([{ is_day: false, time: '2026-01-31T08:15Z' }])
  await rig.stop()
})

test('a node that only wants the time gets it', async () => {
  const { rig, asked } = await reading(() => Response.json({ current: { time: '2026-01-31T08:00' } }), {
    outputs: { time: 'str' },
  })
  expect(rig.emitted).toEqual([{ time: '2026-01-31T08:00Z' }])
  expect(asked[0]?.searchParams.get('current')).toBe('temperature_2m')
  await rig.stop()
})

test.each([
  ['refused', 400, 'refused the request with 400: Latitude must be in range of -90 to 90°. Given: 99.0.'],
  [
    'too-many',
    429,
    'refused the request with 429: Minutely API request limit exceeded. Please try again in one minute.; raise "poll_interval", or use a paid plan with "api_key"',
  ],
])('an answer with an error tells its reason: %s', async (name, status, message) => {
  const { rig } = await answering(name, status)
  expect([rig.emitted, rig.health]).toEqual([
    [],
    [{ status: 'degraded', message: `https://api.open-meteo.com ${message}` }],
  ])
  await rig.stop()
})

const page = '<!doctype html><title>Sign in</title>'
test.each<[string, () => Response, string]>([
  [
    'a page',
    () => new Response(page, { headers: { 'content-type': 'text/html; charset=utf-8' } }),
    'answered 200 with text/html and no JSON; check that "url" is the address of an Open-Meteo server',
  ],
  ['nothing', () => new Response(null, { status: 204 }), 'answered 204 with no media type and no JSON'],
  ['other JSON', () => Response.json([1]), 'answered JSON without the weather now'],
  ['a bare failure', () => Response.json({}, { status: 503 }), 'refused the request with 503: it gave no reason'],
  ['too much', () => new Response('x'.repeat(70_000)), 'answered more than 65536 bytes'],
])('%s is told as what it is', async (_title, answer, message) => {
  const { rig } = await reading(answer)
  expect(rig.emitted).toEqual([])
  expect(rig.health).toEqual([
    { status: 'degraded', message: expect.stringContaining(`https://api.open-meteo.com ${message}`) },
  ])
  await rig.stop()
})

test('a server that does not answer is given up, is down after three readings, and ok again once it does', async () => {
  let isSilent = true
  const silence = (signal: AbortSignal) =>
    new Promise<Response>((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)))
  const { rig, asked } = await reading((signal) =>
    isSilent ? silence(signal) : new Response(exchange('now'), { headers: json }),
  )
  await rig.advance(20)
  const message = 'https://api.open-meteo.com gave no answer within 20 s'
  expect(rig.health).toEqual([{ status: 'degraded', message }])
  await rig.advance(1820)
  expect(rig.health.at(-1)).toEqual({ status: 'down', message })
  isSilent = false
  await rig.advance(900)
  expect([rig.health.at(-1)?.status, rig.emitted.length, asked.length]).toEqual(['ok', 1, 4])
  await rig.stop()
  expect(rig.timers).toBe(0)
})

test('a stop ends the request that goes on', async () => {
  const ended = Promise.withResolvers<unknown>()
  const { rig } = await reading(
    (signal) =>
      new Promise<Response>((_resolve, reject) =>
        signal.addEventListener('abort', () => {
          ended.resolve(signal.reason)
          reject(signal.reason as Error)
        }),
      ),
  )
  await rig.stop()
  await ended.promise
  expect(rig.health).toEqual([])
})

test('the key goes to the paid service, and into no message', async () => {
  const settings = { ...berlin, api_key: 'open sesame&' }
  const { rig, asked } = await reading(
    () => Response.json({ error: true, reason: 'The key open sesame& is unknown.' }, { status: 401 }),
    { settings },
  )
  expect([asked[0]?.origin, asked[0]?.searchParams.get('apikey')]).toEqual([
    'https://customer-api.open-meteo.com',
    'open sesame&',
  ])
  expect(rig.health.map(({ message }) => message)).toEqual([
    'https://customer-api.open-meteo.com refused the request with 401: The key *** is unknown.',
  ])
  await rig.stop()
})

test('a server of one’s own is asked below its path, and named when it cannot be reached', async () => {
  const { rig, asked } = await reading(
    () => Promise.reject(new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED 10.0.0.7:8080') })),
    { settings: { ...berlin, url: 'http://10.0.0.7:8080/meteo/' } },
  )
  expect(asked.map(({ pathname }) => pathname)).toEqual(['/meteo/v1/forecast'])
  expect(rig.health.map(({ message }) => message)).toEqual([
    'http://10.0.0.7:8080/meteo cannot be asked: connect ECONNREFUSED 10.0.0.7:8080',
  ])
  await rig.stop()
})

test('a run reads once', async () => {
  const { rig, asked } = await reading(() => new Response(exchange('now'), { headers: json }), { mode: 'batch' })
  expect(asked).toEqual([])
  await rig.trigger()
  expect([asked.length, rig.emitted.length]).toEqual([1, 1])
  await rig.stop()
})

test('settings have descriptions, defaults and limits, and what is no server is refused by name', () => {
  const schema = z.toJSONSchema(openMeteo.settings, { io: 'input' })
  expect(schema.required).toEqual(['latitude', 'longitude'])
  expect(schema.properties).toMatchObject({
    poll_interval: { default: 900, description: 'Seconds between two readings; 0 turns polling off.' },
    latitude: { minimum: -90, maximum: 90 },
    api_key: { 'x-secret': true },
  })
  const issues = (more: object) =>
    openMeteo.settings.safeParse({ ...berlin, ...more }).error?.issues.map(({ path, message }) => [...path, message])
  expect(issues({ latitude: 99 })).toEqual([['latitude', expect.stringContaining('90')]])
  expect(issues({ url: 'api.open-meteo.com' })).toEqual([
    ['url', 'give the full http:// or https:// address of a server'],
  ])
  for (const url of ['https://me:pass@host', 'https://host/?apikey=1', 'https://host/#now'])
    expect(findings(openMeteo, { settings: { ...berlin, url }, outputs }).map(({ message }) => message)).toEqual([
      'setting "url" holds more than an address; leave out user, password, query and fragment',
    ])
  expect(findings(openMeteo, { settings: berlin, outputs: { snow: 'float' } })[0]?.message).toContain(
    'have no output port "snow"; use "temperature"',
  )
})
