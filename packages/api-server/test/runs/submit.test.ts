/** How many statements a submission takes, over a store that tells what it is asked. */
import { normalizeDocument, flowDocumentInputSchema } from '@flow-service/protocol'
import { expect, test } from 'vitest'

import type { ReadFlow } from '../../src/flows/runnable-flows.ts'
import type { ClaimedRun } from '../../src/runs/lease-store.ts'
import type { NewRun } from '../../src/runs/store.ts'
import { createSubmit, type SubmitDeps } from '../../src/runs/submit.ts'
import { light } from './flows.ts'

const flow = (written: string): ReadFlow => ({
  id: '01a226fb-0000-7000-8000-000000000001',
  name: 'light',
  mode: 'batch',
  document: normalizeDocument('light', flowDocumentInputSchema.parse({ ...light, mode: 'batch' })),
  version: 1,
  commit: null,
  written,
})

interface Setup {
  readonly lately: string | null
  readonly now: string
  /** Places that the queue has. */
  places?: number
  /** What the next statements fail with. */
  readonly errors?: Error[]
  /** Flows have limits. */
  readonly isLimited?: boolean
}

/** Submissions to a flow whose row is of the writing `now`, while `lately` is in memory. */
function setup({ lately, now, places = 0, errors = [], isLimited = false }: Setup) {
  const asked: string[] = []
  const begun: ClaimedRun[] = []
  const inserted: NewRun[][] = []
  const deps = {
    database: { sql: {}, assertOutsideTransaction() {} },
    store: {
      insert: async (_sql: unknown, runs: NewRun[]) => {
        inserted.push(runs)
        asked.push(`insert of ${runs.map(({ written }) => written ?? 'now').join()}`)
        const error = errors.shift()
        if (error) throw error
        const there = runs.filter(({ written }) => (written ?? now) === now)
        return new Map(there.map(({ id, claim }) => [id, !isLimited && Boolean(claim)]))
      },
    },
    queue: {
      reserve() {
        if (places-- <= 0) return null
        const token = `place ${places}`
        return {
          claim: { token, started_at: '2026-01-01T00:00:00.500000+00:00', lease_s: 30 },
          begin(claim: ClaimedRun) {
            asked.push('begin')
            begun.push(claim)
          },
          release: () => asked.push('release'),
          lose: () => asked.push('lose'),
        }
      },
    },
    shapes: { columns: async () => ({ shape: 1, numbers: [], texts: [], flags: [], nested: null, cut: null }) },
    timestamps: { next: () => '2026-01-01T00:00:00.000000+00:00' },
    host: { secrets: { mask: (shown: unknown) => shown }, clock: { now: () => 0 } },
    flows: {
      readLast: () => (lately === null ? null : flow(lately)),
      byName: async () => (asked.push('flow'), flow(now)),
      issuesOf: async () => [],
    },
    teller: {
      learning: (_ids: unknown, learn: () => Promise<unknown>) => learn(),
      tell: () => asked.push('told here'),
    },
    tellRun: () => asked.push('told'),
  }
  const submissions = createSubmit(deps as unknown as SubmitDeps)
  const body = { name: 'light', draft: false, no_cache: false, priority: 0, params: {} }
  return {
    asked,
    begun,
    inserted,
    submit: (more: object = {}) => submissions.submit('light', { ...body, ...more }, null),
  }
}

test('a flow in memory that was not written since is not read again', async () => {
  const { asked, submit } = setup({ lately: '1', now: '1' })
  expect(await submit()).toMatchObject({ queued: { flow: 'light', status: 'queued' } })
  expect(asked).toEqual(['insert of 1', 'told'])
})

test('one that was written since is, and then the run is queued', async () => {
  const { asked, submit } = setup({ lately: '1', now: '2' })
  expect(await submit()).toMatchObject({ queued: { status: 'queued' } })
  expect(asked).toEqual(['insert of 1', 'flow', 'insert of now', 'told'])
})

test('one that refuses what is submitted is read before that is refused', async () => {
  const { asked, submit } = setup({ lately: '1', now: '1' })
  await expect(submit({ params: { unknown: 1 } })).rejects.toMatchObject({ code: 'validation_failed' })
  expect(asked).toEqual(['flow'])
})

test('a draft is read each time', async () => {
  const { asked, submit } = setup({ lately: '1', now: '1' })
  await submit({ draft: true })
  expect(asked).toEqual(['flow', 'insert of now', 'told'])
})

test('a run for which there is a place is claimed by the statement that queues it, told here, and begins', async () => {
  const { asked, begun, inserted, submit } = setup({ lately: '1', now: '1', places: 1 })
  const params = { x: 1 }
  expect(await submit({ params })).toMatchObject({ queued: { status: 'queued', started_at: null }, hasBegun: true })
  expect(asked).toEqual(['insert of 1', 'told here', 'begin'])
  const startedAt = '2026-01-01T00:00:00.500000+00:00'
  expect(inserted).toMatchObject([[{ claim: { token: 'place 0', started_at: startedAt, lease_s: 30 } }]])
  const [run] = inserted[0] ?? []
  expect(begun).toMatchObject([
    { id: run?.id, flow: 'light', flow_id: run?.flow, status: 'running', started_at: startedAt, token: 'place 0' },
  ])
  expect(begun[0]?.inputs).toEqual(run?.inputs)
  expect(begun[0]?.inputs).not.toBe(run?.inputs)
  // the next one finds no place
  expect(await submit({ params })).toMatchObject({ hasBegun: false })
  expect(asked.slice(3)).toEqual(['insert of 1', 'told'])
})

test('of runs that are queued together the most urgent get the places', async () => {
  const { begun, inserted, submit } = setup({ lately: '1', now: '1', places: 2 })
  await Promise.all([0, 1, 5, 2].map((priority) => submit({ priority })))
  expect(inserted.map((runs) => runs.length)).toEqual([4])
  expect(begun.map(({ id }) => inserted.flat().find((run) => run.id === id)?.priority)).toEqual([5, 2])
})

test('a place is given back when the flow has a limit, was written since, or the database refuses', async () => {
  const limited = setup({ lately: '1', now: '1', places: 1, isLimited: true })
  expect(await limited.submit()).toMatchObject({ hasBegun: false })
  expect(limited.asked).toEqual(['insert of 1', 'release', 'told'])
  const changed = setup({ lately: '1', now: '2', places: 2 })
  expect(await changed.submit()).toMatchObject({ hasBegun: true })
  expect(changed.asked).toEqual(['insert of 1', 'release', 'flow', 'insert of now', 'told here', 'begin'])
  const refusal = Object.assign(new Error('too long'), { code: '54000' })
  const refused = setup({ lately: '1', now: '1', places: 1, errors: [refusal] })
  expect(await refused.submit()).toMatchObject({ hasBegun: false })
  expect(refused.asked).toEqual(['insert of 1', 'release', 'insert of 1', 'told'])
  const twice = setup({ lately: '1', now: '1', places: 1, errors: [refusal, refusal] })
  await expect(twice.submit()).rejects.toBe(refusal)
  expect(twice.asked).toEqual(['insert of 1', 'release', 'insert of 1'])
  const draft = setup({ lately: '1', now: '1', places: 1 })
  expect(await draft.submit({ draft: true })).toMatchObject({ hasBegun: false })
  expect(draft.inserted[0]?.[0]?.claim).toBeNull()
})

test('a place whose statement nobody has heard is lost, and the run is not claimed when it is written again [F21]', async () => {
  const gone = Object.assign(new Error('gone'), { code: 'CONNECTION_CLOSED' })
  const twice = Object.assign(new Error('there'), { code: '23505', constraint_name: 'run_pkey' })
  const alone = setup({ lately: '1', now: '1', places: 1, errors: [gone] })
  await expect(alone.submit()).rejects.toBe(gone)
  expect(alone.asked).toEqual(['insert of 1', 'lose'])
  const both = setup({ lately: '1', now: '1', places: 9, errors: [gone, twice] })
  const begun = await Promise.all([both.submit(), both.submit()])
  expect(begun.map((submitted) => 'hasBegun' in submitted && submitted.hasBegun)).toEqual([false, false])
  expect(both.asked.filter((what) => what === 'lose')).toHaveLength(2)
  expect(both.inserted.slice(1).map(([run]) => run?.claim)).toEqual([null, null])
})
