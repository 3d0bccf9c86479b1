/** Dashboards in TypeScript: registered, swapped, and kept when their module is gone. */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { dashboard, liveFlow, t, value } from '@flow-service/flow-sdk'
import { afterEach, beforeEach, expect, test } from 'vitest'

import { problemOf, startService, type TestService } from './service.ts'

const dependencies = join(import.meta.dirname, '../examples/quickstart/node_modules')

let root: string
let flows: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'walls-'))
  flows = join(root, 'flows')
  mkdirSync(flows)
  writeFileSync(join(root, 'package.json'), '{ "type": "module" }')
  symlinkSync(dependencies, join(root, 'node_modules'))
  write('hall.ts', hall)
})
afterEach(() => rmSync(root, { recursive: true, force: true, maxRetries: 5 }))

const write = (file: string, text: string): void => writeFileSync(join(flows, file), text)

const hall = `import { liveFlow, t } from '@flow-service/flow-sdk'
export const hall = liveFlow('hall', { temp: t.float, light: t.bool }, () => {})
`
const wall = (title: string, widgets = 'value(hall.messages.temp), toggle(hall.messages.light)') => `
import { dashboard, slider, toggle, value } from '@flow-service/flow-sdk'
import { hall } from './hall.ts'
export const wall = dashboard('wall', { title: '${title}', widgets: [${widgets}] })
`
const shown = async (at: TestService, name = 'wall') => (await at.send('GET', `/dashboards/${name}`)).body
const refusals = async (at: TestService, name: string): Promise<unknown[]> => {
  const answers = [
    await at.send('PUT', `/dashboards/${name}`, { title: 'Mine' }),
    await at.send('POST', `/dashboards/${name}/publish`),
    await at.send('POST', `/dashboards/${name}/discard`),
    await at.send('POST', `/dashboards/${name}/rename`, { name: 'mine' }),
    await at.send('DELETE', `/dashboards/${name}`),
  ]
  return answers.map((answer) => [answer.status, problemOf(answer)?.code])
}

test('a dashboard of a module is published like its flows, and changed there alone', async () => {
  write('wall.ts', wall('Wall'))
  await using at = await startService({ flows })
  expect(at.service.loadErrors).toEqual([])
  expect(at.service.loadedDashboards).toEqual(['wall'])
  expect(await shown(at)).toMatchObject({
    title: 'Wall',
    origin: 'code',
    version: 1,
    published_version: 1,
    has_draft: false,
    issues: [],
    content: {
      widgets: [
        { type: 'value', x: 0, binding: { message: 'hall.temp' } },
        { type: 'switch', x: 3 },
      ],
    },
  })
  expect(await refusals(at, 'wall')).toEqual(Array(5).fill([409, 'code_defined']))
  const refused = problemOf(await at.send('PUT', '/dashboards/wall', { title: 'Mine' }))
  expect(refused.detail).toBe('dashboard "wall" is defined in flows/wall.ts; change it there')
  const copy = await at.send('POST', '/dashboards/wall/duplicate')
  expect(copy.body).toMatchObject({ name: 'wall_copy', origin: 'api', published_version: null })
  expect((await at.send('PUT', '/dashboards/wall_copy', { title: 'Mine' })).status).toBe(200)
  const [entry] = await at.client.observability.events({ kind: 'audit' })
  expect(entry).toMatchObject({ action: 'dashboard.duplicate' })
})

test('a start with the same modules is no new version, and one with others is', async () => {
  write('wall.ts', wall('Wall'))
  const first = await startService({ flows })
  const before = await shown(first)
  await first.close()
  const again = await startService({ flows, dataDir: first.dataDir })
  expect(await shown(again)).toEqual(before)
  await again.close()
  write('wall.ts', wall('Other'))
  await using other = await startService({ flows, dataDir: first.dataDir })
  expect(await shown(other)).toMatchObject({ title: 'Other', version: 2, published_version: 2 })
})

test('a change is swapped in, what does not load changes nothing, and what is gone stays and belongs to the API', async () => {
  write('wall.ts', wall('Wall'))
  await using at = await startService({ flows })
  const { service } = at
  write('wall.ts', wall('Hall'))
  expect((await service.reload()).dashboards).toEqual({ changed: [{ name: 'wall', version: 2 }], removed: [] })
  expect(await shown(at)).toMatchObject({ title: 'Hall', version: 2 })
  expect((await service.reload()).dashboards).toEqual({ changed: [], removed: [] })

  write('wall.ts', wall('Broken', 'slider(hall.messages.temp, { min: 3, max: 3 })'))
  const broken = await service.reload()
  expect(broken.dashboards).toEqual({ changed: [], removed: [] })
  expect(broken.errors).toMatchObject([
    {
      file: 'flows/wall.ts',
      line: 4,
      message: 'FlowError: dashboard "wall": widget "slider-1", options.max: give a "max" above "min"',
      frame: expect.stringContaining('export const wall = dashboard'),
    },
  ])
  expect(await shown(at)).toMatchObject({ title: 'Hall', origin: 'code' })
  expect(await refusals(at, 'wall')).toEqual(Array(5).fill([409, 'code_defined']))

  rmSync(join(flows, 'wall.ts'))
  expect((await service.reload()).dashboards).toEqual({ changed: [], removed: ['wall'] })
  expect(service.loadedDashboards).toEqual([])
  expect(await shown(at)).toMatchObject({ title: 'Hall', origin: 'api', version: 2 })
  expect(await at.send('PUT', '/dashboards/wall', { title: 'Mine' })).toMatchObject({ status: 200 })
  write('wall.ts', wall('Back'))
  const taken = 'there is a dashboard "wall" that was made through the API; rename one, or delete that one'
  expect((await service.reload()).errors).toMatchObject([{ file: 'flows/wall.ts', message: taken }])
  expect(service.loadedDashboards).toEqual([])
  expect(await shown(at)).toMatchObject({ title: 'Hall', origin: 'api', has_draft: true })
  await at.send('DELETE', '/dashboards/wall')
  expect((await service.reload()).dashboards.changed).toEqual([{ name: 'wall', version: 1 }])
  expect(await shown(at)).toMatchObject({ title: 'Back', origin: 'code' })
})

test('after a start without its module it stays, and is changed through the API', async () => {
  write('wall.ts', wall('Wall'))
  const first = await startService({ flows })
  await first.close()
  await using at = await startService({ dataDir: first.dataDir })
  expect(await shown(at)).toMatchObject({ title: 'Wall', origin: 'api' })
  expect((await at.send('POST', '/dashboards/wall/rename', { name: 'mine' })).body).toMatchObject({ name: 'mine' })
})

test('two modules with one name, and a name that the API has, are told and leave the rest in', async () => {
  write('a.ts', wall('A'))
  write('b.ts', wall('B'))
  const first = await startService()
  await first.send('POST', '/dashboards/hall')
  await first.close()
  write('hall-wall.ts', wall('C').replace("'wall'", "'hall'"))
  await using at = await startService({ flows, dataDir: first.dataDir })
  expect(at.service.loadErrors.map(({ file, message }) => [file, message])).toEqual([
    ['flows/b.ts', 'flows/a.ts defines a dashboard "wall" too; rename one'],
    ['flows/hall-wall.ts', expect.stringContaining('there is a dashboard "hall" that was made through the API')],
  ])
  expect(await shown(at)).toMatchObject({ title: 'A' })
})

test('what a module calls a dashboard without the constructor is checked all the same', async () => {
  write('odd.ts', `export const odd = { kind: 'dashboard', name: 'odd', document: { content: { columns: 99 } } }`)
  write('named.ts', `export const named = { kind: 'dashboard', name: 'a.b', document: {} }`)
  await using at = await startService({ flows })
  expect(at.service.loadErrors.map(({ file, message }) => [file, message])).toEqual([
    ['flows/named.ts', expect.stringContaining('dashboard "a.b": use 1 to 100')],
    ['flows/odd.ts', expect.stringContaining('dashboard "odd": /content/columns')],
  ])
})

test('a dashboard beside a stage is no part of the digest of the stage', async () => {
  const stageWith = (title: string) => `
import { batchFlow, dashboard, input, runsChart, stage, stream, t } from '@flow-service/flow-sdk'
export const work = stage('work', {
  in: { n: t.int }, out: { loss: stream(t.float), kept: t.int },
  *run({ n }) { yield { loss: 1 / n }; return { kept: n } },
})
export const fit = batchFlow('fit', { n: input(t.int, 3) }, (p, use) => ({ kept: use(work, { n: p.n }).kept }))
export const curves = dashboard('curves', { title: '${title}', widgets: [runsChart(fit, { metrics: ['loss'] })] })
`
  write('fit.ts', stageWith('Curves'))
  await using at = await startService({ flows })
  write('fit.ts', stageWith('Other curves'))
  const { changed, dashboards } = await at.service.reload()
  expect([changed, dashboards.changed]).toEqual([[], [{ name: 'curves', version: 2 }]])
  expect(await shown(at, 'curves')).toMatchObject({ issues: [] })
})

test('a dashboard is given as an object, beside flows', async () => {
  const live = liveFlow('hall', { temp: t.float }, () => {})
  await using at = await startService({
    flows: [live, dashboard('wall', { title: 'Wall', widgets: [value(live.messages.temp)] })],
  })
  expect(await shown(at)).toMatchObject({ title: 'Wall', origin: 'code', issues: [] })
  expect(await refusals(at, 'wall')).toEqual(Array(5).fill([409, 'code_defined']))
  expect(at.service.loadedFlows.map(({ name }) => name)).toEqual(['hall'])
})
