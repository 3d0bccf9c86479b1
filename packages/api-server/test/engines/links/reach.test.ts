/** How engines come to a link, and what becomes of those who need one that does not come. */
import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import tls from 'node:tls'

import { afterEach, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'

import { Authority } from '../../../../../test/components/certificates.ts'
import { kinds } from '../../../src/engines/links/frames.ts'
import { NotSent } from '../../../src/engines/links/links.ts'
import {
  atEnd,
  bytes,
  type LinkedEngine,
  linkPlace,
  LinkedEngines,
  playedEngine,
  refusalOf,
  type Stranger,
  textOf,
} from './linked-engines.ts'

const helloOf = (id: string, turn: number): string => JSON.stringify({ protocol: 1, version: '1', id, turn })
const isUp = ({ links }: LinkedEngine): boolean => links.state().some((state) => state.isUp)

/** A place that takes connections and never says a word. */
async function mutePlace(): Promise<string> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => void sockets.add(socket)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  atEnd(async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return `http://127.0.0.1:${address.port}`
}

describe('an engine that is needed', () => {
  test('is dialled once, and all that waits for it goes over that link', async () => {
    const [a, b] = await new LinkedEngines().pair()
    const changes: unknown[] = []
    a.links.onChange((...change) => void changes.push(change))
    b.links.answer('echo', (payload) => payload)
    const asked = ['1', '2', '3'].map((text) => textOf(a.links.ask('b', 'echo', bytes(text))))
    await a.links.reach('b')
    expect(await Promise.all(asked)).toEqual(['1', '2', '3'])
    expect(changes).toEqual([['b', true]])
  })

  test.each([
    ['says no address', () => null],
    ['says an address that is none', () => 'nowhere'],
    ['does not listen', () => 'http://127.0.0.1:1'],
  ])('and %s has not been sent anything (links.L3)', async (_, addressOf) => {
    const { links } = await new LinkedEngines().open('a', { addressOf })
    for (const work of [links.ask('b', 'x', bytes('')), links.reach('b'), links.pipe('b', 'x', bytes(''))])
      expect(await refusalOf(work)).toMatchObject({
        name: 'NotSent',
        message: expect.not.stringContaining('127.0.0.1'),
      })
    expect(links.send('b', 'x', bytes(''))).toBe(false)
  })

  test('is not this engine itself', async () => {
    const engines = new LinkedEngines()
    const [a] = await engines.pair()
    expect(await refusalOf(a.links.ask('a', 'x', bytes('')))).toMatchObject({ message: 'engine a is this one itself' })
    engines.addresses.set('b', a.origin)
    expect(await refusalOf(a.links.ask('b', 'x', bytes('')))).toBeInstanceOf(NotSent)
  })

  test('and never accepts is waited for 5 s, by an ask no longer than that wants, and by one that is aborted no more', async () => {
    const engines = new LinkedEngines()
    const { links } = await engines.open('a')
    engines.addresses.set('b', await mutePlace())
    const settled: string[] = []
    const note = async (name: string, work: Promise<unknown>): Promise<unknown> => {
      const refusal = await refusalOf(work)
      settled.push(name)
      return refusal
    }
    const abort = new AbortController()
    const long = note('long', links.ask('b', 'x', bytes('')))
    const short = note('short', links.ask('b', 'x', bytes(''), { timeoutMs: 1000 }))
    const aborted = note('aborted', links.ask('b', 'x', bytes(''), { signal: abort.signal }))
    abort.abort(new Error('left'))
    expect(await aborted).toMatchObject({ message: 'left' })
    await engines.clock.advance(1300)
    expect(await short).toBeInstanceOf(NotSent)
    await engines.clock.advance(3600)
    expect(settled).toEqual(['aborted', 'short'])
    await engines.clock.advance(300)
    expect(await long).toBeInstanceOf(NotSent)
  })

  test('lets no more wait for its link than the link could take', async () => {
    const engines = new LinkedEngines()
    const { links } = await engines.open('a')
    engines.addresses.set('b', await mutePlace())
    const long = Buffer.alloc(5 * 1024 * 1024)
    const abort = new AbortController()
    const first = refusalOf(links.ask('b', 'x', long))
    const aborted = refusalOf(links.ask('b', 'x', long, { signal: abort.signal }))
    const tooMuch = { name: 'NotSent', message: 'too much waits for the link to engine b' }
    expect(await refusalOf(links.ask('b', 'x', long))).toMatchObject(tooMuch)
    abort.abort(new Error('left'))
    expect(await aborted).toMatchObject({ message: 'left' })
    const last = refusalOf(links.ask('b', 'x', long))
    expect(await refusalOf(links.ask('b', 'x', long))).toMatchObject(tooMuch)
    await links.close()
    for (const refusal of [first, last])
      expect(await refusal).toMatchObject({ name: 'NotSent', cause: 'the engine stops' })
  })

  test('is dialled again after 0.2 s, and twice as long each time up to 2 s; who needs it before is told at once (peer.E1)', async () => {
    const engines = new LinkedEngines()
    let dials = 0
    const { links } = await engines.open('a')
    const { origin } = await engines.open('c')
    engines.addresses.set('b', `${origin}/nowhere`)
    const fails = async (): Promise<boolean> => {
      const refusal = await refusalOf(links.ask('b', 'x', bytes('')))
      const { message, cause } = refusal as Error
      expect(refusal).toBeInstanceOf(NotSent)
      if (/HTTP 404/.test(String(cause))) dials += 1
      return /a moment ago/.test(message)
    }
    await fails()
    for (const waitMs of [200, 400, 800, 1600, 2000, 2000]) {
      const before = dials
      expect(await fails()).toBe(true)
      await engines.clock.advance(waitMs - 100)
      expect(await fails()).toBe(true)
      expect(dials).toBe(before)
      await engines.clock.advance(300)
      expect(await fails()).toBe(false)
      expect(dials).toBe(before + 1)
    }
  })

  test('is dialled at once after a link that was good, and its first failure alone is in the log', async () => {
    const engines = new LinkedEngines()
    const [a, b] = await engines.pair()
    await a.links.reach('b')
    await engines.clock.advance(1100)
    await b.links.close()
    await expect.poll(() => isUp(a)).toBe(false)
    expect(await refusalOf(a.links.reach('b'))).toMatchObject({ cause: expect.stringContaining('HTTP 503') })
    await engines.clock.advance(400)
    expect(await refusalOf(a.links.reach('b'))).toMatchObject({ cause: expect.stringContaining('HTTP 503') })
    expect(a.told.map(({ level, message }) => [level, message])).toEqual([
      ['info', 'the link to another engine has ended'],
      ['warn', 'another engine cannot be reached'],
    ])
  })

  test('may dial itself while others do not get through to it', async () => {
    const engines = new LinkedEngines()
    const [a, b] = await engines.pair()
    engines.addresses.set('b', 'http://127.0.0.1:1')
    b.links.answer('echo', (payload) => payload)
    await refusalOf(a.links.reach('b'))
    await b.links.reach('a')
    expect(await textOf(a.links.ask('b', 'echo', bytes('ok')))).toBe('ok')
  })

  test('hears of the end of this engine, which asks nobody any more', async () => {
    const [a, b] = await new LinkedEngines().pair()
    const changes: unknown[] = []
    const end = b.links.onChange((...change) => void changes.push(change))
    await a.links.reach('b')
    await a.links.close()
    await expect
      .poll(() => changes)
      .toEqual([
        ['a', true],
        ['a', false],
      ])
    expect(b.told).toMatchObject([
      { level: 'info', fields: { detail: 'the other engine closed it (code 1012, the engine stops)' } },
    ])
    const refusal = await refusalOf(a.links.ask('b', 'x', bytes('')))
    expect(refusal).toMatchObject({ name: 'NotSent', message: 'the engine stops' })
    end()
  })
})

test('links that end while an engine arrives, or while somebody waits, leave nobody behind', async () => {
  const engines = new LinkedEngines()
  const [a, b] = await engines.pair()
  const origin = await linkPlace((upgrade) =>
    a.links.upgrade({
      ...upgrade,
      async accept(options) {
        const socket = await upgrade.accept(options)
        void a.links.close()
        return socket
      },
    }),
  )
  const stranger = await engines.stranger({ id: a.id, origin }, 'x')
  expect(await stranger.closed).toEqual([1012, 'the engine stops'])

  const c = await engines.open('c')
  b.links.onChange((_, up) => {
    if (up) void b.links.close()
  })
  expect(await refusalOf(b.links.ask(c.id, 'x', bytes('')))).toMatchObject({
    name: 'NotSent',
    message: 'the link to engine c has just ended',
  })
})

describe('engines that dial each other', () => {
  test('at once end with one link, whichever comes first, and lose nothing that waits (links.L1)', async () => {
    for (let round = 0; round < 30; round++) {
      const [a, b] = await new LinkedEngines().pair()
      for (const { links, id } of [a, b]) links.answer('id', (payload) => bytes(`${id}${payload.toString()}`))
      const changes: string[] = []
      for (const { id, links } of [a, b]) links.onChange((of, up) => void changes.push(`${id} to ${of}: ${up}`))
      const [first, second] = round % 2 === 0 ? [a, b] : [b, a]
      const asked = [textOf(first.links.ask(second.id, 'id', bytes('1')))]
      // the second one begins a little later each round
      for (let turn = 0; turn < round / 2; turn++) await new Promise((resolve) => setImmediate(resolve))
      asked.push(textOf(second.links.ask(first.id, 'id', bytes('2'))))
      expect(await Promise.all(asked)).toEqual([`${second.id}1`, `${first.id}2`])
      expect(changes.toSorted()).toEqual(['a to b: true', 'b to a: true'])
    }
  })

  test('keep the link of the smaller id: the smaller one refuses the other link, and the larger one gives up its own (links.L1)', async () => {
    const engines = new LinkedEngines()
    const dialled: Stranger[] = []
    const origin = await playedEngine((stranger) => void dialled.push(stranger))
    for (const id of ['a', 'c']) engines.addresses.set(id, origin)
    const b = await engines.open('b')
    const toC = b.links.reach('c')
    await expect.poll(() => dialled.length).toBe(1)
    await dialled[0]?.hears(kinds.hello)
    const fromC = await engines.stranger(b, 'c')
    expect(await fromC.closed).toEqual([4009, 'the engines have another link'])
    dialled[0]?.say(kinds.hello, 0, helloOf('c', 2))
    await toC

    const toA = b.links.reach('a')
    await expect.poll(() => dialled.length).toBe(2)
    await dialled[1]?.hears(kinds.hello)
    const fromA = await engines.stranger(b, 'a')
    await fromA.hears(kinds.hello)
    await toA
    expect((await dialled[1]?.closed)?.[0]).toBe(1006)
  })

  test('keep the one that comes while the other one is not open yet, and what waits goes over it (links.L1)', async () => {
    const engines = new LinkedEngines()
    const [a, b] = await engines.pair()
    engines.addresses.set('b', await mutePlace())
    b.links.answer('echo', (payload) => payload)
    const asked = textOf(a.links.ask('b', 'echo', bytes('ok')))
    await b.links.reach('a')
    expect(await asked).toBe('ok')
  })

  test('and wait for a link that does not come dial again (links.L1)', async () => {
    const engines = new LinkedEngines()
    const { links } = await engines.open('b')
    let count = 0
    const origin = await playedEngine((stranger) => {
      count += 1
      if (count === 1) stranger.socket.close(4009, 'the engines have another link')
      else stranger.say(kinds.hello, 0, helloOf('a', 1))
    })
    engines.addresses.set('a', origin)
    const reached = links.reach('a')
    await expect
      .poll(async () => {
        await engines.clock.advance(50)
        return count
      })
      .toBe(2)
    await reached
  })

  test('go by the number of a hello: one that was overtaken is refused, a later one ends the link (links.L2)', async () => {
    const engines = new LinkedEngines()
    const a = await engines.open('a')
    const hello = (turn: number): object => ({ protocol: 1, version: '1', id: 'b', turn })
    const first = await engines.stranger(a, 'b', { hello: hello(5) })
    await first.hears(kinds.hello)
    const overtaken = await engines.stranger(a, 'b', { hello: hello(4) })
    expect(await overtaken.closed).toEqual([4009, 'the engines have another link'])
    expect(first.socket.readyState).toBe(WebSocket.OPEN)
    const later = await engines.stranger(a, 'b', { hello: hello(6) })
    await later.hears(kinds.hello)
    expect((await first.closed)[0]).toBe(1006)
    expect(isUp(a)).toBe(true)
  })
})

describe('an address with https', () => {
  const ours = new Authority('an authority of this house')
  const before = tls.getCACertificates('default')
  afterEach(() => tls.setDefaultCACertificates(before))

  test('is dialled by TLS with the certificates that the machine trusts, and no token goes to another server', async () => {
    const engines = new LinkedEngines()
    const a = await engines.open('a')
    const b = await engines.open('b', { certified: ours.vouchFor(['127.0.0.1']) })
    b.links.answer('echo', (payload) => payload)
    expect(await refusalOf(a.links.reach('b'))).toMatchObject({
      name: 'NotSent',
      cause: expect.stringMatching(/certificate/),
    })
    tls.setDefaultCACertificates([...before, ours.cert])
    await engines.clock.advance(500)
    expect(await textOf(a.links.ask('b', 'echo', bytes('ok')))).toBe('ok')
  })
})
