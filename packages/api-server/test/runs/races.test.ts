import type { Run } from '@flow-service/protocol'
import fc from 'fast-check'
import { expect, test } from 'vitest'

import { between, losing } from '../faulty-database.ts'
import { type Code, openEngine, type TestEngine } from './engine.ts'
import { double } from './flows.ts'
import { limit } from './limited-runs.ts'
import { listed } from './listed.ts'
import { useEngine } from './use-engine.ts'

let engine: TestEngine
useEngine({ maxRuns: 8 }, async (opened) => {
  engine = opened
  engine.code['double'] = async ({ inputs }) => {
    await new Promise((resolve) => setImmediate(resolve))
    return { y: inputs['x'] }
  }
  await engine.publish('double', double)
})

/** Rows of runs that are gone. */
async function orphans(): Promise<number> {
  const [row] = await engine.database.sql<{ count: number }[]>`
    select ((select count(*) from run_node where run not in (select id from run))
      + (select count(*) from metric_chunk where run not in (select id from run))
      + (select count(*) from run_output where run not in (select id from run))
      + (select count(*) from run_document where flow = any(${[...engine.flows.values()].map(({ id }) => id)}::uuid[])
        and not exists (select from run where run.flow = run_document.flow and run.digest = run_document.digest))
      + (select count(*) from blob_ref where kind = 'run' and owner not in (select id::text from run)))::int as count`
  return row?.count ?? -1
}

/** Code of the node `double`, and the runs that executed it. */
function noted() {
  const executed: (string | null)[] = []
  const code: Code = {
    async double({ run }) {
      executed.push(run)
      return { y: 1 }
    },
  }
  return { executed, code }
}

const step = fc.constantFrom('cancel', 'delete', 'retry', 'wait', 'delete all')
const codeOf = (error: unknown): unknown => (error as { code?: unknown }).code

test('whatever is done to runs at once, refusals say why, each ends once, and of the deleted no row is left [F56]', async () => {
  const act = async (what: string, id: string): Promise<void> => {
    if (what === 'cancel') await engine.runs.cancel(id)
    else if (what === 'delete') await engine.runs.history.delete(id)
    else if (what === 'retry') await engine.runs.retry(id, 'ann@example.org')
    else if (what === 'delete all') await engine.runs.history.deleteOf('double')
    else await new Promise((resolve) => setTimeout(resolve, 1))
  }
  const programs = fc.array(fc.array(step, { minLength: 1, maxLength: 6 }), { minLength: 2, maxLength: 8 })
  await fc.assert(
    fc.asyncProperty(programs, async (program) => {
      const refusals: unknown[] = []
      await Promise.all(
        program.map(async (steps) => {
          const { id } = await engine.submit('double')
          // oxlint-disable-next-line no-await-in-loop -- a client does one thing after the other
          for (const what of steps) await act(what, id).catch((error: unknown) => refusals.push(codeOf(error)))
        }),
      )
      expect(new Set(['not_found', 'run_active', ...refusals])).toEqual(new Set(['not_found', 'run_active']))
      await expect.poll(() => engine.runs.active()).toEqual([])
      expect(await orphans()).toBe(0)
      for (const { id, status } of await listed(engine.runs, {}, { limit: 500, offset: 0 })) {
        expect(['ok', 'cancelled']).toContain(status)
        const ends = engine.events.filter(
          (event) => event.type === 'run' && event.run.id === id && event.run.finished_at,
        )
        expect(ends).toHaveLength(1)
      }
    }),
    { numRuns: 15 },
  )
})

test('a deletion of all runs of a flow that breaks off leaves whole runs, and goes on when it is repeated [F9]', async () => {
  await engine.publish('long', double)
  await engine.finished((await engine.submit('long')).id)
  const flow = engine.flows.get('long')?.id ?? ''
  const { sql } = engine.database
  await sql`
    insert into run (id, flow, status, created_at, draft, no_cache)
    select gen_random_uuid(), ${flow}, 'ok', timestamptz '2020-01-01' + make_interval(secs => n), false, false
    from generate_series(1, 3000) n`
  await sql`
    insert into run_node (run, node, status) select id, 'n', 'ok' from run where flow = ${flow}`
  const left = async () => (await sql`select from run where flow = ${flow}`).length
  await sql`
    create function break_off() returns trigger language plpgsql as $$
      begin if old.created_at = '2020-01-01 00:40:00+00' then raise exception 'the engine is gone'; end if; return old; end $$`
  await sql`create trigger breaks before delete on run for each row execute function break_off()`
  await expect(engine.runs.history.deleteOf('long')).rejects.toThrow('gone')
  expect(await left()).toBeGreaterThan(0)
  expect(await left()).toBeLessThan(3000)
  expect(await sql`select from run where flow = ${flow} and id not in (select run from run_node)`).toEqual([])
  expect(await orphans()).toBe(0)
  await sql`drop function break_off cascade`
  const rest = await left()
  expect(await engine.runs.history.deleteOf('long')).toBe(rest)
  expect([await left(), await orphans()]).toEqual([0, 0])
})

/**
 * A database whose answers get lost while the test says so, all of them or the one that is `left` answers away: what was
 * asked is done.
 */
function forgetful() {
  const state = { isOn: false, lost: 0, left: 0 }
  const wrap = losing(() => {
    const isIt = state.left > 0 && --state.left === 0
    if (!state.isOn && !isIt) return false
    state.lost += 1
    return true
  })
  return { wrap, state }
}

test('a request whose answer was lost can be repeated: it is done once [F21]', async () => {
  const { wrap, state } = forgetful()
  await using own = await openEngine({ wrap, closed: true })
  await own.publish('double', double)
  const entry = {
    flow: 'double',
    external_id: 'e',
    params: {},
    status: 'ok' as const,
    created_at: '2024-01-01T00:00:00Z',
  }
  const { id } = await own.submit('double')
  const done = await own.runs.import([{ ...entry, external_id: 'done', metrics: [], artifacts: [] }], null)
  const twice = async <T>(act: () => Promise<T>): Promise<T> => {
    state.lost = 0
    state.isOn = true
    await expect(act()).rejects.toMatchObject({ code: 'CONNECTION_CLOSED' })
    state.isOn = false
    expect(state.lost).toBeGreaterThan(0)
    return act()
  }
  await twice(() => own.submit('double', { idempotency_key: 'k' }))
  await twice(() => own.runs.import([{ ...entry, metrics: [], artifacts: [] }], null))
  expect(await twice(() => own.runs.cancel(id))).toMatchObject({ status: 'cancelled' })
  await expect(twice(() => own.runs.history.delete(done.runs[0]?.id ?? ''))).rejects.toMatchObject({
    code: 'not_found',
  })
  const rows = await own.database.sql<{ key: string | null; external_id: string | null; status: string }[]>`
    select idempotency_key as key, external_id, status from run order by created_at`
  expect([...rows].toSorted((a, b) => (a.status < b.status ? -1 : 1))).toEqual([
    { key: null, external_id: null, status: 'cancelled' },
    { key: null, external_id: 'e', status: 'ok' },
    { key: 'k', external_id: null, status: 'queued' },
  ])

  // those of one moment share their answer; when it is lost each is found where it is
  Object.assign(state, { lost: 0, left: 1 })
  const both = await Promise.all([own.submit('double'), own.submit('double')])
  expect(state.lost).toBe(1)
  const ids = await own.database.sql<{ id: string }[]>`select id from run order by created_at desc limit 2`
  expect(ids.map((row) => row.id).toReversed()).toEqual(both.map((run) => run.id))
})

test('a run with a key whose answer was lost with others is created, and told as queued', async () => {
  let lost = 0
  const isOfGroup = (answer: unknown): boolean =>
    Array.isArray(answer) && answer.length > 1 && Object.keys(answer[0] as object).join() === 'id,is_claimed'
  const wrap = losing((answer) => isOfGroup(answer) && ++lost === 1)
  await using own = await openEngine({ wrap, closed: true })
  await own.publish('double', double)
  const body = { params: {}, draft: false, no_cache: false, priority: 0 }
  // while the first is written, others gather
  const keys = Array.from({ length: 50 }, (_, at) => `k${at}`)
  const submitted = await Promise.all(
    keys.map((key) => own.runs.submit('double', { ...body, idempotency_key: key }, null)),
  )
  expect(lost).toBeGreaterThan(0)
  expect(submitted.filter(({ created }) => !created)).toEqual([])
  const told = own.events.flatMap((event) => (event.type === 'run' ? [`${event.run.id} ${event.run.status}`] : []))
  expect(told.toSorted()).toEqual(submitted.map(({ run }) => `${run.id} queued`).toSorted())
})

test('a run whose claim is answered to nobody is queued again and executed once, also where its flow has a limit [F21]', async () => {
  const lost: unknown[] = []
  const wrap = losing((answer) => {
    const isClaim = Array.isArray(answer) && typeof answer[0]?.flow_id === 'string'
    if (isClaim) lost.push(answer[0].id)
    return isClaim && lost.length % 2 === 1
  })
  const { executed, code } = noted()
  await using own = await openEngine({ wrap, code })
  await own.publish('double', double)
  await own.draft('double', double)
  for (const concurrency of [null, 1]) {
    // oxlint-disable-next-line no-await-in-loop -- a flow without a limit, then with one
    await limit(own.database, 'double', concurrency)
    // a draft is not claimed by its submission
    // oxlint-disable-next-line no-await-in-loop
    const { id } = await own.submit('double', { no_cache: true, draft: true })
    // oxlint-disable-next-line no-await-in-loop
    expect(await own.finished(id)).toMatchObject({ status: 'ok' })
    expect(lost.filter((run) => run === id)).toHaveLength(2)
    expect(executed.filter((run) => run === id)).toHaveLength(1)
  }
})

test('a run that its submission has claimed unheard is queued again and executed once [F21]', async () => {
  let lost = 0
  const wrap = losing((answer) => Array.isArray(answer) && answer[0]?.is_claimed === true && ++lost === 1)
  const { executed, code } = noted()
  await using own = await openEngine({ wrap, code })
  await own.publish('double', double)
  // where the queue is just being asked, a run is not claimed by its submission
  let key = ''
  while (lost === 0) {
    key = `key ${executed.length}`
    // oxlint-disable-next-line no-await-in-loop -- until one is
    const submitted = await own.submit('double', { idempotency_key: key }).catch((error: unknown) => error)
    // oxlint-disable-next-line no-await-in-loop
    if (lost === 0) await own.finished((submitted as Run).id)
    else expect(submitted).toMatchObject({ code: 'CONNECTION_CLOSED' })
  }
  const { id } = await own.submit('double', { idempotency_key: key })
  expect(await own.finished(id)).toMatchObject({ status: 'ok' })
  expect([lost, executed.filter((run) => run === id)]).toEqual([1, [id]])
})

test('a cancellation takes effect when the run is queued again in the midst of it', async () => {
  let statements = 0
  let onSecond = async () => {}
  await using own = await openEngine({
    closed: true,
    wrap: between(async () => {
      if (++statements === 2) await onSecond()
    }),
  })
  await own.publish('double', double)
  const { id } = await own.submit('double')
  const { sql } = own.database
  await sql`
    update run set status = 'running', lease_token = gen_random_uuid(), lease_until = now() + interval '1 min'`
  onSecond = async () => {
    await sql`update run set status = 'queued', lease_token = null, lease_until = null`
  }
  statements = 0
  expect(await own.runs.cancel(id)).toMatchObject({ status: 'cancelled' })
})

test('whichever answer gets lost on the way of a run, it is executed once, and its end is told once [F21]', async () => {
  const { wrap, state } = forgetful()
  const { executed, code } = noted()
  await using own = await openEngine({ wrap, code })
  await own.publish('double', double)
  const { sql } = own.database
  // a run has four, and a submission that is repeated two more
  for (let lost = 1; lost <= 6; lost += 1) {
    Object.assign(state, { lost: 0, left: lost })
    const body = { idempotency_key: `answer ${lost}`, no_cache: true }
    // oxlint-disable-next-line no-await-in-loop -- a run for each answer
    const { id } = await own.submit('double', body).catch(() => own.submit('double', body))
    // oxlint-disable-next-line no-await-in-loop
    await own.event((event) => event.type === 'run' && event.run.id === id && event.run.finished_at !== null)
    const ends = own.events.flatMap((event) =>
      event.type === 'run' && event.run.id === id && event.run.finished_at !== null ? [event.run.status] : [],
    )
    expect(ends).toEqual(['ok'])
    expect(executed.filter((run) => run === id)).toHaveLength(1)
    state.left = 0
  }
  expect(await sql`select from run where status in ('queued', 'running')`).toEqual([])
})
