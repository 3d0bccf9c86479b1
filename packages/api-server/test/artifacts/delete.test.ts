import { randomBytes } from 'node:crypto'

import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { artifactsEndpoints, artifactsHandlers } from '../../src/artifacts/routes.ts'
import { createEventLog, type EventLog } from '../../src/events/event-log.ts'
import { bind } from '../../src/http/mount.ts'
import { type Running, serve, user } from '../http/server.ts'
import { bytesOf, digestOf, named, ofDevices, openStores, type Store, storeKinds, type Stores } from './stores.ts'

const admin = { ...user, superuser: true }
describe.each(storeKinds)('in $name', (kind) => {
  let stores: Stores
  let one: Store
  let two: Store
  let server: Running
  let eventLog: EventLog
  let caller: typeof user | typeof admin = admin
  beforeAll(async () => {
    stores = await openStores(kind)
    ;[one, two] = stores.stores
    eventLog = createEventLog({ database: one.database, log: { error: () => undefined } })
    const bindings = bind(artifactsEndpoints, artifactsHandlers({ artifacts: one.artifacts, eventLog, ofDevices }))
    server = await serve(bindings, { authenticate: async () => caller })
  })
  afterAll(async () => {
    await server[Symbol.asyncDispose]()
    await stores[Symbol.asyncDispose]()
  })

  const remove = async (digest: string): Promise<{ status: number; body: Record<string, unknown> }> => {
    const answer = await fetch(`${server.url}/artifacts/${digest}`, { method: 'DELETE' })
    const text = await answer.text()
    return { status: answer.status, body: text === '' ? {} : (JSON.parse(text) as Record<string, unknown>) }
  }
  const stored = async (data = randomBytes(300)): Promise<string> => (await one.artifacts.put(data, named)).ref.digest

  test('a superuser deletes bytes, and the audit trail has it; an ordinary user may not [R528] [T64]', async () => {
    const digest = await stored()
    caller = user
    expect(await remove(digest)).toMatchObject({ status: 403, body: { code: 'forbidden' } })
    caller = admin
    expect(await one.artifacts.known([digest])).toEqual(new Set([digest]))
    expect((await remove(digest.slice(7))).status).toBe(204)
    expect([await one.artifacts.open(digest), await bytesOf(stores, digest)]).toEqual([null, null])
    expect(await remove(digest)).toMatchObject({ status: 404, body: { code: 'not_found' } })
    expect(await eventLog.list({}, 10)).toMatchObject([
      { kind: 'audit', actor: { email: admin.email }, detail: { digest } },
    ])
  })

  test('volatile bytes are deleted too', async () => {
    const { ref } = await one.artifacts.put(randomBytes(20), { ...named, volatile: true })
    expect((await remove(ref.digest)).status).toBe(204)
    expect(await one.artifacts.open(ref.digest)).toBeNull()
  })

  test('what runs, last values, flow inputs and code refer to is 409, which names them; history and cache do not count [R529] [R530] [R531]', async () => {
    const digest = await stored()
    const flow = '01900000-0000-7000-8000-0000000000aa'
    await one.database.sql`
      insert into flow (id, name, version, draft, origin) values (${flow}, 'detect', 1, '{}', 'api')`
    await one.database.transaction(async (tx) => {
      const owners = [
        ['run', 'r-1'],
        ['message', 'detect.photo'],
        ['flow_input', flow],
        ['code', 'sha256:c0de'],
        ['cache', 'key'],
        ['history', 'detect.photo:1'],
      ] as const
      for (const [kind, owner] of owners) await one.artifacts.addRefs(tx, kind, owner, [digest])
    })
    expect(await remove(digest)).toMatchObject({
      status: 409,
      body: {
        code: 'in_use',
        used_by: [
          { kind: 'code', id: 'sha256:c0de' },
          { kind: 'flow_input', id: 'detect' },
          { kind: 'message', id: 'detect.photo' },
          { kind: 'run', id: 'r-1' },
        ],
      },
    })
    const holders = [
      ['code', 'sha256:c0de'],
      ['flow_input', flow],
      ['message', 'detect.photo'],
      ['run', 'r-1'],
    ] as const
    for (const [kind, owner] of holders) {
      expect((await remove(digest)).status).toBe(409)
      await one.database.transaction((tx) => one.artifacts.dropRefs(tx, kind, [owner]))
    }
    expect((await remove(digest)).status).toBe(204)
    expect(await one.artifacts.open(digest)).toBeNull()
  })

  test('against what begins to refer to it, a deletion wins or is refused: no reference is without its bytes [T64]', async () => {
    const data = Array.from({ length: 100 }, () => randomBytes(50))
    const digests = await Promise.all(data.map(stored))
    const answers = await Promise.all(
      digests.flatMap((digest, at) => {
        const refer = () => two.database.transaction((tx) => two.artifacts.addRefs(tx, 'run', `run ${at}`, [digest]))
        return at % 2 ? [refer().then(() => 0), remove(digest)] : [remove(digest), refer().then(() => 0)]
      }),
    )
    const statuses = answers.flatMap((answer) => (typeof answer === 'number' ? [] : [answer.status]))
    const rows = await one.database.sql<{ digest: string }[]>`select digest from blob_ref where owner like 'run %'`
    const held = new Set(rows.map(({ digest }) => digest))
    for (const [at, digest] of digests.entries()) {
      expect([at, statuses[at]]).toEqual([at, held.has(digest) ? 409 : 204])
      expect((await bytesOf(stores, digest)) !== null).toBe(held.has(digest))
    }
  })

  test('an upload of the same bytes at the same moment is never lost', async () => {
    const data = Array.from({ length: 30 }, () => randomBytes(50))
    await Promise.all(data.map(stored))
    await Promise.all(
      data.flatMap((bytes) => [remove(digestOf(bytes)), two.artifacts.put(bytes, named).then(() => undefined)]),
    )
    for (const bytes of data) {
      const there = (await one.artifacts.known([digestOf(bytes)])).size === 1
      // the upload came first and was deleted, or second and is whole
      expect((await bytesOf(stores, digestOf(bytes))) !== null).toBe(there)
      if (there) expect(Buffer.from(await one.artifacts.read(digestOf(bytes)))).toEqual(bytes)
    }
  })
})
