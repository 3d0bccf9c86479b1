import type { SocketListener, SocketPeer } from '@flow-service/connector-sdk'
import { websocketNode } from '@flow-service/node-types'
import { afterEach, describe, expect, test } from 'vitest'

import { Rigs } from './rigs.ts'
import type { Rig, Setup } from './test-kit.ts'

const rigs = new Rigs()
afterEach(() => rigs.close())

/** A client of a served socket; `take` lets it take what it was sent. */
class Client implements SocketPeer {
  readonly taken: string[] = []
  isStalled = false
  isCut = false
  waiting = 0
  #held: (() => void)[] = []
  listener: SocketListener | null = null

  send(frame: string | Uint8Array, sent?: () => void): void {
    const text = typeof frame === 'string' ? frame : new TextDecoder().decode(frame)
    const take = (): void => {
      this.taken.push(text)
      sent?.()
    }
    if (!this.isStalled) return take()
    this.waiting += text.length
    this.#held.push(take)
  }

  cut(): void {
    this.isCut = true
    this.listener?.closed()
  }

  take(): void {
    this.isStalled = false
    this.waiting = 0
    for (const take of this.#held.splice(0)) take()
  }
}

function plug(rig: Rig): Client {
  const client = new Client()
  client.listener = rig.sockets[0]?.serve(client) ?? null
  return client
}

describe('a served socket', () => {
  const served = (setup: Partial<Setup> & { settings?: object } = {}) =>
    rigs.run(websocketNode, { inputs: { x: 'any' }, ...setup, settings: { url: '/ticker', ...setup.settings } })

  test('is mounted at its path behind its secret [R205] [R211]', async () => {
    const rig = await served({ settings: { secret: 's3' } })
    expect(rig.sockets[0]?.route).toEqual({ path: 'ticker', secret: 's3' })
    await expect(served({ settings: { secret: { $secret: 'gone' } } })).rejects.toThrow('"gone" has no value')
  })

  test('sends to all clients and hears each of them [R206] [R217]', async () => {
    const rig = await served({ outputs: { y: 'any' } })
    await rig.arrive({ x: 0 })
    const one = plug(rig)
    await rig.arrive({ x: 1 })
    const two = plug(rig)
    await rig.arrive({ x: { k: 'ä' } })
    two.listener?.heard('{"y":2}')
    one.listener?.closed()
    await rig.arrive({ x: 3 })
    expect([one.taken, two.taken]).toEqual([
      ['1', '{"k":"ä"}'],
      ['{"k":"ä"}', '3'],
    ])
    expect(rig.emitted).toEqual([{ y: 2 }])
  })

  test('drops a client that takes nothing, and nobody else waits for it [R213] [T102] [F48]', async () => {
    const rig = await served({ settings: { timeout: 2 } })
    const [good, bad] = [plug(rig), plug(rig)]
    bad.isStalled = true
    const x = 'x'.repeat(300_000)
    await rig.arrive({ x })
    for (let n = 0; n < 300; n++) await rig.arrive({ x: n })
    expect(good.taken).toHaveLength(301)
    expect(bad.waiting).toBeLessThan(300_100)
    expect(rig.health).toEqual([
      { status: 'degraded', message: 'more than 256 messages wait for a client; the oldest are dropped' },
    ])
    await rig.advance(2)
    expect([bad.isCut, good.isCut]).toEqual([true, false])
    expect(rig.health.at(-1)).toEqual({ status: 'ok', message: null })
    expect(rig.timers).toBe(0)
  })

  test('is degraded while clients are refused because there are too many, and says so once [T102]', async () => {
    const rig = await served()
    const client = plug(rig)
    for (let n = 0; n < 3; n++) rig.sockets[0]?.full(1000)
    expect(rig.health).toEqual([
      { status: 'degraded', message: 'has 1000 clients, and takes no more until one of them leaves' },
    ])
    client.listener?.closed()
    expect(rig.health.at(-1)).toEqual({ status: 'ok', message: null })
  })

  test('a client that takes it late gets the newest messages in order [R214]', async () => {
    const rig = await served({ settings: { send_queue_size: 3 } })
    const client = plug(rig)
    client.isStalled = true
    const x = 'x'.repeat(300_000)
    for (const value of [x, 1, 2, 3, 4, 5]) await rig.arrive({ x: value })
    client.take()
    expect(client.taken).toEqual([x, '1', '3', '4', '5'])
    expect(rig.health.map(({ status }) => status)).toEqual(['degraded', 'ok'])
    expect(rig.timers).toBe(0)
  })
})
