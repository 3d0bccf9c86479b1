import type { Dashboard, Widget } from '@flow-service/protocol'
import { afterAll, beforeAll, expect, test } from 'vitest'

import { type DashboardService, startDashboards } from './service.ts'

let at: DashboardService
beforeAll(async () => {
  at = await startDashboards()
})
afterAll(() => at[Symbol.asyncDispose]())

const make = (flow: string, body?: object) => at.ann<Dashboard>('POST', `/dashboards/from-flow/${flow}`, body)

const overlap = (a: Widget, b: Widget): boolean =>
  a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h

test('a batch flow has a chart for each numeric curve, and a widget for each output by its dtype [R535]', async () => {
  const { status, value, headers } = await make('fit')
  expect(status).toBe(201)
  expect(headers.get('location')).toBe(`${at.origin}/api/v1/dashboards/fit_results`)
  expect(value).toMatchObject({
    name: 'fit_results',
    title: 'Results of Fit',
    version: 1,
    published_version: 1,
    has_draft: false,
    is_draft: false,
    origin: 'api',
    issues: [],
  })
  const newest = (latest: number, metrics: string[]) => ({ kind: 'runs', select: { latest, flow: 'fit' }, metrics })
  const { widgets } = value.content
  expect(widgets.map(({ type, title, binding, source }) => [type, title, binding?.message ?? null, source])).toEqual([
    ['chart', 'loss', null, newest(5, ['fit.loss'])],
    ['chart', 'step', null, newest(5, ['fit.step'])],
    ['value', 'error', 'fit.error', newest(1, [])],
    ['table', 'rows', 'fit.rows', newest(1, [])],
    ['image', 'photo', 'fit.photo', newest(1, [])],
    ['table', 'summary', 'fit.report', newest(1, [])],
    ['value', 'model', 'fit.model', newest(1, [])],
  ])
  const overlaps = widgets.flatMap((a, at) => widgets.slice(at + 1).filter((b) => overlap(a, b)))
  expect(overlaps).toEqual([])
  expect(Math.max(...widgets.map(({ x, w }) => x + w))).toBeLessThanOrEqual(value.content.columns)
  expect((await at.read('fit_results')).value).toEqual(value)
  const entries = await at.audited('fit_results')
  expect(entries.map(({ action, detail }) => [action, detail])).toEqual([
    ['dashboard.create', { dashboard: 'fit_results', version: 1, flow: 'fit' }],
    ['dashboard.publish', { dashboard: 'fit_results', version: 1, flow: 'fit' }],
  ])
  expect(await make('fit')).toMatchObject({ status: 409, problem: { code: 'already_exists' } })
  expect((await make('fit', { name: 'other' })).value.name).toBe('other')
})

test('a live flow has no results, a flow without published content none yet, and no flow none at all', async () => {
  expect(await make('lab')).toMatchObject({ status: 404 })
  await at.publish('live', { mode: 'live', inputs: [{ name: 'temp' }] })
  expect(await make('live')).toMatchObject({ status: 400, problem: { code: 'wrong_mode' } })
  await at.root('PUT', '/flows/draft', { mode: 'batch' })
  expect(await make('draft')).toMatchObject({ status: 409, problem: { code: 'not_published' } })
  expect(await make('fit', { name: 'from-flow' })).toMatchObject({
    status: 422,
    problem: { errors: [{ path: '/name' }] },
  })
  const { value } = await at.ann<Dashboard[]>('GET', '/dashboards/')
  expect(value.map(({ name }) => name)).not.toContain('live_results')
})

test('a flow whose name leaves no room for more is asked for another name', async () => {
  const flow = 'f'.repeat(95)
  const saved = await at.root<{ version: number }>('PUT', `/flows/${flow}`, { mode: 'batch' })
  await at.root('POST', `/flows/${flow}/publish`, { version: saved.value.version })
  expect((await make(flow)).problem).toMatchObject({ status: 422, errors: [{ path: '/name' }] })
  expect((await make(flow, { name: 'short' })).value.content.widgets).toEqual([])
})

test('a flow called as an operation on dashboards is one like any other', async () => {
  await at.root('PUT', '/flows/publish', { mode: 'batch' })
  await at.root('POST', '/flows/publish/publish', { version: 1 })
  expect((await make('publish')).value.name).toBe('publish_results')
})
