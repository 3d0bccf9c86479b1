import type { Dashboard, DashboardListItem } from '@flow-service/protocol'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { contentOf, type DashboardService, startDashboards, statusesOf, widget } from './service.ts'

let at: DashboardService
beforeAll(async () => {
  at = await startDashboards()
})
afterAll(() => at[Symbol.asyncDispose]())

const one = contentOf(widget())
const two = contentOf(widget(), widget({ id: 'second', x: 3 }))

describe('a dashboard is made', () => {
  test('with a draft of which nothing is published, under a name that nobody has [R532, R533, R534]', async () => {
    const { status, value, headers } = await at.create('made', { title: 'Made', content: one })
    expect(status).toBe(201)
    expect(headers.get('location')).toBe(`${at.origin}/api/v1/dashboards/made`)
    expect(value).toEqual({
      name: 'made',
      title: 'Made',
      version: 1,
      has_draft: true,
      published_version: null,
      is_draft: true,
      origin: 'api',
      issues: [],
      content: {
        columns: 12,
        widgets: [{ ...widget(), title: '', binding: null, source: null, options: {} }],
      },
      created_at: expect.any(String),
      updated_at: value.created_at,
    })
    expect((await at.read('made', '?draft=true')).value).toEqual(value)
    expect(await at.read('made')).toMatchObject({ status: 404, problem: { code: 'not_found' } })
    const again = await at.create('made')
    expect(again).toMatchObject({ status: 409, problem: { code: 'already_exists' } })
    const { content: _content, is_draft: _isDraft, ...item } = value
    const { value: list } = await at.ann<DashboardListItem[]>('GET', '/dashboards/')
    expect(list.find(({ name }) => name === 'made')).toEqual(item)
  })

  test('empty without a body', async () => {
    expect((await at.create('empty')).value).toMatchObject({ title: '', content: { columns: 12, widgets: [] } })
  })

  test('not under what is no name, or a word of the address space', async () => {
    for (const name of ['a.b', '-a', 'a%20b', 'x'.repeat(101), '%3Cb%3E', 'from-flow', 'library', 'graph', 'ws']) {
      const { status, problem } = await at.create(name)
      expect([name, status, problem.errors?.[0]?.path]).toEqual([name, 422, 'path.name'])
    }
    const { problem } = await at.act('made', 'rename', { name: 'from-flow' })
    expect(problem).toMatchObject({ status: 422, errors: [{ path: '/name' }] })
    expect((await at.act('made', 'duplicate', { name: 'from-flow' })).status).toBe(422)
    const long = 'n'.repeat(98)
    await at.create(long)
    expect((await at.act(long, 'duplicate')).problem.detail).toContain('1 to 100')
  })
})

describe('a draft', () => {
  test('differs from what is published until it is published itself [R114, R533, R536, R537]', async () => {
    await at.published('door', { title: 'Door', content: one })
    const saved = await at.save('door', { title: 'Door two', content: two })
    expect(saved).toMatchObject({ status: 200, value: { version: 2, has_draft: true, is_draft: true } })
    const shown = (await at.read('door')).value
    expect(shown).toMatchObject({ title: 'Door', is_draft: false, has_draft: true, published_version: 1, version: 2 })
    expect(shown.content.widgets).toHaveLength(1)
    const draft = (await at.read('door', '?draft=true')).value
    expect(draft).toMatchObject({ title: 'Door two', is_draft: true })
    expect(draft.content.widgets).toHaveLength(2)
    const published = (await at.act('door', 'publish', { version: 2 })).value
    expect(published).toMatchObject({ version: 2, published_version: 2, has_draft: false, is_draft: false })
    expect((await at.read('door')).value).toEqual(published)
    expect((await at.act('door', 'publish')).value).toEqual(published)
  })

  test('keeps what a save leaves out', async () => {
    await at.create('part', { title: 'Part', content: one })
    expect((await at.save('part', { title: 'Other' })).value.content.widgets).toHaveLength(1)
    expect((await at.save('part', { content: two })).value.title).toBe('Other')
  })

  test('is dropped, and what was published is there again under a new version [R538]', async () => {
    await at.published('drop', { content: one })
    await at.save('drop', { content: two })
    const dropped = await at.act('drop', 'discard')
    expect(dropped).toMatchObject({ status: 200, value: { version: 3, published_version: 1, has_draft: false } })
    expect((await at.read('drop', '?draft=true')).value).toMatchObject({ is_draft: false, content: { widgets: [{}] } })
    expect((await at.act('drop', 'discard')).value).toEqual(dropped.value)
    expect((await at.save('drop', { content: two, version: 2 })).problem).toMatchObject({ current_version: 3 })
    await at.create('never')
    const refused = await at.act('never', 'discard')
    expect(refused).toMatchObject({ status: 409, problem: { code: 'not_published' } })
  })

  test('over a version that was read, and is no more the present one, is refused and changes nothing', async () => {
    await at.create('stale', { content: one })
    await at.save('stale', { content: two, version: 1 })
    const conflict = { status: 409, problem: { code: 'version_conflict', current_version: 2 } }
    expect(await at.save('stale', { content: one, version: 1 })).toMatchObject(conflict)
    expect(await at.act('stale', 'publish', { version: 1 })).toMatchObject(conflict)
    const { value } = await at.read('stale', '?draft=true')
    expect(value).toMatchObject({ version: 2, published_version: null, content: { widgets: [{}, {}] } })
    expect((await at.save('stale', { content: one })).value.version).toBe(3)
  })

  test('of many who save at once over the same version is that of one of them', async () => {
    await at.create('crowd')
    const titles = Array.from({ length: 12 }, (_, index) => `by ${index}`)
    const answers = await Promise.all(titles.map((title) => at.save('crowd', { title, version: 1 })))
    const [won, ...more] = answers.filter(({ status }) => status === 200)
    expect(more).toEqual([])
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(11)
    expect((await at.read('crowd', '?draft=true')).value).toEqual(won?.value)
    const unversioned = await Promise.all(titles.map((title) => at.save('crowd', { title })))
    expect(unversioned.map(({ value }) => value.version).toSorted((a, b) => a - b)).toEqual(
      titles.map((_, index) => index + 3),
    )
  })
})

describe('another name', () => {
  test('takes draft, published content and times along [R539]', async () => {
    await at.published('was', { title: 'Was', content: one })
    await at.save('was', { content: two })
    const before = (await at.read('was', '?draft=true')).value
    const renamed = await at.act('was', 'rename', { name: 'is' })
    expect(renamed.value).toEqual({ ...before, name: 'is', version: 3, updated_at: expect.any(String) })
    expect((await at.read('is')).value).toMatchObject({ published_version: 1, content: { widgets: [{}] } })
    expect(await at.read('was')).toMatchObject({ status: 404, problem: { code: 'not_found' } })
    await at.create('was')
    expect((await at.act('was', 'rename', { name: 'is' })).problem.code).toBe('already_exists')
  })

  test('is given to one of two who want it at once, and nothing of the other is lost', async () => {
    await Promise.all(['left', 'right'].map((name) => at.create(name, { title: name })))
    const answers = await Promise.all(['left', 'right'].map((name) => at.act(name, 'rename', { name: 'middle' })))
    expect(statusesOf(answers)).toEqual([200, 409])
    const titles = await Promise.all(
      ['left', 'right', 'middle'].map(async (name) => (await at.read(name, '?draft=true')).value.title),
    )
    expect(titles.filter((title) => title === 'left' || title === 'right').toSorted()).toEqual(['left', 'right'])
  })

  test('is given once, to two at once', async () => {
    await at.create('from')
    const answers = await Promise.all(['here', 'there'].map((name) => at.act('from', 'rename', { name })))
    expect(statusesOf(answers)).toEqual([200, 404])
  })
})

test('a copy is a draft of its own, called {name}_copy unless named [R540]', async () => {
  await at.published('first', { title: 'First', content: one })
  await at.save('first', { content: two })
  const { status, value, headers } = await at.act('first', 'duplicate')
  expect(status).toBe(201)
  expect(headers.get('location')).toBe(`${at.origin}/api/v1/dashboards/first_copy`)
  const copy = { name: 'first_copy', title: 'First', version: 1, published_version: null, has_draft: true }
  expect(value).toMatchObject({ ...copy, content: { widgets: [{}, {}] } })
  expect((await at.read('first_copy')).status).toBe(404)
  expect((await at.act('first', 'duplicate')).problem.code).toBe('already_exists')
  expect((await at.act('first', 'duplicate', { name: 'second' })).value.name).toBe('second')
})

test('a dashboard is deleted with its draft', async () => {
  await at.published('gone', { content: one })
  expect((await at.ann('DELETE', '/dashboards/gone')).status).toBe(204)
  expect((await at.read('gone', '?draft=true')).status).toBe(404)
  const { value } = await at.ann<Dashboard[]>('GET', '/dashboards/')
  expect(value.map(({ name }) => name)).not.toContain('gone')
})

test('what is not there is said so by every operation on it', async () => {
  const answers = await Promise.all([
    at.read('nobody'),
    at.read('nobody', '?draft=true'),
    at.save('nobody', { title: '' }),
    ...['publish', 'discard', 'duplicate'].map((verb) => at.act('nobody', verb)),
    at.act('nobody', 'rename', { name: 'somebody' }),
    at.ann('DELETE', '/dashboards/nobody'),
  ])
  for (const { status, problem } of answers)
    expect([status, problem.code, problem.detail]).toEqual([404, 'not_found', expect.stringContaining('"nobody"')])
})

test('the audit trail tells who made, published, discarded, renamed, copied and deleted it', async () => {
  await at.published('told', { content: one })
  await at.save('told', { content: two })
  await at.act('told', 'discard')
  await at.act('told', 'rename', { name: 'tale' })
  await at.act('tale', 'duplicate')
  await at.ann('DELETE', '/dashboards/tale')
  const entries = [...(await at.audited('told')), ...(await at.audited('tale')), ...(await at.audited('tale_copy'))]
  expect(entries.map(({ action, detail }) => [action, detail])).toEqual([
    ['dashboard.create', { dashboard: 'told', version: 1 }],
    ['dashboard.publish', { dashboard: 'told', version: 1 }],
    ['dashboard.discard', { dashboard: 'told', version: 3 }],
    ['dashboard.rename', { dashboard: 'tale', version: 4, from: 'told', to: 'tale' }],
    ['dashboard.delete', { dashboard: 'tale', version: 4 }],
    ['dashboard.duplicate', { dashboard: 'tale_copy', version: 1, from: 'tale' }],
  ])
  expect(new Set(entries.map(({ actor }) => actor?.email))).toEqual(new Set(['ann@example.org']))
})
