/** What tests of node types drive: a context in memory, and a connector in it. */
import { Duplex } from 'node:stream'
import { text } from 'node:stream/consumers'

import express, { type Router } from 'express'
import { expect, test } from 'vitest'

import { Connector } from '../../src/index.ts'
import { FakeClock, fakeContext, FakeStore, mounted } from '../../src/testing.ts'
import { fixtures, Meter, params } from './meter.ts'

test('time passes when it is told to, and each timer runs at its time', async () => {
  const ctx = fakeContext({ outputs: { at: 'int' } })
  const startMs = ctx.now()
  ctx.every(2, () => ctx.send('at', ctx.now() - startMs))
  const cancel = ctx.after(1, () => ctx.send('at', 0))
  cancel()
  ctx.after(3, () => {
    throw new Error('oops')
  })
  await ctx.advance(5000)
  expect([ctx.values('at'), ctx.failures]).toEqual([[2000, 4000], [new Error('oops')]])
  expect(() => ctx.every(0, () => {})).toThrow('an interval of 0 s never ends')
  expect(() => ctx.cron('* * *', () => {})).toThrow(RangeError)
  ctx.cron('0 6 * * *', () => ctx.send('at', 6))
  await ctx.tick('0 6 * * *')
  expect(ctx.values('at').at(-1)).toBe(6)
})

test('timers that outlive the engine are listed by when they are due, and the time zone is told', () => {
  const ctx = fakeContext({ timeZone: 'Asia/Tokyo' })
  ctx.setTimer('late', 2000, null)
  ctx.setTimer('soon', 1000, { n: 1 })
  expect(ctx.pendingTimers()).toEqual([
    { key: 'soon', dueMs: 1000, data: { n: 1 } },
    { key: 'late', dueMs: 2000, data: null },
  ])
  expect([ctx.timeZone, fakeContext().timeZone]).toEqual(['Asia/Tokyo', 'UTC'])
})

test('a connector is read, written to and stopped as in an engine', async () => {
  const meter = await mounted(Meter, {
    ...fixtures,
    settings: { ...params, poll_interval: 10 },
    secrets: { meter_token: 'open sesame' },
  })
  expect(meter.connector.config.token).toBe('open sesame')
  await meter.advance(20_000)
  expect([meter.sent, meter.health]).toEqual([[{ power: 230, state: 'on' }], { status: 'ok', message: null }])
  await meter.write({ limit: 5 })
  expect(meter.ctx.network.reached.at(-1)).toMatchObject({
    target: 'http://meter.local/limit?watts=5',
    isAccepted: true,
  })
  expect(meter.ctx.network.reached.at(-1)?.content).toContain('authorization: Bearer open sesame')
  await expect(meter.write({ limit: 'much' })).rejects.toThrow('input "limit" is float, which "much" is not')
  await expect(meter.write({ power: 1 })).rejects.toThrow('there is no input port "power"; the node has "limit"')
  await meter.stop()
  await meter.advance(60_000)
  expect([meter.sent.length, meter.ctx.clock.pending, meter.ctx.late, meter.ctx.leftOpen]).toEqual([1, 0, [], []])
  meter.connector.inject({ power: 1 })
  expect([meter.sent.length, meter.ctx.late]).toEqual([1, ['published power']])
})

test('settings that do not fit, and secrets without a value, are refused', async () => {
  await expect(mounted(Meter, { settings: { url: 'meter' } })).rejects.toThrow('url')
  await expect(mounted(Meter, { settings: params })).rejects.toThrow('there is no secret "meter_token"')
})

test('the store has the limits of the engine, can fail, and is shared by who gets the same one', async () => {
  const store = new FakeStore()
  const [one, other] = [fakeContext({ store }), fakeContext({ store })]
  await one.store.set('pairing', 'done')
  expect(await other.store.get('pairing')).toBe('done')
  await expect(one.store.set('a/b', '')).rejects.toMatchObject({ name: 'StoreLimitError' })
  for (let key = 1; key < 256; key++) await store.set(`k${key}`, '')
  await expect(store.set('more', '')).rejects.toThrow('would be key 257')
  expect(store.refused).toHaveLength(2)
  store.failWith(new Error('the database is away'))
  await expect(other.store.get('pairing')).rejects.toThrow('the database is away')
})

test('the network goes nowhere unless the test answers, and tells what was tried', async () => {
  const ctx = fakeContext({ forbidden: ['router.local'] })
  await expect(ctx.fetch('http://meter.local/')).rejects.toThrow('has no network to fetch http://meter.local from')
  await expect(ctx.fetch('http://router.local/')).rejects.toMatchObject({
    message: 'fetch failed',
    cause: { message: 'nodes may not connect to router.local: the test forbids it' },
  })
  await expect(ctx.fetch('meter.local')).rejects.toThrow('use http:// or https://')
  const connection = ctx.connect({ host: 'meter.local', port: 502 })
  const error = await new Promise((resolve) => connection.once('error', resolve))
  expect(String(error)).toContain('has no network to connect to meter.local:502')
  expect(ctx.network.reached.map(({ target, isAccepted }) => [target, isAccepted])).toEqual([
    ['http://meter.local/', false],
    ['http://router.local/', false],
    ['meter.local:502', false],
  ])
})

test('what is written to a connection leaves once the pin has accepted the certificate', async () => {
  const got: string[] = []
  const device = (): Duplex =>
    new Duplex({
      read() {},
      write(chunk: Buffer, _encoding, done) {
        got.push(chunk.toString())
        this.push('pong')
        done()
      },
    })
  const certificate = new TextEncoder().encode('der')
  const accepted = Promise.withResolvers<void>()
  const pin = (der: Uint8Array): Promise<void> => {
    expect(der).toEqual(certificate)
    return accepted.promise
  }
  const ctx = fakeContext({ connect: device, certificate })
  const target = { host: 'meter.local', port: 443, tls: true, pin }
  const connection = ctx.connect(target)
  connection.write('ping')
  await ctx.advance(0)
  expect(got).toEqual([])
  accepted.resolve()
  const answer = await new Promise((resolve) => connection.once('data', resolve))
  expect([got, String(answer), ctx.network.open.length]).toEqual([['ping'], 'pong', 1])
  ctx.end()
  expect([connection.destroyed, ctx.leftOpen.length]).toEqual([true, 1])
  const refusing = fakeContext({ connect: device })
  const pinned = { ...target, pin: () => Promise.reject(new Error('another certificate')) }
  const refused = refusing.connect(pinned)
  refused.write('secret')
  const error = await new Promise((resolve) => refused.once('error', resolve))
  expect([String(error), got]).toEqual(['Error: another certificate', ['ping']])
})

test('requests reach the routes of a node, a router of express too', async () => {
  const ctx = fakeContext()
  expect((await ctx.request('GET', '/picture')).status).toBe(404)
  const router = express.Router()
  router.get('/picture', (_request, response) => void response.type('image/png').send(Buffer.from([1, 2, 3])))
  router.post('/echo', express.json(), (request, response) => void response.status(201).json(request.body))
  router.get('/fault', () => {
    throw new Error('no picture')
  })
  ctx.routes(router, { open: ['/picture'] })
  const picture = await ctx.request('GET', '/picture?size=1', { isSignedIn: false })
  expect([picture.status, picture.headers.get('content-type'), [...Buffer.from(await picture.arrayBuffer())]]).toEqual([
    200,
    'image/png',
    [1, 2, 3],
  ])
  const echo = await ctx.request('POST', '/echo', { body: { a: 1 } })
  expect([echo.status, await echo.json()]).toEqual([201, { a: 1 }])
  expect((await ctx.request('POST', '/echo', { body: {}, isSignedIn: false })).status).toBe(401)
  expect((await ctx.request('GET', '/nothing')).status).toBe(404)
  await expect(ctx.request('GET', '/fault')).rejects.toThrow('no picture')
})

test('a request comes as that of an engine: whole, and without what its sender signs in with', async () => {
  const ctx = fakeContext()
  ctx.routes(async (request, response) => {
    response.end(JSON.stringify([await text(request), request.headers.authorization, request.headers['x-token']]))
  })
  const headers = { Authorization: 'Bearer open sesame', 'x-token': 'sesame' }
  const answer = await ctx.request('POST', '/', { headers, body: 'hello' })
  expect(await answer.json()).toEqual(['hello', null, 'sesame'])
})

test('the routes of a connector are asked below its node, also by nobody where they are open', async () => {
  class Camera extends Connector {
    static readonly contract = 1
    static override readonly openRoutes = ['/picture']
    override async start(app: Router) {
      app.get('/picture', (_request, response) => void response.send('a picture'))
      app.get('/settings', (_request, response) => void response.json(this.config))
      await super.start(app)
    }
  }
  const { ctx } = await mounted(Camera)
  const asNobody = { isSignedIn: false }
  expect(await (await ctx.request('GET', '/picture', asNobody)).text()).toBe('a picture')
  expect((await ctx.request('GET', '/settings', asNobody)).status).toBe(401)
  expect(await (await ctx.request('GET', '/settings')).json()).toEqual({ poll_interval: 0 })
})

test('nodes that share a clock share their time', async () => {
  class Ticker extends Connector {
    static readonly contract = 1
    override async poll() {
      return { at: this.ctx.now() }
    }
  }
  const clock = new FakeClock(0)
  const options = { settings: { poll_interval: 1 }, outputs: { at: 'int' as const }, clock }
  const [one, other] = [await mounted(Ticker, options), await mounted(Ticker, options)]
  await clock.advance(1000)
  expect([one.sent, other.sent]).toEqual([
    [{ at: 0 }, { at: 1000 }],
    [{ at: 0 }, { at: 1000 }],
  ])
})
