/** Who an engine says it is when it comes to a link, in its token and its hello, and when it is not believed. */
import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'

import { describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'

import { jose } from '../../../src/auth/jose.ts'
import { type LinkedEngine, LinkedEngines, linkPlace, refusalOf, Stranger } from './linked-engines.ts'

describe('who an engine is', () => {
  test.each<[what: string, token: (engines: LinkedEngines) => Promise<string | null>]>([
    ['no token', async () => null],
    ['a token for another engine', (engines) => engines.token('b', 'c')],
    ['a token of another key', (engines) => engines.token('b', 'a', { signingKey: generateKeyPairSync('ed25519') })],
    [
      'a token that has expired',
      (engines) => engines.token('b', 'a', { clock: { now: () => engines.clock.now() - 66_000 } }),
    ],
    [
      'a token of tomorrow',
      (engines) => engines.token('b', 'a', { clock: { now: () => engines.clock.now() + 86_400_000 } }),
    ],
    ['a token of a worker', (engines) => signed(engines, { audience: 'worker', type: 'engine+jwt' })],
    ['a token of another type', (engines) => signed(engines, { audience: 'a', type: 'worker+jwt' })],
    ['a text that is no token', async () => 'abc'],
  ])('is not told by %s: the upgrade is refused with 401 (arrivals.A1)', async (_, token) => {
    const engines = new LinkedEngines()
    const a = await engines.open('a')
    expect(await statusOf(a, await token(engines))).toBe(401)
  })

  test('is told by a token of the database, made up to a minute ago by a clock that may be 5 s off', async () => {
    const engines = new LinkedEngines()
    const a = await engines.open('a')
    for (const agoMs of [0, 60_000, -4000]) {
      const token = await engines.token('b', 'a', { clock: { now: () => engines.clock.now() - agoMs } })
      expect(await statusOf(a, token)).toBe(101)
    }
    expect(await statusOf(a, await engines.token('a', 'a'))).toBe(400)
  })

  test('has to be in its hello too, on either side (arrivals.A1)', async () => {
    const engines = new LinkedEngines()
    const a = await engines.open('a')
    const stranger = await engines.stranger(a, 'b', { hello: { protocol: 1, version: '1', id: 'c', turn: 1 } })
    expect(await stranger.closed).toEqual([1008, 'engine c is here in place of b'])
    // what says why is cut to what a close can say
    const long = await engines.stranger(a, 'b', { hello: { protocol: 1, version: '1', id: 'é'.repeat(100), turn: 1 } })
    expect(await long.closed).toEqual([1008, expect.stringMatching(/^engine éé/)])
    // an engine that was started anew listens where the one before did, and refuses what was not for it
    const c = await engines.open('c')
    engines.addresses.set('b', c.origin)
    expect(await refusalOf(a.links.reach('b'))).toMatchObject({
      name: 'NotSent',
      cause: expect.stringContaining('401'),
    })
    const impostor = await linkPlace(async (upgrade) => {
      const socket = await upgrade.accept({ maxPayloadBytes: 1024 })
      new Stranger(socket).say(1, 0, JSON.stringify({ protocol: 1, version: '1', id: 'c', turn: 1 }))
    })
    engines.addresses.set('d', impostor)
    expect(await refusalOf(a.links.reach('d'))).toMatchObject({
      name: 'NotSent',
      cause: expect.stringContaining('engine c is here in place of d'),
    })
  })

  test('and which protocol it speaks: another one is refused in words, whatever else its hello holds', async () => {
    const engines = new LinkedEngines()
    const a = await engines.open('a')
    const b = await engines.open('b', { protocol: 2 })
    const said = 'one engine speaks link protocol 1, the other one 2: update the older one'
    const stranger = await engines.stranger(a, 'b', { hello: { protocol: 2, name: 'changed' } })
    expect(await stranger.closed).toEqual([4001, said])
    expect(await refusalOf(b.links.reach('a'))).toMatchObject({ cause: expect.stringContaining(said) })
    expect(await refusalOf(a.links.reach('b'))).toMatchObject({
      cause: expect.stringContaining('code 4001, one engine speaks link protocol 2, the other one 1'),
    })
  })

  test('is said within 5 s', async () => {
    const engines = new LinkedEngines()
    const a = await engines.open('a')
    const stranger = await engines.stranger(a, 'b', { hello: null })
    let isClosed = false
    void stranger.closed.then(() => (isClosed = true))
    await engines.clock.advance(4900)
    expect(isClosed).toBe(false)
    await expect
      .poll(async () => {
        await engines.clock.advance(200)
        return isClosed
      })
      .toBe(true)
  })
})

async function signed(
  { signingKey, clock }: LinkedEngines,
  { audience, type }: { audience: string; type: string },
): Promise<string> {
  const { SignJWT } = await jose()
  const seconds = Math.floor(clock.now() / 1000)
  return new SignJWT()
    .setProtectedHeader({ alg: 'EdDSA', typ: type })
    .setSubject('b')
    .setAudience(audience)
    .setIssuedAt(seconds)
    .setExpirationTime(seconds + 60)
    .sign(signingKey.privateKey)
}

/** Of an upgrade; 101 when it was accepted. */
async function statusOf({ origin }: LinkedEngine, token: string | null): Promise<number | undefined> {
  const headers = token === null ? {} : { authorization: `Bearer ${token}` }
  const socket = new WebSocket(`${origin.replace('http', 'ws')}/internal/link`, { headers })
  socket.on('error', () => undefined)
  const answer = await Promise.race([
    once(socket, 'open').then(() => ({ statusCode: 101 })),
    once(socket, 'unexpected-response').then(([, response]) => response as IncomingMessage),
  ])
  socket.terminate()
  return answer.statusCode
}
