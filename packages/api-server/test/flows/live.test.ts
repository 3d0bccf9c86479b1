import { rm } from 'node:fs/promises'
import { setImmediate } from 'node:timers/promises'

import { defineNode } from '@flow-service/connector-sdk'
import type { FlowDocumentInput, FlowListItem, FlowState } from '@flow-service/protocol'
import { afterAll, beforeAll, expect, test } from 'vitest'
import * as z from 'zod'

import { createFlowStore } from '../../src/flows/store.ts'
import { type Engine, openEngine, relay } from './engine.ts'

/** No check sees that it does not start. */
const refusing = defineNode({
  type: 'refusing',
  title: 'Refusing',
  description: '',
  category: 'logic',
  settings: z.object({}),
  arrival: 'each',
  start() {
    throw new Error('there is no door to open')
  },
})

/** Sets timers that the engine has to end. */
const ticking = defineNode({
  ...refusing,
  type: 'ticking',
  start(ctx) {
    ctx.every(3600, () => undefined)
    ctx.cron('0 0 1 1 *', () => undefined)
    ctx.after(3600, () => undefined)
    return {}
  },
})

let engine: Engine
beforeAll(async () => {
  engine = await openEngine({ types: [refusing, ticking] })
})
afterAll(async () => {
  await engine[Symbol.asyncDispose]()
})

const webhooks = (...paths: string[]): FlowDocumentInput => ({
  nodes: paths.map((url, at) => ({
    id: `hook${at}`,
    type: 'http',
    settings: { url },
    ports: [{ direction: 'output', name: `in${at}` }],
  })),
})
/** Its second node refuses to start. */
const unstartable: FlowDocumentInput = {
  nodes: [...(webhooks('door').nodes ?? []), { id: 'stuck', type: 'refusing', ports: [] }],
}

/** Pairs what arrives on `tick` with the latest `setting`. */
const pairing = (title: string): FlowDocumentInput => ({
  title,
  inputs: [{ name: 'tick' }, { name: 'setting' }],
  nodes: [
    {
      id: 'pair',
      type: 'join',
      ports: [
        { direction: 'input', name: 'tick' },
        { direction: 'input', name: 'setting', trigger: false },
        { direction: 'output', name: 'pair' },
      ],
    },
  ],
})

test('a started flow reacts, a stopped one does not; both are idempotent [R006] [R427] [R428]', async () => {
  await engine.publish('hall', relay)
  expect((await engine.root<FlowState>('POST', '/flows/hall/start')).value).toEqual({
    name: 'hall',
    status: 'active',
    held: 0,
  })
  expect((await engine.root<FlowState>('POST', '/flows/hall/start')).value.status).toBe('active')
  expect((await engine.root('GET', '/flows/hall')).value).toMatchObject({
    status: 'active',
    node_states: [{ node: 'pass', status: 'idle' }],
  })
  engine.runtime.publish('hall.on', 1)
  await engine.runtime.get('hall')?.idle()
  expect(engine.lastValues.get('hall.off')?.value).toBe(1)

  expect((await engine.root<FlowState>('POST', '/flows/hall/stop')).value).toEqual({
    name: 'hall',
    status: 'stopped',
    held: 0,
  })
  expect((await engine.root<FlowState>('POST', '/flows/hall/stop')).value.status).toBe('stopped')
  expect(engine.runtime.publish('hall.on', 2).cascade).toBeNull()
  expect(engine.lastValues.get('hall.off')?.value).toBe(1)
})

test('every change of state or version is told as an event', async () => {
  await engine.publish('told', relay)
  await engine.root('POST', '/flows/told/start')
  await engine.root('POST', '/flows/told/stop')
  const told = engine.events.filter((event) => event.type === 'flow' && event.name === 'told')
  expect(told).toEqual(
    ['draft', 'stopped', 'active', 'stopped'].map((status) => ({
      type: 'flow',
      name: 'told',
      status,
      held: 0,
      version: 1,
    })),
  )
})

test('batch flows are not started or stopped, unpublished ones not started [R007]', async () => {
  await engine.publish('batch', { mode: 'batch' })
  expect((await engine.root('GET', '/flows/batch')).value.status).toBe('ready')
  for (const verb of ['start', 'stop']) {
    expect((await engine.root('POST', `/flows/batch/${verb}`)).problem).toMatchObject({
      status: 400,
      code: 'wrong_mode',
    })
  }
  await engine.root('PUT', '/flows/unpublished', relay)
  expect((await engine.root('POST', '/flows/unpublished/start')).problem).toMatchObject({
    status: 409,
    code: 'not_published',
  })
  expect((await engine.root<FlowState>('POST', '/flows/unpublished/stop')).value.status).toBe('draft')
  expect((await engine.root('POST', '/flows/nowhere/start')).status).toBe(404)
})

test('the draft does not run: an active flow goes on as published until the draft is published [R046]', async () => {
  await engine.publish('steady', { ...relay, title: 'old' })
  await engine.root('POST', '/flows/steady/start')
  const saved = await engine.root('PUT', '/flows/steady', { ...relay, title: 'new', version: 1 })
  expect(saved.value).toMatchObject({ status: 'active', title: 'new' })
  expect(engine.runtime.get('steady')?.document.title).toBe('old')
  await engine.root('POST', '/flows/steady/publish', { version: 2 })
  expect(engine.runtime.get('steady')?.document.title).toBe('new')
})

test('publishing while active builds the flow anew and keeps the latest values of its inputs', async () => {
  await engine.publish('rebuilt', pairing('one'))
  await engine.root('POST', '/flows/rebuilt/start')
  engine.runtime.publish('rebuilt.setting', 'warm')
  await engine.root('PUT', '/flows/rebuilt', { ...pairing('two'), version: 1 })
  expect((await engine.root('POST', '/flows/rebuilt/publish', { version: 2 })).value.status).toBe('active')
  engine.runtime.publish('rebuilt.tick', 1)
  await engine.runtime.get('rebuilt')?.idle()
  expect(engine.lastValues.get('rebuilt.pair')?.value).toEqual({ tick: 1, setting: 'warm' })
})

test('a flow whose nodes are made anew 1,000 times while it is fed handles each value once, and leaves no route, reader or timer [F57]', async () => {
  const nodes = [...(webhooks('door').nodes ?? []), { id: 'clock', type: 'ticking' }, ...(relay.nodes ?? [])]
  await engine.publish('anew', { ...relay, nodes })
  await engine.root('POST', '/flows/anew/start')
  const row = await createFlowStore(engine.database.sql).byName('anew')
  if (row === null) throw new Error('the flow is not stored')
  const passed = (): unknown[] =>
    engine.events.flatMap((event) => (event.type === 'value' && event.message === 'anew.off' ? [event.value] : []))
  const timers = (): number => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length

  const rebuild = () =>
    engine.live.exclusive(row.id, () =>
      engine.live.replace({ row, next: row, restart: true, commit: () => Promise.resolve(row) }),
    )
  await rebuild()
  // the timers of its connections to a database come and go
  const few = timers() + 100
  for (let round = 0; round < 1000; round += 1) {
    engine.runtime.publish('anew.on', round)
    // oxlint-disable-next-line no-await-in-loop -- one life after the other
    await rebuild()
    // the client has to see that the engine closes connections that nobody has used for seconds
    // oxlint-disable-next-line no-await-in-loop -- as above
    if (round % 20 === 0) await setImmediate()
  }
  await engine.runtime.get('anew')?.idle()
  expect(passed()).toEqual(Array.from({ length: 1000 }, (_, round) => round))
  expect(timers()).toBeLessThan(few)
  expect(engine.hooks.find('/anew/door')).toBeDefined()
  await engine.root('POST', '/flows/anew/stop')
  expect(engine.hooks.find('/anew/door')).toBeUndefined()
  expect(engine.runtime.publish('anew.on', -1).cascade).toBeNull()
})

test('parallel starts and stops end in the state that was asked for last', async () => {
  await engine.publish('busy', relay)
  const verbs = ['start', 'stop', 'start', 'start', 'stop', 'start']
  const answers = await Promise.all(verbs.map((verb) => engine.root<FlowState>('POST', `/flows/busy/${verb}`)))
  expect(answers.every(({ status }) => status === 200)).toBe(true)
  await engine.root('POST', '/flows/busy/stop')
  expect(engine.runtime.get('busy')).toBeUndefined()
})

test('a flow that cannot be started says why and is failed, and stops being so when it is stopped [R027] [R033]', async () => {
  await engine.publish('clash', unstartable)
  const refused = await engine.root('POST', '/flows/clash/start')
  expect(refused.problem).toMatchObject({
    status: 422,
    code: 'flow_invalid',
    errors: [{ code: 'start_failed', path: '/nodes/1', message: 'there is no door to open' }],
  })
  const { value } = await engine.root('GET', '/flows/clash')
  expect(value.status).toBe('failed')
  expect(value.issues.filter(({ code }) => code === 'start_failed')).toMatchObject([
    { severity: 'error', node: 'stuck' },
  ])
  await engine.root('POST', '/flows/clash/stop')
  expect((await engine.root('GET', '/flows/clash')).value.status).toBe('stopped')
})

test('two webhooks at one path are an error at publish, also behind different secrets', async () => {
  const [one, two] = webhooks('same', '/same').nodes ?? []
  const nodes = [one, { ...two, settings: { url: '/same', secret: 's' } }] as FlowDocumentInput['nodes']
  const refused = await engine.publish('twins', { nodes })
  expect(refused.problem).toMatchObject({
    status: 422,
    code: 'flow_invalid',
    errors: [
      { code: 'bad_setting', path: '/nodes/1/settings', message: expect.stringMatching(/"hook0".*"hook1".*\/same/) },
    ],
  })
  expect((await engine.publish('apart', webhooks('same', 'same/inner'))).status).toBe(200)
  expect((await engine.publish('elsewhere', webhooks('same'))).status).toBe(200)
})

test('publishing a repaired form starts a failed flow [R423]', async () => {
  await engine.publish('mended', unstartable)
  await engine.root('POST', '/flows/mended/start')
  await engine.root('PUT', '/flows/mended', { ...webhooks('one', 'two'), version: 1 })
  const { value } = await engine.root('POST', '/flows/mended/publish', { version: 2 })
  expect(value.status).toBe('active')
  expect(value.issues.filter(({ code }) => code === 'start_failed')).toEqual([])
})

test('deleting an active flow stops it', async () => {
  await engine.publish('ending', webhooks('door'))
  await engine.root('POST', '/flows/ending/start')
  expect(engine.hooks.find('/ending/door')).toBeDefined()
  expect((await engine.root('DELETE', '/flows/ending')).status).toBe(204)
  expect(engine.hooks.find('/ending/door')).toBeUndefined()
  expect(engine.runtime.get('ending')).toBeUndefined()
  expect(engine.published.find('ending.in0')).toBeUndefined()
})

test('the message catalogue holds what published flows declare, with who reads it [R068] [R077]', async () => {
  await engine.publish('giver', relay)
  await engine.publish('taker', {
    nodes: [
      {
        id: 'read',
        type: 'change',
        ports: [
          { direction: 'input', name: 'giver.off', port: 'in' },
          { direction: 'output', name: 'out' },
        ],
      },
    ],
  })
  expect(engine.published.find('giver.off')).toEqual({
    name: 'giver.off',
    flow: 'giver',
    message: 'off',
    mode: 'live',
    dtype: 'any',
    stream: false,
    sources: [{ node: 'pass', port: 'off' }],
    readers: [{ flow: 'taker', node: 'read', port: 'in' }],
  })
  await engine.root('PUT', '/flows/giver', { nodes: [], version: 1 })
  expect(engine.published.find('giver.off')).toBeDefined()
  await engine.root('POST', '/flows/giver/publish', { version: 2 })
  expect(engine.published.find('giver.off')).toBeUndefined()
  const { value } = await engine.root('GET', '/flows/taker')
  expect(value.issues).toMatchObject([{ code: 'unknown_message', severity: 'warning' }])
})

test('after a restart active flows are active with their latest values; a failing or unreadable one keeps nobody from it [R451]', async () => {
  const first = await openEngine({ types: [refusing] })
  await first.publish('kept', pairing('kept'))
  await first.publish('halted', relay)
  await first.publish('clash', unstartable)
  await first.publish('spoilt', relay)
  for (const name of ['kept', 'clash', 'spoilt']) await first.root('POST', `/flows/${name}/start`)
  first.runtime.publish('kept.setting', 'cold')
  await first.lastValues.flush()
  await first.database.sql`update flow set published = '{"nodes":0}' where name = 'spoilt'`
  await first.close()

  const second = await openEngine({ dataDir: first.dataDir, types: [refusing] })
  try {
    const { value } = await second.root<FlowListItem[]>('GET', '/flows/')
    expect(value.map(({ name, status }) => [name, status])).toEqual([
      ['clash', 'failed'],
      ['halted', 'stopped'],
      ['kept', 'active'],
      ['spoilt', 'failed'],
    ])
    second.runtime.publish('kept.tick', 1)
    await second.runtime.get('kept')?.idle()
    expect(second.lastValues.get('kept.pair')?.value).toEqual({ tick: 1, setting: 'cold' })
  } finally {
    await second.close()
    await rm(first.dataDir, { recursive: true, force: true })
  }
})

test('contents to run carry the version and the form that was asked for', async () => {
  await engine.publish('forms', { mode: 'batch', title: 'published' })
  await engine.root('PUT', '/flows/forms', { mode: 'batch', title: 'draft', version: 1 })
  const published = await engine.runnable.byName('forms', 'published')
  expect(published).toMatchObject({
    name: 'forms',
    mode: 'batch',
    version: 1,
    commit: null,
    document: { title: 'published' },
  })
  const draft = await engine.runnable.byName('forms', 'draft')
  expect(draft).toMatchObject({ version: 2, document: { title: 'draft' } })
  expect(await engine.runnable.draftOf(draft?.id ?? '')).toEqual(draft)
  expect(await engine.runnable.byName('nowhere', 'draft')).toBeNull()
  await engine.root('PUT', '/flows/formless', { mode: 'batch' })
  expect(await engine.runnable.byName('formless', 'published')).toMatchObject({ document: null, version: 1 })
})
