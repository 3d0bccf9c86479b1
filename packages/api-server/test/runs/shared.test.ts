import { afterEach, beforeEach, describe, expect, test } from 'vitest'

import type { Database } from '../../src/db/database.ts'
import { openEngine, type TestEngine } from './engine.ts'
import { double } from './flows.ts'

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
        expect(await one.runs.get(id)).toMatchObject(told.at(-1) ?? {})
      }
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

  test('an idempotency key names one run, whichever engine it is given to [R086]', async () => {
    both(async () => ({ y: 1 }))
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, index) => (index % 2 ? one : two).submit('double', { idempotency_key: 'both' })),
    )
    expect(new Set(answers.map(({ id }) => id)).size).toBe(1)
  })
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
    const read = holding('where run.id = any(')
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
