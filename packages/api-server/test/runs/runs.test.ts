import { timestampSchema } from '@flow-service/protocol'
import { beforeEach, describe, expect, test } from 'vitest'

import type { RunFilter } from '../../src/runs/curves/run-filter.ts'
import { realClock, type TestEngine } from './engine.ts'
import { double, input, node, output, train } from './flows.ts'
import { takeAllSlots } from './held-code.ts'
import { listed } from './listed.ts'
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

const refusal = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => 'accepted',
    (error: unknown) => error,
  )
const countRuns = async (): Promise<number> => (await engine.database.sql`select from run`).length

describe('submission', () => {
  test('answers the queued run, which then runs to its result [R011, R041, R081, R082, R096, R403, R482]', async () => {
    const queued = await engine.submit('double', { params: { x: 21 } })
    expect(queued).toMatchObject({ flow: 'double', status: 'queued', started_at: null, params: { x: 21 } })
    expect(queued.nodes).toMatchObject([{ node: 'double', type: 'python', status: 'pending' }])
    const run = await engine.finished(queued.id)
    expect(run).toMatchObject({ status: 'ok', result: { y: 42 }, error: null, submitted_by: 'ann@example.org' })
    expect(run.created_at).toBe(queued.created_at)
    for (const time of [run.created_at, run.started_at, run.finished_at]) {
      expect(time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\+00:00$/)
      timestampSchema.parse(time)
    }
  })

  test('inputs that are left out take their initial value and are marked [R013, R039, R100]', async () => {
    const run = await engine.submit('double')
    expect(run.params).toEqual({ x: 2 })
    expect(run.inputs).toEqual([{ name: 'x', dtype: 'float', value: 2, default: true }])
    expect((await engine.submit('double', { params: { x: 2 } })).inputs[0]?.default).toBe(false)
  })

  test('params that are unknown or of another type are refused with their place, and no run exists [R083, R404, R674]', async () => {
    const before = await countRuns()
    const error = await refusal(engine.submit('double', { params: { x: 'two', lr: 1 } }))
    expect(error).toMatchObject({ code: 'validation_failed' })
    const { errors } = (error as { extensions: { errors: { path: string }[] } }).extensions
    expect(errors.map(({ path }) => path).toSorted()).toEqual(['/params/lr', '/params/x'])
    expect(await countRuns()).toBe(before)
  })

  test('an input called seed is filled with the seed of the run [R040, R084]', async () => {
    await engine.publish('seeded', {
      inputs: [{ name: 'seed', dtype: 'int', initial: 1 }],
      outputs: [{ name: 'y' }],
      nodes: [node('echo', [input('seed', 'int'), output('y', 'int')])],
    })
    engine.code['echo'] = async ({ inputs }) => ({ y: inputs['seed'] })
    const run = await engine.submit('seeded', { seed: 9_007_199_254_740_991 })
    expect(await engine.finished(run.id)).toMatchObject({
      seed: 9_007_199_254_740_991,
      params: { seed: 9_007_199_254_740_991 },
      result: { y: 9_007_199_254_740_991 },
    })
    expect((await engine.submit('seeded')).seed).toBe(1)
    expect((await engine.submit('double')).seed).toBeNull()
    expect(await refusal(engine.submit('seeded', { seed: 1, params: { seed: 2 } }))).toMatchObject({
      code: 'validation_failed',
    })
  })

  test('flows that cannot run are refused with the reason', async () => {
    await engine.draft('unpublished', double)
    await engine.publish('live', { ...double, mode: 'live' })
    await engine.publish('broken', { ...double, outputs: [{ name: 'missing' }] })
    const code = async (flow: string) => ((await refusal(engine.submit(flow))) as { code: string }).code
    expect(await code('nobody')).toBe('not_found')
    expect(await code('unpublished')).toBe('not_published')
    expect(await code('live')).toBe('wrong_mode')
    expect(await code('broken')).toBe('flow_invalid')
  })

  test('200 submitters of one idempotency key get the same run [R086]', async () => {
    const before = await countRuns()
    const submit = () =>
      engine.runs.submit(
        'double',
        { params: {}, draft: false, no_cache: false, priority: 0, idempotency_key: 'k' },
        null,
      )
    const answers = await Promise.all(Array.from({ length: 200 }, submit))
    expect(new Set(answers.map(({ run }) => run.id)).size).toBe(1)
    expect(answers.filter(({ created }) => created)).toHaveLength(1)
    expect(await countRuns()).toBe(before + 1)
    const [first] = answers
    await engine.finished(first?.run.id ?? '')
    // whatever the body says
    const again = await engine.runs.submit(
      'double',
      { params: { x: 'ignored' }, draft: true, no_cache: true, priority: 0, idempotency_key: 'k' },
      null,
    )
    expect(again).toMatchObject({ created: false, run: { id: first?.run.id, status: 'ok' } })
  })

  test('a key of one flow is free in another', async () => {
    await engine.publish('other', double)
    const mine = await engine.submit('double', { idempotency_key: 'shared' })
    const theirs = await engine.submit('other', { idempotency_key: 'shared' })
    expect(mine.id).not.toBe(theirs.id)
  })
})

describe('what is executed', () => {
  test('a run executes what was published when it was submitted, with its inputs as declared then [R099]', async () => {
    await engine.publish('pinned', double)
    const holders = await takeAllSlots(engine, MAX_RUNS)
    const before = await engine.submit('pinned')
    const queued = await engine.submit('pinned', { params: { x: 5 } })
    await engine.publish('pinned', {
      inputs: [{ name: 'z', dtype: 'str', initial: 'new' }],
      outputs: [{ name: 'y' }],
      nodes: [node('shout', [input('z', 'str'), output('y', 'str')])],
    })
    engine.code['shout'] = async ({ inputs }) => ({ y: inputs['z'] })
    holders.end()
    expect(await engine.finished(queued.id)).toMatchObject({
      result: { y: 10 },
      inputs: [{ name: 'x', dtype: 'float', value: 5, default: false }],
    })
    const later = await engine.submit('pinned')
    expect(await engine.finished(later.id)).toMatchObject({ result: { y: 'new' } })
    expect(later.digest).not.toBe(queued.digest)
    expect(before.digest).toBe(queued.digest)
  })

  test('a queued draft run executes the draft as it is when it starts [R406, R483]', async () => {
    await engine.publish('sketch', double)
    await engine.draft('sketch', double)
    const holders = await takeAllSlots(engine, MAX_RUNS)
    const queued = await engine.submit('sketch', { draft: true, params: { x: 3 } })
    expect(queued).toMatchObject({ draft: true, digest: null, flow_version: null, nodes: [] })
    await engine.draft('sketch', {
      inputs: [{ name: 'x', dtype: 'float', initial: 2 }],
      outputs: [{ name: 'y' }],
      nodes: [node('triple', [input('x'), output('y')])],
    })
    engine.code['triple'] = async ({ inputs }) => ({ y: 3 * (inputs['x'] as number) })
    holders.end()
    const run = await engine.finished(queued.id)
    expect(run).toMatchObject({ status: 'ok', result: { y: 9 }, nodes: [{ node: 'triple', status: 'ok' }] })
    expect(run.digest).toMatch(/^sha256:/)
  })

  test('a draft that no longer takes the params of a queued run ends the run as error', async () => {
    await engine.draft('moving', double)
    const holders = await takeAllSlots(engine, MAX_RUNS)
    const queued = await engine.submit('moving', { draft: true, params: { x: 3 } })
    await engine.draft('moving', { outputs: [{ name: 'y' }], nodes: [node('one', [output('y')])] })
    holders.end()
    expect(await engine.finished(queued.id)).toMatchObject({
      status: 'error',
      error: { node: null, type: 'bad_param', message: expect.stringContaining('"x"') },
    })
  })

  test('a node begins with its code, and is queued while it waits for a place', async () => {
    await engine.publish('placed', { nodes: [node('placed', [], { cache: false })] })
    const free = Promise.withResolvers<void>()
    let placedMs = 0
    engine.code['placed'] = async ({ onPlace }) => {
      onPlace({ waitingFor: 'process' })
      await free.promise
      placedMs = realClock.now()
      onPlace({ worker: 'engine' })
      return {}
    }
    const { id } = await engine.submit('placed')
    await engine.event((event) => event.type === 'node' && event.run === id && event.status === 'queued')
    const waiting = (await engine.runs.get(id)).nodes[0]
    expect(waiting).toMatchObject({ status: 'queued', waiting_for: 'process', started_at: null, attempts: [] })
    free.resolve()
    const [placed] = (await engine.finished(id)).nodes
    expect(Date.parse(placed?.started_at ?? '')).toBeGreaterThanOrEqual(Math.floor(placedMs))
    expect(placed).toMatchObject({ status: 'ok', worker: 'engine', waiting_for: null })
  })

  test('every node of a diamond executes once, after what it depends on [R008, R009, R010]', async () => {
    await engine.publish('diamond', {
      inputs: [{ name: 'x', dtype: 'float', initial: 1 }],
      outputs: [{ name: 'd' }],
      nodes: [
        node('d', [input('b'), input('c'), output('d')]),
        node('a', [input('x'), output('a')]),
        node('b', [input('a'), output('b')]),
        node('c', [input('a'), output('c')]),
      ],
    })
    const calls: string[] = []
    for (const id of ['a', 'b', 'c', 'd']) {
      engine.code[id] = async ({ inputs }) => {
        calls.push(id)
        return { [id]: Object.values(inputs as Record<string, number>).reduce((sum, value) => sum + value, 1) }
      }
    }
    const run = await engine.finished((await engine.submit('diamond')).id)
    expect(run.result).toEqual({ d: 7 })
    expect(calls.toSorted()).toEqual(['a', 'b', 'c', 'd'])
    expect(run.nodes.map(({ node: id }) => id)).toEqual(['d', 'a', 'b', 'c'])
    const at = new Map(run.nodes.map((record) => [record.node, record]))
    const order = (before: string, after: string) =>
      (at.get(before)?.finished_at ?? '') <= (at.get(after)?.started_at ?? '')
    expect([order('a', 'b'), order('a', 'c'), order('b', 'd'), order('c', 'd')]).toEqual([true, true, true, true])
    expect(run.nodes.every(({ duration_s }) => duration_s !== null && duration_s >= 0)).toBe(true)
  })

  test('a failing node skips its dependants and ends the run as error; the rest finishes', async () => {
    await engine.publish('half', {
      outputs: [{ name: 'b' }, { name: 'c' }],
      nodes: [node('a', [output('a')]), node('b', [input('a'), output('b')]), node('c', [output('c')])],
    })
    engine.code['a'] = () => Promise.reject(new RangeError('too far'))
    engine.code['c'] = async () => ({ c: 1 })
    const run = await engine.finished((await engine.submit('half')).id)
    expect(run).toMatchObject({
      status: 'error',
      result: null,
      error: { node: 'a', type: 'RangeError', message: 'too far' },
      nodes: [
        {
          status: 'error',
          error: { type: 'RangeError', message: 'too far' },
          traceback: expect.stringContaining('at '),
        },
        { status: 'skipped', error: null },
        { status: 'ok' },
      ],
    })
  })

  test('what a node prints is told with its place in all that it has printed', async () => {
    await engine.publish('talks', { nodes: [node('say', [], { cache: false })] })
    engine.code['say'] = async (call) => {
      for (const text of ['größe\n', '\0', 'end\n']) call.onLog('stdout', text)
      return {}
    }
    const { id } = await engine.finished((await engine.submit('talks')).id)
    const told = engine.events.flatMap((event) =>
      event.type === 'log' && event.run === id ? [[event.flow, event.node, event.offset, event.text]] : [],
    )
    expect(told).toEqual([
      ['talks', 'say', 0, 'größe\n'],
      ['talks', 'say', 8, '\uFFFD'],
      ['talks', 'say', 11, 'end\n'],
    ])
  })

  test('at most the given number of runs executes at once, in the order of submission', async () => {
    let active = 0
    let most = 0
    const order: number[] = []
    const full = Promise.withResolvers<void>()
    engine.code['double'] = async ({ inputs }) => {
      most = Math.max(most, ++active)
      order.push(inputs['x'] as number)
      // the first ones wait until every slot is taken; the others go on after a turn
      if (active === MAX_RUNS) full.resolve()
      await full.promise
      await new Promise((resolve) => setImmediate(resolve))
      active -= 1
      return { y: 0 }
    }
    const runs = await Promise.all(Array.from({ length: 20 }, (_, x) => engine.submit('double', { params: { x } })))
    await Promise.all(runs.map(({ id }) => engine.finished(id)))
    expect(most).toBe(MAX_RUNS)
    expect(order.filter((x, at) => Math.abs(x - at) >= MAX_RUNS)).toEqual([])
  })

  test('the outputs of a published run are published once when it has ended ok, those of a draft never', async () => {
    const run = await engine.finished((await engine.submit('double', { params: { x: 8 } })).id)
    const draft = await engine.finished((await engine.submit('double', { params: { x: 9 }, draft: true })).id)
    await engine.runs.cancel(run.id)
    const published = engine.published.filter(([, , by]) => [run.id, draft.id].includes(by))
    expect(published).toEqual([['double.y', 16, run.id]])
  })
})

describe('lists', () => {
  test('paging by the last created_at gives every run once, newest first [R088, R498, R499]', async () => {
    await engine.publish('many', double)
    engine.code['double'] = async () => ({ y: 0 })
    const submitted = await Promise.all(Array.from({ length: 100 }, () => engine.submit('many')))
    const ids: string[] = []
    const times: string[] = []
    for (let before: string | undefined; ;) {
      const page = await listed(engine.runs, { flows: ['many'], before }, { limit: 7, offset: 0 })
      ids.push(...page.map(({ id }) => id))
      times.push(...page.map(({ created_at }) => created_at))
      before = page.at(-1)?.created_at
      if (page.length < 7) break
    }
    expect(ids).toHaveLength(100)
    expect(new Set(ids)).toEqual(new Set(submitted.map(({ id }) => id)))
    expect(times).toEqual(times.toSorted().toReversed())
    expect(new Set(times).size).toBe(100)
    const [a, b] = await Promise.all(
      [0, 10].map((offset) => listed(engine.runs, { flows: ['many'] }, { limit: 10, offset })),
    )
    expect([...(a ?? []), ...(b ?? [])].map(({ id }) => id)).toEqual(ids.slice(0, 20))
  })

  test('filters by flow, status, digest and time narrow the list [R492, R493, R495, R496]', async () => {
    await engine.publish('one', double)
    await engine.publish('two', { ...double, inputs: [{ name: 'x', dtype: 'float', initial: 3 }] })
    engine.code['double'] = async ({ inputs }) => {
      if (inputs['x'] === 0) throw new Error('zero')
      return { y: 1 }
    }
    const fine = await engine.finished((await engine.submit('one', { params: { x: 1 } })).id)
    const bad = await engine.finished((await engine.submit('one', { params: { x: 0 } })).id)
    const other = await engine.finished((await engine.submit('two', { params: { x: 1 } })).id)
    const list = async (filter: RunFilter) =>
      (await listed(engine.runs, filter, { limit: 500, offset: 0 })).map(({ id }) => id)
    expect(await list({ flows: ['one'] })).toEqual([bad.id, fine.id])
    expect(await list({ flows: ['one', 'two'] })).toEqual([other.id, bad.id, fine.id])
    expect(await list({ flows: ['one', 'two'], statuses: ['error'] })).toEqual([bad.id])
    expect(await list({ digest: other.digest ?? '' })).toEqual([other.id])
    expect(await list({ flows: ['one', 'two'], since: bad.created_at, before: other.created_at })).toEqual([bad.id])
  })

  test('runs of a deleted flow stay listed under its last name [R458]', async () => {
    await engine.publish('gone', double)
    const { id } = await engine.finished((await engine.submit('gone')).id)
    const flowId = engine.flows.get('gone')?.id ?? ''
    await engine.database.sql`delete from flow where id = ${flowId}`
    expect(await listed(engine.runs, { flows: ['gone'] }, { limit: 5, offset: 0 })).toMatchObject([
      { id, flow: 'gone' },
    ])
  })
})

test('state moves are told in order, each after it can be read', async () => {
  const { id } = await engine.submit('double', { params: { x: 70 } })
  await engine.finished(id)
  const told = engine.events.flatMap((event) => {
    if (event.type === 'run' && event.run.id === id) return [event.run.status]
    if (event.type === 'node' && event.run === id) return [`${event.node} ${event.status}`]
    return []
  })
  expect(told).toEqual(['queued', 'running', 'double running', 'double ok', 'ok'])
})

describe('what the database cannot keep', () => {
  test('strings with a null character are kept in results', async () => {
    await engine.publish('nul', { outputs: [{ name: 's' }], nodes: [node('nul', [output('s', 'str')])] })
    engine.code['nul'] = async () => ({ s: 'a\0b\uD800' })
    const run = await engine.finished((await engine.submit('nul')).id)
    expect(run).toMatchObject({ status: 'ok', result: { s: 'a\0b\uD800' } })
    expect(await engine.finished((await engine.submit('nul')).id)).toMatchObject({ nodes: [{ cached: true }] })
  })

  test('a result that the database refuses ends the run as an error that says so', async () => {
    await engine.database.sql`
      alter table run_content add constraint no_secret check (result is null or result::text not like '%unstorable%')`
    engine.code['double'] = async () => ({ y: 7 })
    await engine.publish('refused', { ...double, outputs: [{ name: 'y', port: 'unstorable' }] })
    const [refused, fine] = await Promise.all([engine.submit('refused'), engine.submit('double')])
    expect(await engine.finished(refused.id)).toMatchObject({
      status: 'error',
      result: null,
      error: { type: 'unstorable' },
    })
    expect(await engine.finished(fine.id)).toMatchObject({ status: 'ok', result: { y: 7 } })
    expect(engine.published.some(([message]) => message === 'refused.y')).toBe(false)
    await engine.database.sql`alter table run_content drop constraint no_secret`
  })

  test('what it refuses while a run executes is in no end of the run passed over', async () => {
    await engine.database.sql`alter table metric_chunk add constraint not_seven check (last_value <> 7)`
    await engine.publish('holed', train)
    engine.code['train'] = async (call) => {
      call.onEmit({ loss: 7 }, 0)
      // a read writes what has gathered
      await engine.runs.get(call.run ?? '')
      call.onEmit({ loss: 8 }, 1)
      return { best: 8 }
    }
    const { id } = await engine.submit('holed')
    expect(await engine.finished(id)).toMatchObject({ status: 'error', result: null, error: { type: 'unstorable' } })
    const ends = engine.events.flatMap((event) =>
      event.type === 'run' && event.run.id === id ? [event.run.status] : [],
    )
    expect(ends).toEqual(['queued', 'running', 'error'])
    await engine.database.sql`alter table metric_chunk drop constraint not_seven`
  })
})
