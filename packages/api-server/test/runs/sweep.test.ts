import { describe, expect, test } from 'vitest'

import { AwakeTime } from '../../../../test/components/awake-time.ts'
import { CLOSE_BYTES } from '../../src/events/event-reader.ts'
import { eventText } from '../../src/events/event-text.ts'
import { openEngine, type TestEngine } from './engine.ts'
import { double, input, node, output } from './flows.ts'
import { listed } from './listed.ts'
import { useEngine } from './use-engine.ts'

let engine: TestEngine
useEngine({ code: { double: async ({ inputs }) => ({ y: 2 * (inputs['x'] as number) }) } }, async (opened) => {
  engine = opened
  await engine.publish('double', double)
  await engine.publish('seeded', {
    inputs: [{ name: 'seed', dtype: 'int', initial: 1 }],
    outputs: [{ name: 'y' }],
    nodes: [node('echo', [input('seed', 'int'), output('y', 'int')])],
  })
})

const body = { draft: false, no_cache: false, priority: 0 }
const errorsOf = async (refused: Promise<unknown>) => {
  const error = await refused.then(
    () => 'accepted',
    (reason: unknown) => reason,
  )
  return (error as { extensions: { errors: { path: string }[] } }).extensions.errors.map(({ path }) => path)
}
const countRuns = async (): Promise<number> => (await engine.database.sql`select from run`).length

describe('a sweep', () => {
  test('queues a run for each entry under one group, in order, and all of them run [R085, R403, R485, R486, R494]', async () => {
    const { group_id, runs } = await engine.runs.sweep(
      'double',
      { ...body, runs: [{ x: 1 }, { x: 2 }, {}] },
      'ann@example.org',
    )
    expect(runs).toMatchObject(
      [1, 2, 3].map(() => ({ flow: 'double', status: 'queued', group_id, submitted_by: 'ann@example.org' })),
    )
    const ended = await Promise.all(runs.map(({ id }) => engine.finished(id)))
    expect(ended.map(({ params, result }) => [params['x'], result?.['y']])).toEqual([
      [1, 2],
      [2, 4],
      [2, 4],
    ])
    const shown = await listed(engine.runs, { group: group_id }, { limit: 50, offset: 0 })
    expect(shown.map(({ id }) => id)).toEqual(runs.map(({ id }) => id).toReversed())
    expect((await engine.submit('double')).group_id).toBeNull()
  })

  test('seeds are given one by one [R486]', async () => {
    const { runs } = await engine.runs.sweep('seeded', { ...body, runs: [{}, { seed: 8 }], seeds: [7, 8] }, null)
    expect(runs.map(({ seed }) => seed)).toEqual([7, 8])
  })

  test('draft, no_cache and priority hold for all of its runs [R487]', async () => {
    await engine.draft('sketch', { ...double, inputs: [{ name: 'x', dtype: 'float', initial: 5 }] })
    const { runs } = await engine.runs.sweep(
      'sketch',
      { runs: [{}, {}], draft: true, no_cache: true, priority: 3 },
      null,
    )
    for (const { id } of runs) {
      expect(await engine.finished(id)).toMatchObject({ draft: true, no_cache: true, priority: 3, result: { y: 10 } })
    }
  })

  test('with a bad entry is refused by the place of each, and no run exists [R404]', async () => {
    const before = await countRuns()
    const entries = [{ x: 1 }, { x: 'a' }, { lr: 1 }]
    expect(await errorsOf(engine.runs.sweep('double', { ...body, runs: entries }, null))).toEqual([
      '/runs/1/x',
      '/runs/2/lr',
    ])
    expect(await errorsOf(engine.runs.sweep('seeded', { ...body, runs: [{ seed: 1 }], seeds: [2] }, null))).toEqual([
      '/seeds/0',
    ])
    expect(await countRuns()).toBe(before)
  })

  test('with an entry of more undeclared params than a call takes arguments is refused', async () => {
    const entry = Object.fromEntries(Array.from({ length: 150_000 }, (_, at) => [`k${at}`, 0]))
    expect(await errorsOf(engine.runs.sweep('double', { ...body, runs: [{}, entry] }, null))).toContain('/runs/1/k0')
  })

  test('keeps what its inputs refer to from being swept', async () => {
    await engine.publish('look', {
      inputs: [{ name: 'file', dtype: 'artifact' }],
      outputs: [{ name: 'y' }],
      nodes: [node('double', [input('file', 'artifact'), output('y')])],
    })
    const put = (text: string) =>
      engine.artifacts.put(Buffer.from(text), { name: 'a.txt', mediaType: 'text/plain', volatile: false })
    const files = (await Promise.all(['one', 'two'].map(put))).map(({ ref }) => ref)
    const { runs } = await engine.runs.sweep('look', { ...body, runs: files.map((file) => ({ file })) }, null)
    const held = await engine.database.sql`
      select owner, digest from blob_ref where kind = 'run' and owner = any(${runs.map(({ id }) => id)}::text[])
      order by owner`
    expect([...held]).toEqual(runs.map(({ id }, at) => ({ owner: id, digest: files[at]?.digest })))
  })

  test('of a flow that is deleted meanwhile is refused and leaves no run', async () => {
    await engine.publish('gone', double)
    await engine.database.sql`delete from flow where name = 'gone'`
    await expect(engine.runs.sweep('gone', { ...body, runs: [{}] }, null)).rejects.toMatchObject({ code: 'not_found' })
  })
})

test('10,000 runs are queued at the pace of 1,000, and the event loop is never held for long [F51]', async () => {
  await using quiet = await openEngine({ closed: true })
  await quiet.publish('double', double)
  const runs = Array.from({ length: 10_000 }, (_, x) => ({ x }))
  // the first one makes what later ones have
  await quiet.runs.sweep('double', { ...body, runs: runs.slice(0, 100) }, null)
  using thousand = new AwakeTime()
  await quiet.runs.sweep('double', { ...body, runs: runs.slice(0, 1000) }, null)
  const pace = thousand.ms
  quiet.events.length = 0
  let longest = 0
  let last = process.threadCpuUsage()
  const pulse = setInterval(() => {
    const { user, system } = process.threadCpuUsage(last)
    longest = Math.max(longest, (user + system) / 1000)
    last = process.threadCpuUsage()
  }, 5)
  using awake = new AwakeTime()
  const swept = await quiet.runs.sweep('double', { ...body, runs }, null)
  const took = awake.ms
  clearInterval(pulse)
  expect(took).toBeLessThan(40 * pace)
  expect(longest).toBeLessThan(took / 2)
  expect(new Set(swept.runs.map(({ created_at }) => created_at)).size).toBe(10_000)
  const [row] = await quiet.database.sql<{ count: number }[]>`
    select count(*)::int as count from run where group_id = ${swept.group_id} and status = 'queued'`
  expect(row?.count).toBe(10_000)
  const told = quiet.events.filter(({ type }) => type === 'run')
  expect(told).toHaveLength(10_000)
  // a socket that reads nothing meanwhile is kept
  const bytes = told.reduce((sum, event) => sum + eventText(event, { seq: 1, atMs: 0 }).tail.length, 0)
  expect(bytes).toBeLessThan(CLOSE_BYTES)
})

test('paging through a sweep by created_at neither repeats nor skips a run [R499]', async () => {
  const { group_id, runs } = await engine.runs.sweep(
    'seeded',
    { ...body, runs: Array.from({ length: 100 }, () => ({})) },
    null,
  )
  const seen: string[] = []
  for (let before: string | undefined; ;) {
    const page = await listed(engine.runs, { group: group_id, before }, { limit: 7, offset: 0 })
    seen.push(...page.map(({ id }) => id))
    before = page.at(-1)?.created_at
    if (page.length < 7) break
  }
  expect(seen).toEqual(runs.map(({ id }) => id).toReversed())
})
