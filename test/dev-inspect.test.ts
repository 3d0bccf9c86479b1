/** `service dev --inspect`: breakpoints in the code of nodes. */
import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

import { type Client, createClient } from '@flow-service/client-sdk'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'

import { begin, runService } from './cli-process.ts'
import { pythonWith } from './components/python-packages.ts'
import { python } from './components/pythons.ts'
import { DebugpyClient } from './debugpy-client.ts'
import { InspectorClient } from './inspector-client.ts'

const root = mkdtempSync(join(tmpdir(), 'dev-inspect-'))
const write = (file: string, text: string): void => {
  mkdirSync(join(root, file, '..'), { recursive: true })
  writeFileSync(join(root, file), text)
}
afterAll(() => rmSync(root, { recursive: true, force: true, maxRetries: 5 }))

const imports = `import { batchFlow, input, liveFlow, node, python, stage, t } from '@flow-service/flow-sdk'\n`

// the machine may be busy with other engines
vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 })

/** A `service dev` with options of its own. */
class Dev {
  output = ''
  readonly #data = mkdtempSync(join(root, 'data-'))
  readonly #child: ChildProcessWithoutNullStreams

  private constructor(options: readonly string[], env: NodeJS.ProcessEnv) {
    this.#child = begin(['dev', 'flows', ...options, '--port', '0', '--data', this.#data], { cwd: root, env })
    for (const stream of [this.#child.stdout, this.#child.stderr])
      stream.on('data', (text: string) => (this.output += text))
  }

  /** Starts one; resolves when it is up. */
  static async start(options: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Dev> {
    const dev = new Dev(options, env)
    await dev.shown(/Ctrl-C stops the engine/)
    return dev
  }

  get client(): Client {
    const signIn = JSON.parse(readFileSync(join(this.#data, 'cli.json'), 'utf8')) as Record<string, string>
    return createClient({ baseUrl: signIn['base_url'] ?? '', token: signIn['access_token'] ?? '' })
  }

  /** Waits for a text on the terminal; answers its first group as a number. */
  async shown(text: RegExp): Promise<number> {
    const found = await vi.waitFor(
      () => text.exec(this.output) ?? Promise.reject(new Error(`${this.output}\nlacks ${text.source}`)),
      {
        timeout: 280_000,
      },
    )
    return Number(found[1])
  }

  async close(): Promise<void> {
    const exit = once(this.#child, 'exit')
    this.#child.kill('SIGINT')
    await exit
  }
}

beforeAll(() => {
  write('package.json', '{ "type": "module" }')
  symlinkSync(join(import.meta.dirname, '../examples/quickstart/node_modules'), join(root, 'node_modules'))
  write(
    'flows/hall.ts',
    `${imports}
export const answer = node('answer', {
  in: { x: t.int },
  out: { y: t.int },
  timeout: 1,
  run({ x }) {
    const y: number = x * 2
    return { y }
  },
})
export const hall = liveFlow('hall', { x: t.int, y: t.int }, (m, use) => use(answer, { x: m.x }, { out: { y: m.y } }))
`,
  )
  write(
    'flows/fit.ts',
    `${imports}
export const train = stage('train', {
  in: { n: t.int },
  out: { loss: t.int },
  run({ n }) {
    const loss: number = n - 1
    return { loss }
  },
})
export const fit = batchFlow('fit', { n: input(t.int, 5) }, (p, use) => use(train, p))
`,
  )
})

beforeAll(() => {
  write('flows/lib/snake.py', 'def run(x):\n    y = x * 3\n    return {"y": y}\n')
  write(
    'flows/snakes.ts',
    `${imports}
export const hiss = python('hiss', { file: './lib/snake.py', in: { x: t.int }, out: { y: t.int } })
export const snakes = batchFlow('snakes', { x: input(t.int, 5) }, (p, use) => use(hiss, p))
export const snake = liveFlow('snake', { x: t.int, y: t.int }, (m, use) => use(hiss, { x: m.x }, { out: { y: m.y } }))
`,
  )
})

test('what is no port is refused, and so is waiting without a debugger', async () => {
  const run = (...args: string[]) => runService(['dev', ...args], { cwd: root })
  expect(await run('--inspect', 'flows')).toMatchObject({ code: 2, err: expect.stringContaining('Give a port') })
  expect(await run('flows', '--inspect-wait')).toMatchObject({ code: 2, err: expect.stringContaining('give both') })
})

describe('service dev --inspect', () => {
  let dev: Dev
  beforeAll(async () => {
    dev = await Dev.start(['--inspect=0'])
  })
  afterAll(() => dev.close())

  test('a breakpoint in the file of a live node is hit by its source map; the node answers when it goes on, whatever its timeout', async () => {
    const { client } = dev
    await expect.poll(async () => (await client.flows.get('hall')).status).toBe('active')
    const value = async () => (await client.messages.list()).find(({ name }) => name === 'hall.y')?.value
    await client.http.messages.publish({ message: 'hall.x', value: 1 })
    const port = await dev.shown(/^● hall\.answer {2}takes a debugger at 127\.0\.0\.1:(\d+) /m)
    await expect.poll(value).toBe(2)
    using debug = await InspectorClient.attach(port)
    expect(await debug.breakAt(/\/flows\/hall\.ts$/, 8)).toEqual({
      address: pathToFileURL(join(root, 'flows/hall.ts')).href,
      text: readFileSync(join(root, 'flows/hall.ts'), 'utf8'),
    })
    const hit = debug.paused()
    await client.http.messages.publish({ message: 'hall.x', value: 21 })
    const { callFrames, hitBreakpoints } = await hit
    expect(hitBreakpoints).toHaveLength(1)
    expect(callFrames[0]?.functionName).toBe('run')
    const evaluate = { callFrameId: callFrames[0]?.callFrameId, expression: 'x' }
    expect(await debug.ask('Debugger.evaluateOnCallFrame', evaluate)).toMatchObject({ result: { value: 21 } })
    // longer than its timeout of a second, by the clock of the process that is paused
    const later = 'const until = Date.now() + 1500; while (Date.now() < until); 1'
    await debug.ask('Debugger.evaluateOnCallFrame', { ...evaluate, expression: `{ ${later} }` })
    expect(await value()).toBe(2)
    await debug.ask('Debugger.resume')
    await expect.poll(value).toBe(42)
    expect(dev.output).not.toContain('✗ hall.answer')

    // an edit does not wait for code that is paused
    const again = debug.paused()
    await client.http.messages.publish({ message: 'hall.x', value: 1 })
    await again
    const file = readFileSync(join(root, 'flows/hall.ts'), 'utf8')
    write('flows/hall.ts', file.replace('x * 2', 'x * 1000'))
    await dev.shown(/↻ hall {2}v1 → v2 \(1 node changed\)/)
    await client.http.messages.publish({ message: 'hall.x', value: 3 })
    await expect.poll(value).toBe(3000)
  })
})

describe('service dev --inspect --inspect-wait', () => {
  let dev: Dev
  beforeAll(async () => {
    dev = await Dev.start(['--inspect=0', '--inspect-wait'])
  })
  afterAll(() => dev.close())

  test('a stage waits for a debugger, is paused at a breakpoint, and its run ends when it goes on', async () => {
    const { client } = dev
    const { id } = await client.http.runs.submit({ name: 'fit' })
    const port = await dev.shown(/^● fit\.train {2}waits for a debugger at 127\.0\.0\.1:(\d+) /m)
    using debug = await InspectorClient.attach(port)
    // as editors do: pause before code with a source map runs, and set what is wanted there
    await debug.ask('Debugger.setInstrumentationBreakpoint', { instrumentation: 'beforeScriptWithSourceMapExecution' })
    const loaded = debug.paused()
    await debug.ask('Runtime.runIfWaitingForDebugger')
    expect((await loaded).reason).toBe('instrumentation')
    await debug.breakAt(/\/flows\/fit\.ts$/, 7)
    const hit = debug.paused()
    await debug.ask('Debugger.resume')
    expect((await hit).hitBreakpoints).toHaveLength(1)
    expect((await client.runs.get(id)).status).toBe('running')
    await debug.ask('Debugger.resume')
    expect(await client.wait(id)).toMatchObject({ status: 'ok', result: { loss: 4 } })
  })
})

const debugged = pythonWith('debugpy')

describe.skipIf(debugged === null)('service dev --inspect, Python', () => {
  const file = join(root, 'flows/lib/snake.py')
  const env = { SERVICE_PYTHON: debugged ?? '' }
  let here: Dev
  let waiting: Dev
  beforeAll(async () => {
    here = await Dev.start(['--inspect=0'], env)
    waiting = await Dev.start(['--inspect=0', '--inspect-wait'], env)
  })
  afterAll(() => Promise.all([here.close(), waiting.close()]))

  test('a breakpoint in the file of a live Python node is hit, and the node answers when it goes on', async () => {
    const { client } = here
    await expect.poll(async () => (await client.flows.get('snake')).status).toBe('active')
    const value = async () => (await client.messages.list()).find(({ name }) => name === 'snake.y')?.value
    await client.http.messages.publish({ message: 'snake.x', value: 1 })
    const port = await here.shown(/^● snake\.hiss {2}takes a debugger at 127\.0\.0\.1:(\d+) \(debugpy\)$/m)
    await expect.poll(value).toBe(3)
    using debug = await DebugpyClient.attach(port, { file, lines: [2] })
    const stop = debug.stopped()
    await client.http.messages.publish({ message: 'snake.x', value: 7 })
    const { reason, threadId } = await stop
    expect(reason).toBe('breakpoint')
    const { stackFrames } = await debug.ask<{ stackFrames: object[] }>('stackTrace', { threadId })
    expect(stackFrames[0]).toMatchObject({ name: 'run', line: 2, source: { path: file } })
    expect(await value()).toBe(3)
    await debug.ask('continue', { threadId })
    await expect.poll(value).toBe(21)
  })

  test('a Python stage waits for a debugger, and its run ends when it goes on', async () => {
    const { client } = waiting
    const { id } = await client.http.runs.submit({ name: 'snakes' })
    const port = await waiting.shown(/^● snakes\.hiss {2}waits for a debugger at 127\.0\.0\.1:(\d+) /m)
    using debug = await DebugpyClient.attach(port, { file, lines: [3] })
    const { threadId } = await debug.stopped()
    expect((await client.runs.get(id)).status).toBe('running')
    await debug.ask('continue', { threadId })
    expect(await client.wait(id)).toMatchObject({ status: 'ok', result: { y: 15 } })
  })
})

describe.skipIf(python === null)('service dev --inspect without debugpy', () => {
  let dev: Dev
  beforeAll(async () => {
    write('without/debugpy.py', 'raise ModuleNotFoundError("there is none")\n')
    dev = await Dev.start(['--inspect=0'], { SERVICE_PYTHON: python ?? '', PYTHONPATH: join(root, 'without') })
  })
  afterAll(() => dev.close())

  test('one line says how to install it, and the node executes', async () => {
    const { client } = dev
    for (const x of [1, 2]) {
      const { id } = await client.http.runs.submit({ name: 'snakes', params: { x } })
      expect(await client.wait(id)).toMatchObject({ status: 'ok', result: { y: 3 * x } })
    }
    await dev.shown(/^✗ snakes\.hiss {2}is not debugged: debugpy is missing: \S+ -m pip install debugpy$/m)
    expect(dev.output.match(/is not debugged/g)).toHaveLength(1)
  })
})
