import { randomUUID } from 'node:crypto'
import { basename } from 'node:path'

import { VirtualClock } from '@flow-service/core/testing'
import { runHeadSchema } from '@flow-service/protocol'
import postgres from 'postgres'
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest'

import { FrozenProxy } from '../../../../test/components/frozen-proxy.ts'
import type { Database } from '../../src/db/database.ts'
import { openServer } from '../../src/db/server.ts'
import { createExecutionStore } from '../../src/runs/execution-store.ts'
import { createLeaseStore } from '../../src/runs/lease-store.ts'
import { openEngine, type TestEngine } from './engine.ts'
import { double } from './flows.ts'
import { counter, limit } from './limited-runs.ts'
import { listed } from './listed.ts'

describe('two engines on one database', () => {
  let one: TestEngine
  let two: TestEngine
  beforeEach(async () => {
    one = await openEngine()
    two = await openEngine({ databaseDir: one.dataDir, flows: one.flows })
    await one.publish('double', double)
  })
  afterEach(async () => {
    await one?.[Symbol.asyncDispose]()
    await two?.[Symbol.asyncDispose]()
  })

  const both = (code: TestEngine['code'][string]): void => {
    one.code['double'] = code
    two.code['double'] = code
  }

  test('execute every run once, between them', async () => {
    const executed: (string | null)[] = []
    both(async ({ run }) => {
      executed.push(run)
      return { y: 1 }
    })
    const runs = await Promise.all(Array.from({ length: 100 }, (_, index) => (index % 2 ? one : two).submit('double')))
    await expect.poll(async () => (await one.runs.active()).length).toBe(0)
    expect(executed).toHaveLength(100)
    expect(new Set(executed)).toEqual(new Set(runs.map(({ id }) => id)))
    const times = runs.map(({ created_at }) => created_at)
    expect(new Set(times).size).toBe(100)
  })

  test('every state of a run is told at both, whichever executes it, and its final one last', async () => {
    both(async () => ({ y: 1 }))
    const runs = await Promise.all(Array.from({ length: 20 }, () => one.submit('double')))
    for (const engine of [one, two]) {
      for (const { id } of runs) {
        await engine.finished(id)
        const told = engine.events.flatMap((event) => (event.type === 'run' && event.run.id === id ? event.run : []))
        const states = told.map(({ status }) => status)
        expect(states).toEqual([...new Set(states)])
        expect(await one.runs.get(id)).toMatchObject(runHeadSchema.parse(told.at(-1)))
      }
    }
  })

  test('what is said at either engine of a run that one of them executes is in its end at both', async () => {
    const goOn = Promise.withResolvers<void>()
    const begun = Promise.withResolvers<void>()
    both(async () => {
      begun.resolve()
      await goOn.promise
      return { y: 1 }
    })
    const { id } = await one.submit('double')
    await begun.promise
    await one.runs.annotations.annotate(id, { tags: ['kept'] })
    await two.runs.annotations.annotate(id, { note: 'this one' })
    const toldAt = ({ events }: typeof one) =>
      events.flatMap((event) => (event.type === 'run' && event.run.id === id ? event.run : []))
    const said = { note: 'this one', tags: ['kept'] }
    // the news of the other engine has arrived
    for (const engine of [one, two]) await expect.poll(() => toldAt(engine).at(-1)).toMatchObject(said)
    goOn.resolve()
    for (const engine of [one, two]) {
      await engine.finished(id)
      await expect.poll(() => toldAt(engine).at(-1)).toMatchObject({ status: 'ok', ...said })
    }
  })

  test('a run is cancelled by the engine that does not execute it, and its nodes stop', async () => {
    const begun = Promise.withResolvers<AbortSignal>()
    one.code['double'] = ({ signal }) => {
      begun.resolve(signal)
      return new Promise(() => {})
    }
    two.code['double'] = one.code['double']
    const { id } = await one.submit('double')
    const signal = await begun.promise
    for (const engine of [one, two]) expect(await engine.runs.cancel(id)).toMatchObject({ status: 'cancelled' })
    await expect.poll(() => signal.aborted).toBe(true)
  })

  test('a run whose lease has expired is abandoned by whichever engine finds it, and what its engine finds out later is dropped [R407]', async () => {
    const goOn = Promise.withResolvers<void>()
    const begun = Promise.withResolvers<void>()
    both(async () => {
      begun.resolve()
      await goOn.promise
      return { y: 1 }
    })
    const { id } = await one.submit('double')
    await begun.promise
    await one.database.sql`update run set lease_until = now() - interval '1 s' where id = ${id}`
    await expect.poll(async () => (await two.runs.get(id)).status).toBe('abandoned')
    const before = await two.runs.get(id)
    goOn.resolve()
    both(async () => ({ y: 2 }))
    const later = await one.submit('double')
    await expect.poll(async () => (await one.runs.get(later.id)).status).toBe('ok')
    expect(await two.runs.get(id)).toEqual(before)
    expect([...one.deadLetters, ...two.deadLetters]).toMatchObject([{ reason: 'lease', value: { run: id } }])
  })

  test.each([3_600_000, -3_600_000])(
    'an engine whose clock is %i ms ahead gives up no run of another one, and loses none of its own [F38]',
    async (aheadMs) => {
      await two.crash()
      const clock = new VirtualClock(Date.now() + aheadMs)
      two = await openEngine({ databaseDir: one.dataDir, flows: one.flows, clock })
      const ends: (() => void)[] = []
      both(() => new Promise((resolve) => void ends.push(() => resolve({ y: 1 }))))
      const runs = await Promise.all(Array.from({ length: 8 }, () => one.submit('double')))
      const begun = async (): Promise<number> => {
        await clock.advance(1000)
        return ends.length
      }
      await expect.poll(begun).toBe(8)
      // it renews and looks for leases that are over as often as in an hour
      await clock.advance(3_600_000)
      expect(new Set((await one.runs.active()).map(({ status }) => status))).toEqual(new Set(['running']))
      for (const end of ends) end()
      for (const { id } of runs) {
        await expect.poll(async () => (await one.runs.get(id)).status).toBe('ok')
        const { created_at, started_at, finished_at, duration_s } = await one.runs.get(id)
        expect(created_at <= (started_at ?? '') && (started_at ?? '') <= (finished_at ?? '')).toBe(true)
        expect(duration_s).toBeGreaterThanOrEqual(0)
      }
    },
  )

  test('200 submitters of an idempotency key get one run at both engines, and after one of them has died [R086, F54]', async () => {
    both(async () => ({ y: 1 }))
    const submit = (engine: TestEngine) =>
      engine.runs.submit(
        'double',
        { params: {}, draft: false, no_cache: false, priority: 0, idempotency_key: 'both' },
        null,
      )
    const answers = await Promise.all(Array.from({ length: 200 }, (_, index) => submit(index % 2 ? one : two)))
    const id = answers[0]?.run.id
    expect(new Set(answers.map(({ run }) => run.id))).toEqual(new Set([id]))
    expect(answers.filter(({ created }) => created)).toHaveLength(1)
    await two.crash()
    expect(await submit(one)).toMatchObject({ created: false, run: { id } })
    const rows = await one.database.sql`select from run where idempotency_key = 'both'`
    expect(rows).toHaveLength(1)
  })

  /** Submits at both engines until each of `count` runs was acknowledged, and resolves with their ids. */
  async function acknowledged(name: string, count: number): Promise<string[]> {
    const submit = async (engine: TestEngine, key: string): Promise<string> => {
      for (;;) {
        const answer = await engine.submit('double', { idempotency_key: key }).catch(() => null)
        if (answer) return answer.id
      }
    }
    const lane = async (at: number): Promise<string[]> => {
      const ids: string[] = []
      while (ids.length < count / 10) ids.push(await submit(at % 2 ? one : two, `${name} ${at}.${ids.length}`))
      return ids
    }
    return (await Promise.all(Array.from({ length: 10 }, (_, at) => lane(at)))).flat()
  }

  /** Waits for all runs; `ids` are all of them, and those that were `executed` have been so once. */
  async function expectOnce(ids: readonly string[], executed: readonly (string | null)[]): Promise<void> {
    // what was taken in a transaction whose end nobody heard is given up with its lease
    const ended = async (): Promise<number> => {
      await one.database
        .sql`update run set lease_until = now() where status = 'running' and not (id = any(${executed as string[]}::uuid[]))`
      return (await one.runs.active()).length
    }
    await expect.poll(() => ended().catch(() => -1)).toBe(0)
    expect(new Set(executed).size).toBe(executed.length)
    const runs: { readonly id: string; readonly status: string }[] = []
    for (let offset = 0; offset < ids.length; offset += 500) {
      runs.push(...(await listed(one.runs, {}, { limit: 500, offset })))
    }
    expect(new Set(runs.map(({ id }) => id))).toEqual(new Set(ids))
    for (const { id, status } of runs)
      expect([id, status]).toEqual([id, executed.includes(id) && status === 'ok' ? 'ok' : 'abandoned'])
  }

  test('connections that are cut again and again lose no run and execute none twice [F20]', async () => {
    const sql = postgres(inject('postgresUrl') as string, { max: 1 })
    let cuts = 0
    const cut = async (): Promise<void> => {
      const { count } = await sql`
        select pg_terminate_backend(pid) from pg_stat_activity
        where datname = ${basename(one.dataDir)} and pid <> pg_backend_pid()`
      cuts += count
    }
    const cutting: Promise<void>[] = []
    const executed: (string | null)[] = []
    both(async ({ run }) => {
      executed.push(run)
      // not by the clock: a slow machine would get nothing done between two cuts
      if (executed.length % 5 === 0) cutting.push(cut())
      return { y: 1 }
    })
    await cut()
    const ids = await acknowledged('cut', process.env['SOAK'] === undefined ? 100 : 5_000)
    await cut()
    await expectOnce(ids, executed)
    await Promise.all(cutting)
    await sql.end()
    expect(cuts).toBeGreaterThan(20)
  })

  test('an engine whose connections become half-open loses no run, and goes on [F19]', async () => {
    const server = new URL(inject('postgresUrl') as string)
    server.pathname = basename(one.dataDir)
    await using proxy = await FrozenProxy.open(Number(server.port))
    await two.crash()
    two = await openEngine({
      databaseUrl: proxy.urlOf(server.href),
      flows: one.flows,
      open: (options) => openServer({ ...options, databaseUrl: options.databaseUrl ?? '' }, 500),
    })
    const executed: (string | null)[] = []
    let frozen = 0
    both(async ({ run }) => {
      executed.push(run)
      if (executed.length === 10) frozen = proxy.freeze()
      return { y: 1 }
    })
    const ids = await acknowledged('half', 60)
    expect(frozen).toBeGreaterThan(2)
    await expectOnce(ids, executed)
    // it takes runs again, and tells of those that the other one executes
    const { id } = await two.submit('double', { idempotency_key: 'afterwards' })
    await expect.poll(async () => (await two.runs.get(id)).status).toBe('ok')
    expect(
      (await two.event((event) => event.type === 'run' && event.run.id === id && event.run.status === 'ok')).type,
    ).toBe('run')
  })

  test('no more runs of a flow execute in both together than it allows', async () => {
    const running = counter()
    both(running.code)
    await limit(one.database, 'double', 3)
    const runs = await Promise.all(
      Array.from({ length: 30 }, (_, index) => (index % 2 ? one : two).submit('double', { no_cache: true })),
    )
    for (let ended = 0; ended < runs.length; ended += 1) {
      await expect.poll(() => running.ends.length).toBeGreaterThan(ended)
      running.ends[ended]?.()
    }
    for (const { id } of runs) await expect.poll(async () => (await one.runs.get(id)).status).toBe('ok')
    expect(running.most()).toBe(3)
  })
})

test('sweeps and imports that two engines take in at once are stored whole, at times of their own', async () => {
  await using one = await openEngine({ closed: true })
  await using two = await openEngine({ closed: true, databaseDir: one.dataDir, flows: one.flows })
  await one.publish('double', double)
  const runs = Array.from({ length: 500 }, () => ({}))
  const body = { runs, draft: false, no_cache: false, priority: 0 }
  const entries = Array.from({ length: 50 }, (_, index) => ({
    flow: 'double',
    external_id: `e${index}`,
    params: {},
    status: 'ok' as const,
    created_at: '2024-01-01T00:00:00Z',
    metrics: [],
    artifacts: [],
  }))
  const sweeping = Promise.all([one, two, one, two].map((engine) => engine.runs.sweep('double', body, null)))
  const importing = Promise.all(
    [one, two, one, two].map((engine, at) => engine.runs.import(at < 2 ? entries : entries.toReversed(), null)),
  )
  const [sweeps, imports] = await Promise.all([sweeping, importing])
  for (const { group_id } of sweeps) {
    expect(await one.database.sql`select from run where group_id = ${group_id}`).toHaveLength(500)
  }
  const ids = imports.map((answer) => answer.runs.map(({ id }) => id).toSorted())
  for (const other of ids) expect(other).toEqual(ids[0])
  expect(imports.flatMap((answer) => answer.runs).filter(({ created }) => created)).toHaveLength(50)
})

test('two engines that learn the same new curves in other orders do not block each other', async () => {
  await using one = await openEngine({ closed: true })
  await using two = await openEngine({ closed: true, databaseDir: one.dataDir, flows: one.flows })
  const [first, second] = [createExecutionStore(one.database.sql), createExecutionStore(two.database.sql)]
  for (let round = 0; round < 10; round += 1) {
    const curves = Array.from({ length: 400 }, (_, at) => ({
      node: `${round}-${(at * 7919) % 400}`,
      port: 'p',
      message: 'm',
    }))
    // oxlint-disable-next-line no-await-in-loop -- each round has new curves
    const learnt = await Promise.all([
      first.metricIds(curves),
      second.metricIds(curves.slice(100).toReversed()),
      first.metricIds(curves.slice(30)),
      second.metricIds(curves.slice(0, 300 + round).toReversed()),
    ])
    expect(new Set(learnt.flat().map(({ id }) => id)).size).toBe(400)
  }
})

test('leases that are renewed while the runs are written do not block the writes', async () => {
  await using own = await openEngine({ closed: true })
  await own.publish('double', double)
  const { sql } = own.database
  const { runs } = await own.runs.sweep(
    'double',
    { runs: Array.from({ length: 400 }, () => ({})), draft: false, no_cache: false, priority: 0 },
    null,
  )
  const [executions, leases] = [createExecutionStore(own.database.sql), createLeaseStore(own.database.sql)]
  const token = randomUUID()
  await sql`update run set status = 'running', lease_token = ${token}, lease_until = now() + interval '1 min'`
  const held = runs.map(({ id }) => ({ id, token }))
  const writes = held.map(({ id: run }) => {
    return {
      run,
      token,
      draft: null,
      nodes: [],
      chunks: [],
      facts: null,
      cache: [],
      artifacts: [],
      kept: null,
      end: null,
    }
  })
  for (let round = 0; round < 10; round += 1) {
    const turned = writes.map((_, at) => writes[(at * 7919 + round) % 400]!)
    // oxlint-disable-next-line no-await-in-loop -- round after round
    const [written, renewed] = await Promise.all([
      executions.write(sql, { writes: turned, metricId: () => 0, columnsOf: () => null, claim: null }),
      leases.renew(held, 30),
    ])
    expect([written.held.size, renewed.size]).toEqual([400, 400])
  }
})

/** A database that gives the answers to statements with `text` when the test says so. */
function holding(text: string) {
  const asked = Promise.withResolvers<void>()
  const goOn = Promise.withResolvers<void>()
  const wrap = (database: Database): Database => ({
    ...database,
    sql: new Proxy(database.sql, {
      apply(target, self, args: Parameters<Database['sql']>) {
        const query = Reflect.apply(target, self, args)
        const [strings] = args as unknown[]
        if (!Array.isArray(strings) || !strings.join('').includes(text)) return query
        return (async () => {
          const rows: unknown = await query
          asked.resolve()
          await goOn.promise
          return rows
        })()
      },
    }),
  })
  return { wrap, asked: asked.promise, goOn: goOn.resolve }
}

describe('a state that arrives late is left out when a later one was told', () => {
  const code = { double: async () => ({ y: 1 }) }
  const statesAt = ({ events }: TestEngine, id: string): string[] =>
    events.flatMap((event) => (event.type === 'run' && event.run.id === id ? [event.run.status] : []))

  test('at the engine that executes the run', async () => {
    await using one = await openEngine({ closed: true })
    const read = holding('from run where run.id = any(')
    await using two = await openEngine({ databaseDir: one.dataDir, flows: one.flows, code, wrap: read.wrap })
    await one.publish('double', double)
    const { id } = await one.submit('double')
    await read.asked
    await two.finished(id)
    read.goOn()
    await two.runs.close()
    expect(statesAt(two, id)).toEqual(['running', 'ok'])
  })

  test('at the engine that it was submitted to', async () => {
    const insert = holding('insert into run (')
    await using one = await openEngine({ maxRuns: 0, wrap: insert.wrap })
    await using two = await openEngine({ databaseDir: one.dataDir, flows: one.flows, code })
    await one.publish('double', double)
    const submitted = one.submit('double')
    await insert.asked
    const end = await one.event((event) => event.type === 'run' && event.run.status === 'ok')
    insert.goOn()
    const { id } = await submitted
    expect(end).toMatchObject({ run: { id } })
    expect(statesAt(one, id).at(-1)).toBe('ok')
    expect(statesAt(one, id)).not.toContain('queued')
    expect((await two.runs.get(id)).status).toBe('ok')
  })
})
