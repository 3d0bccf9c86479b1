import { EventEmitter } from 'node:events'

import { VirtualClock } from '@flow-service/core/testing'
import type { EngineFrame, WorkerFrame } from '@flow-service/protocol'
import { describe, expect, test, vi } from 'vitest'

import { createDispatcher } from '../../src/workers/dispatch.ts'
import { WorkerPool } from '../../src/workers/pool.ts'
import { socketTransport } from '../../src/workers/socket-transport.ts'
import { codeCall, noFlavors } from './code-call.ts'

/** A socket that notes what is done to it. */
class Socket extends EventEmitter {
  readonly OPEN = 1
  readyState = 1
  readonly sent: string[] = []
  readonly done: string[] = []
  send(text: string): void {
    this.sent.push(text)
  }
  pause(): void {
    this.done.push('pause')
  }
  resume(): void {
    this.done.push('resume')
  }
  close(code?: number, reason = ''): void {
    this.done.push(`close ${code} ${reason}`)
  }
  says(frame: WorkerFrame | object): void {
    this.emit('message', Buffer.from(JSON.stringify(frame)), false)
  }
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
const hello = {
  type: 'hello',
  protocol: 1,
  version: '1.0.0',
  name: 'w',
  labels: [],
  parallel: 1,
  resources: { cpus: 1, gpus: 0, ram_mb: 1 },
  python: null,
  platform: 'p',
}

/** A worker on a socket that is attached, with a call under way. */
function calling(behind?: () => Promise<void>) {
  const clock = new VirtualClock(0)
  const pool = new WorkerPool({ clock, newId: () => 'w', engineVersion: '1.0.0' })
  const dispatcher = createDispatcher({ pool, bundleOf: async () => '', inProcess: () => null, flavors: noFlavors })
  const socket = new Socket()
  const malformed: string[] = []
  const transport = socketTransport(socket as never, (reason) => malformed.push(reason))
  pool.attach(transport, { kind: 'worker', jti: 'j', name: 'w', labels: [] })
  socket.says(hello)
  const call = codeCall({ node: { worker: 'w' }, ...(behind ? { behind } : {}) })
  const outcome = dispatcher.call(call).catch((error: unknown) => error)
  return { clock, pool, dispatcher, socket, malformed, call, outcome }
}

const emission = (call: string, text: string) => ({ type: 'emit', call, batch: [[{ loss: 1, text }, 0]] })

describe('a socket of a worker', () => {
  test('is read no further while the engine is more than 4 MiB behind, and is not blamed for its silence', async () => {
    const gate = Promise.withResolvers<void>()
    const { clock, socket, call, outcome } = calling(() => gate.promise)
    await settled()
    const mebibyte = 'x'.repeat(1024 * 1024)
    for (let at = 0; at < 3; at++) socket.says(emission(call.id, mebibyte))
    expect(socket.done).toEqual([])
    for (let at = 0; at < 2; at++) socket.says(emission(call.id, mebibyte))
    expect(socket.done).toContain('pause')
    await clock.advance(1_000_000)
    gate.resolve()
    await settled()
    expect(socket.done.at(-1)).toBe('resume')
    socket.says({ type: 'result', call: call.id, outputs: { y: 1 } })
    expect(await outcome).toEqual({ y: 1 })
  })

  test('gets no call of more than 32 MiB: that fails by itself, and the next one has its place', async () => {
    const { dispatcher, socket, call } = calling()
    await settled()
    socket.says({ type: 'result', call: call.id, outputs: {} })
    await settled()
    const sent = socket.sent.length
    const heavy = codeCall({ node: { worker: 'w' }, inputs: { x: 'x'.repeat(33 * 1024 * 1024) } })
    await expect(dispatcher.call(heavy)).rejects.toMatchObject({
      type: 'frame_too_large',
      message: expect.stringContaining('hand large values over as artifacts'),
    })
    expect(socket.sent).toHaveLength(sent)
    const next = codeCall({ node: { worker: 'w' } })
    const done = dispatcher.call(next)
    await settled()
    expect((JSON.parse(String(socket.sent.at(-1))) as EngineFrame).type).toBe('call')
    socket.says({ type: 'result', call: next.id, outputs: {} })
    await done
  })

  test.each([
    [['"text"'], 'a frame is a JSON object with a "type"'],
    [['{'], 'a frame is a JSON object with a "type"'],
    [['{"type":"started","call":5}'], '"started" at "call"'],
  ])('drops %j and says why', async ([text], reason) => {
    const { socket, malformed } = calling()
    socket.emit('message', Buffer.from(String(text)), false)
    expect(malformed).toEqual([expect.stringContaining(reason)])
    expect(socket.done).toEqual([])
  })

  test.each([
    ['another frame', { type: 'heartbeat', calls: [] }, '"heartbeat" came'],
    ['a hello that is none', { ...hello, parallel: 0 }, '"hello" at "parallel"'],
  ])('is closed when %s comes in place of the hello', (_, frame, reason) => {
    const socket = new Socket()
    const { pool } = calling()
    pool.attach(
      socketTransport(socket as never, () => undefined),
      { kind: 'worker', jti: 'k', name: 'v', labels: [] },
    )
    socket.says(frame)
    socket.says(hello)
    expect(socket.done).toEqual([expect.stringMatching(`^close 1008 say hello first: ${reason}`)])
    expect(pool.list()).toHaveLength(1)
  })

  test('is closed when nothing comes for 30 seconds, and not when a hello came', () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      const [silent, attached] = [new Socket(), calling().socket]
      socketTransport(silent as never, () => undefined).onFrame(() => undefined)
      vi.advanceTimersByTime(29_999)
      expect(silent.done).toEqual([])
      vi.advanceTimersByTime(1)
      expect([silent.done, attached.done]).toEqual([['close 1008 say hello first: nothing came for 30 seconds'], []])
    } finally {
      vi.useRealTimers()
    }
  })

  test('tells of twenty dropped frames, and no more', () => {
    const { socket, malformed } = calling()
    for (let at = 0; at < 30; at++) socket.says({ type: 'started' })
    expect(malformed).toHaveLength(20)
  })

  test('that is being closed gets no call: it waits for another one', async () => {
    const { dispatcher, socket, call } = calling()
    await settled()
    socket.says({ type: 'result', call: call.id, outputs: {} })
    socket.readyState = 2
    const next = codeCall({ node: { worker: 'w' } })
    void dispatcher.call(next)
    await settled()
    expect(next.record.places).toEqual([{ waitingFor: 'w' }])
  })

  test.each([
    ['version', { version: 'v'.repeat(1001) }],
    ['version', { protocol: 2, version: 'v'.repeat(1001) }],
    ['platform', { platform: 'p'.repeat(1001) }],
    ['resources.cpus', { resources: { cpus: 1e308, gpus: 0, ram_mb: 1 } }],
    ['resources.ram_mb', { resources: { cpus: 1, gpus: 0, ram_mb: -1 } }],
  ])('attaches no worker that says too much in its %s', (_, said) => {
    const pool = new WorkerPool({ clock: new VirtualClock(0), newId: () => 'w', engineVersion: '1.0.0' })
    const socket = new Socket()
    const malformed: string[] = []
    const transport = socketTransport(socket as never, (reason) => malformed.push(reason))
    pool.attach(transport, { kind: 'worker', jti: 'j', name: 'w', labels: [] })
    socket.says({ ...hello, ...said })
    expect([pool.list(), pool.needingUpgrade(), malformed.length]).toEqual([[], [], 1])
  })

  test('passes over frames of later versions', () => {
    const { socket, malformed } = calling()
    socket.says({ type: 'progress', share: 0.5 })
    expect(malformed).toEqual([])
  })
})
