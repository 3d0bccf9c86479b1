import { EventEmitter } from 'node:events'

import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { WebSocket } from 'ws'

import { SocketGuests } from '../../src/http/socket-guests.ts'
import { quiet } from '../use-database.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const DAYS = 40
const DAY_MS = 86_400_000

/** A socket whose client answers a close at once. */
class FakeSocket extends EventEmitter {
  ended: number | null = null
  close(code: number): void {
    this.ended = code
    this.emit('close')
  }
  terminate(): void {}
}

const asSocket = (socket: FakeSocket): WebSocket => socket as unknown as WebSocket

const guests = () =>
  new SocketGuests({
    versionsOf: async (ids) => new Map(ids.map((id) => [id, 0])),
    ending: { code: 1008, reason: 'over' },
    log: quiet,
  })

test('a socket is closed when the key or session that it was opened with ends, however far off that is [T11]', async () => {
  const watched = guests()
  const [ending, other] = [new FakeSocket(), new FakeSocket()]
  watched.admit({ id: 'key', version: 0, endsAtMs: Date.now() + DAYS * DAY_MS }, asSocket(ending))
  watched.admit({ id: 'key', version: 0 }, asSocket(other))
  await vi.advanceTimersByTimeAsync(DAYS * DAY_MS - 1)
  expect([ending.ended, other.ended]).toEqual([null, null])
  await vi.advanceTimersByTimeAsync(1)
  expect([ending.ended, other.ended]).toEqual([1008, null])
  other.close(1000)
  expect(vi.getTimerCount()).toBe(0)
})

test('a socket of what has ended already is closed at once', () => {
  const late = new FakeSocket()
  guests().admit({ id: 'key', version: 0, endsAtMs: Date.now() }, asSocket(late))
  expect(late.ended).toBe(1008)
})

test('whoever has ended, or is of an older version, is not welcome', async () => {
  const watched = guests()
  expect(await watched.isWelcome({ id: 'key', version: 0, endsAtMs: Date.now() + 1 })).toBe(true)
  expect(await watched.isWelcome({ id: 'key', version: 0, endsAtMs: Date.now() })).toBe(false)
  expect(await watched.isWelcome({ id: 'key', version: -1 })).toBe(false)
})

test('a socket that comes when the engine stops is closed as those before it', async () => {
  const watched = guests()
  const [early, late] = [new FakeSocket(), new FakeSocket()]
  expect(watched.admit({ id: 'key', version: 0 }, asSocket(early))).toBe(true)
  await watched.close()
  expect(watched.admit({ id: 'key', version: 0 }, asSocket(late))).toBe(false)
  expect([early.ended, late.ended]).toEqual([1012, 1012])
  expect(vi.getTimerCount()).toBe(0)
})
