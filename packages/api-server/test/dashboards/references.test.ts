import type { Dashboard, FlowDocumentInput, Issue } from '@flow-service/protocol'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { contentOf, type DashboardService, startDashboards, widget } from './service.ts'

let at: DashboardService
beforeAll(async () => {
  at = await startDashboards()
})
afterAll(() => at[Symbol.asyncDispose]())

const hall: FlowDocumentInput = { mode: 'live', inputs: [{ name: 'temp', dtype: 'float' }] }

describe('what nobody has is told as a warning, and kept', () => {
  const issuesOf = async (name: string, ...widgets: object[]): Promise<Issue[]> => {
    await at.create(name)
    return (await at.save(name, { content: contentOf(...widgets) })).value.issues
  }
  const places = (issues: readonly Issue[]) => issues.map(({ severity, code, path }) => `${severity} ${code} ${path}`)

  test('messages, bare ones among them, until a flow that has them is published', async () => {
    const binding = { message: 'porch.temp' }
    const source = { kind: 'messages', messages: ['porch.temp', 'temp', 'fit.error'] }
    const issues = await issuesOf('messages', widget({ binding }), widget({ id: 'b', x: 3, type: 'chart', source }))
    expect(places(issues)).toEqual([
      'warning unknown_message /content/widgets/0/binding/message',
      'warning unknown_message /content/widgets/1/source/messages/0',
      'warning unknown_message /content/widgets/1/source/messages/1',
    ])
    expect(issues[0]).toMatchObject({
      node: null,
      message: expect.stringMatching(/widget "temp".*"porch.temp"; publish/),
    })
    expect(issues[2]?.message).toContain('write it as "<flow>.<message>"')
    await at.publish('porch', hall)
    expect(places((await at.read('messages', '?draft=true')).value.issues)).toEqual([places(issues)[2]])
    const { value: list } = await at.ann<Dashboard[]>('GET', '/dashboards/')
    expect(places(list.find(({ name }) => name === 'messages')?.issues ?? [])).toEqual([places(issues)[2]])
  })

  const run = '0198d2a0-0000-7000-8000-000000000000'
  test.each([
    [{ latest: 3, flow: 'nobody' }, ['a.b'], ['unknown_flow /flow', 'unknown_metric']],
    [{ latest: 3, flow: 'fit' }, ['fit.loss', 'loss', 'fit.step'], []],
    [{ latest: 3, flow: 'fit' }, ['fit.error', 'los'], ['unknown_metric', 'unknown_metric']],
    [{ group_id: run }, ['fit.loss'], ['unknown_run /group_id']],
    [{ group_id: 'no id' }, ['loss'], ['unknown_run /group_id', 'unknown_metric']],
    [{ ids: [run, 'no id'] }, [], ['unknown_run /ids/0', 'unknown_run /ids/1']],
  ])('runs %j and their curves %j: %j', async (select, metrics, expected) => {
    const source = { kind: 'runs', select, metrics }
    const issues = await issuesOf(
      `runs-${JSON.stringify(select).length}-${metrics.length}`,
      widget({ type: 'chart', source }),
    )
    const shown = issues.map(({ code, path }) =>
      code === 'unknown_metric' ? code : `${code} ${path?.replace('/content/widgets/0/source/select', '')}`,
    )
    expect(shown).toEqual(expected)
  })

  test('an axis that is no curve', async () => {
    const source = { kind: 'runs', select: { latest: 1, flow: 'fit' }, metrics: ['fit.loss'], x: 'fit.lost' }
    const issues = await issuesOf('axis', widget({ type: 'chart', source }))
    expect(places(issues)).toEqual(['warning unknown_metric /content/widgets/0/source/x'])
  })

  test('but not runs that are there, and curves that they have drawn or brought along', async () => {
    const imported = { flow: 'fit', external_id: 'a', status: 'ok', created_at: '2024-01-01T00:00:00Z' }
    const metrics = [{ name: 'brought', step: 1, value: 1 }]
    const { value } = await at.root<{ runs: { id: string }[] }>('POST', '/runs/import', {
      runs: [{ ...imported, metrics }],
    })
    const id = value.runs[0]?.id ?? ''
    const swept = await at.root<{ group_id: string }>('POST', '/runs/flows/fit/sweep', { runs: [{ n: 1 }] })
    const sources = [
      { kind: 'runs', select: { ids: [id.toUpperCase()] }, metrics: ['fit.brought', 'brought', 'fit.loss'] },
      { kind: 'runs', select: { latest: 5, flow: 'fit' }, metrics: ['fit.brought', 'brought'] },
      { kind: 'runs', select: { group_id: swept.value.group_id }, metrics: ['fit.step'] },
    ]
    const widgets = sources.map((source, index) => widget({ id: `w${index}`, y: 2 * index, type: 'chart', source }))
    expect(places(await issuesOf('known', ...widgets))).toEqual([])
  })

  test('pictures that are not stored', async () => {
    const artifact = { digest: `sha256:${'0'.repeat(64)}`, name: 'a.png', media_type: 'image/png', size: 1 }
    const issues = await issuesOf('lost', widget({ type: 'image', options: { artifact } }))
    expect(places(issues)).toEqual(['warning unknown_artifact /content/widgets/0/options/artifact'])
  })
})

describe('a picture that is shown', () => {
  const shows = (artifact: object) => contentOf(widget({ type: 'image', options: { artifact } }))
  const digestOf = async (text: string) => {
    const picture = await at.picture(text)
    return { picture, path: `/artifacts/${picture.digest}` }
  }

  test('is not deleted as long as the draft or the published content shows it', async () => {
    const { picture, path } = await digestOf('shown')
    await at.published('shown', { content: shows(picture) })
    const refused = await at.root('DELETE', path)
    expect(refused).toMatchObject({
      status: 409,
      problem: { code: 'in_use', used_by: [{ kind: 'dashboard', id: 'shown' }] },
    })
    await at.save('shown', { content: contentOf() })
    await at.act('shown', 'rename', { name: 'hidden' })
    expect((await at.root('DELETE', path)).problem.used_by).toEqual([{ kind: 'dashboard', id: 'hidden' }])
    await at.act('hidden', 'publish')
    expect((await at.root('DELETE', path)).status).toBe(204)
  })

  test.each(['discard', 'delete'])('is free after a %s', async (verb) => {
    const { picture, path } = await digestOf(verb)
    await at.published(verb, { content: contentOf() })
    await at.save(verb, { content: shows(picture) })
    expect((await at.root('DELETE', path)).status).toBe(409)
    await (verb === 'delete' ? at.ann('DELETE', `/dashboards/${verb}`) : at.act(verb, verb))
    expect((await at.root('DELETE', path)).status).toBe(204)
  })

  test('is kept by a copy of its own', async () => {
    const { picture, path } = await digestOf('copied')
    await at.create('copied', { content: shows(picture) })
    await at.act('copied', 'duplicate')
    await at.ann('DELETE', '/dashboards/copied')
    expect((await at.root('DELETE', path)).problem.used_by).toEqual([{ kind: 'dashboard', id: 'copied_copy' }])
  })

  test('is not swept, and is when nothing shows it any more', async () => {
    const { picture, path } = await digestOf('swept')
    await at.create('swept', { content: shows(picture) })
    const { sql } = at.engine.database
    const sweep = async () => {
      await sql`update blob set touched_at = now() - interval '2 hours'`
      await at.engine.artifacts.sweep(new AbortController().signal)
      return (await at.root('GET', path)).status
    }
    expect(await sweep()).toBe(200)
    await at.save('swept', { content: contentOf() })
    expect(await sweep()).toBe(404)
  })
})

describe('a flow that is renamed', () => {
  const naming = (flow: string) =>
    contentOf(
      widget({ binding: { message: `${flow}.temp` } }),
      widget({ id: 'other', x: 3, binding: { message: `${flow}2.temp` } }),
      widget({
        id: 'line',
        x: 6,
        type: 'chart',
        source: { kind: 'messages', messages: [`${flow}.temp`, 'fit.error'] },
      }),
      widget({
        id: 'curves',
        y: 2,
        type: 'chart',
        source: { kind: 'runs', select: { latest: 2, flow }, metrics: [`${flow}.loss`, 'loss'], x: `${flow}.step` },
      }),
    )
  const widgetsOf = async (name: string, query = '') =>
    JSON.stringify((await at.read(name, query)).value.content.widgets)

  test('is followed by the drafts and published contents that name it, under a new version', async () => {
    await at.publish('attic', hall)
    await at.published('both', { content: naming('attic') })
    await at.published('kept', { content: naming('fit') })
    await at.save('both', { content: naming('attic'), title: 'A draft of "attic.temp"' })
    const published = await widgetsOf('both')
    const kept = (await at.read('kept')).value
    expect((await at.root('POST', '/flows/attic/rename', { name: 'roof' })).status).toBe(200)
    const expected = published.replaceAll('"attic.', '"roof.').replaceAll('"attic"', '"roof"')
    expect(await widgetsOf('both')).toBe(expected)
    expect(await widgetsOf('both', '?draft=true')).toBe(expected)
    const both = (await at.read('both', '?draft=true')).value
    expect(both).toMatchObject({ version: 3, published_version: 1, title: 'A draft of "attic.temp"' })
    expect((await at.read('kept')).value).toEqual(kept)
  })

  test('gives what was published a new version when there is no draft', async () => {
    await at.publish('cellar', hall)
    await at.published('single', { content: naming('cellar') })
    await at.root('POST', '/flows/cellar/rename', { name: 'vault' })
    expect((await at.read('single')).value).toMatchObject({ version: 2, published_version: 2, has_draft: false })
  })
})

test('a stored content that cannot be read is told, and keeps the others from nothing', async () => {
  await at.published('broken', { content: contentOf(widget()) })
  await at.engine.database.sql`update dashboard set published = '{"content": {"columns": 99}}' where name = 'broken'`
  const { status, value } = await at.read('broken')
  expect([status, value.content.widgets]).toEqual([200, []])
  expect(value.issues).toMatchObject([{ severity: 'error', code: 'bad_setting', path: '/content/columns' }])
  expect((await at.ann('GET', '/dashboards/')).status).toBe(200)
  expect((await at.save('broken', { title: 'Whole', content: contentOf() })).value.issues).toEqual([])
})
