import { readFileSync } from 'node:fs'
import { join } from 'node:path'

import { expect, test, vi } from 'vitest'

import { doubler, writeProject } from '../packages/api-server/test/code/packages/project.ts'
import { runService } from './cli-process.ts'
import { publishFlow } from './documents.ts'
import { DataDirectory, type EngineProcess } from './engine-process.ts'

/** Each test starts engines one after the other. */
vi.setConfig({ testTimeout: 180_000 })

const types = { acme_double: './dist/index.js' }

/** A live flow that doubles its input. */
const doubling = {
  mode: 'live',
  inputs: [{ name: 'n', dtype: 'int' }],
  nodes: [
    {
      id: 'double',
      type: 'acme_double',
      ports: [
        { direction: 'input', name: 'n', dtype: 'int' },
        { direction: 'output', port: 'out', name: 'doubled', dtype: 'int' },
      ],
    },
  ],
}

/** A data directory, and starts of engines for a project in it. */
function project() {
  const data = new DataDirectory()
  const root = join(data.path, 'project')
  const start = (): Promise<EngineProcess> => data.start({ SERVICE_PROJECT_DIR: root })
  return { root, start, data, [Symbol.dispose]: () => data[Symbol.dispose]() }
}

const installed = async ({ client }: EngineProcess) =>
  (await client.flows.nodeTypes()).filter((each) => each.package !== null)

/** Publishes a number and waits for what comes of it. */
async function doubled({ client }: EngineProcess, n: number): Promise<unknown> {
  await client.http.messages.publish({ message: 'doubling.n', value: n })
  const value = async () => (await client.messages.list()).find(({ name }) => name === 'doubling.doubled')?.value
  await vi.waitUntil(async () => (await value()) === n * 2, { timeout: 60_000, interval: 20 })
  return value()
}

test('packages bring node types at the start of the engine, what is left out is told, and more comes with the next start [R019, R159, R340, R342, R352, R402]', async () => {
  using at = project()
  const tried = join(at.data.path, 'tried')
  const count = `import { appendFileSync } from 'node:fs'
    if (process.argv[1].includes('trial-child')) appendFileSync(${JSON.stringify(tried)}, '1')`
  const files = { 'dist/index.js': doubler(count) }
  const loops = { types: { endless: './dist/index.js' }, files: { 'dist/index.js': 'process.exit(7)' } }
  await writeProject(at.root, { acme: { version: '1.2.0', types, files }, loops })
  const first = await at.start()
  expect(await installed(first)).toMatchObject([
    { type: 'acme_double', package: 'acme', version: '1.2.0', contract: 1 },
  ])
  const { load_errors: errors } = await first.client.observability.summary()
  expect(errors).toEqual([{ package: 'loops', reason: expect.stringContaining('exit code 7') }])
  await publishFlow(first.client, 'doubling', doubling)
  await first.client.http.flows.start({ name: 'doubling' })
  expect(await doubled(first, 4)).toBe(8)
  const validate = async (document: object) => {
    const env = { SERVICE_DATA_DIR: at.data.path }
    const input = JSON.stringify(document)
    return JSON.parse((await runService(['validate', '-', '--json'], { cwd: at.data.path, env, input })).out) as object
  }
  const document = { ...doubling, name: 'doubling' }
  expect(await validate(document)).toMatchObject({ valid: true, issues: [] })
  const nodes = doubling.nodes.map((node) => ({ ...node, type: 'acme_triple' }))
  expect(await validate({ ...document, nodes })).toMatchObject({ valid: false, issues: [{ code: 'unknown_type' }] })

  const later = { types: { later: './dist/index.js' } }
  await writeProject(at.root, { acme: { version: '1.2.0', types, files }, loops, later })
  expect(await installed(first)).toHaveLength(1)
  await first.end('SIGTERM')
  const second = await at.start()
  expect((await installed(second)).map(({ type }) => type)).toEqual(['acme_double', 'later'])
  expect(await doubled(second, 5)).toBe(10)
  await second.end('SIGTERM')
  // written anew, the package has files of another time
  expect(readFileSync(tried, 'utf8')).toBe('11')
  const third = await at.start()
  expect(await doubled(third, 6)).toBe(12)
  expect(readFileSync(tried, 'utf8')).toBe('11')
  await third.end('SIGTERM')
})

test('a flow whose package is gone is failed at the next start, and names it', async () => {
  using at = project()
  await writeProject(at.root, { acme: { version: '1.2.0', types } })
  const first = await at.start()
  await publishFlow(first.client, 'doubling', doubling)
  await first.client.http.flows.start({ name: 'doubling' })
  await first.end('SIGTERM')
  await writeProject(at.root, {})
  const second = await at.start()
  const { status, issues } = await second.client.http.flows.get({ name: 'doubling' })
  expect(status).toBe('failed')
  expect(issues.map(({ message }) => message)).toContainEqual(
    expect.stringContaining('the node type "acme_double" is not installed; install acme 1.2.0 again'),
  )
  await second.end('SIGTERM')
  await writeProject(at.root, { acme: { version: '1.2.0', types } })
  const third = await at.start()
  expect(await doubled(third, 4)).toBe(8)
  await third.end('SIGTERM')
})

test('a promise that a node of a package leaves alone fails this node, and no other one; the log names the package [F73]', async () => {
  using at = project()
  const text = doubler().replace(
    'onValue: (_port, value) => (',
    `onValue: (_port, value) => (value === 13 && setTimeout(async () => { globalThis.go?.(); throw new Error('left alone') }, 1), `,
  )
  const left = `void new Promise((resolve) => (globalThis.go = resolve)).then(() => { throw new Error('of the module') })`
  const loads = { types: { loads: './dist/index.js' }, files: { 'dist/index.js': doubler(left) } }
  await writeProject(at.root, { acme: { version: '1.2.0', types, files: { 'dist/index.js': text } }, loads })
  const engine = await at.start()
  let output = ''
  engine.child.stdout?.on('data', (chunk: string) => (output += chunk))
  await publishFlow(engine.client, 'doubling', doubling)
  const [double] = doubling.nodes
  const other = { ...double, id: 'other', ports: [{ ...double?.ports[0], name: 'm' }] }
  await publishFlow(engine.client, 'beside', { mode: 'live', inputs: [{ name: 'm', dtype: 'int' }], nodes: [other] })
  for (const name of ['doubling', 'beside']) await engine.client.http.flows.start({ name })
  expect(await doubled(engine, 13)).toBe(26)
  const stateOf = async (name: string) => (await engine.client.http.flows.get({ name })).node_states[0]
  await vi.waitUntil(async () => (await stateOf('doubling'))?.status === 'failed', { timeout: 60_000, interval: 20 })
  expect((await stateOf('doubling'))?.error).toMatchObject({
    type: 'ForgottenPromise',
    message: 'a promise that the package acme 1.2.0 waits for nowhere has failed: Error: left alone',
  })
  expect((await stateOf('beside'))?.status).toBe('idle')
  await expect.poll(() => output).toMatch(/"package":"acme","version":"1.2.0","flow":"doubling","node":"double"/)
  await expect.poll(() => output).toMatch(/"message":"of the module".*"package":"loads","version":"1.0.0",/)
  expect(await doubled(engine, 4)).toBe(8)
  await engine.end('SIGTERM')
})
