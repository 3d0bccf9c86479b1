import { VirtualClock } from '@flow-service/core/testing'
import { expect, test } from 'vitest'

import type { Database } from '../../src/db/database.ts'
import type { Round, RunWrite } from '../../src/runs/execution-store.ts'
import { RunWrites, type RunWritesDeps } from '../../src/runs/run-writes.ts'

const write: RunWrite = {
  run: 'ended',
  token: 't',
  draft: null,
  nodes: [],
  chunks: [],
  facts: null,
  cache: [],
  artifacts: null,
  kept: null,
  end: null,
}
const claim = { token: 'c', room: { all: 1 }, leaseS: 30, startedAt: '2024-01-01T00:00:00Z', isKeeping: false }

/** A claim and a write of the same moment, whose statement fails with this code; how both end, and the claims made. */
async function failing(code: string) {
  let failures = 1
  const claims: string[] = []
  const sql = () => {}
  const writes = new RunWrites({
    database: { backend: 'embedded', sql, assertOutsideTransaction() {} } as unknown as Database,
    shapes: { columns: async () => ({}) as never },
    store: {
      curvesOf: async () => [],
      async write(_tx: unknown, round: Round) {
        if (round.claim) claims.push('with a write')
        if (failures-- > 0) throw Object.assign(new Error('failed'), { code })
        return { held: new Set(['ended']), claimed: round.claim && [] }
      },
    } as unknown as RunWritesDeps['store'],
    leases: {
      async claim() {
        claims.push('alone')
        return []
      },
      claimWithinLimits: async () => [],
    },
    artifacts: { async addRefs() {}, async dropRefs() {} },
    clock: new VirtualClock(0),
    log: { error() {} },
  })
  const [written, claimed] = await Promise.allSettled([writes.write(write), writes.claim(claim)])
  return { written, claimed, claims }
}

test('a claim whose answer is lost with that of a write fails, so that the queue frees what it has taken [F21]', async () => {
  const { written, claimed, claims } = await failing('CONNECTION_CLOSED')
  expect(written).toEqual({ status: 'fulfilled', value: 'held' })
  expect(claimed).toMatchObject({ status: 'rejected', reason: { message: 'the answer to a claim was lost' } })
  expect(claims).toEqual(['with a write'])
})

test('a claim beside a write that the database refuses is made again alone', async () => {
  const { claimed, claims } = await failing('22P02')
  expect(claimed).toEqual({ status: 'fulfilled', value: { runs: [], areLimited: false } })
  expect(claims).toEqual(['with a write', 'alone'])
})
