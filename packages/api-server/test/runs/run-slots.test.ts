/** How many runs an engine has at once: of those that execute, and of those that only wait. */
import { expect, test } from 'vitest'

import type { Database } from '../../src/db/database.ts'
import { openEngine } from './engine.ts'
import { double, input, node, output } from './flows.ts'

const remote = {
  inputs: [{ name: 'x', dtype: 'float' as const, initial: 1 }],
  nodes: [node('far', [input('x'), output('y')], { worker: 'gpu' })],
}

test('a run that waits for an attached worker leaves its slot to others, and takes none when it is cancelled', async () => {
  let executing = 0
  let most = 0
  const code = {
    double: async () => {
      most = Math.max(most, ++executing)
      await new Promise((resolve) => setImmediate(resolve))
      executing--
      return { y: 1 }
    },
  }
  await using engine = await openEngine({ maxRuns: 1, code })
  await engine.publish('remote', remote)
  await engine.publish('double', double)
  const waiting = await Promise.all([1, 2, 3].map((x) => engine.submit('remote', { params: { x } })))
  for (const { id } of waiting) {
    await engine.event((event) => event.type === 'node' && event.run === id && event.status === 'queued')
    expect((await engine.runs.get(id)).nodes).toMatchObject([{ status: 'queued', waiting_for: 'gpu' }])
  }
  const behind = await Promise.all([engine.submit('double'), engine.submit('double')])
  for (const { id } of behind) expect((await engine.finished(id)).status).toBe('ok')
  for (const { id } of waiting) expect((await engine.runs.cancel(id)).status).toBe('cancelled')
  const after = await Promise.all(Array.from({ length: 5 }, () => engine.submit('double')))
  for (const { id } of after) expect((await engine.finished(id)).status).toBe('ok')
  expect(most).toBe(1)
})

test('a node without a place in its run is queued for a process, in record and events, and begins with its code', async () => {
  const ends: (() => void)[] = []
  const code = { held: () => new Promise<Record<string, unknown>>((resolve) => ends.push(() => resolve({}))) }
  const ids = ['a', 'b', 'c', 'd', 'e']
  await using engine = await openEngine({ code: Object.fromEntries(ids.map((id) => [id, code.held])) })
  await engine.publish('wide', { nodes: ids.map((id) => node(id, [output(`y_${id}`)])) })
  const { id } = await engine.submit('wide')
  const place = { type: 'node', run: id, node: 'e', status: 'queued' }
  await engine.event((event) => event.type === 'node' && event.run === id && event.node === 'e')
  expect(engine.events).toContainEqual(expect.objectContaining(place))
  const last = (await engine.runs.get(id)).nodes.find((record) => record.node === 'e')
  expect(last).toMatchObject({ status: 'queued', waiting_for: 'process', started_at: null })
  await expect.poll(() => ends.length).toBe(4)
  ends[0]?.()
  await expect.poll(() => ends.length).toBe(5)
  for (const end of ends) end()
  expect(await engine.finished(id)).toMatchObject({ status: 'ok' })
})

test('on a server, which takes a claim meanwhile, the next run executes while an end is being committed, and no third', async () => {
  let hold: Promise<void> | null = null
  const slow = (database: Database): Database => ({
    ...database,
    backend: 'server',
    sql: new Proxy(database.sql, {
      apply(target, self, args: unknown[]) {
        const query = Reflect.apply(target, self, args) as Promise<unknown>
        const text = String((args[0] as readonly string[])[0])
        if (hold === null || !text.includes('with held')) return query
        return hold.then(() => query)
      },
    }) as Database['sql'],
  })
  const begun: string[] = []
  const code = {
    double: async ({ run }: { run: string | null }) => {
      begun.push(run ?? '')
      return { y: 1 }
    },
  }
  await using engine = await openEngine({ maxRuns: 1, code, wrap: slow })
  await engine.publish('double', double)
  const { promise, resolve } = Promise.withResolvers<void>()
  hold = promise
  const runs = await Promise.all([1, 2, 3].map((x) => engine.submit('double', { params: { x } })))
  await expect.poll(() => begun.length).toBe(2)
  expect((await engine.runs.active()).filter(({ status }) => status === 'running')).toHaveLength(2)
  hold = null
  resolve()
  for (const { id } of runs) expect((await engine.finished(id)).status).toBe('ok')
  expect(new Set(begun)).toEqual(new Set(runs.map(({ id }) => id)))
})
