/** What a link that misbehaves does to others: nothing. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { kinds, MAX_PAYLOAD_BYTES } from '../../../src/engines/links/frames.ts'
import { WINDOW_BYTES } from '../../../src/engines/links/pipe.ts'
import { bytes, bytesOf, type LinkedEngine, LinkedEngines, refusalOf, type Stranger, textOf } from './linked-engines.ts'

/** An engine that answers `echo`, takes streams and hears values. */
async function host(engines: LinkedEngines): Promise<LinkedEngine> {
  const a = await engines.open('a')
  a.links.answer('echo', (payload) => payload)
  a.links.answer('never', () => new Promise(() => undefined))
  a.links.accept('socket', (stream) => void stream.pipe(stream))
  a.links.accept('unread', () => undefined)
  a.links.hear('value', () => undefined)
  return a
}

type Said = Parameters<Stranger['say']>

/** An engine with a link on which the test speaks. */
async function linked(): Promise<{ readonly a: LinkedEngine; readonly stranger: Stranger }> {
  const engines = new LinkedEngines()
  const a = await host(engines)
  const stranger = await engines.stranger(a, 'x')
  await stranger.hears(kinds.hello)
  return { a, stranger }
}

const u32 = (value: number): Buffer => {
  const number = Buffer.alloc(4)
  number.writeUInt32LE(value)
  return number
}

const hello = JSON.stringify({ protocol: 1, version: '1', id: 'x', turn: 2 })

describe('a malformed frame closes its link, and the other engine hears why (wire.W3)', () => {
  const big = bytesOf({ kind: kinds.ask, id: 1, subject: 'echo', payload: Buffer.alloc(0) })
  big.writeUInt32LE(MAX_PAYLOAD_BYTES + 1000)

  test.each<[what: string, code: number, raw: string | Buffer]>([
    ['a text', 1002, 'hello'],
    ['half a head', 1002, Buffer.alloc(5)],
    ['a length beyond the message', 1002, Buffer.from([9, 0, 0, 0, kinds.ping, 0, 0, 0, 0])],
    ['a length beyond what is taken', 1009, big],
    ['a message beyond what is taken', 1009, Buffer.alloc(MAX_PAYLOAD_BYTES + 1_000_000)],
  ])('%s', async (_, code, raw) => {
    const { a, stranger } = await linked()
    stranger.socket.send(raw)
    expect((await stranger.closed)[0]).toBe(code)
    await expect.poll(() => a.links.state()).toMatchObject([{ engine: 'x', isUp: false }])
  })

  const unread: Said = [kinds.open, 1, '', 'unread']
  const problem = '{"code":"not_found","detail":"x"}'

  test.each<[what: string, frames: Said[]]>([
    ['an unknown kind', [[99, 1]]],
    ['a second hello', [[kinds.hello, 0, hello]]],
    ['an ask without a subject', [[kinds.ask, 1]]],
    ['an ask with a subject of no length', [[kinds.ask, 1, Buffer.from([0, 1])]]],
    ['a subject that is too long', [[kinds.ask, 1, Buffer.alloc(100, 65)]]],
    ['a subject that is cut off', [[kinds.send, 0, Buffer.from([4, 65, 65])]]],
    [
      'an id that was asked before',
      [
        [kinds.ask, 1, '', 'never'],
        [kinds.ask, 1, '', 'never'],
      ],
    ],
    [
      'an id before the last one',
      [
        [kinds.ask, 5, '', 'never'],
        [kinds.ask, 3, '', 'never'],
      ],
    ],
    ['an answer to nothing', [[kinds.answer, 7]]],
    ['a refusal of nothing', [[kinds.refuse, 7, `\u0001${problem}`]]],
    ['a refusal without a problem', [[kinds.refuse, 7, '\u0001{}']]],
    ['a refusal for no known reason', [[kinds.refuse, 7, `\u0009${problem}`]]],
    ['the end of what was not asked', [[kinds.cancel, 7]]],
    ['a pipe with an id of the other side', [[kinds.open, 2, '', 'unread']]],
    ['a pipe that is opened twice', [unread, unread]],
    ['a chunk of no pipe', [[kinds.chunk, 3, 'x']]],
    ['a chunk of no pipe of the other side', [[kinds.chunk, 4, 'x']]],
    ['an empty chunk', [unread, [kinds.chunk, 1]]],
    ['a chunk behind the end', [unread, [kinds.end, 1], [kinds.chunk, 1, 'x']]],
    ['two ends', [unread, [kinds.end, 1], [kinds.end, 1]]],
    ['more than the window', [unread, [kinds.chunk, 1, Buffer.alloc(WINDOW_BYTES + 1)]]],
    ['credit for nothing', [unread, [kinds.credit, 1, u32(1)]]],
    ['credit of nothing', [unread, [kinds.credit, 1, u32(0)]]],
    ['credit of three bytes', [unread, [kinds.credit, 1, Buffer.alloc(3)]]],
    ['a ping with a payload', [[kinds.ping, 1, 'x']]],
    ['a pong with a payload', [[kinds.pong, 1, 'x']]],
  ])('%s', async (_, frames) => {
    const { a, stranger } = await linked()
    for (const said of frames) stranger.say(...said)
    const [code, reason] = await stranger.closed
    expect([code, reason]).toEqual([1002, expect.stringMatching(/./)])
    expect(a.links.state()).toMatchObject([{ engine: 'x', isUp: false }])
    expect(a.told.filter(({ level }) => level === 'error')).toEqual([])
  })

  test.each([
    ['no hello', bytesOf({ kind: kinds.ask, id: 1, subject: 'echo', payload: bytes('') })],
    ['a hello that is no JSON', bytesOf({ kind: kinds.hello, id: 0, subject: '', payload: bytes('{') })],
    ['a hello without a protocol', bytesOf({ kind: kinds.hello, id: 0, subject: '', payload: bytes('{}') })],
    ['a hello without an id', bytesOf({ kind: kinds.hello, id: 0, subject: '', payload: bytes('{"protocol":1}') })],
  ])('%s at the beginning', async (_, message) => {
    const engines = new LinkedEngines()
    const a = await host(engines)
    const stranger = await engines.stranger(a, 'x', { hello: null })
    stranger.socket.send(message)
    expect((await stranger.closed)[0]).toBe(1002)
    expect(a.links.state()).toEqual([])
  })
})

test('a message that is too long ends its link at once, whether the other engine takes the close or not (wire.W3)', async () => {
  const { a, stranger } = await linked()
  stranger.socket.send(Buffer.alloc(MAX_PAYLOAD_BYTES + 1_000_000))
  stranger.socket.pause()
  await expect.poll(() => a.links.state()).toMatchObject([{ isUp: false }])
  expect(a.told).toMatchObject([{ level: 'warn', fields: { engine: 'x', detail: 'Max payload size exceeded' } }])
})

test('frames about what is over are late, and harm nothing', async () => {
  const engines = new LinkedEngines()
  const a = await host(engines)
  const stranger = await engines.stranger(a, 'x')
  stranger.say(kinds.ask, 1, 'x', 'echo')
  stranger.say(kinds.cancel, 1)
  stranger.say(kinds.open, 1, '', 'unread')
  stranger.say(kinds.reset, 1, 'enough')
  stranger.say(kinds.chunk, 1, 'x')
  stranger.say(kinds.credit, 1, u32(5))
  stranger.say(kinds.end, 1)
  stranger.say(kinds.reset, 1)
  stranger.say(kinds.pong, 9)
  // ids begin again behind the last one
  stranger.say(kinds.ask, 2 ** 31 - 5, 'y', 'echo')
  stranger.say(kinds.ask, 2 ** 32 - 10, 'y', 'echo')
  stranger.say(kinds.ask, 3, 'z', 'echo')
  await expect
    .poll(() => stranger.heard.filter(({ kind }) => kind === kinds.answer).map(({ payload }) => payload.toString()))
    .toEqual(['x', 'y', 'y', 'z'])
})

test('what was cancelled is not answered, and an answer to what was given up changes nothing', async () => {
  const { a, stranger } = await linked()
  const slow = Promise.withResolvers<Buffer>()
  const heard = Promise.withResolvers<AbortSignal>()
  a.links.answer('slow', (_, { signal }) => {
    heard.resolve(signal)
    return slow.promise
  })
  stranger.say(kinds.ask, 1, '', 'slow')
  const signal = await heard.promise
  stranger.say(kinds.cancel, 1)
  await expect.poll(() => signal.aborted).toBe(true)
  slow.resolve(bytes('late'))
  await slow.promise
  stranger.say(kinds.ask, 2, 'x', 'echo')
  expect((await stranger.hears(kinds.answer)).id).toBe(2)

  const abort = new AbortController()
  const refusal = refusalOf(a.links.ask('x', 'echo', bytes(''), { signal: abort.signal }))
  const { id } = await stranger.hears(kinds.ask)
  abort.abort(new Error('left'))
  expect(await refusal).toMatchObject({ message: 'left' })
  stranger.say(kinds.answer, id, 'late')
  stranger.say(kinds.refuse, id, '\u0003{"code":"not_found","detail":"late"}')
  stranger.say(kinds.ask, 3, 'y', 'echo')
  await expect.poll(() => stranger.heard.filter(({ kind }) => kind === kinds.answer).length).toBe(2)
  expect(a.links.state()).toMatchObject([{ isUp: true }])
})

test('frames of one turn go as one message, in their order (wire.W1)', async () => {
  const { a, stranger } = await linked()
  let messages = 0
  stranger.socket.on('message', () => (messages += 1))
  const before = stranger.heard.length
  for (const value of ['1', '2', '3']) a.links.send('x', 'value', bytes(value))
  const refusal = refusalOf(a.links.ask('x', 'echo', bytes('4')))
  await stranger.hears(kinds.ask)
  expect(stranger.heard.slice(before).map(({ payload }) => payload.toString().at(-1))).toEqual(['1', '2', '3', '4'])
  expect(messages).toBe(1)
  stranger.socket.close()
  await refusal
})

test('no frame is heard behind the end of its link, not even one of the same message (wire.W4)', async () => {
  const { a, stranger } = await linked()
  let heard = 0
  a.links.hear('last', () => {
    heard += 1
    void a.links.close()
  })
  const frame = bytesOf({ kind: kinds.send, id: 0, subject: 'last', payload: bytes('') })
  stranger.socket.send(Buffer.concat([frame, frame]))
  await stranger.closed
  expect(heard).toBe(1)
})

test('pipes wait while much is unsent, so that many of them do not cut their link (wire.W2)', async () => {
  const { a, stranger } = await linked()
  stranger.socket.pause()
  const streams = await Promise.all(Array.from({ length: 100 }, () => a.links.pipe('x', 'socket', bytes(''))))
  const written = streams.map(
    (stream) => new Promise((resolve) => void stream.write(Buffer.alloc(WINDOW_BYTES), resolve)),
  )
  expect(a.links.state()[0]?.unsentBytes).toBeLessThan(6 * 1024 * 1024)
  stranger.socket.resume()
  await Promise.all(written)
  const chunked = (): number =>
    stranger.heard.reduce((sum, { kind, payload }) => sum + (kind === kinds.chunk ? payload.length : 0), 0)
  await expect.poll(chunked).toBe(100 * WINDOW_BYTES)
  expect(a.links.state()).toMatchObject([{ isUp: true }])
})

const kind = fc.oneof(fc.constantFrom(...Object.values(kinds)), fc.integer({ min: 0, max: 255 }))
const subject = fc.constantFrom('', 'echo', 'never', 'socket', 'unread', 'value', 'other')
const payload = fc.oneof(
  fc.uint8Array({ maxLength: 40 }).map((array) => Buffer.from(array)),
  fc.constantFrom('', '{}', hello, '\u0003{"code":"not_found","detail":"x"}').map((text) => bytes(text)),
  fc.integer({ min: 0, max: 2 ** 20 }).map(u32),
)
const frame = fc
  .record({ kind, id: fc.oneof(fc.nat(6), fc.nat(), fc.constant(2 ** 32 - 1)), subject, payload })
  .map(bytesOf)
/** Frames with some of their bytes changed, left out or doubled. */
const mutated = fc
  .tuple(
    fc.array(frame, { minLength: 1, maxLength: 6 }),
    fc.array(fc.tuple(fc.nat(), fc.nat(255), fc.nat(3)), { maxLength: 4 }),
  )
  .map(([frames, changes]) => {
    let message = Buffer.concat(frames)
    for (const [place, byte, how] of changes) {
      const at = place % message.length
      if (how === 0) message = Buffer.concat([message.subarray(0, at), message.subarray(at + 1), Buffer.of(byte)])
      else if (how === 1) message = message.subarray(0, Math.max(1, at))
      else message[at] = byte
    }
    return message
  })
const noise = fc.uint8Array({ minLength: 1, maxLength: 60 }).map((array) => Buffer.from(array))

test('whatever bytes come over a link, nothing is thrown, nothing hangs, and the link beside it answers (links.L4)', async () => {
  const engines = new LinkedEngines()
  const a = await host(engines)
  const good = await engines.open('good')
  await good.links.reach('a')
  let isGoodUp = true
  good.links.onChange((_, isUp) => (isGoodUp = isUp))
  let ended = 0
  let turn = 1
  const messages = fc.array(fc.oneof({ weight: 3, arbitrary: mutated }, { weight: 1, arbitrary: noise }), {
    minLength: 1,
    maxLength: 5,
  })
  await fc.assert(
    fc.asyncProperty(messages, fc.boolean(), async (said, isGreeted) => {
      const stranger = await engines.stranger(a, 'x', {
        hello: isGreeted ? { protocol: 1, version: '1', id: 'x', turn: turn++ } : null,
      })
      for (const message of said) stranger.socket.send(message)
      // behind all of them comes what ends a link that is still there
      stranger.socket.send('the end')
      expect(await textOf(good.links.ask('a', 'echo', bytes('still there?')))).toBe('still there?')
      const [code] = await stranger.closed
      expect([1002, 1008, 1009, 4001, 4009]).toContain(code)
      ended += 1
    }),
    { numRuns: 500 },
  )
  expect(ended).toBe(500)
  expect(isGoodUp).toBe(true)
  expect(a.told.filter(({ level }) => level === 'error')).toEqual([])
})

test('an engine that takes nothing of what is sent is cut at 16 MiB, and another one gets what it is sent (wire.W2)', async () => {
  const engines = new LinkedEngines()
  const a = await host(engines)
  const stuck = await engines.stranger(a, 'x')
  await stuck.hears(kinds.hello)
  stuck.socket.pause()
  const good = await engines.open('good')
  let heard = 0
  good.links.hear('value', () => (heard += 1))
  await good.links.reach('a')
  const value = Buffer.alloc(1024 * 1024)
  let sent = 0
  let largest = 0
  while (a.links.send('x', 'value', value)) {
    sent += 1
    largest = Math.max(largest, a.links.state().find(({ engine }) => engine === 'x')?.unsentBytes ?? 0)
    await new Promise((resolve) => setImmediate(resolve))
    expect(sent).toBeLessThan(1000)
  }
  expect(largest).toBeGreaterThan(14 * 1024 * 1024)
  expect(largest).toBeLessThanOrEqual(16 * 1024 * 1024)
  expect(a.told).toMatchObject([
    { level: 'warn', fields: { engine: 'x', detail: 'more than 16777216 bytes wait for it' } },
  ])
  a.links.send('good', 'value', bytes('x'))
  await expect.poll(() => heard).toBe(1)
})

test('an engine of which no byte comes for 5 s is cut, and says something every second itself (link.K1)', async () => {
  const engines = new LinkedEngines()
  const a = await host(engines)
  const silent = await engines.stranger(a, 'x')
  await silent.hears(kinds.hello)
  await expect.poll(() => a.links.state()).toMatchObject([{ isUp: true }])
  const ask = refusalOf(a.links.ask('x', 'echo', bytes('')))
  await engines.clock.advance(4900)
  expect(a.links.state()).toMatchObject([{ isUp: true }])
  await engines.clock.advance(300)
  expect(a.links.state()).toMatchObject([{ isUp: false }])
  expect(await ask).toMatchObject({
    name: 'Unanswered',
    message: expect.stringContaining('nothing has come of it for 5 s'),
  })
  await silent.closed
  expect(silent.heard.filter(({ kind: of }) => of === kinds.ping).map(({ id }) => id)).toEqual([1, 2, 3, 4])
})

test('an engine that says something stays, and how long it takes to answer is measured (link.K1)', async () => {
  const engines = new LinkedEngines()
  const a = await host(engines)
  const stranger = await engines.stranger(a, 'x')
  await stranger.hears(kinds.hello)
  for (let second = 1; second <= 8; second++) {
    await engines.clock.advance(1000)
    await expect.poll(() => stranger.heard.filter(({ kind: of }) => of === kinds.ping).length).toBe(second)
    const read = stranger.heard.length
    stranger.say(kinds.ping, second)
    await expect.poll(() => stranger.heard.slice(read).filter(({ kind: of }) => of === kinds.pong).length).toBe(1)
  }
  expect(a.links.state()).toMatchObject([{ isUp: true, roundTripMs: null }])
  await engines.clock.advance(1000)
  await expect.poll(() => stranger.heard.filter(({ kind: of }) => of === kinds.ping).length).toBe(9)
  await engines.clock.advance(40)
  stranger.say(kinds.pong, 9)
  await expect.poll(() => a.links.state()).toMatchObject([{ roundTripMs: 40 }])
  await engines.clock.advance(10)
  stranger.say(kinds.pong, 8)
  stranger.say(kinds.ask, 1, '', 'echo')
  await stranger.hears(kinds.answer)
  expect(a.links.state()).toMatchObject([{ roundTripMs: 40 }])
})
