import { rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { batchFlow, python, stage, t } from '@flow-service/flow-sdk'
import { type FlowListItem, type LibrarySource, librarySourceSchema, type NodeSource } from '@flow-service/protocol'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'

import { Library } from '../../../src/flows/sources/library.ts'
import { user } from '../../http/server.ts'
import { at, calc } from '../code-node.ts'
import { type Engine, openEngine } from '../engine.ts'

let engine: Engine
beforeAll(async () => {
  engine = await openEngine()
})
afterAll(async () => {
  await engine[Symbol.asyncDispose]()
})

const times = (factor: number): string => `def run(x):\n    return {"y": x * ${factor}}\n`

const source = (method: string, path: string, body?: unknown) => engine.root<NodeSource>(method, path, body)

/** A published flow whose code is shared under the flow's own name. */
async function shared(name: string, mode: 'live' | 'batch' = 'batch'): Promise<void> {
  await engine.publish(name, calc({ source: times(2) }, mode))
  expect((await source('POST', at(name, 'share'), { name })).status).toBe(200)
}

async function listed(name: string): Promise<LibrarySource | undefined> {
  const { value } = await engine.ann<LibrarySource[]>('GET', '/flows/library')
  return value.map((item) => librarySourceSchema.parse(item)).find((item) => item.name === name)
}

const audit = async (action: string, flow: string | null) => {
  const rows = await engine.database.sql<{ actor: unknown; node: string | null; detail: unknown }[]>`
    select actor, node, detail from engine_event where action = ${action} and flow is not distinct from ${flow}`
  return [...rows]
}

test('the library lists shared sources with the nodes that use them, in draft and published form [R066] [R469]', async () => {
  await shared('lists')
  await engine.root('PUT', '/flows/lists-draft', calc({ library: 'lists' }))
  expect(await listed('lists')).toMatchObject({
    code: times(2),
    digest: (await source('GET', at('lists'))).value.digest,
    used_by: [
      { flow: 'lists', node: 'f', draft: false, published: true },
      { flow: 'lists-draft', node: 'f', draft: true, published: false },
    ],
  })
})

test('an edit of shared source changes drafts and published forms of all users at once [R465]', async () => {
  await shared('edits')
  await engine.publish('edits-too', calc({ library: 'edits' }))
  await engine.root('PUT', '/flows/edits-draft', calc({ library: 'edits' }))
  const put = await source('PUT', at('edits-too'), { code: times(3), version: 1 })
  expect(put.value).toMatchObject({ flow: 'edits-too', library: 'edits', code: times(3), version: 2 })
  for (const name of ['edits', 'edits-too', 'edits-draft']) {
    const { value } = await engine.ann('GET', `/flows/${name}`)
    expect(value.nodes[0]).toMatchObject({ library: 'edits', source: times(3) })
  }
  expect((await engine.root('GET', '/flows/edits-too')).value.version).toBe(1)
  expect((await engine.runnable.byName('edits', 'published'))?.document?.nodes[0]?.source).toBe(times(3))
})

test('an edit of shared source writes an audit entry like a publish [R466]', async () => {
  await shared('audited')
  await source('PUT', at('audited'), { code: times(3) })
  const entry = { actor: expect.objectContaining({ email: 'root@example.org' }), node: 'f' }
  expect(await audit('library.update', 'audited')).toEqual([
    { ...entry, detail: { library: 'audited', version: 2, flows: ['audited'] } },
  ])
  expect(await audit('library.share', 'audited')).toEqual([{ ...entry, detail: { library: 'audited' } }])
})

test('an active flow executes the new code without being started again [R465]', async () => {
  await shared('runs', 'live')
  await engine.publish('runs-too', calc({ library: 'runs' }, 'live'))
  for (const name of ['runs', 'runs-too']) await engine.root('POST', `/flows/${name}/start`)
  await source('PUT', at('runs'), { code: times(10) })
  for (const name of ['runs', 'runs-too']) {
    expect((await engine.root('GET', `/flows/${name}`)).value.status).toBe('active')
    engine.runtime.publish(`${name}.x`, 4)
    await expect.poll(() => engine.lastValues.get(`${name}.y`)?.value).toBe(40)
  }
})

test('an active flow of which the draft alone uses shared source goes on untouched by an edit of it', async () => {
  await shared('owned')
  await engine.publish('bystander', calc({ source: times(3) }, 'live'))
  await engine.root('POST', '/flows/bystander/start')
  const draft = { ...calc({ library: 'owned' }, 'live'), version: 1 }
  expect((await engine.root('PUT', '/flows/bystander', draft)).status).toBe(200)
  const running = engine.runtime.get('bystander')
  expect(running).toBeDefined()
  expect((await source('PUT', at('owned'), { code: times(5) })).status).toBe(200)
  expect(engine.runtime.get('bystander')).toBe(running)
  expect((await source('GET', at('bystander'))).value.code).toBe(times(5))
})

test('a stale version of shared source is a conflict with the version of the library source', async () => {
  await shared('stale')
  await source('PUT', at('stale'), { code: times(3), version: 1 })
  const late = await source('PUT', at('stale'), { code: times(4), version: 1 })
  expect(late.problem).toMatchObject({ status: 409, code: 'version_conflict', current_version: 2 })
  const answers = await Promise.all(
    [5, 6, 7, 8].map((factor) => source('PUT', at('stale'), { code: times(factor), version: 2 })),
  )
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409, 409])
  const winner = answers.find(({ status }) => status === 200)
  expect((await listed('stale'))?.code).toBe(winner?.value.code)
})

test('shared code that a published user could not execute is refused with the line, and nothing changes', async () => {
  await shared('strict')
  const refusals: [string, RegExp][] = [
    ['def run(x):\n    return {\n', /published flow "strict".*line \d/],
    ['def one(x): pass\ndef two(x): pass\n', /no function "run"/],
    ['def run(x, z):\n    return {"y": x}\n', /line 1: run\(\) asks for "z"/],
  ]
  for (const [code, detail] of refusals) {
    const { problem } = await source('PUT', at('strict'), { code })
    expect(problem).toMatchObject({ status: 422, code: 'validation_failed', detail: expect.stringMatching(detail) })
    expect(problem.errors).toMatchObject([{ path: '/code', code: 'bad_source' }])
  }
  expect((await source('GET', at('strict'))).value).toMatchObject({ code: times(2), version: 1 })
})

test('shared code that only drafts use may be broken: it is an issue of the drafts', async () => {
  await engine.root('PUT', '/flows/sketch', calc({ source: times(2) }))
  await source('POST', at('sketch', 'share'), { name: 'sketch' })
  expect((await source('PUT', at('sketch'), { code: 'def run(:\n' })).status).toBe(200)
  const { value } = await engine.root('GET', '/flows/sketch')
  expect(value.issues).toMatchObject([{ code: 'bad_source', node: 'f', path: '/nodes/0/source' }])
  expect((await engine.root('POST', '/flows/sketch/publish', { version: value.version })).status).toBe(422)
})

test('an editor that read a flow before its shared code changed saves without conflict and changes no code', async () => {
  await shared('open')
  const { value: read } = await engine.ann('GET', '/flows/open')
  await source('PUT', at('open'), { code: times(3) })
  const saved = await engine.ann('PUT', '/flows/open', { ...read, title: 'T' })
  expect(saved.status).toBe(200)
  expect(saved.value).toMatchObject({ title: 'T', nodes: [{ library: 'open', source: times(3) }] })
  expect((await source('GET', at('open'))).value).toMatchObject({ code: times(3), version: 2 })
})

test('removing the name of the library source in a document leaves a copy of its code', async () => {
  await shared('copied')
  const document = calc({ library: null })
  expect((await engine.ann('PUT', '/flows/copied', { ...document, version: 2 })).status).toBe(403)
  const { value } = await engine.root('PUT', '/flows/copied', { ...document, version: 2 })
  expect(value.nodes[0]).toMatchObject({ library: null, source: times(2) })
})

test('a library source that does not exist is an error of its node, in the list too, until there is one', async () => {
  const saved = await engine.root('PUT', '/flows/dangling', calc({ library: 'later' }))
  expect(saved.status).toBe(201)
  expect(saved.value.issues).toMatchObject([
    { code: 'unknown_library', severity: 'error', node: 'f', path: '/nodes/0/library' },
  ])
  const errors = async () => {
    const { value } = await engine.ann<FlowListItem[]>('GET', '/flows/')
    return value.find(({ name }) => name === 'dangling')?.issues.error
  }
  expect(await errors()).toBe(1)
  expect((await engine.root('POST', '/flows/dangling/publish', { version: 1 })).status).toBe(422)
  for (const [method, path, body] of [
    ['GET', at('dangling')],
    ['PUT', at('dangling'), { code: times(2) }],
    ['POST', at('dangling', 'unshare')],
  ] as const)
    expect((await source(method, path, body)).problem).toMatchObject({
      status: 404,
      detail: expect.stringMatching(/no source "later"/),
    })
  await engine.publish('maker', calc({ source: times(2) }))
  await source('POST', at('maker', 'share'), { name: 'later' })
  expect(await errors()).toBe(0)
  expect((await engine.root('POST', '/flows/dangling/publish', { version: 1 })).status).toBe(200)
})

test('what another engine writes to the library is what this one executes', async () => {
  await shared('elsewhere')
  await engine.database.sql`update library set code = ${times(9)}, version = version + 1 where name = 'elsewhere'`
  expect((await source('GET', at('elsewhere'))).value).toMatchObject({ code: times(9), version: 2 })
  expect((await engine.runnable.byName('elsewhere', 'published'))?.document?.nodes[0]?.source).toBe(times(9))
})

test('a source in use is not deleted; the answer names its users [R470]', async () => {
  await shared('used')
  const { problem } = await engine.root('DELETE', '/flows/library/used')
  expect(problem).toMatchObject({
    status: 409,
    code: 'in_use',
    detail: expect.stringMatching(/"f" of "used"/),
    used_by: [{ flow: 'used', node: 'f', draft: false, published: true }],
  })
  await source('POST', at('used', 'unshare'))
  expect((await engine.root('DELETE', '/flows/library/used')).status).toBe(204)
  expect(await listed('used')).toBeUndefined()
  expect((await engine.root('DELETE', '/flows/library/used')).status).toBe(404)
})

test('with detach every user gets its own copy, in draft and published form, before the source goes [R471]', async () => {
  await shared('apart', 'live')
  await engine.root('POST', '/flows/apart/start')
  await engine.root('PUT', '/flows/apart', { ...calc({ library: 'apart' }, 'live'), title: 'draft', version: 2 })
  await engine.root('PUT', '/flows/apart-draft', calc({ library: 'apart' }))
  expect((await engine.root('DELETE', '/flows/library/apart?detach=true')).status).toBe(204)
  expect(await listed('apart')).toBeUndefined()
  for (const path of ['/flows/apart', '/flows/apart?published=true', '/flows/apart-draft']) {
    const { value } = await engine.root('GET', path)
    expect(value).toMatchObject({ issues: [], nodes: [{ library: null, source: times(2) }] })
  }
  expect((await engine.root('GET', '/flows/apart')).value).toMatchObject({
    version: 4,
    published_version: 2,
    status: 'active',
    title: 'draft',
  })
  expect(await audit('library.delete', null)).toContainEqual(
    expect.objectContaining({
      detail: {
        library: 'apart',
        version: 1,
        detached: [
          { flow: 'apart', node: 'f', draft: true, published: true },
          { flow: 'apart-draft', node: 'f', draft: true, published: false },
        ],
      },
    }),
  )
})

test('a flow with a shared source is deleted without the source', async () => {
  await shared('leaves')
  expect((await engine.root('DELETE', '/flows/leaves')).status).toBe(204)
  expect(await listed('leaves')).toMatchObject({ used_by: [], code: times(2) })
})

test('the source of a flow in TypeScript is read, and changed in its module alone', async () => {
  const file = join(tmpdir(), `library-${process.pid}.py`)
  onTestFinished(() => rm(file))
  await writeFile(file, times(2))
  const calcNode = python('f', { file, in: { x: t.float }, out: { y: t.any } })
  const typed = stage('g', { in: { y: t.any }, out: { z: t.any }, run: ({ y }) => ({ z: y }) })
  const flow = batchFlow('typed', { x: t.float }, (p, use) => ({ z: use(typed, { y: use(calcNode, p).y }).z }))
  await using other = await openEngine({ objects: [flow] })
  const read = await other.ann<NodeSource>('GET', at('typed'))
  expect(read.value).toMatchObject({ code: times(2), library: null })
  const changes = [
    await other.root('PUT', at('typed'), { code: times(3) }),
    await other.root('POST', at('typed', 'share')),
    await other.root('POST', at('typed', 'unshare')),
  ]
  expect(changes.map(({ status, problem }) => [status, problem.code])).toEqual(changes.map(() => [409, 'code_defined']))
  const code = await other.root('GET', '/flows/typed/nodes/g/source')
  expect(code.problem).toMatchObject({ status: 404, detail: expect.stringMatching(/its code is g of /) })
})

test('a flow whose module is gone belongs to the API once its source is shared, like by any other change', async () => {
  const file = join(tmpdir(), `library-gone-${process.pid}.py`)
  onTestFinished(() => rm(file))
  await writeFile(file, times(2))
  const calcNode = python('f', { file, in: { x: t.float }, out: { y: t.any } })
  const flow = batchFlow('orphan', { x: t.float }, (p, use) => ({ y: use(calcNode, p).y }))
  const before = await openEngine({ objects: [flow] })
  await before.close()
  await using other = await openEngine({ dataDir: before.dataDir })
  expect((await other.root('GET', '/flows/orphan')).value).toMatchObject({ origin: 'code', status: 'failed' })
  expect((await other.root('POST', at('orphan', 'share'), { name: 'kept' })).status).toBe(200)
  const { value } = await other.root('GET', '/flows/orphan')
  expect(value).toMatchObject({ origin: 'api', code: null, nodes: [{ id: 'f', library: 'kept' }] })
  expect((value as { issues: { code: string }[] }).issues.map(({ code }) => code)).not.toContain('module_missing')
})

test('a user that is published while new shared code is looked at is looked at too', async () => {
  await shared('raced')
  const draft = calc({ source: null, library: 'raced' })
  const { value } = await engine.root<{ version: number }>('PUT', '/flows/racer', draft)
  const { version } = (await source('GET', at('raced'))).value
  const lateUser = async () => void (await engine.root('POST', '/flows/racer/publish', { version: value.version }))
  let asked = 0
  const library = new Library({
    ...engine,
    async pythonIssues(document) {
      // the first look is the one before the lock
      if (asked++ === 0) await lateUser()
      const issue = {
        severity: 'error',
        code: 'bad_source',
        message: 'the racer cannot',
        node: 'f',
        path: null,
      } as const
      return document.name === 'racer' ? [issue] : []
    },
  })
  const update = { name: 'raced', code: times(5), version, through: { flow: 'raced', node: 'f' } }
  await expect(library.update(update, user)).rejects.toThrow('the racer cannot')
  expect((await source('GET', at('raced'))).value.code).toBe(times(2))
})
