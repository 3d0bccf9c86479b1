import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as delay } from 'node:timers/promises'

import { expect, test } from 'vitest'

import { AwakeTime } from '../../../../test/components/awake-time.ts'
import { between } from '../faulty-database.ts'
import { openEngine, type TestEngine } from './engine.ts'
import { double } from './flows.ts'
import { listed } from './listed.ts'

/** A database that can be away. */
function outage() {
  let isAway = false
  const stop = async (): Promise<void> => {
    if (isAway) throw Object.assign(new Error('write CONNECTION_CLOSED'), { code: 'CONNECTION_CLOSED' })
  }
  return { wrap: between(stop), set: (away: boolean) => (isAway = away) }
}

const statesOf = ({ events }: TestEngine, id: string): string[] =>
  events.flatMap((event) => (event.type === 'run' && event.run.id === id ? [event.run.status] : []))

for (const [what, isAbandoned] of [
  ['is written once it is back', false],
  ['is dropped when the run was given up meanwhile', true],
] as const) {
  test(`the end of a run that comes while the database is away ${what} [F17]`, async () => {
    const line = outage()
    const goOn = Promise.withResolvers<void>()
    const begun = Promise.withResolvers<void>()
    await using engine = await openEngine({
      wrap: line.wrap,
      code: {
        async double() {
          begun.resolve()
          await goOn.promise
          return { y: 1 }
        },
      },
    })
    await engine.publish('double', double)
    const { id } = await engine.submit('double')
    await begun.promise
    line.set(true)
    await expect(engine.submit('double')).rejects.toMatchObject({ code: 'CONNECTION_CLOSED' })
    goOn.resolve()
    await engine.event((event) => event.type === 'node' && event.run === id && event.status === 'ok')
    if (isAbandoned) {
      await engine.database.sql`
        update run set status = 'abandoned', finished_at = now(), lease_token = null, lease_until = null
        where id = ${id}`
    }
    line.set(false)
    const end = isAbandoned ? 'abandoned' : 'ok'
    await engine.runs.close()
    expect(await engine.runs.get(id)).toMatchObject({ status: end })
    expect(statesOf(engine, id)).toEqual(isAbandoned ? ['queued', 'running'] : ['queued', 'running', 'ok'])
    expect(engine.published).toHaveLength(isAbandoned ? 0 : 1)
  })
}

test('with a database that answers half a second late nothing piles up, and the event loop stays free [F18]', async () => {
  await using engine = await openEngine({
    wrap: between(() => delay(500)),
    maxRuns: 50,
    code: { double: async () => ({ y: 1 }) },
  })
  await engine.publish('double', double)
  const lag = monitorEventLoopDelay({ resolution: 5 })
  lag.enable()
  using awake = new AwakeTime()
  const runs = await Promise.all(Array.from({ length: 100 }, () => engine.submit('double')))
  await Promise.all(
    runs.map(({ id }) =>
      engine.event((event) => event.type === 'run' && event.run.id === id && event.run.status === 'ok'),
    ),
  )
  lag.disable()
  // one after the other they would take minutes: those of a moment share their statements
  expect(awake.ms).toBeLessThan(20_000)
  expect(lag.percentile(90) / 1e6).toBeLessThan(200)
})

/** As many as it takes minutes to execute, in a soak. */
const QUEUED = process.env['SOAK'] === undefined ? 400 : 10_000

test(`of ${QUEUED} queued runs each is executed once, over a crash in the middle, and lists stay quick [F50]`, async () => {
  const executed: (string | null)[] = []
  const half = Promise.withResolvers<void>()
  const first = await openEngine({
    maxRuns: 20,
    code: {
      async double({ run }) {
        executed.push(run)
        if (executed.length === QUEUED / 2) half.resolve()
        return executed.length < QUEUED / 2 ? { y: 1 } : new Promise(() => {})
      },
    },
  })
  await first.publish('double', double)
  const runs = Array.from({ length: QUEUED }, () => ({}))
  const swept = await first.runs.sweep('double', { runs, draft: false, no_cache: false, priority: 0 }, null)
  await half.promise
  const dataDir = await first.crash()
  await using next = await openEngine({
    dataDir,
    flows: first.flows,
    maxRuns: 20,
    code: {
      async double({ run }) {
        executed.push(run)
        return { y: 1 }
      },
    },
  })
  const took: number[] = []
  do {
    const begun = performance.now()
    await listed(next.runs, { group: swept.group_id }, { limit: 50, offset: 0 })
    took.push(performance.now() - begun)
  } while ((await next.runs.active()).length > 0)
  const rows = await next.database.sql<{ status: string; count: number }[]>`
    select status, count(*)::int as count from run group by status`
  const counts = new Map(rows.map(({ status, count }) => [status, count]))
  expect((counts.get('ok') ?? 0) + (counts.get('abandoned') ?? 0)).toBe(QUEUED)
  expect(counts.get('abandoned')).toBeLessThanOrEqual(40)
  expect(new Set(executed).size).toBe(executed.length)
  expect(took.toSorted((a, b) => a - b)[Math.floor(took.length / 2)]).toBeLessThan(500)
})
