import { afterAll, beforeAll, expect, test } from 'vitest'

import { type Engine, openEngine, relay } from './engine.ts'

let engine: Engine
beforeAll(async () => {
  engine = await openEngine()
})
afterAll(async () => {
  await engine[Symbol.asyncDispose]()
})

const discard = (name: string) => engine.ann('POST', `/flows/${name}/discard-draft`)

test('discarding the draft brings the published content back under a new version [R032] [R426]', async () => {
  await engine.publish('kept', { ...relay, title: 'published' })
  await engine.root('PUT', '/flows/kept', { ...relay, version: 1, title: 'draft' })
  const { status, value } = await discard('kept')
  expect(status).toBe(200)
  expect(value).toMatchObject({
    title: 'published',
    version: 3,
    published_version: 1,
    has_draft: false,
    is_draft: false,
    updated_by: 'ann@example.org',
  })
  expect((await engine.root('GET', '/flows/kept')).value).toEqual(value)
})

test('whoever still holds the discarded draft gets a conflict, on save and on publish [R422] [R424]', async () => {
  await engine.publish('late', relay)
  await engine.root('PUT', '/flows/late', { ...relay, version: 1, title: 'draft' })
  await discard('late')
  const conflict = { status: 409, code: 'version_conflict', current_version: 3 }
  expect((await engine.root('PUT', '/flows/late', { ...relay, version: 2 })).problem).toMatchObject(conflict)
  expect((await engine.root('POST', '/flows/late/publish', { version: 2 })).problem).toMatchObject(conflict)
  expect((await engine.root('PUT', '/flows/late', { ...relay, version: 3 })).status).toBe(200)
})

test('without anything published there is nothing to go back to; without a draft nothing changes [R426]', async () => {
  await engine.root('PUT', '/flows/new', relay)
  expect((await discard('new')).problem).toMatchObject({ status: 409, code: 'not_published' })
  expect((await discard('nobody')).problem).toMatchObject({ status: 404, code: 'not_found' })
  await engine.root('POST', '/flows/new/publish', { version: 1 })
  const before = await engine.root('GET', '/flows/new')
  const after = await discard('new')
  expect({ status: after.status, value: after.value }).toEqual({ status: 200, value: before.value })
})

test('an active flow is not disturbed, and its observers are told the new version', async () => {
  await engine.publish('running', relay)
  await engine.root('POST', '/flows/running/start')
  const flow = engine.runtime.get('running')
  await engine.root('PUT', '/flows/running', { ...relay, version: 1, title: 'draft' })
  expect((await discard('running')).value.status).toBe('active')
  expect(engine.runtime.get('running')).toBe(flow)
  expect(engine.events.findLast((event) => event.type === 'flow')).toMatchObject({ name: 'running', version: 3 })
})

test('what only the draft referred to is not kept any longer', async () => {
  const initial = async (text: string) =>
    (await engine.artifacts.put(Buffer.from(text), { name: '', mediaType: 'a/b', volatile: false })).ref
  const document = async (text: string) => ({
    mode: 'batch' as const,
    inputs: [{ name: 'm', dtype: 'artifact' as const, initial: await initial(text) }],
  })
  const [old, next] = [await document('old'), await document('next')]
  await engine.publish('refs', old)
  await engine.root('PUT', '/flows/refs', { ...next, version: 1 })
  const kept = async () => {
    const rows = await engine.database.sql`select digest from blob_ref where kind = 'flow_input'`
    return new Set(rows.map(({ digest }) => digest))
  }
  const digests = [old, next].map(({ inputs }) => inputs[0]?.initial.digest)
  expect(await kept()).toEqual(new Set(digests))
  await discard('refs')
  expect(await kept()).toEqual(new Set([digests[0]]))
})

test('of parallel saves and discards each answers what it did, and the version counts them [R421]', async () => {
  await engine.publish('race', relay)
  await engine.root('PUT', '/flows/race', { ...relay, version: 1 })
  const answers = await Promise.all([
    ...Array.from({ length: 5 }, () => discard('race')),
    ...Array.from({ length: 5 }, (_, at) =>
      engine.root('PUT', '/flows/race', { ...relay, version: 2, title: `${at}` }),
    ),
  ])
  expect(answers.every(({ status }) => status === 200 || status === 409)).toBe(true)
  const { value } = await engine.root('GET', '/flows/race')
  const versions = answers.flatMap(({ status, value: { version } }) => (status === 200 ? [version] : []))
  expect(Math.max(...versions)).toBe(value.version)
  expect(value.version).toBeLessThanOrEqual(4)
})
