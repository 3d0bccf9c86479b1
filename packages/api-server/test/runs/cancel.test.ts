import type { CodeCall } from '@flow-service/core'
import { beforeEach, describe, expect, test } from 'vitest'

import type { TestEngine } from './engine.ts'
import { double, node } from './flows.ts'
import { takeAllSlots } from './held-code.ts'
import { limit } from './limited-runs.ts'
import { useEngine } from './use-engine.ts'

const MAX_RUNS = 4

let engine: TestEngine
useEngine({ maxRuns: MAX_RUNS }, async (opened) => {
  engine = opened
  await engine.publish('double', double)
})
beforeEach(() => {
  engine.code['double'] = async ({ inputs }) => ({ y: 2 * (inputs['x'] as number) })
})

/** Code that begins when it is called and ends when the test says so. */
function gate() {
  const begun = Promise.withResolvers<CodeCall>()
  const end = Promise.withResolvers<Record<string, unknown>>()
  const code = (call: CodeCall): Promise<Record<string, unknown>> => {
    begun.resolve(call)
    return end.promise
  }
  return { code, begun: begun.promise, end: end.resolve }
}

describe('cancellation', () => {
  test('stops the nodes of a running run at once and drops what they say later [R415, R504]', async () => {
    const blocked = gate()
    engine.code['double'] = blocked.code
    const { id } = await engine.submit('double', { params: { x: 31 } })
    const call = await blocked.begun
    const run = await engine.runs.cancel(id)
    expect(call.signal.aborted).toBe(true)
    expect(run).toMatchObject({ status: 'cancelled', result: null, error: null, nodes: [{ status: 'cancelled' }] })
    blocked.end({ y: 1 })
    await engine.finished((await engine.submit('double')).id)
    expect(await engine.runs.get(id)).toEqual(run)
  })

  test('keeps a queued run from ever starting', async () => {
    const holders = await takeAllSlots(engine, MAX_RUNS)
    const { id } = await engine.submit('double', { params: { x: 50 } })
    expect(await engine.runs.cancel(id)).toMatchObject({ status: 'cancelled', started_at: null, duration_s: null })
    holders.end()
    await Promise.all(holders.runs.map((run) => engine.finished(run.id)))
    await engine.finished((await engine.submit('double', { params: { x: 51 } })).id)
    expect((await engine.runs.get(id)).status).toBe('cancelled')
    expect(engine.events.some((event) => event.type === 'node' && event.run === id)).toBe(false)
  })

  test('of a run that executes elsewhere leaves its place to the next one of a flow with a limit', async () => {
    await engine.publish('single', double)
    await limit(engine.database, 'single', 1)
    const holders = await takeAllSlots(engine, MAX_RUNS)
    const elsewhere = await engine.submit('single')
    await engine.database.sql`
      update run set status = 'running', started_at = now(), lease_token = gen_random_uuid(), lease_until = now() + interval '1 hour'
      where id = ${elsewhere.id}`
    const next = await engine.submit('single')
    holders.end()
    await Promise.all(holders.runs.map((run) => engine.finished(run.id)))
    await engine.finished((await engine.submit('double')).id)
    expect(await engine.runs.get(next.id)).toMatchObject({ status: 'queued' })
    expect(await engine.runs.cancel(elsewhere.id)).toMatchObject({ status: 'cancelled' })
    expect(await engine.finished(next.id)).toMatchObject({ status: 'ok' })
  })

  test('takes a run whose node waits for a worker out of its slot', async () => {
    await engine.publish('nowhere', { nodes: [node('unserved', [], { cache: false })] })
    const waiting = await Promise.all(Array.from({ length: MAX_RUNS }, () => engine.submit('nowhere')))
    const behind = await engine.submit('double')
    for (const { id } of waiting) {
      await engine.event((event) => event.type === 'node' && event.run === id && event.status === 'queued')
      expect((await engine.runs.get(id)).nodes).toMatchObject([{ status: 'queued', waiting_for: 'process' }])
    }
    expect((await engine.runs.get(behind.id)).status).toBe('queued')
    expect(await engine.runs.cancel(waiting[0]?.id ?? '')).toMatchObject({ nodes: [{ status: 'cancelled' }] })
    expect((await engine.finished(behind.id)).status).toBe('ok')
  })

  test('leaves a finished run as it is, and refuses an unknown one', async () => {
    const run = await engine.finished((await engine.submit('double', { params: { x: 60 } })).id)
    expect(await engine.runs.cancel(run.id)).toEqual(run)
    const unknown = '01900000-0000-7000-8000-00000000ffff'
    await expect(engine.runs.cancel(unknown)).rejects.toMatchObject({ code: 'not_found' })
  })

  test('at whatever moment it comes, a run ends once and in one state [F55]', async () => {
    engine.code['double'] = async ({ inputs }) => {
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 4))
      return { y: inputs['x'] }
    }
    const runs = await Promise.all(
      Array.from({ length: 120 }, async (_, x) => {
        const { id } = await engine.submit('double', { params: { x: 100 + x } })
        await new Promise((resolve) => setTimeout(resolve, Math.random() * 120))
        const [first, second] = await Promise.all([engine.runs.cancel(id), engine.runs.cancel(id)])
        return { id, first, second }
      }),
    )
    await engine.finished((await engine.submit('double', { params: { x: 99 } })).id)
    const seen = new Set<string>()
    for (const { id, first, second } of runs) {
      const run = await engine.runs.get(id)
      expect(['ok', 'cancelled']).toContain(run.status)
      expect(first.status).toBe(run.status)
      expect(second.status).toBe(run.status)
      const ends = engine.events.filter((event) => event.type === 'run' && event.run.id === id && event.run.finished_at)
      expect(ends).toHaveLength(1)
      seen.add(run.status)
    }
    expect(seen.has('cancelled')).toBe(true)
  })
})
