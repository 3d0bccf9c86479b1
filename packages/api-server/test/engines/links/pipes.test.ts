/** Streams of bytes from one engine to another. */
import { once } from 'node:events'
import { type Duplex, Readable, Transform } from 'node:stream'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'

import { expect, test } from 'vitest'

import { kinds } from '../../../src/engines/links/frames.ts'
import { Unanswered } from '../../../src/engines/links/links.ts'
import { WINDOW_BYTES } from '../../../src/engines/links/pipe.ts'
import { bytes, type LinkedEngine, LinkedEngines, playedEngine } from './linked-engines.ts'

/** Both ends of a pipe from `a` to `b`. */
async function pipeOf(
  [a, b]: [LinkedEngine, LinkedEngine],
  subject = 'socket',
): Promise<[here: Duplex, there: Duplex]> {
  const taken = Promise.withResolvers<Duplex>()
  const leave = b.links.accept(subject, (stream) => taken.resolve(stream))
  const here = await a.links.pipe(b.id, subject, bytes(''))
  const there = await taken.promise
  leave()
  return [here, there]
}

/** Bytes that tell where they stand. */
const numbered = (size: number): Buffer => {
  const filled = Buffer.alloc(size)
  for (let at = 0; at + 4 <= size; at += 4) filled.writeUInt32LE(at, at)
  return filled
}

const errorOf = async (stream: Duplex): Promise<unknown> => ((await once(stream, 'error')) as unknown[])[0]

test('a pipe is taken with what it is opened with, and carries both ways what is written, whole and in order', async () => {
  const [a, b] = await new LinkedEngines().pair()
  const opened: string[] = []
  b.links.accept('double', (stream, payload, from) => {
    opened.push(`${from} ${payload.toString()}`)
    const twice = new Transform({ transform: (chunk: Buffer, _, done) => done(null, Buffer.concat([chunk, chunk])) })
    void pipeline(stream, twice, stream)
  })
  const stream = await a.links.pipe('b', 'double', bytes('please'))
  const sent = numbered(2 * 1024 * 1024)
  const back: Buffer[] = []
  stream.on('data', (chunk: Buffer) => void back.push(chunk))
  await pipeline(Readable.from([sent.subarray(0, 5), sent.subarray(5, 900_000), sent.subarray(900_000)]), stream, {
    end: true,
  })
  await once(stream, 'close')
  expect(opened).toEqual(['a please'])
  // who passes a socket on goes by it to tell whether its client lives
  expect(stream).toMatchObject({ bytesRead: 2 * sent.length })
  expect(Buffer.concat(back)).toHaveLength(2 * sent.length)
  expect(count(Buffer.concat(back))).toEqual(count(Buffer.concat([sent, sent])))
})

const count = (all: Buffer): number => all.reduce((sum, byte) => sum + byte, 0)

test('many pipes go over one link at a time, each with its own bytes', async () => {
  const [a, b] = await new LinkedEngines().pair()
  b.links.accept('echo', (stream) => void stream.pipe(stream))
  const said = Array.from({ length: 50 }, async (_, at) => {
    const stream = await a.links.pipe('b', 'echo', bytes(''))
    stream.end(Buffer.alloc(300_000, at))
    return [...new Set(Buffer.from(await text(stream.setEncoding('latin1')), 'latin1'))]
  })
  expect(await Promise.all(said)).toEqual(said.map((_, at) => [at]))
  expect(a.links.state()).toMatchObject([{ unsentBytes: 0 }])
})

test('a reader that does not read stops its writer after 256 KiB, and nobody else (pipe.P1)', async () => {
  const pair = await new LinkedEngines().pair()
  const [a, b] = pair
  const [here, there] = await pipeOf(pair)
  b.links.answer('echo', (payload) => payload)
  const sent = numbered(1024 * 1024)
  let isWritten = false
  here.write(sent, () => (isWritten = true))
  // what was sent before an ask is there before its answer
  await expect
    .poll(async () => {
      await a.links.ask('b', 'echo', bytes('x'))
      return a.links.state()[0]?.unsentBytes
    })
    .toBe(0)
  expect(isWritten).toBe(false)
  let size = 0
  for (let chunk = there.read() as Buffer | null; chunk !== null; chunk = there.read() as Buffer | null) {
    size += chunk.length
  }
  expect(size).toBeLessThanOrEqual(WINDOW_BYTES)

  const [other, otherThere] = await pipeOf(pair)
  other.end('quick')
  expect(await text(otherThere)).toBe('quick')

  there.on('data', (chunk: Buffer) => (size += chunk.length))
  here.end()
  await once(there, 'end')
  expect([size, isWritten]).toEqual([sent.length, true])
})

test('without a credit no byte beyond 256 KiB is on its way (pipe.P1)', async () => {
  const engines = new LinkedEngines()
  const { links } = await engines.open('a')
  let heard = 0
  const opened = Promise.withResolvers<(bytes: number) => void>()
  const origin = await playedEngine((stranger) => {
    stranger.say(kinds.hello, 0, JSON.stringify({ protocol: 1, version: '1', id: 'b', turn: 1 }))
    void stranger.hears(kinds.open).then(({ id }) => {
      opened.resolve((size) => {
        const credit = Buffer.alloc(4)
        credit.writeUInt32LE(size)
        stranger.say(kinds.credit, id, credit)
      })
    })
    stranger.socket.on('message', () => {
      heard = stranger.heard.reduce((sum, { kind, payload }) => sum + (kind === kinds.chunk ? payload.length : 0), 0)
    })
  })
  engines.addresses.set('b', origin)
  const stream = await links.pipe('b', 'socket', bytes(''))
  stream.write(Buffer.alloc(1024 * 1024))
  const credit = await opened.promise
  await expect.poll(() => heard).toBe(WINDOW_BYTES)
  credit(1000)
  await expect.poll(() => heard).toBe(WINDOW_BYTES + 1000)
})

test('memory that was written is free for another use when the writer hears so', async () => {
  const pair = await new LinkedEngines().pair()
  const [here, there] = await pipeOf(pair)
  const memory = Buffer.alloc(1000)
  const write = (byte: number): Promise<void> =>
    new Promise((resolve) => void here.write(memory.fill(byte), () => resolve()))
  for (let byte = 0; byte < 100; byte++) await write(byte)
  here.end()
  const all = Buffer.from(await text(there.setEncoding('latin1')), 'latin1')
  expect([...new Set(all)]).toEqual(Array.from({ length: 100 }, (_, at) => at))
})

test('each direction ends by itself (pipe.P2)', async () => {
  const [here, there] = await pipeOf(await new LinkedEngines().pair())
  here.end('question')
  expect(await text(there)).toBe('question')
  there.write('an answer')
  there.end(' afterwards')
  expect(await text(here)).toBe('an answer afterwards')
  await expect.poll(() => [here.destroyed, there.destroyed]).toEqual([true, true])
})

test.each(['here', 'there'])(
  'a pipe that is destroyed %s breaks off on the other side, with the reason (pipe.P2)',
  async (side) => {
    const pair = await new LinkedEngines().pair()
    const [here, there] = await pipeOf(pair)
    const [destroyed, other] = side === 'here' ? [here, there] : [there, here]
    // both are in the middle of something
    here.write(Buffer.alloc(1024 * 1024))
    there.write(Buffer.alloc(1024 * 1024))
    const told = errorOf(other)
    destroyed.destroy(new Error('the board has left'))
    const error = await told
    expect(error).toBeInstanceOf(Unanswered)
    expect((error as Error).message).toMatch(/broke the stream off: the board has left$/)
    expect(other.destroyed).toBe(true)
    const [next, nextThere] = await pipeOf(pair)
    next.end('the link is fine')
    expect(await text(nextThere)).toBe('the link is fine')
  },
)

test('a pipe that nobody takes breaks off, as does one whose taker fails (links.L4)', async () => {
  const [a, b] = await new LinkedEngines().pair()
  b.links.accept('broken', () => {
    throw new Error('secret')
  })
  const unknown = await a.links.pipe('b', 'unknown', bytes(''))
  expect(await errorOf(unknown)).toMatchObject({ message: expect.stringContaining('takes "unknown"') })
  const broken = await a.links.pipe('b', 'broken', bytes(''))
  expect(await errorOf(broken)).toMatchObject({ message: expect.not.stringContaining('secret') })
  expect(b.told).toMatchObject([{ level: 'error', fields: { err: { message: 'secret' } } }])
})

test('a reader that throws breaks off its pipe alone (pipe.P3)', async () => {
  const pair = await new LinkedEngines().pair()
  const [here, there] = await pipeOf(pair)
  const told = errorOf(here)
  there.on('data', () => {
    throw new Error('broken reader')
  })
  await once(there, 'resume')
  here.write('x')
  expect(await told).toMatchObject({ message: expect.stringContaining('broken reader') })
  const [next, nextThere] = await pipeOf(pair)
  next.end('fine')
  expect(await text(nextThere)).toBe('fine')
})

test('pipes break off with their link, also where nobody listens (link.K2)', async () => {
  const pair = await new LinkedEngines().pair()
  const [here, there] = await pipeOf(pair)
  const [silent] = await pipeOf(pair)
  const told = [errorOf(here), errorOf(there)]
  await pair[0].links.close()
  for (const error of await Promise.all(told)) expect(error).toBeInstanceOf(Unanswered)
  expect(silent.destroyed).toBe(true)
})
