import { connect } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

import type { SocketListener, SocketPeer } from '@flow-service/connector-sdk'
import { nodeTypes } from '@flow-service/node-types'
import { type EngineEvent, flowDocumentInputSchema, type Health, normalizeDocument } from '@flow-service/protocol'
import { afterEach, expect, test } from 'vitest'

import { LiveRuntime, NodeRegistry, type ValueSource } from '../../core/src/index.ts'
import { memoryHost } from '../../core/src/testing.ts'
import { Rigs } from './rigs.ts'
import { silentServer } from './silent-server.ts'
import type { Setup } from './test-kit.ts'

const rigs = new Rigs()
const ends: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const end of ends.splice(0)) await end()
  await rigs.close()
})

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void
const heapMegabytes = (): number => {
  collect()
  return process.memoryUsage().heapUsed / 1e6
}

interface Connected {
  readonly type: string
  readonly settings: (port: number) => object
  readonly ports: Pick<Setup, 'inputs' | 'outputs'>
  /** What is told of its health, and how many of 5,000 values become dead letters. */
  readonly told: readonly [Health, RegExp][]
  readonly lost: number
}

const broker = (broker_port: number): object => ({ broker_host: '127.0.0.1', broker_port, topic: 't' })
const sends = { inputs: { x: 'any' } } as const
const unanswered = /^(broker |ws:\/\/)127\.0\.0\.1:\d+\/?: gave no answer within 10 s$/
const away: [Health, RegExp][] = [
  ['degraded', unanswered],
  ['down', unanswered],
]
/** What waits has told of the same state before. */
const down = away.slice(1)
const queued: [Health, RegExp] = ['degraded', /^more than 256 (payloads|messages) wait.*; the oldest are dropped$/]
const waiting: [Health, RegExp] = ['degraded', /^more than 1000 deliveries wait; the oldest are dropped$/]

/** Each type that is connected to something, with a peer that takes connections and never answers. */
const connected: Readonly<Record<string, Connected>> = {
  'mqtt sender': { type: 'mqtt', settings: broker, ports: sends, told: [queued, ...down], lost: 0 },
  'mqtt listener': { type: 'mqtt', settings: broker, ports: { outputs: { y: 'any' } }, told: away, lost: 0 },
  'websocket client': {
    type: 'websocket',
    settings: (port) => ({ url: `ws://127.0.0.1:${port}/` }),
    ports: { ...sends, outputs: { y: 'any' } },
    told: [queued, ...down],
    lost: 0,
  },
  'served websocket': {
    type: 'websocket',
    settings: () => ({ url: '/ticker' }),
    ports: sends,
    told: [queued, ['ok', /^null$/]],
    lost: 0,
  },
  'http request': {
    type: 'http',
    settings: (port) => ({ url: `http://127.0.0.1:${port}/` }),
    ports: sends,
    told: [waiting],
    lost: 3999,
  },
  push: {
    type: 'push',
    settings: (port) => ({ server: `http://127.0.0.1:${port}/`, topic: 't' }),
    ports: sends,
    told: [waiting],
    lost: 3999,
  },
  tsdb: {
    type: 'tsdb',
    settings: (port) => ({
      url: `http://127.0.0.1:${port}`,
      org: 'o',
      bucket: 'b',
      writes: { x: { measurement: 'm' } },
    }),
    ports: sends,
    told: [waiting],
    lost: 3999,
  },
}

/** A client of a served socket that never reads; the engine ends it when it is told to. */
class Stalled implements SocketPeer {
  readonly waiting = 1e9
  listener: SocketListener | null = null
  send(): void {}
  cut(): void {
    this.listener?.closed()
  }
}

/** The node beside another one that reads the same values: real connections, virtual time. */
async function start({ type, settings, ports: { inputs = {}, outputs = {} } }: Connected) {
  const seen = { told: [] as [Health, string | null][], lost: 0, passed: 0 }
  const { port } = await silentServer(rigs)
  const host = {
    ...memoryHost({ connect: (target) => connect({ host: target.host, port: target.port }), fetch }),
    record: ({ node }: ValueSource) => void (seen.passed += node === 'other' ? 1 : 0),
    deadLetter: () => void seen.lost++,
    isWatched: () => false,
    event(event: EngineEvent) {
      if (event.type === 'health' && event.node === 'n') seen.told.push([event.status, event.message])
    },
  }
  const runtime = new LiveRuntime(host, new NodeRegistry(nodeTypes))
  ends.push(async () => {
    const closed = runtime.close()
    await host.advance(20_000)
    await closed
  })
  const ports = (direction: string, of: object) =>
    Object.entries(of).map(([name, dtype]) => ({ direction, name, dtype }))
  const document = flowDocumentInputSchema.parse({
    mode: 'live',
    nodes: [
      { id: 'n', type, settings: settings(port), ports: [...ports('input', inputs), ...ports('output', outputs)] },
      { id: 'other', type: 'change', ports: [...ports('input', { x: 'any' }), ...ports('output', { z: 'any' })] },
    ],
    inputs: [{ name: 'x', dtype: 'any' }],
  })
  const flow = await runtime.start(normalizeDocument('f', document))
  return { flow, host, runtime, seen }
}

test.each(Object.entries(connected))(
  'a dead peer of a node (%s) holds up neither the loop nor another node; what waits is bounded, each change of health told once',
  async (what, node) => {
    const { flow, host, runtime, seen } = await start(node)
    const client = new Stalled()
    if (what === 'served websocket') client.listener = host.plug('f', 'ticker', client)
    const before = heapMegabytes()
    for (let n = 0; n < 5000; n++) {
      runtime.publish('f.x', `${n} ${Buffer.alloc(20_000, 'x').toString()}`)
      if (n % 500 === 0) await turn()
    }
    // busy loops share the thread in slices of time
    await expect.poll(() => [seen.passed, seen.lost]).toEqual([5000, node.lost])
    // of 100 MB: what a mailbox of 1,000 or a queue of 256 keeps
    expect(heapMegabytes() - before).toBeLessThan(45)
    for (let second = 0; second < 75; second++) {
      await host.advance(1000)
      await turn()
      // requests time out one after the other, and each is told of once
      if (node.lost > 0) break
    }
    expect(seen.told).toEqual(
      node.told.map(([status, text]) => [status, status === 'ok' ? null : expect.stringMatching(text)]),
    )
    const stopped = flow.stop()
    await host.advance(20_000)
    await stopped
    expect(host.clock.pending).toBe(0)
  },
)

test('every type with a connection has its row here', () => {
  const types = nodeTypes.filter(({ category }) => category === 'network').map(({ type }) => type)
  expect(new Set(Object.values(connected).map(({ type }) => type))).toEqual(new Set(types))
})
