import { access } from 'node:fs/promises'

import type { Check } from '@flow-service/protocol'
import { afterEach, expect, test, vi } from 'vitest'

import { canWork, EngineChecks, statusOf } from '../../src/observability/checks.ts'

afterEach(() => void vi.useRealTimers())

const idle = { queued: 0, running: 0, oldest_s: 0 }
const none = { dead_letters: 0, pending_devices: 0 }
const store = { probe: async () => undefined, runCounts: async () => idle, waiting: async () => none }
const calm = { p50: 0, p99: 0.01, max: 0.2 }
const fine: Check = { status: 'ok', detail: null }
const artifacts = { check: async () => fine }
const sound = { store, artifacts, hasPython: true, loopDelay: () => calm }

test('what works is ok', async () => {
  const { checks, runs, storeS } = await new EngineChecks(sound).check()
  expect(statusOf(checks)).toBe('ok')
  expect(canWork(checks)).toBe(true)
  expect(runs).toEqual({ queued: 0, running: 0 })
  expect(storeS).toBeGreaterThanOrEqual(0)
})

test('a lagging loop means down', async () => {
  const { checks } = await new EngineChecks({ ...sound, loopDelay: () => ({ ...calm, p99: 1.5 }) }).check()
  expect(checks.loop).toEqual({ status: 'down', detail: expect.stringContaining('1.5 s') })
  expect([statusOf(checks), canWork(checks)]).toEqual(['down', false])
})

test('a database that fails means down, and its message stays inside', async () => {
  const probe = async () => Promise.reject(new Error('postgres://me:hidden@db/x is gone'))
  const { checks, storeS } = await new EngineChecks({ ...sound, store: { ...store, probe } }).check()
  expect(checks).toMatchObject({ store: { status: 'down' }, queue: { status: 'down' } })
  expect(JSON.stringify(checks)).not.toContain('hidden')
  expect([statusOf(checks), canWork(checks), storeS]).toEqual(['down', false, null])
})

test('a database that hangs is waited for 2 seconds, and asked once', async () => {
  vi.useFakeTimers()
  let probes = 0
  const probe = (): Promise<undefined> => {
    probes += 1
    return new Promise(() => {})
  }
  const checks = new EngineChecks({ ...sound, store: { ...store, probe } })
  const both = Promise.all([checks.check(), checks.check()])
  await vi.waitFor(() => expect(vi.getTimerCount()).toBeGreaterThanOrEqual(2), 60_000)
  await vi.advanceTimersByTimeAsync(2_000)
  for (const { checks: found } of await both)
    expect(found.store).toEqual({ status: 'down', detail: expect.stringContaining('no answer within 2 s') })
  expect(probes).toBe(1)
})

test('runs that wait while nothing runs are a stalled queue; other parts impair the engine without stopping it', async () => {
  const stalled = { ...store, runCounts: async () => ({ queued: 3, running: 0, oldest_s: 90 }) }
  const { checks, runs } = await new EngineChecks({ ...sound, store: stalled, hasPython: false }).check()
  expect(checks.queue).toEqual({ status: 'degraded', detail: expect.stringContaining('3 runs') })
  expect(checks.python.status).toBe('degraded')
  expect(runs).toEqual({ queued: 3, running: 0 })
  expect([statusOf(checks), canWork(checks)]).toEqual(['degraded', true])
  const lost = await new EngineChecks({
    ...sound,
    artifacts: { check: () => access('/nowhere/at/all').then(artifacts.check) },
  }).check()
  expect(lost.checks.artifacts).toEqual({ status: 'down', detail: expect.stringContaining('ENOENT') })
  expect(statusOf(lost.checks)).toBe('degraded')
})
