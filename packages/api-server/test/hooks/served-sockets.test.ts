import { EventEmitter } from 'node:events'

import type { SocketRoute } from '@flow-service/connector-sdk'
import { expect, test } from 'vitest'
import type { WebSocket } from 'ws'

import { ServedSockets } from '../../src/hooks/served-sockets.ts'

class FakeSocket extends EventEmitter {
  readonly bufferedAmount = 0
  leave(): void {
    this.emit('close')
  }
}

/** A mounted socket, and what its node is told. */
function serve(route: SocketRoute, baseUrl: string | null = null) {
  const served = new ServedSockets()
  const told: number[] = []
  let clients = 0
  const listener = { heard() {}, closed: () => void clients-- }
  const mounted = () => {
    clients++
    return listener
  }
  served.register('plant', route, mounted, (most) => void told.push(most)).open()
  const upgrade = served.upgrade({ isPortal: () => false, home: { baseUrl, origins: ['https://console.example'] } })
  return {
    told,
    clients: () => clients,
    /** Answers the code of the refusal, or the accepted socket. */
    async open(rest: string, headers: Record<string, string> = {}): Promise<FakeSocket | string> {
      const socket = new FakeSocket()
      try {
        await upgrade({
          request: { headers: { host: 'flows.local:8000', ...headers } } as never,
          rest,
          query: new URLSearchParams(),
          accept: async () => socket as unknown as WebSocket,
        })
        return socket
      } catch (error) {
        return (error as { code: string }).code
      }
    },
  }
}

test('a socket takes 1,000 clients, also of those that come at once, and tells its node of each more [T102]', async () => {
  const at = serve({ path: 'ticker', secret: null })
  const opened = await Promise.all(Array.from({ length: 1003 }, () => at.open('plant/ticker')))
  expect(opened.filter((each) => each === 'unavailable')).toHaveLength(3)
  expect([at.clients(), at.told]).toEqual([1000, [1000, 1000, 1000]])
  const [first] = opened
  if (first instanceof FakeSocket) first.leave()
  expect(await at.open('plant/ticker')).toBeInstanceOf(FakeSocket)
  expect(await at.open('plant/ticker')).toBe('unavailable')
})

test.each([
  [null, 'https://flows.local:8000', true],
  [null, 'http://flows.local:8000', true],
  [null, 'https://console.example', true],
  [null, 'https://console.example:8443', false],
  [null, 'http://console.example', false],
  [null, 'http://flows.local', false],
  [null, 'http://flows.local:8000.evil.example', false],
  [null, 'null', false],
  [null, '', false],
  ['https://public.example/x/api/v1', 'https://public.example', true],
  ['https://public.example/x/api/v1', 'http://public.example', false],
])('without a secret, reached at %s, a page of %j may open it: %s', async (baseUrl, origin, isTaken) => {
  const at = serve({ path: 'ticker', secret: null }, baseUrl)
  expect(await at.open('plant/ticker', { origin })).toEqual(isTaken ? expect.any(FakeSocket) : 'forbidden')
})

test('with its secret a page of any origin opens it, and without it none does', async () => {
  const at = serve({ path: 'ticker', secret: 's3' })
  const origin = 'https://evil.example'
  expect(await at.open('plant/ticker/s3', { origin })).toBeInstanceOf(FakeSocket)
  expect(await at.open('plant/ticker', { origin: 'http://flows.local:8000' })).toBe('not_found')
  expect(await at.open('plant/ticker/wrong', { origin })).toBe('not_found')
})
