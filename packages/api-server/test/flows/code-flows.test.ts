import { realpathSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

import { CodeError, type CodeCall } from '@flow-service/core'
import { batchFlow, input, liveFlow, node, stage, stream, t } from '@flow-service/flow-sdk'
import type { FlowDocumentInput } from '@flow-service/protocol'
import { afterAll, beforeAll, expect, test } from 'vitest'
import * as z from 'zod'

import { createCodeLoader } from '../../src/code/loader.ts'
import { createCodeObjects } from '../../src/code/objects.ts'
import type { RegisteredFlow } from '../../src/code/registry.ts'
import { type Engine, openEngine } from './engine.ts'

const directory = fileURLToPath(new URL('../fixtures/flows-basic', import.meta.url))
const project = realpathSync(fileURLToPath(new URL('../..', import.meta.url))).replace(/\/$/, '')

let loaded: readonly RegisteredFlow[]
let engine: Engine
const SLOW_MS = 60_000
beforeAll(async () => {
  const { flows } = await createCodeLoader({ env: { PATH: process.env['PATH'] ?? '' } }).load(directory)
  loaded = flows
  engine = await openEngine({ registered: loaded })
}, SLOW_MS)
afterAll(async () => {
  await engine[Symbol.asyncDispose]()
})

const retitled = (title: string): RegisteredFlow[] =>
  loaded.map((flow) => ({ ...flow, document: { ...flow.document, title } }))

test('a registered flow is published at once, with its module, digest and commit', async () => {
  const { value } = await engine.root('GET', '/flows/estimate')
  expect(value).toMatchObject({
    origin: 'code',
    mode: 'batch',
    status: 'ready',
    version: 1,
    published_version: 1,
    has_draft: false,
    issues: [],
    updated_by: null,
    code: {
      module: 'test/fixtures/flows-basic/estimate.ts',
      digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
      commit: expect.stringMatching(/^[0-9a-f]{40}(?:-dirty)?$/),
    },
  })
  expect(value.nodes.map(({ type, entry }) => [type, entry?.export])).toEqual([
    ['code', 'draw'],
    ['code', 'summarise'],
  ])
})

test('a code flow is not changed through the API while it is registered', async () => {
  const { value } = await engine.root('GET', '/flows/estimate')
  const answers = [
    await engine.root('PUT', '/flows/estimate', value),
    await engine.root('POST', '/flows/estimate/publish', { version: 1 }),
    await engine.root('DELETE', '/flows/estimate'),
  ]
  expect(answers.map(({ status, problem }) => [status, problem.code])).toEqual(answers.map(() => [409, 'code_defined']))
})

test('a live flow in TypeScript executes its bundle, with its own initial values', async () => {
  expect((await engine.root('POST', '/flows/hall/start')).status).toBe(200)
  const fan = new Promise((resolve) => {
    const timer = setInterval(() => {
      const last = engine.lastValues.get('hall.fan')
      if (last) resolve(last.value)
      if (last) clearInterval(timer)
    }, 5)
  })
  // above 0 and below the initial limit of 28
  engine.runtime.publish('hall.temp', 20)
  expect(await fan).toBe(false)
  await engine.root('POST', '/flows/hall/stop')
})

test('code that cannot travel is a warning of its node, code that cannot be bundled an error', async () => {
  const own = await openEngine()
  const [estimate] = loaded
  const digests = estimate?.document.nodes.map(({ entry }) => entry?.digest ?? '') ?? []
  const [addon = '', broken = ''] = digests
  const bundles = new Map([
    [addon, async () => ({ text: '', map: '{}', addons: ['/x/built.node'] })],
    [broken, () => Promise.reject(new Error('Could not resolve "gone"\nmore'))],
  ])
  if (estimate) await own.register([{ ...estimate, bundles }])
  expect((await own.root('GET', '/flows/estimate')).value.issues).toEqual([
    {
      severity: 'warning',
      code: 'unbundlable_dependency',
      message: expect.stringContaining('(/x/built.node)'),
      node: 'draw',
      path: '/nodes/0/entry',
    },
    {
      severity: 'error',
      code: 'unbundlable_dependency',
      message: expect.stringMatching(/Could not resolve "gone"$/),
      node: 'summarise',
      path: '/nodes/1/entry',
    },
  ])
  await own[Symbol.asyncDispose]()
})

test('the text of a bundle carries its source map, which is no part of the digest', async () => {
  const entry = loaded[0]?.document.nodes[0]?.entry
  const text = await engine.code.bundleText(entry?.digest ?? '')
  const map = JSON.parse(Buffer.from(text.split('base64,').at(-1) ?? '', 'base64').toString()) as { sources: string[] }
  expect(map.sources).toContain('test/fixtures/flows-basic/estimate.ts')
  await expect(engine.code.bundleText(`sha256:${'0'.repeat(64)}`)).rejects.toMatchObject({ code: 'not_found' })
})

test('registering again bumps the version only of what has changed, rebuilds what is active, makes no bundle twice', async () => {
  const own = await openEngine({ registered: loaded })
  await own.root('POST', '/flows/hall/start')
  let made = 0
  const counting = (flows: readonly RegisteredFlow[]): RegisteredFlow[] =>
    flows.map((flow) => ({
      ...flow,
      bundles: new Map([...flow.bundles].map(([digest, make]) => [digest, () => ((made += 1), make())])),
    }))
  await own.register(counting(loaded))
  expect((await own.root('GET', '/flows/estimate')).value.version).toBe(1)
  await own.register(counting(retitled('New')))
  expect((await own.root('GET', '/flows/estimate')).value).toMatchObject({
    version: 2,
    published_version: 2,
    title: 'New',
  })
  expect(own.runtime.get('hall')?.document.title).toBe('New')
  expect(made).toBe(0)
  const audit = await own.database.sql`select action, actor from engine_event where flow = 'estimate' order by ts, id`
  expect([...audit]).toEqual([
    { action: 'flow.publish', actor: null },
    { action: 'flow.publish', actor: null },
  ])
  await own[Symbol.asyncDispose]()
})

test('new code is executable before it is published', async () => {
  const own = await openEngine({ registered: loaded })
  const seen: number[] = []
  const flows = retitled('New').map((flow) => ({
    ...flow,
    document: {
      ...flow.document,
      nodes: flow.document.nodes.map((each) =>
        each.entry === null ? each : { ...each, entry: { ...each.entry, digest: `sha256:${'1'.repeat(64)}` } },
      ),
    },
    bundles: new Map([
      [
        `sha256:${'1'.repeat(64)}`,
        async () => {
          seen.push((await own.root('GET', '/flows/estimate')).value.version)
          return { text: 'export {}', map: '{}', addons: [] }
        },
      ],
    ]),
  }))
  expect((await own.register(flows)).changed).toMatchObject([
    { name: 'estimate', previousVersion: 1, version: 2, nodes: ['draw', 'summarise'] },
    { name: 'hall' },
  ])
  expect(seen).toEqual([1])
  await own[Symbol.asyncDispose]()
})

test('a code flow whose module is gone is kept as failed; the API can delete it or take it over', async () => {
  const first = await openEngine({ registered: loaded })
  await first.root('POST', '/flows/hall/start')
  await first.close()
  const second = await openEngine({ dataDir: first.dataDir })
  try {
    for (const name of ['estimate', 'hall']) {
      const { value } = await second.root('GET', `/flows/${name}`)
      expect(value).toMatchObject({ status: 'failed', origin: 'code', published_version: 1 })
      const message = `nothing that is loaded defines "${name}"; test/fixtures/flows-basic/${name}.ts of ${project} did: `
      expect(value.issues).toMatchObject([
        { severity: 'error', code: 'module_missing', message: expect.stringContaining(message) },
      ])
    }
    expect(second.runtime.get('hall')).toBeUndefined()
    expect((await second.root('POST', '/flows/hall/start')).problem).toMatchObject({
      code: 'flow_invalid',
      errors: [{ code: 'module_missing' }],
    })
    const { document } = (await second.runnable.byName('estimate', 'published')) ?? {}
    expect(document && (await second.runnable.issuesOf(document, 'published'))).toMatchObject([
      { code: 'module_missing' },
    ])
    expect((await second.root('DELETE', '/flows/hall')).status).toBe(204)
    const { value } = await second.root('GET', '/flows/estimate')
    const taken = await second.root('PUT', '/flows/estimate', value)
    expect(taken.value).toMatchObject({ origin: 'api', code: null, status: 'ready', issues: [], version: 2 })
    const { errors } = await second.register(loaded)
    expect(errors).toMatchObject([{ message: expect.stringContaining('"estimate"') }])
    expect((await second.root('GET', '/flows/estimate')).value).toMatchObject({ origin: 'api', version: 2 })
  } finally {
    await second.close()
    await rm(first.dataDir, { recursive: true, force: true })
  }
})

test('registered code may stand in flows of the API when a superuser puts it there', async () => {
  const { value } = await engine.root('GET', '/flows/estimate')
  const copy: FlowDocumentInput = { mode: 'batch', inputs: value.inputs, nodes: value.nodes }
  expect((await engine.ann('PUT', '/flows/copy', copy)).status).toBe(403)
  const made = await engine.root('PUT', '/flows/copy', copy)
  expect(made.status).toBe(201)
  expect(made.value.nodes.map(({ entry }) => entry)).toEqual(value.nodes.map(({ entry }) => entry))
})

const counted = stage('counted', {
  in: { n: t.int },
  out: { sum: t.int, at: stream(t.int) },
  settings: z.object({ factor: z.int().default(2) }),
  version: '1',
  *run({ n, factor }, ctx) {
    ctx.log('counting', { n })
    for (let at = 0; at < n; at += 1) yield { at }
    return { sum: n * factor }
  },
})
const endless = stage('endless', {
  in: {},
  out: { never: t.int },
  run: (_, { signal }) =>
    new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
})
const double = node('double', { in: { x: t.int }, out: { y: t.int }, run: ({ x }) => ({ y: x * 2 }) })
const broken = stage('broken', {
  in: {},
  out: { y: t.int },
  run() {
    throw new RangeError('too far')
  },
})
const sums = batchFlow('sums', { n: input(t.int, 3) }, (p, use) => {
  use(endless, {})
  use(broken, {})
  return { sum: use(counted, { n: p.n }).sum }
})
const doubling = liveFlow('doubling', { x: t.int }, (m, use) => void use(double, { x: m.x }))

const call = (objects: ReturnType<typeof createCodeObjects>, id: string, more: Partial<CodeCall> = {}) => {
  const document = objects.flows[0]?.document
  const found = document?.nodes.find((each) => each.id === id)
  if (!document || !found) throw new Error(`no node ${id}`)
  const emitted: unknown[] = []
  const logs: string[] = []
  const outputs = objects.call({
    document,
    node: found,
    id: 'call-1',
    run: 'run-1',
    inputs: {},
    attempt: 1,
    seed: 'seed',
    signal: new AbortController().signal,
    onEmit: (values) => emitted.push(values),
    onLog: (_stream, text) => logs.push(text),
    onPlace() {},
    ...more,
  })
  return { outputs, emitted, logs }
}
const objects = createCodeObjects([sums, doubling], {
  put: () => Promise.reject(new Error('unused')),
  read: () => Promise.reject(new Error('unused')),
})

test('flow objects execute in process by the rules of bundles: settings, streams, logs', async () => {
  const { outputs, emitted, logs } = call(objects, 'counted', { inputs: { n: 3 } })
  expect(await outputs).toEqual({ sum: 6 })
  expect(emitted).toEqual([{ at: 0 }, { at: 1 }, { at: 2 }])
  expect(logs).toEqual(['counting {"n":3}\n'])
})

test('flow objects are cached only where a version stands for their code', () => {
  const nodes = objects.flows[0]?.document.nodes ?? []
  expect(Object.fromEntries(nodes.map(({ id, cache }) => [id, cache]))).toEqual({
    endless: false,
    broken: false,
    counted: true,
  })
})

test('cancel and silence end an execution in process, and a failing consumer of emissions fails it', async () => {
  const stop = new AbortController()
  const { outputs } = call(objects, 'endless', { signal: stop.signal })
  stop.abort()
  await expect(outputs).rejects.toMatchObject({ name: 'CodeError', type: 'cancelled' })
  const found = objects.flows[0]?.document.nodes.find(({ id }) => id === 'endless')
  const silent = found && call(objects, 'endless', { node: { ...found, timeout: 0.02 } }).outputs
  await expect(silent).rejects.toMatchObject({ type: 'timeout', message: expect.stringContaining('0.02 s') })
  const refusing = call(objects, 'counted', {
    inputs: { n: 3 },
    onEmit() {
      throw new CodeError('DtypeViolation', 'off', null)
    },
  })
  await expect(refusing.outputs).rejects.toMatchObject({ type: 'DtypeViolation' })
})

test('a failure in process has the lines of the closure, and no directory of this machine', async () => {
  const error = await call(objects, 'broken').outputs?.catch((caught: unknown) => caught)
  expect(error).toMatchObject({ type: 'RangeError', message: 'too far' })
  expect((error as CodeError).traceback).toMatch(/^RangeError: too far\n {4}at .*\(code-flows\.test\.ts:\d+:\d+\)$/)
})

test('a live flow object reacts in process', async () => {
  const own = await openEngine({ objects: [doubling] })
  await own.root('POST', '/flows/doubling/start')
  own.runtime.publish('doubling.x', 21)
  await own.runtime.get('doubling')?.idle()
  expect(own.lastValues.get('doubling.y')?.value).toBe(42)
  expect((await own.root('GET', '/flows/doubling')).value).toMatchObject({ origin: 'code', issues: [] })
  await own[Symbol.asyncDispose]()
})
