import { afterEach, expect, test } from 'vitest'

import { openEngine, type TestEngine } from './engine.ts'
import { double, node, output, stream } from './flows.ts'

let engine: TestEngine
afterEach(async () => {
  await engine[Symbol.asyncDispose]()
})

const never = (): Promise<never> => new Promise(() => {})

test('queued runs outlive a crash and are executed by the next engine, running ones are abandoned [R405, R407, R409, F2]', async () => {
  let executions = 0
  engine = await openEngine({
    maxRuns: 1,
    code: {
      double: () => {
        executions += 1
        return never()
      },
    },
  })
  await engine.publish('double', double)
  const running = await engine.submit('double')
  const queued = await Promise.all([engine.submit('double'), engine.submit('double')])
  await engine.event((event) => event.type === 'node' && event.run === running.id && event.status === 'running')
  const before = engine.flows
  const dataDir = await engine.crash()

  const executed: (string | null)[] = []
  engine = await openEngine({
    dataDir,
    flows: before,
    code: {
      double: async ({ run }) => {
        executed.push(run)
        return { y: 1 }
      },
    },
  })
  for (const { id } of queued) expect(await engine.finished(id)).toMatchObject({ status: 'ok' })
  expect(await engine.runs.get(running.id)).toMatchObject({
    status: 'abandoned',
    error: { type: 'abandoned' },
    finished_at: expect.any(String),
  })
  expect(engine.deadLetters).toMatchObject([{ flow: 'double', reason: 'lease', value: { run: running.id } }])
  expect(new Set(executed)).toEqual(new Set(queued.map(({ id }) => id)))
  expect(executed).toHaveLength(2)
  expect(executions).toBe(1)
})

test('times of creation go on increasing after a restart [R088]', async () => {
  engine = await openEngine({ closed: true })
  await engine.publish('double', double)
  const { id } = await engine.submit('double')
  await engine.database.sql`update run set created_at = now() + interval '1 hour' where id = ${id}`
  const [{ created_at: ahead }] = (await engine.database.sql`select created_at from run`) as never as [
    { created_at: string },
  ]
  const flows = engine.flows
  const dataDir = await engine.crash()
  engine = await openEngine({ dataDir, flows, code: { double: async () => ({ y: 1 }) } })
  expect((await engine.submit('double')).created_at > ahead).toBe(true)
})

test('what an engine writes after its lease was taken has no effect [F15]', async () => {
  const goOn = Promise.withResolvers<void>()
  engine = await openEngine({
    code: {
      train: async (call) => {
        call.onEmit({ loss: 1 }, 1)
        await goOn.promise
        call.onEmit({ loss: 2 }, 2)
        return { best: 1 }
      },
    },
  })
  await engine.publish('fit', {
    outputs: [{ name: 'best' }],
    nodes: [node('train', [stream('loss'), output('best')])],
  })
  const { id } = await engine.submit('fit')
  await engine.event((event) => event.type === 'value' && event.run === id)
  await engine.runs.get(id)
  // another engine has found the lease expired
  await engine.database.sql`
    update run set status = 'abandoned', finished_at = now(), lease_token = null, lease_until = null where id = ${id}`
  const before = await engine.runs.get(id)
  goOn.resolve()
  await engine.runs.close()
  const after = await engine.runs.get(id)
  expect(after).toEqual(before)
  expect(after).toMatchObject({ status: 'abandoned', result: null, metrics: [{ count: 1 }] })
  expect(engine.published).toEqual([])
  expect(await engine.database.sql`select from stage_cache`).toHaveLength(0)
})

test('a graceful stop waits for running runs and begins no new one', async () => {
  const goOn = Promise.withResolvers<void>()
  engine = await openEngine({
    maxRuns: 1,
    code: {
      double: async () => {
        await goOn.promise
        return { y: 1 }
      },
    },
  })
  await engine.publish('double', double)
  const running = await engine.submit('double')
  await engine.event((event) => event.type === 'node' && event.run === running.id)
  const queued = await engine.submit('double')
  const closed = engine.runs.close()
  goOn.resolve()
  await closed
  expect((await engine.runs.get(running.id)).status).toBe('ok')
  expect((await engine.runs.get(queued.id)).status).toBe('queued')
})
