import type { EngineList } from '@flow-service/protocol'
import { describe, expect, test } from 'vitest'

import type { Database } from '../../src/db/database.ts'
import { Roster } from '../../src/engines/roster.ts'
import { createEngineStore } from '../../src/engines/store.ts'
import { newId } from '../../src/process/new-id.ts'
import { startService } from '../observability/service.ts'
import { useDatabase } from '../use-database.ts'
import { live, lose } from './living.ts'

describe('on a database with several engines', () => {
  let database: Database
  useDatabase((opened) => void (database = opened))

  test('those that live are listed, each with its flows and its link; those whose lease is over are not', async () => {
    const { sql } = database
    const [self, near, far, gone] = [newId(), newId(), newId(), newId()]
    for (const id of [self, near, far, gone])
      // oxlint-disable-next-line no-await-in-loop -- they start one after the other
      await live(sql, id)
    await lose(sql, gone)
    const engines = (await createEngineStore(sql).known()).filter(({ lives }) => lives)
    const leaseOf = (id: string) => engines.find((engine) => engine.id === id)?.lease ?? null
    const flow = async (name: string, lease: string | null, { wished = 'active', mode = 'live' } = {}) => {
      const id = newId()
      await sql`
        insert into flow (id, name, wished, version, published, published_version, origin)
        values (${id}, ${name}, ${wished}, 1, ${sql.json({ mode })}, 1, 'api')`
      await sql`insert into placement (flow, lease) values (${id}, ${lease})`
    }
    await flow('porch', leaseOf(near))
    await flow('hall', leaseOf(near), { wished: 'paused' })
    await flow('attic', newId())
    await flow('cellar', null)
    await flow('shed', null, { wished: 'stopped' })
    await flow('sums', null, { mode: 'batch' })

    const roster = new Roster({
      database,
      fence: { flows: [], refused: 3 },
      lease: { id: self, engines, leftMs: 1500 },
      links: {
        state: () => [
          { engine: near, isUp: true, version: '1', roundTripMs: 0.5, unsentBytes: 9 },
          { engine: gone, isUp: false, version: null, roundTripMs: null, unsentBytes: 0 },
        ],
      },
      running: () => [],
      version: '1',
    })
    const found = await roster.list()
    const engine = { name: 'host/1', address: null, version: '1', started_at: expect.any(String) }
    expect(found).toEqual({
      engines: [
        { ...engine, id: self, self: true, lease_s: expect.any(Number), flows: 0, link: null },
        {
          ...engine,
          id: near,
          self: false,
          lease_s: expect.any(Number),
          flows: 2,
          link: { status: 'up', round_trip_ms: 0.5, unsent_bytes: 9 },
        },
        {
          ...engine,
          id: far,
          self: false,
          lease_s: expect.any(Number),
          flows: 0,
          link: { status: 'none', round_trip_ms: null, unsent_bytes: 0 },
        },
      ],
      flows: { wished: 4, nowhere: 2, nowhere_names: ['attic', 'cellar'] },
      refused_writes: 3,
    })
    for (const { lease_s: leaseS } of found.engines) {
      expect(leaseS).toBeGreaterThan(0)
      expect(leaseS).toBeLessThanOrEqual(3600)
    }
    expect(roster.measured()).toEqual({
      living: 3,
      shared: { flows: 0, leaseS: 1.5, refused: 3, roundTripsS: new Map([[near, 0.0005]]) },
    })
  })

  test('of very many flows that nobody runs the first 20 are named', async () => {
    const { sql } = database
    await sql`delete from flow`
    await sql`
      insert into flow (id, name, wished, version, published, published_version, origin)
      select gen_random_uuid(), 'flow_' || to_char(n, 'FM000'), 'active', 1, '{}', 1, 'api' from generate_series(1, 100) as n`
    const { wished, nowhere, names } = await createEngineStore(sql).wished(20, null)
    expect([wished, nowhere, names.length, names[0], names[19]]).toEqual([100, 100, 20, 'flow_001', 'flow_020'])
    expect((await createEngineStore(sql).wished(20, [])).nowhere).toBe(100)
    expect((await createEngineStore(sql).wished(20, ['flow_002'])).names.slice(0, 2)).toEqual(['flow_001', 'flow_003'])
    await sql`delete from flow`
    expect(await createEngineStore(sql).wished(20, null)).toEqual({ wished: 0, nowhere: 0, names: [] })
  })
})

test('an engine that has its database to itself is the one of the list, without lease and links; a flow that did not start is nowhere', async () => {
  await using at = await startService()
  await at.publish('porch', { mode: 'live', inputs: [{ name: 'temp', dtype: 'float' }] })
  await at.root('POST', '/flows/porch/stop')
  const list = async () => (await at.ann<EngineList>('GET', '/engines')).value
  const self = { id: null, self: true, address: null, lease_s: null, link: null }
  expect(await list()).toEqual({
    engines: [
      {
        ...self,
        name: expect.stringContaining(`/${process.pid}`),
        version: expect.stringMatching(/^\d+\.\d+\.\d+/),
        started_at: expect.any(String),
        flows: 1,
      },
    ],
    flows: { wished: 1, nowhere: 0, nowhere_names: [] },
    refused_writes: 0,
  })
  await at.engine.database.sql`update flow set wished = 'active' where name = 'porch'`
  expect((await list()).flows).toEqual({ wished: 2, nowhere: 1, nowhere_names: ['porch'] })
  const { text } = await at.ann('GET', `${at.origin}/metrics`)
  expect(text.match(/^service_(?:engine|lease|fence|link)\S* .*$/gm)).toEqual(['service_engines 1'])
  expect((await at.nobody('GET', '/engines')).status).toBe(401)
})
