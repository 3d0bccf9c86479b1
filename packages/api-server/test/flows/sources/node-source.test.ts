import { hash } from 'node:crypto'

import type { FlowDocumentInput, LibrarySource, NodeSource } from '@flow-service/protocol'
import { nodeSourceSchema } from '@flow-service/protocol'
import { afterAll, beforeAll, expect, test } from 'vitest'

import { at, calc } from '../code-node.ts'
import { type Engine, openEngine, relay } from '../engine.ts'

let engine: Engine
beforeAll(async () => {
  engine = await openEngine()
})
afterAll(async () => {
  await engine[Symbol.asyncDispose]()
})

const doubling = 'def run(x):\n    return {"y": x * 2}\n'
const tripling = 'def run(x):\n    return {"y": x * 3}\n'

const doubled = (more: object = {}): FlowDocumentInput => ({
  ...calc({ source: doubling, ...more }),
  outputs: [{ name: 'y' }],
})

const source = (method: string, path: string, body?: unknown) => engine.root<NodeSource>(method, path, body)

test('the source of a node is read by every user, with its digest and the version of its flow [R462]', async () => {
  await engine.publish('read', doubled())
  const read = await engine.ann<NodeSource>('GET', at('read'))
  expect(read.status).toBe(200)
  expect(nodeSourceSchema.parse(read.value)).toEqual({
    flow: 'read',
    node: 'f',
    code: doubling,
    library: null,
    digest: `sha256:${hash('sha256', doubling)}`,
    version: 1,
  })
})

test('what has no source is not found, and the answer says what is missing [R163]', async () => {
  await engine.publish('plain', relay)
  await engine.root('PUT', '/flows/empty', doubled({ source: null }))
  const paths: [string, RegExp][] = [
    ['/flows/nowhere/nodes/f/source', /no flow "nowhere"/],
    ['/flows/plain/nodes/f/source', /no node "f"/],
    ['/flows/plain/nodes/pass/source', /of type "change", which has no source/],
  ]
  for (const [path, detail] of paths) {
    expect((await source('GET', path)).problem).toMatchObject({
      status: 404,
      code: 'not_found',
      detail: expect.stringMatching(detail),
    })
    expect((await source('PUT', path, { code: 'x' })).status).toBe(404)
  }
  expect((await source('GET', at('empty'))).value).toMatchObject({ code: '', library: null })
})

test('an edit of private source stays in the draft until it is published [R464]', async () => {
  await engine.publish('edited', doubled())
  const put = await source('PUT', at('edited'), { code: tripling, version: 1 })
  expect(put.value).toMatchObject({ code: tripling, library: null, version: 2 })
  expect((await engine.root('GET', '/flows/edited')).value).toMatchObject({
    version: 2,
    published_version: 1,
    is_draft: true,
    updated_by: 'root@example.org',
    nodes: [{ source: tripling }],
  })
  expect((await engine.root('GET', '/flows/edited?published=true')).value.nodes[0]?.source).toBe(doubling)
  expect((await engine.runnable.byName('edited', 'published'))?.document?.nodes[0]?.source).toBe(doubling)
  await engine.root('POST', '/flows/edited/publish', { version: 2 })
  expect((await engine.runnable.byName('edited', 'published'))?.document?.nodes[0]?.source).toBe(tripling)
  expect(engine.events).toContainEqual(expect.objectContaining({ type: 'flow', name: 'edited', version: 2 }))
})

test('a stale version is a conflict that stores nothing; without a version the latest edit wins', async () => {
  await engine.publish('stale', doubled())
  const put = await source('PUT', at('stale'), { code: tripling, version: 7 })
  expect(put.problem).toMatchObject({ status: 409, code: 'version_conflict', current_version: 1 })
  expect((await source('GET', at('stale'))).value.code).toBe(doubling)
  const edits = await Promise.all(
    Array.from({ length: 8 }, (_, n) => source('PUT', at('stale'), { code: `${doubling}# ${n}\n` })),
  )
  expect(edits.map(({ status }) => status)).toEqual(edits.map(() => 200))
  expect(new Set(edits.map(({ value }) => value.version)).size).toBe(8)
  expect((await source('GET', at('stale'))).value.version).toBe(9)
})

test('code that is what it was makes no new version', async () => {
  await engine.publish('same', doubled())
  expect((await source('PUT', at('same'), { code: doubling })).value.version).toBe(1)
  expect((await engine.root('GET', '/flows/same')).value.has_draft).toBe(false)
})

test('a syntax error in private source is stored and is an issue of the draft with its line', async () => {
  await engine.publish('typo', doubled())
  expect((await source('PUT', at('typo'), { code: 'def run(x):\n    return {\n' })).status).toBe(200)
  const flow = await engine.root('GET', '/flows/typo')
  expect(flow.value.issues).toMatchObject([
    {
      code: 'bad_source',
      severity: 'error',
      node: 'f',
      path: '/nodes/0/source',
      message: expect.stringMatching(/line \d/),
    },
  ])
})

test('ordinary users edit, share, unshare and delete no source [R463] [T27]', async () => {
  await engine.publish('guarded', doubled())
  const attempts: [string, string, unknown?][] = [
    ['PUT', at('guarded'), { code: tripling }],
    ['POST', at('guarded', 'share'), { name: 'guarded' }],
    ['POST', at('guarded', 'unshare')],
    ['DELETE', '/flows/library/guarded'],
    ['DELETE', '/flows/library/guarded?detach=true'],
  ]
  for (const [method, path, body] of attempts) {
    const { status, problem } = await engine.ann(method, path, body)
    expect({ path, status, code: problem.code }).toEqual({ path, status: 403, code: 'forbidden' })
  }
  expect((await source('GET', at('guarded'))).value).toMatchObject({ code: doubling, library: null, version: 1 })
})

test('a body that is no source update is refused', async () => {
  await engine.publish('strict', doubled())
  const bodies: [unknown, string][] = [
    [{}, '/code'],
    [{ code: 1 }, '/code'],
    [{ code: 'x'.repeat(1_000_001) }, '/code'],
    [{ code: 'x', version: 'new' }, '/version'],
    [{ code: 'x', more: 1 }, '/more'],
    [{ code: 'a\0b' }, '/code'],
  ]
  for (const [body, path] of bodies) {
    const { status, problem } = await source('PUT', at('strict'), body)
    expect({ status, path: problem.errors?.[0]?.path }).toEqual({ status: 422, path })
  }
  for (const name of ['a.b', '', 'x'.repeat(101)]) {
    expect((await source('POST', at('strict', 'share'), { name })).problem.errors?.[0]?.path).toBe('/name')
  }
  expect((await source('GET', at('strict'))).value.code).toBe(doubling)
})

test('sharing makes the code a library source that draft and published form use [R065] [R066] [R467]', async () => {
  await engine.publish('shares', doubled())
  const shared = await source('POST', at('shares', 'share'), { name: 'lib-shares' })
  expect(shared.value).toMatchObject({ flow: 'shares', node: 'f', code: doubling, library: 'lib-shares', version: 1 })
  for (const query of ['', '?published=true']) {
    expect((await engine.root('GET', `/flows/shares${query}`)).value).toMatchObject({
      version: 2,
      published_version: 2,
      has_draft: false,
      issues: [],
      nodes: [{ library: 'lib-shares', source: doubling }],
    })
  }
  const [row] = await engine.database.sql`select published from flow where name = 'shares'`
  expect(row?.['published']).toMatchObject({ nodes: [{ library: 'lib-shares', source: null }] })
  expect((await source('GET', at('shares'))).value).toEqual(shared.value)
})

test('the name of a shared source is the id of its node unless one is given; a taken one is refused [R467]', async () => {
  await engine.publish('named', doubled())
  await engine.publish('named-too', doubled())
  expect((await source('POST', at('named', 'share'))).value.library).toBe('f')
  const taken = await source('POST', at('named-too', 'share'), {})
  expect(taken.problem).toMatchObject({ status: 409, code: 'already_exists', detail: expect.stringMatching(/"f"/) })
  const again = await source('POST', at('named', 'share'), { name: 'other' })
  expect(again.problem).toMatchObject({ status: 409, code: 'already_exists', detail: expect.stringMatching(/unshare/) })
  expect((await engine.root('GET', '/flows/named-too')).value).toMatchObject({ version: 1, nodes: [{ library: null }] })
})

test('of parallel shares under one name exactly one wins', async () => {
  const names = ['race-a', 'race-b', 'race-c', 'race-d']
  await Promise.all(names.map((name) => engine.publish(name, doubled())))
  const answers = await Promise.all(names.map((name) => source('POST', at(name, 'share'), { name: 'raced' })))
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409, 409])
  const { value } = await engine.ann<LibrarySource[]>('GET', '/flows/library')
  expect(value.find(({ name }) => name === 'raced')?.used_by).toHaveLength(1)
})

test('a published form with other code than the draft keeps its own when the draft is shared', async () => {
  await engine.publish('ahead', doubled())
  await source('PUT', at('ahead'), { code: tripling })
  expect((await source('POST', at('ahead', 'share'), { name: 'ahead' })).value.code).toBe(tripling)
  expect((await engine.root('GET', '/flows/ahead')).value).toMatchObject({
    version: 3,
    published_version: 1,
    nodes: [{ library: 'ahead' }],
  })
  const old = await engine.root('GET', '/flows/ahead?published=true')
  expect(old.value.nodes[0]).toMatchObject({ library: null, source: doubling })
})

test('a node without code has nothing to share', async () => {
  await engine.root('PUT', '/flows/hollow', doubled({ source: null }))
  const { problem } = await source('POST', at('hollow', 'share'))
  expect(problem).toMatchObject({ status: 422, detail: expect.stringMatching(/no code to share/) })
})

test('unsharing gives the node its own copy, which later edits of the library do not reach [R065] [R468]', async () => {
  await engine.publish('leaves', doubled())
  await source('POST', at('leaves', 'share'), { name: 'left' })
  await engine.publish('stays', doubled({ library: 'left', source: null }))
  const copy = await source('POST', at('leaves', 'unshare'))
  expect(copy.value).toMatchObject({ code: doubling, library: null, version: 3 })
  await source('PUT', at('stays'), { code: tripling })
  expect((await engine.root('GET', '/flows/leaves?published=true')).value).toMatchObject({
    published_version: 3,
    nodes: [{ library: null, source: doubling }],
  })
  const again = await source('POST', at('leaves', 'unshare'))
  expect(again.value).toEqual(copy.value)
})
