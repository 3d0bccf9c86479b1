/** How many statements a submission takes, over a store that tells what it is asked. */
import { normalizeDocument, flowDocumentInputSchema } from '@flow-service/protocol'
import { expect, test } from 'vitest'

import type { ReadFlow } from '../../src/flows/runnable-flows.ts'
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

/** Submissions to a flow whose row is of the writing `now`, while `lately` is in memory. */
function setup({ lately, now }: { lately: string | null; now: string }) {
  const asked: string[] = []
  const deps = {
    database: { sql: {}, assertOutsideTransaction() {} },
    store: {
      insert: async (_sql: unknown, runs: { id: string; written?: string | null }[]) => {
        asked.push(`insert of ${runs.map(({ written }) => written ?? 'now').join()}`)
        return new Set(runs.filter(({ written }) => (written ?? now) === now).map(({ id }) => id))
      },
    },
    shapes: { columns: async () => ({ shape: 1, numbers: [], texts: [], flags: [], nested: null, cut: null }) },
    timestamps: { next: () => '2026-01-01T00:00:00.000000+00:00' },
    host: { secrets: { mask: (shown: unknown) => shown } },
    flows: {
      readLast: () => (lately === null ? null : flow(lately)),
      byName: async () => (asked.push('flow'), flow(now)),
      issuesOf: async () => [],
    },
    teller: { learning: (_ids: unknown, learn: () => Promise<unknown>) => learn() },
    tellRun() {},
  }
  const submissions = createSubmit(deps as unknown as SubmitDeps)
  const body = { name: 'light', draft: false, no_cache: false, priority: 0, params: {} }
  return { asked, submit: (more: object = {}) => submissions.submit('light', { ...body, ...more }, null) }
}

test('a flow in memory that was not written since is not read again', async () => {
  const { asked, submit } = setup({ lately: '1', now: '1' })
  expect(await submit()).toMatchObject({ queued: { flow: 'light', status: 'queued' } })
  expect(asked).toEqual(['insert of 1'])
})

test('one that was written since is, and then the run is queued', async () => {
  const { asked, submit } = setup({ lately: '1', now: '2' })
  expect(await submit()).toMatchObject({ queued: { status: 'queued' } })
  expect(asked).toEqual(['insert of 1', 'flow', 'insert of now'])
})

test('one that refuses what is submitted is read before that is refused', async () => {
  const { asked, submit } = setup({ lately: '1', now: '1' })
  await expect(submit({ params: { unknown: 1 } })).rejects.toMatchObject({ code: 'validation_failed' })
  expect(asked).toEqual(['flow'])
})

test('a draft is read each time', async () => {
  const { asked, submit } = setup({ lately: '1', now: '1' })
  await submit({ draft: true })
  expect(asked).toEqual(['flow', 'insert of now'])
})
