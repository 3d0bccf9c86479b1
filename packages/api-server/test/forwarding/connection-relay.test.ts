/** Connections that are passed on to the engine of their flow. */
import { PassThrough } from 'node:stream'

import { expect, test } from 'vitest'

import { ConnectionRelay } from '../../src/forwarding/connection-relay.ts'

/** A relay whose flows are all away, with what was asked of it and what went over its pipe. */
function relaying(asked: () => void = () => {}) {
  const flows: string[] = []
  const pipe = new PassThrough()
  const relay = new ConnectionRelay({
    homes: {
      isAway: (flow: string) => flows.push(flow) > 0,
      ask: (_flow: string, ask: (engine: string) => unknown) => ask('other'),
    },
    links: {
      ask: async () => {
        asked()
        return Buffer.alloc(0)
      },
      pipe: async () => pipe,
    },
  } as never)
  return { flows, pipe, relay }
}

const upgradeOf = (url: string, socket = new PassThrough()) => ({
  request: { method: 'GET', url, rawHeaders: ['Host', 'a', 'Upgrade', 'websocket'], socket: {} },
  socket,
  head: Buffer.alloc(0),
})

test('an upgrade goes to the flow that its path names, however that is written, as if it had come without a prefix', async () => {
  const { flows, pipe, relay } = relaying()
  const upgrade = upgradeOf('/mounted/here/hooks/%70orch/bell?a=1&b=%20')
  expect(await relay.pass('%70orch/bell', upgrade as never)).toBe(true)
  expect(flows).toEqual(['porch'])
  expect(String(pipe.read())).toBe(
    'GET /hooks/%70orch/bell?a=1&b=%20 HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\n\r\n',
  )
})

test('of an upgrade whose client has gone meanwhile nothing is passed on', async () => {
  const socket = new PassThrough()
  const { pipe, relay } = relaying(() => socket.destroy())
  expect(await relay.pass('porch/bell', upgradeOf('/hooks/porch/bell', socket) as never)).toBe(true)
  expect([pipe.destroyed, pipe.read()]).toEqual([true, null])
})
