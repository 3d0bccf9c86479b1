import { afterAll, beforeAll, expect, test } from 'vitest'

import { type Engine, openEngine, reader, relay } from './engine.ts'

let engine: Engine
beforeAll(async () => {
  engine = await openEngine()
})
afterAll(async () => {
  await engine[Symbol.asyncDispose]()
})

const rename = (from: string, to: unknown) => engine.root('POST', `/flows/${from}/rename`, { name: to })
const portOf = async (path: string) => (await engine.root('GET', path)).value.nodes[0]?.ports[0]
const shown = (message: string) => engine.lastValues.get(message)?.value

test('an active flow goes on under its new name with its values and history, and who reads it follows [R029] [R454]', async () => {
  await engine.publish('meter', { ...relay, title: 'Meter' })
  await engine.publish('meter_reader', reader('meter.off'))
  await engine.root('POST', '/flows/meter/start')
  await engine.root('POST', '/flows/meter_reader/start')
  engine.runtime.publish('meter.on', 5)
  await expect.poll(() => shown('meter_reader.seen')).toBe(5)

  const renamed = await rename('meter', 'gauge')
  expect(renamed.status).toBe(200)
  expect(renamed.value).toMatchObject({ name: 'gauge', title: 'Meter', status: 'active', version: 2, has_draft: false })
  expect(renamed.value.nodes[0]?.ports[0]).toMatchObject({ name: 'on', message: 'gauge.on' })
  expect((await engine.root('GET', '/flows/meter')).status).toBe(404)
  expect(engine.lastValues.all().filter(({ message }) => message.startsWith('meter.'))).toEqual([])
  expect([shown('gauge.on'), shown('gauge.off')]).toEqual([5, 5])
  expect(await engine.lastValues.history('gauge.off', { limit: 10 })).toMatchObject([
    { message: 'gauge.off', value: '5', flow: 'gauge', node: 'pass' },
  ])

  const follower = await engine.root('GET', '/flows/meter_reader')
  expect(follower.value).toMatchObject({ status: 'active', version: 2, has_draft: false, issues: [] })
  expect(follower.value.nodes[0]?.ports[0]).toMatchObject({ name: 'gauge.off', port: 'off', message: 'gauge.off' })
  engine.runtime.publish('gauge.on', 6)
  await expect.poll(() => shown('meter_reader.seen')).toBe(6)
  expect(engine.runtime.publish('meter.on', 7).cascade).toBeNull()
})

test('webhooks answer under the new name alone [R454]', async () => {
  const hook = {
    id: 'hook',
    type: 'http',
    settings: { url: 'in' },
    ports: [{ direction: 'output', name: 'x' } as const],
  }
  await engine.publish('caller', { nodes: [hook] })
  await engine.root('POST', '/flows/caller/start')
  expect(engine.hooks.find('/caller/in')).toBeDefined()
  await rename('caller', 'called')
  expect(engine.hooks.find('/caller/in')).toBeUndefined()
  expect(engine.hooks.find('/called/in')).toBeDefined()
})

test('drafts of other flows follow, whether or not those have a published form [R454]', async () => {
  await engine.publish('source', relay)
  await engine.root('PUT', '/flows/planned', { ...reader('source.on'), version: 0 })
  await engine.publish('revised', relay)
  await engine.root('PUT', '/flows/revised', { ...reader('source.off'), version: 1 })
  expect((await rename('source', 'spring')).status).toBe(200)
  expect(await portOf('/flows/planned')).toMatchObject({ message: 'spring.on' })
  expect(await portOf('/flows/revised')).toMatchObject({ message: 'spring.off' })
  expect((await engine.root('POST', '/flows/revised/publish', { version: 3 })).status).toBe(200)
})

test('a stopped flow stays stopped, a draft a draft', async () => {
  await engine.publish('idle', relay)
  await engine.root('PUT', '/flows/idle', { ...relay, version: 1, title: 'later' })
  expect((await rename('idle', 'idler')).value).toMatchObject({
    status: 'stopped',
    version: 3,
    published_version: 1,
    has_draft: true,
    title: 'later',
  })
  await engine.root('PUT', '/flows/sketch', relay)
  expect((await rename('sketch', 'sketched')).value).toMatchObject({
    status: 'draft',
    version: 2,
    published_version: null,
  })
})

test('qualified references to the flow follow wherever they stand, and nothing else does', async () => {
  await engine.publish('src', { ...relay, inputs: [{ name: 'on' }, { name: 'more' }] })
  await engine.publish('src2', relay)
  await engine.root('PUT', '/flows/forms', reader('src.on'))
  await engine.root('POST', '/flows/forms/publish', { version: 1 })
  await engine.root('PUT', '/flows/forms', { ...reader('src.more'), version: 1 })
  await engine.publish('alike', { ...reader('src2.on'), title: 'not "src.on"', layout: { 'src.on': 'src.on' } })
  const [node] = relay.nodes ?? []
  const own = [{ direction: 'input', name: 'selfish.on' } as const, { direction: 'output', name: 'src.on' } as const]
  await engine.publish('selfish', {
    inputs: [{ name: 'on' }],
    nodes: [{ ...node, id: 'n', type: 'change', ports: own }],
  })

  expect((await rename('src', 'origin')).status).toBe(200)
  expect(await portOf('/flows/forms')).toMatchObject({ name: 'origin.more', message: 'origin.more' })
  expect(await portOf('/flows/forms?published=true')).toMatchObject({ name: 'origin.on', message: 'origin.on' })
  expect((await engine.root('GET', '/flows/forms')).value).toMatchObject({ version: 3, published_version: 1 })
  expect((await engine.root('GET', '/flows/alike')).value).toMatchObject({
    version: 1,
    title: 'not "src.on"',
    layout: { nodes: {}, 'src.on': 'src.on' },
  })
  expect(await portOf('/flows/alike')).toMatchObject({ name: 'src2.on' })
  expect((await engine.root('GET', '/flows/selfish')).value.nodes[0]?.ports[1]).toMatchObject({ message: 'origin.on' })

  await rename('selfish', 'selfless')
  expect(await portOf('/flows/selfless')).toMatchObject({ name: 'selfless.on', message: 'selfless.on' })
})

test('whoever still holds what another flow was before its references changed gets a conflict [R422]', async () => {
  await engine.publish('base', relay)
  await engine.publish('follower', reader('base.on'))
  await rename('base', 'basis')
  const late = await engine.root('PUT', '/flows/follower', { ...reader('base.on'), version: 1 })
  expect(late.problem).toMatchObject({ status: 409, code: 'version_conflict', current_version: 2 })
})

test('a name that is taken, reserved or malformed is refused, and so is an unknown flow [R454]', async () => {
  await engine.root('PUT', '/flows/one', relay)
  await engine.root('PUT', '/flows/two', relay)
  expect((await rename('one', 'two')).problem).toMatchObject({ status: 409, code: 'already_exists' })
  expect((await rename('one', 'one')).problem).toMatchObject({ status: 409, code: 'already_exists' })
  expect((await rename('nobody', 'somebody')).problem).toMatchObject({ status: 404, code: 'not_found' })
  for (const name of ['graph', 'library', 'a.b', '', 7, null, 'x'.repeat(101)]) {
    const { status, problem } = await rename('one', name)
    expect({ name, status, path: problem.errors?.[0]?.path }).toEqual({ name, status: 422, path: '/name' })
  }
  expect((await engine.root('POST', '/flows/one/rename', {})).status).toBe(422)
  expect((await engine.root('POST', '/flows/one/rename', { name: 'x', force: true })).status).toBe(422)
  expect((await engine.root('GET', '/flows/one')).value.version).toBe(1)
})

test('the renaming is recorded, and an ordinary user may do it though the flow has code', async () => {
  const code = { id: 'f', type: 'python', source: 'def run():\n    return {}\n' }
  await engine.root('PUT', '/flows/coded', { mode: 'batch', nodes: [code], resources: { env: { A: '1' } } })
  const { status, value } = await engine.ann('POST', '/flows/coded/rename', { name: 'recoded' })
  expect({ status, source: value.nodes[0]?.source, env: value.resources.env }).toEqual({
    status: 200,
    source: code.source,
    env: { A: '1' },
  })
  const rows = await engine.database.sql`select action, flow, detail from engine_event where action = 'flow.rename'`
  const details = rows.map(({ flow, detail }) => [flow, typeof detail === 'string' ? JSON.parse(detail) : detail])
  expect(details).toContainEqual(['recoded', { from: 'coded', to: 'recoded', version: 2 }])
})

test('values that a deleted flow of the new name has left are not inherited, artifacts stay referred to', async () => {
  await engine.publish('photo', relay)
  await engine.root('POST', '/flows/photo/start')
  const image = await engine.artifacts.put(Buffer.from('px'), { name: '', mediaType: 'image/png', volatile: false })
  engine.runtime.publish('picture.on', 'left over')
  engine.runtime.publish('photo.on', image.ref)
  await expect.poll(() => shown('photo.off')).toEqual(image.ref)
  await engine.lastValues.flush()
  await rename('photo', 'picture')
  expect(shown('picture.on')).toEqual(image.ref)
  expect(await engine.lastValues.history('picture.on', { limit: 10 })).toHaveLength(1)
  const owners = await engine.database.sql`select owner from blob_ref where digest = ${image.ref.digest} order by owner`
  expect(owners.map(({ owner }) => owner)).toEqual(['picture.off', 'picture.off#1', 'picture.on', 'picture.on#1'])
  engine.runtime.publish('picture.on', 1)
  await expect.poll(() => shown('picture.off')).toBe(1)
  await engine.lastValues.flush()
  const left = await engine.database.sql`select owner from blob_ref where digest = ${image.ref.digest} order by owner`
  expect(left.map(({ owner }) => owner)).toEqual(['picture.off#1', 'picture.on#1'])
})

test('renaming to one name from several flows at once succeeds for one [R454]', async () => {
  const names = Array.from({ length: 8 }, (_, at) => `many${at}`)
  for (const name of names) await engine.root('PUT', `/flows/${name}`, relay)
  const answers = await Promise.all(names.map((name) => rename(name, 'single')))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  expect(answers.filter(({ status }) => status === 409)).toHaveLength(7)
})

test('flows that name each other are renamed at once without waiting for each other for ever', async () => {
  await engine.publish('left', { ...reader('right.seen'), inputs: [{ name: 'x' }] })
  await engine.publish('right', { ...reader('left.seen'), inputs: [{ name: 'x' }] })
  for (const name of ['left', 'right']) await engine.root('POST', `/flows/${name}/start`)
  const answers = await Promise.all([rename('left', 'west'), rename('right', 'east'), rename('left', 'occident')])
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 404])
  expect(await portOf('/flows/west')).toMatchObject({ message: 'east.seen' })
  expect(await portOf('/flows/east')).toMatchObject({ message: 'west.seen' })
  const list = await engine.root<{ name: string; status: string }[]>('GET', '/flows/')
  expect(list.value.filter(({ name }) => name === 'west' || name === 'east').map(({ status }) => status)).toEqual([
    'active',
    'active',
  ])
})

test('after a restart the flow and its values are there under the new name', async () => {
  const first = await openEngine()
  await first.publish('before', relay)
  await first.publish('next_to', reader('before.off'))
  for (const name of ['before', 'next_to']) await first.root('POST', `/flows/${name}/start`)
  first.runtime.publish('before.on', 3)
  await expect.poll(() => first.lastValues.get('next_to.seen')?.value).toBe(3)
  await first.root('POST', '/flows/before/rename', { name: 'after' })
  first.runtime.publish('after.on', 4)
  await expect.poll(() => first.lastValues.get('next_to.seen')?.value).toBe(4)
  await first.close()

  await using second = await openEngine({ dataDir: first.dataDir })
  expect(second.lastValues.get('after.on')?.value).toBe(4)
  expect(second.lastValues.all().some(({ message }) => message.startsWith('before.'))).toBe(false)
  expect((await second.root('GET', '/flows/after')).value).toMatchObject({ status: 'active', name: 'after' })
  second.runtime.publish('after.on', 5)
  await expect.poll(() => second.lastValues.get('next_to.seen')?.value).toBe(5)
})
