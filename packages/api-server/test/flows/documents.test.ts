import { readFile } from 'node:fs/promises'

import { type FlowDocumentInput, type FlowListItem, flowSchema, type NodeType } from '@flow-service/protocol'
import { afterAll, beforeAll, expect, test } from 'vitest'

import { type Engine, openEngine, relay } from './engine.ts'

let engine: Engine
let runs: string[] = []
beforeAll(async () => {
  engine = await openEngine({ activeRuns: () => runs })
})
afterAll(async () => {
  await engine[Symbol.asyncDispose]()
})

const fixture = async (name: string): Promise<FlowDocumentInput & { name: string }> =>
  JSON.parse(await readFile(new URL(`../fixtures/flow-documents/${name}.json`, import.meta.url), 'utf8'))

test('a PUT of version 0 creates a flow and answers where it is, in normal form [R029] [R031] [R070] [R421] [R452]', async () => {
  const made = await engine.root('PUT', '/flows/first', { ...relay, title: 'First' })
  expect(made.status).toBe(201)
  expect(made.headers.get('location')).toBe(`${engine.url}/flows/first`)
  expect(flowSchema.parse(made.value)).toMatchObject({
    name: 'first',
    title: 'First',
    version: 1,
    mode: 'live',
    status: 'draft',
    has_draft: true,
    is_draft: true,
    published_version: null,
    origin: 'api',
    code: null,
    updated_by: 'root@example.org',
    node_states: [],
    held: 0,
  })
  expect(made.value.nodes[0]?.ports[0]).toMatchObject({
    name: 'on',
    port: 'on',
    message: 'first.on',
    dtype: 'any',
    trigger: true,
  })
  expect((await engine.ann('GET', '/flows/first')).value).toEqual(made.value)
})

test('an answer has every default filled in, and a PUT of it changes only version and time [R042] [R043] [R050] [R053] [R071]', async () => {
  for (const name of ['1-webhook-switch-push', '2-mqtt-debounce-device', '3-batch-training-python']) {
    const document = await fixture(name)
    const made = await engine.root('PUT', `/flows/${document.name}`, document)
    expect(made.status).toBe(201)
    const read = await engine.root('GET', `/flows/${document.name}`)
    expect(read.value).toMatchObject(document.version === 0 ? { ...document, version: 1 } : document)
    const again = await engine.ann('PUT', `/flows/${document.name}`, read.value)
    expect(again.status).toBe(200)
    const { updated_at: _a, updated_by: _b, version, ...content } = again.value
    expect(version).toBe(2)
    expect(read.value).toMatchObject(content)
  }
})

test('a stale version answers 409 with current_version and stores nothing [R032] [R422] [R671]', async () => {
  await engine.root('PUT', '/flows/stale', relay)
  await engine.root('PUT', '/flows/stale', { ...relay, version: 1, title: 'second' })
  const late = await engine.root('PUT', '/flows/stale', { ...relay, version: 1, title: 'late' })
  expect(late.status).toBe(409)
  expect(late.problem).toMatchObject({ code: 'version_conflict', current_version: 2 })
  expect((await engine.root('GET', '/flows/stale')).value).toMatchObject({ version: 2, title: 'second' })
})

test('a PUT of version 0 onto an existing flow is a conflict, one of a version onto none is not found', async () => {
  await engine.root('PUT', '/flows/there', relay)
  expect((await engine.root('PUT', '/flows/there', relay)).problem).toMatchObject({ current_version: 1 })
  expect((await engine.root('PUT', '/flows/nowhere', { ...relay, version: 3 })).status).toBe(404)
})

test('of 100 parallel saves of one version exactly one wins [R421] [R422] [F52]', async () => {
  await engine.root('PUT', '/flows/race', relay)
  const answers = await Promise.all(
    Array.from({ length: 100 }, (_, at) => engine.root('PUT', '/flows/race', { ...relay, version: 1, title: `${at}` })),
  )
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  const lost = answers.filter(({ status }) => status === 409)
  expect(lost).toHaveLength(99)
  expect(new Set(lost.map(({ problem }) => problem.current_version))).toEqual(new Set([2]))
  const winner = answers.find(({ status }) => status === 200)
  expect((await engine.root('GET', '/flows/race')).value).toMatchObject({ version: 2, title: winner?.value.title })
})

test('of 20 parallel creations of one name exactly one wins [R671]', async () => {
  const answers = await Promise.all(Array.from({ length: 20 }, () => engine.root('PUT', '/flows/born', relay)))
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
  expect(answers.filter(({ status }) => status === 409)).toHaveLength(19)
})

test('reserved and malformed names are refused and nothing is stored', async () => {
  const reserved = ['node-types', 'library', 'graph', 'ws', 'ws-ticket']
  const names = [...reserved, 'a.b', '-a', 'a b', 'é', '%00', 'x'.repeat(101), '__proto__']
  for (const name of names) {
    const { status, problem } = await engine.root('PUT', `/flows/${name}`, relay)
    expect({ name, status, code: problem.code }).toEqual({ name, status: 422, code: 'validation_failed' })
    expect(problem.errors?.[0]?.path).toBe('path.name')
  }
  const { value } = await engine.root<FlowListItem[]>('GET', '/flows/')
  expect(value.filter(({ name }) => names.includes(name))).toEqual([])
})

/** A debounce whose wait comes in at a port of its own. */
const quiet = (wait: object) => ({
  inputs: [{ name: 'on' }, { name: 'seconds', dtype: 'float' }],
  nodes: [
    {
      id: 'quiet',
      type: 'debounce',
      settings: { wait_port: 'wait' },
      ports: [
        { direction: 'output', name: 'off' },
        { direction: 'input', name: 'on' },
        { direction: 'input', name: 'seconds', port: 'wait', dtype: 'float', ...wait },
      ],
    },
  ],
})

test('an input that its type makes passive is so when nothing is said of it [R266]', async () => {
  for (const [name, wait] of [
    ['left-out', {}],
    ['given', { trigger: false }],
  ] as const) {
    const saved = await engine.root('PUT', `/flows/${name}`, quiet(wait))
    expect(saved.value.nodes[0]?.ports.map(({ trigger }) => trigger)).toEqual([true, true, false])
    expect(saved.value.issues).toEqual([])
    // what was read is saved as it is, and another setting leaves the port to its author again
    expect((await engine.root('PUT', `/flows/${name}`, saved.value)).status).toBe(200)
    const node = { ...saved.value.nodes[0], settings: {} }
    const fed = { ...saved.value, version: 2, nodes: [{ ...node, ports: quiet({ trigger: true }).nodes[0]?.ports }] }
    expect((await engine.root('PUT', `/flows/${name}`, fed)).status).toBe(200)
  }
})

test('structural faults are refused with their places and nothing is stored [R037] [R048]', async () => {
  const [node] = relay.nodes ?? []
  const faults: [unknown, string, string][] = [
    [{ ...relay, name: 'other' }, '/name', 'name_mismatch'],
    [{ ...relay, nodes: [node, node] }, '/nodes/1/id', 'duplicate_node_id'],
    [{ ...relay, nodes: [{ ...node, id: 'a b' }] }, '/nodes/0/id', 'invalid_format'],
    [{ ...relay, mode: 'cron' }, '/mode', 'invalid_value'],
    [{ ...relay, colour: 'red' }, '/colour', 'unrecognized_keys'],
    [{ ...relay, nodes: [{ ...node, ports: [{ direction: 'input' }] }] }, '/nodes/0/ports/0/name', 'custom'],
    [
      { ...relay, nodes: [{ ...node, ports: [{ direction: 'input', name: 'on', on_demand: true }] }] },
      '/nodes/0/ports/0/on_demand',
      'bad_setting',
    ],
    [quiet({ trigger: true }), '/nodes/0/ports/2/trigger', 'bad_setting'],
  ]
  for (const [body, path, code] of faults) {
    const { status, problem } = await engine.root('PUT', '/flows/faulty', body)
    expect({ status, error: problem.errors?.[0] }).toMatchObject({ status: 422, error: { path, code } })
  }
  expect((await engine.root('GET', '/flows/faulty')).status).toBe(404)
})

test('semantic faults are stored in the draft and listed; publish and start refuse them [R034] [R049] [R051] [R472]', async () => {
  const [node] = relay.nodes ?? []
  const body = {
    ...relay,
    nodes: [
      { ...node, settings: { bogus: 1 } },
      { id: 'x', type: 'no_such_type' },
    ],
  }
  const saved = await engine.root('PUT', '/flows/broken', body)
  expect(saved.status).toBe(201)
  expect(saved.value.issues.map(({ code, path }) => [code, path])).toEqual([
    ['bad_setting', '/nodes/0/settings/bogus'],
    ['unknown_type', '/nodes/1/type'],
  ])
  const checked = await engine.root('POST', '/flows/broken/validate')
  expect(checked.value).toEqual({ valid: false, issues: saved.value.issues })
  const published = await engine.root('POST', '/flows/broken/publish', { version: 1 })
  expect(published.status).toBe(422)
  expect(published.problem).toMatchObject({
    code: 'flow_invalid',
    errors: [{ code: 'bad_setting' }, { code: 'unknown_type' }],
  })
  const { value } = await engine.root<FlowListItem[]>('GET', '/flows/')
  expect(value.find(({ name }) => name === 'broken')).toMatchObject({ issues: { error: 2 }, has_draft: true })
})

test('a reference to a secret that is not stored is an error of its node', async () => {
  const [node] = relay.nodes ?? []
  const settings = { url: 'http://host/', headers: { 'x-key': { $secret: 'key' } } }
  const body = { ...relay, nodes: [{ ...node, type: 'http', settings }] }
  const { value } = await engine.root('PUT', '/flows/secretive', body)
  expect(value.issues).toMatchObject([
    { code: 'unknown_secret', severity: 'error', path: '/nodes/0/settings/headers/x-key' },
  ])
})

test('an interval on a port of a batch flow that does not stream is an error and keeps it from being published [R073]', async () => {
  const output = { direction: 'output', name: 'off', interval: 1 } as const
  const nodes = [{ id: 'pass', type: 'change', ports: [{ direction: 'input', name: 'on' } as const, output] }]
  const { value } = await engine.root('PUT', '/flows/thinned', { mode: 'batch', inputs: [{ name: 'on' }], nodes })
  expect(value.issues).toMatchObject([{ code: 'interval_on_batch_port', path: '/nodes/0/ports/1/interval' }])
  expect((await engine.root('POST', '/flows/thinned/publish', { version: 1 })).status).toBe(422)
})

test('advice does not keep a flow from being published [R036]', async () => {
  const hook = {
    id: 'hook',
    type: 'http',
    settings: { url: 'x' },
    ports: [{ direction: 'output', name: 'in' } as const],
  }
  const { status, value } = await engine.publish('advised', { nodes: [hook] })
  expect(status).toBe(200)
  expect(value.issues).toMatchObject([{ code: 'webhook_without_secret', severity: 'advisory', node: 'hook' }])
  const list = await engine.root<FlowListItem[]>('GET', '/flows/')
  expect(list.value.find(({ name }) => name === 'advised')?.issues).toEqual({ error: 0, warning: 0, advisory: 1 })
})

test('publishing makes the draft the published form and keeps the version; later drafts stand beside it [R046] [R047] [R423]', async () => {
  await engine.root('PUT', '/flows/two_forms', { ...relay, title: 'one' })
  const published = await engine.root('POST', '/flows/two_forms/publish', { version: 1 })
  expect(published.value).toMatchObject({
    version: 1,
    published_version: 1,
    has_draft: false,
    is_draft: false,
    status: 'stopped',
  })
  const edited = await engine.root('PUT', '/flows/two_forms', { ...relay, title: 'two', version: 1 })
  expect(edited.value).toMatchObject({ version: 2, published_version: 1, has_draft: true, is_draft: true })
  expect((await engine.root('GET', '/flows/two_forms')).value.title).toBe('two')
  const old = await engine.root('GET', '/flows/two_forms?published=true')
  expect(old.value).toMatchObject({ title: 'one', is_draft: false, version: 2, has_draft: true })
})

test('publishing another version than the current one is a conflict; without a version it is refused [R424] [R453]', async () => {
  await engine.root('PUT', '/flows/late', relay)
  const stale = await engine.root('POST', '/flows/late/publish', { version: 7 })
  expect(stale.problem).toMatchObject({ status: 409, code: 'version_conflict', current_version: 1 })
  expect((await engine.root('POST', '/flows/late/publish', {})).status).toBe(422)
  expect((await engine.root('GET', '/flows/late?published=true')).problem).toMatchObject({
    status: 409,
    code: 'not_published',
  })
})

test('a publication and its audit entry are committed together', async () => {
  await engine.publish('audited', relay)
  const rows = await engine.database.sql`select action, actor, detail from engine_event where flow = 'audited'`
  expect(rows.map(({ action, detail }) => [action, typeof detail === 'string' ? JSON.parse(detail) : detail])).toEqual([
    ['flow.publish', { version: 1, restart: false, rebuilt: [] }],
  ])
})

test('of parallel publications of one draft every one succeeds or conflicts, and one is recorded', async () => {
  await engine.root('PUT', '/flows/once', relay)
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => engine.root('POST', '/flows/once/publish', { version: 1 })),
  )
  expect(answers.every(({ status }) => status === 200 || status === 409)).toBe(true)
  const [row] = await engine.database.sql`select count(*)::int as n from engine_event where flow = 'once'`
  expect(row?.['n']).toBe(1)
})

test('source left out keeps the stored source; null removes it [R054]', async () => {
  const python = (more: object) => ({
    mode: 'batch',
    nodes: [{ id: 'f', type: 'python', ports: [{ direction: 'output', name: 'y' }], ...more }],
  })
  const source = 'def run():\n    return {"y": 1}\n'
  await engine.root('PUT', '/flows/kept', python({ source }))
  const kept = await engine.ann('PUT', '/flows/kept', { ...python({ title: 'T' }), version: 1 })
  expect(kept.value.nodes[0]).toMatchObject({ title: 'T', source })
  const gone = await engine.root('PUT', '/flows/kept', { ...python({ source: null }), version: 2 })
  expect(gone.value.nodes[0]?.source).toBeNull()
  expect(gone.value.issues).toMatchObject([{ code: 'missing_source' }])
})

test('a deleted flow is gone and its deletion is recorded; unfinished runs keep it [R457] [R671]', async () => {
  await engine.publish('doomed', { ...relay, mode: 'live' })
  runs = ['01900000-0000-7000-8000-00000000000a']
  const refused = await engine.root('DELETE', '/flows/doomed')
  expect(refused.problem).toMatchObject({ status: 409, code: 'flow_has_active_runs', runs })
  runs = []
  expect((await engine.root('DELETE', '/flows/doomed')).status).toBe(204)
  expect((await engine.root('GET', '/flows/doomed')).status).toBe(404)
  expect((await engine.root('DELETE', '/flows/doomed')).status).toBe(404)
  const rows = await engine.database.sql`select action from engine_event where flow = 'doomed' order by ts, id`
  expect(rows.map(({ action }) => action)).toEqual(['flow.publish', 'flow.delete'])
})

test('a new flow of a deleted name inherits no value and no history', async () => {
  const document = { ...relay, inputs: [{ name: 'on', dtype: 'any' as const }] }
  await engine.publish('again', document)
  await engine.publish('again-other', document)
  await engine.root('POST', '/flows/again/start')
  const image = await engine.artifacts.put(Buffer.from('pixels'), { name: '', mediaType: 'image/png', volatile: false })
  engine.runtime.publish('again.on', image.ref)
  engine.runtime.publish('again-other.on', 2)
  await expect.poll(() => engine.lastValues.get('again.off')?.value).toEqual(image.ref)
  expect((await engine.root('DELETE', '/flows/again')).status).toBe(204)
  await engine.publish('again', document)
  expect(engine.lastValues.all().map(({ message }) => message)).toEqual(['again-other.on'])
  expect(await engine.lastValues.history('again.on', { limit: 10 })).toEqual([])
  await engine.lastValues.flush()
  const stored = await engine.database.sql`select message from message_value where message like 'again%'`
  expect(stored.map(({ message }) => message)).toEqual(['again-other.on'])
  const past = await engine.database.sql`select message from message_history where message like 'again%'`
  expect(past.map(({ message }) => message)).toEqual(['again-other.on'])
  expect([...(await engine.database.sql`select owner from blob_ref where digest = ${image.ref.digest}`)]).toEqual([])
})

test('the catalogue of node types has settings as JSON Schema', async () => {
  const { value } = await engine.ann<NodeType[]>('GET', '/flows/node-types')
  const change = value.find(({ type }) => type === 'change')
  expect(change).toMatchObject({ available: true, missing: null, has_source: false, modes: ['live', 'batch'] })
  expect(change?.params).toMatchObject({ type: 'object', properties: { scale: { type: 'number' } } })
  expect(value.map(({ type }) => type)).toEqual(value.map(({ type }) => type).toSorted())
})

test('Python sources are parsed, never executed: syntax and signature faults name the line [R472]', async () => {
  const node = (source: string) => ({
    mode: 'batch',
    inputs: [{ name: 'x', dtype: 'int' }],
    nodes: [
      {
        id: 'f',
        type: 'python',
        settings: { scale: 2 },
        source,
        ports: [
          { direction: 'input', name: 'x', dtype: 'int' },
          { direction: 'output', name: 'y' },
        ],
      },
    ],
  })
  const messages = async (source: string): Promise<string[]> => {
    const { value } = await engine.root('GET', '/flows/py')
    const version = value?.version ?? 0
    const saved = await engine.root('PUT', '/flows/py', { ...node(source), version })
    return saved.value.issues.filter(({ code }) => code === 'bad_source').map(({ message }) => message)
  }
  expect(await messages('def run(x, scale):\n    return {"y": x * scale}\n')).toEqual([])
  expect(await messages('import os\nos.abort()\ndef run(**all):\n    return {}\n')).toEqual([])
  expect(await messages('def run(x, scale=1, more=3):\n    return\n')).toEqual([])
  expect(await messages('x = 1\ndef run(x:\n')).toEqual([expect.stringContaining('line 2')])
  expect(await messages('y = 1\n')).toEqual([expect.stringContaining('no function "run"')])
  expect(await messages('\ndef run(x):\n    return {}\n')).toEqual([
    expect.stringMatching(/line 2: run\(\) does not take "scale", a setting/),
  ])
  expect(await messages('def run(x, scale, z):\n    return {}\n')).toEqual([
    expect.stringMatching(/line 1: run\(\) asks for "z"/),
  ])
})

test('content that no longer fits is an issue of its flow; every other flow goes on', async () => {
  await engine.publish('poisoned', relay)
  await engine.database.sql`update flow set published = '{"mode":"live","nodes":[{"id":7}]}' where name = 'poisoned'`
  const read = await engine.root('GET', '/flows/poisoned')
  expect(read.status).toBe(200)
  expect(read.value.issues).toMatchObject([{ severity: 'error', code: 'bad_setting', path: '/nodes/0/id' }])
  expect((await engine.root('POST', '/flows/poisoned/start')).problem.code).toBe('flow_invalid')
  expect((await engine.root('GET', '/flows/')).status).toBe(200)
  const healed = await engine.root('PUT', '/flows/poisoned', { ...relay, version: 1 })
  expect(healed.value.issues).toEqual([])
  expect((await engine.root('POST', '/flows/poisoned/publish', { version: 2 })).status).toBe(200)
})
