import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { openEngine, type TestEngine } from './engine.ts'
import { double } from './flows.ts'

describe('two engines on one database', () => {
  let one: TestEngine
  let two: TestEngine
  beforeAll(async () => {
    one = await openEngine()
    two = await openEngine({ databaseDir: one.dataDir, flows: one.flows })
    await one.publish('double', double)
  })
  afterAll(async () => {
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
    await expect.poll(async () => (await one.runs.active()).length, { timeout: 15_000 }).toBe(0)
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

  test('a run whose lease has expired is abandoned within 5 s, and what its engine finds out later is dropped [R407]', async () => {
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
    await expect.poll(async () => (await two.runs.get(id)).status, { timeout: 8_000 }).toBe('abandoned')
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
