/** Interpreters by name: found, listed, asked for by flows, and stages that are kept for each environment (V16). */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import type { Client } from '@flow-service/client-sdk'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { startAgent } from './agent-process.ts'
import { runService } from './cli-process.ts'
import { python } from './components/pythons.ts'
import { makeEnvironment } from './components/virtual-environments.ts'
import { publishFlow } from './documents.ts'
import { startService, type TestService } from './service.ts'

const source = 'import numbers_of\n\ndef run(n):\n    return {"out": numbers_of.VERSION}\n'
const flow = (environment: string | undefined, more: object = {}) => ({
  mode: 'batch',
  resources: environment === undefined ? {} : { python: environment },
  inputs: [{ name: 'n', dtype: 'int', initial: 1 }],
  outputs: [{ name: 'out' }],
  nodes: [
    {
      id: 'work',
      type: 'python',
      source,
      ports: [
        { direction: 'input', name: 'n', dtype: 'int' },
        { direction: 'output', name: 'out', dtype: 'str' },
      ],
      ...more,
    },
  ],
})
/** Executes a flow: its result, and why its node was executed. */
async function run(client: Client, name: string) {
  const { id } = await client.http.runs.submit({ name })
  const { result, error, nodes } = await client.wait(id)
  const [{ cache, worker } = { cache: null, worker: null }] = nodes
  return { out: result?.['out'] ?? error, why: cache?.hit ? 'hit' : cache?.why.join('; '), worker }
}

describe.skipIf(python === null)('interpreters by name', () => {
  const folder = mkdtempSync(join(tmpdir(), 'environments-'))
  const dataDir = join(folder, 'data')
  let at: TestService
  beforeAll(async () => {
    makeEnvironment(python!, join(folder, '.old'), '1.0')
    makeEnvironment(python!, join(dataDir, 'pythons', 'new'), '2.0')
    makeEnvironment(python!, join(folder, 'remote', 'far'), '3.0')
    const pythonEnvironments = `same=${join(folder, '.old')}, broken=/no/such/python`
    at = await startService({ dataDir, projectDir: folder, pythonEnvironments, python: python! })
  })
  afterAll(async () => {
    await at[Symbol.asyncDispose]()
    rmSync(folder, { recursive: true, force: true })
  })

  test('are found in the project and the data directory, named by the setting, and listed', async () => {
    const { pythons } = await at.client.workers.resources()
    expect(pythons.map(({ name, worker, path }) => [name, worker, path])).toEqual([
      [null, 'engine', expect.any(String)],
      ['broken', 'engine', '/no/such/python'],
      ['new', 'engine', join(dataDir, 'pythons', 'new', 'bin', 'python')],
      ['old', 'engine', join(folder, '.old', 'bin', 'python')],
      ['same', 'engine', join(folder, '.old', 'bin', 'python')],
    ])
    expect(pythons.map(({ version }) => version === null)).toEqual([false, true, false, false, false])
    const { code, out } = await runService(['workers', 'pythons'], { cwd: dataDir, env: { SERVICE_DATA_DIR: dataDir } })
    expect([code, out]).toEqual([0, expect.stringMatching(/^NAME +WORKER +PYTHON +PATH\n- +engine +3\./)])
    expect(out).toMatch(/broken +engine +does not run +\/no\/such\/python\n/)
  })

  test('a name that is not there is an issue that tells which are, at once when one has come', async () => {
    const validated = async (name: string, more: object = {}) =>
      (await at.client.http.flows.validate({ name: 'unknown', flowDocument: flow(name, more) as never })).issues
    await at.client.http.flows.save({ name: 'unknown', flowDocument: flow('newest') as never })
    expect(await validated('newest')).toEqual([
      {
        severity: 'error',
        code: 'unknown_python',
        node: null,
        path: '/resources/python',
        message: expect.stringMatching(/"newest" \(there are: "broken", "new", "old", "same"\)/),
      },
    ])
    expect(await validated('newest', { worker: 'gpu' })).toMatchObject([
      { severity: 'warning', code: 'unknown_python' },
    ])
    makeEnvironment(python!, join(folder, 'newest'), '9.0')
    expect(await validated('newest')).toEqual([])
    await publishFlow(at.client, 'newest', flow('newest'))
    expect(await run(at.client, 'newest')).toMatchObject({ out: '9.0' })
    rmSync(join(folder, 'newest'), { recursive: true })
    expect(await at.send('POST', '/runs/flows/newest', {})).toMatchObject({ body: { code: 'flow_invalid' } })
  })

  test('two in turn both hit, and a plan and a record say what differs', async () => {
    for (const name of ['old', 'new', 'same']) await publishFlow(at.client, name, flow(name))
    expect(await run(at.client, 'old')).toMatchObject({ out: '1.0', worker: 'engine' })
    const { stages } = await at.client.http.runs.plan({ name: 'new' })
    expect(stages[0]?.why).toEqual(['environment: numbers-of 1.0 -> 2.0'])
    expect(await run(at.client, 'new')).toMatchObject({ out: '2.0', why: 'environment: numbers-of 1.0 -> 2.0' })
    for (const [name, out] of [
      ['old', '1.0'],
      ['new', '2.0'],
      ['same', '1.0'],
      ['new', '2.0'],
      ['old', '1.0'],
    ] as const) {
      // oxlint-disable-next-line no-await-in-loop -- in turn
      expect(await run(at.client, name)).toMatchObject({ out, why: 'hit' })
    }
  })

  test('one that does not run fails the node and says so', async () => {
    await publishFlow(at.client, 'broken', flow('broken'))
    expect(await run(at.client, 'broken')).toMatchObject({
      out: { message: expect.stringContaining('"broken" at /no/such/python') },
    })
  })

  test('a worker tells of its own: nodes wait for one that has the name, and its environment counts', async () => {
    await publishFlow(at.client, 'far', flow('far', { worker: 'lab', source: `${source}# there\n` }))
    const { issues } = await at.client.http.flows.get({ name: 'far' })
    expect(issues).toMatchObject([{ severity: 'warning', message: expect.stringContaining('no attached worker has') }])
    const bare = await startAgent(at, 'bare', { labels: ['lab'] })
    const { id } = await at.client.http.runs.submit({ name: 'far' })
    const waitingFor = async () => (await at.client.http.runs.get({ id })).nodes[0]?.waiting_for
    await expect.poll(waitingFor).toBe('lab with Python "far"')
    const env = { SERVICE_PYTHON_ENVIRONMENTS: `far=${join(folder, 'remote', 'far')}` }
    await startAgent(at, 'able', { labels: ['lab'], env })
    expect(await at.client.wait(id)).toMatchObject({ result: { out: '3.0' }, nodes: [{ worker: 'able' }] })
    expect(await run(at.client, 'far')).toMatchObject({ out: '3.0', why: 'hit' })
    const { pythons } = await at.client.workers.resources()
    expect(pythons).toContainEqual({ name: 'far', worker: 'able', version: expect.any(String), path: null })
    expect((await at.client.http.flows.get({ name: 'far' })).issues).toEqual([])
    await bare.end('SIGTERM')
  })
})
