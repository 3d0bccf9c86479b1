import { spawn } from 'node:child_process'
import { once } from 'node:events'

import { expect, test, vi } from 'vitest'

import { AwakeTime } from './components/awake-time.ts'
import { publishFlow, pythonFlow } from './documents.ts'
import { DataDirectory, type EngineProcess, processesWith, serviceCommand } from './engine-process.ts'

const onLinux = process.platform === 'linux'
const MARK = 'FAULT_TEST_MARK'

/** Each test starts engines one after the other. */
vi.setConfig({ testTimeout: 180_000 })

/** Takes a value by a webhook and passes it on. */
const hooked = {
  mode: 'live',
  nodes: [
    {
      id: 'hook',
      type: 'http',
      settings: { url: 'in' },
      ports: [{ direction: 'output', name: 'v', dtype: 'int' }],
    },
    {
      id: 'pass',
      type: 'change',
      ports: [
        { direction: 'input', name: 'v', dtype: 'int' },
        { direction: 'output', name: 'w', dtype: 'int' },
      ],
    },
  ],
}

/** A run that sleeps, once its code is running. */
async function sleeper(engine: EngineProcess, seconds: number, name = 'sleeper'): Promise<string> {
  const flow = pythonFlow(
    `def run(n):\n    emit(tick=1)\n    import time\n    time.sleep(${seconds})\n    return {"out": n}\n`,
  )
  flow.nodes[0]?.ports.push({ direction: 'output', name: 'tick', dtype: 'int', stream: true } as never)
  await publishFlow(engine.client, name, flow)
  const ticks = engine.client.events({ flows: [name] })
  await ticks.next()
  const { id } = await engine.client.http.runs.submit({ name })
  for await (const frame of ticks) if (frame.type === 'value') break
  return id
}

/** Resolves when the engine has said so. */
async function says(engine: EngineProcess, text: string): Promise<void> {
  for await (const chunk of engine.child.stdout ?? []) if (String(chunk).includes(text)) return
}

test('a SIGTERM lets running work end, for a while, and the engine exits with 0 within 30 s [F13]', async () => {
  using data = new DataDirectory()
  const engine = await data.start()
  const id = await sleeper(engine, 2)
  const endless = await sleeper(engine, 600, 'endless')
  using awake = new AwakeTime()
  expect(await engine.end('SIGTERM')).toBe(0)
  expect(awake.ms).toBeLessThan(30_000)

  const next = await data.start()
  const run = await next.client.http.runs.get({ id })
  expect([run.status, run.result]).toEqual(['ok', { out: 3 }])
  expect((await next.client.http.runs.get({ id: endless })).status).toBe('abandoned')
  expect(await next.end('SIGTERM')).toBe(0)
})

test('a second SIGTERM ends the engine at once, with its children, and the run is told as abandoned [F13]', async () => {
  using data = new DataDirectory()
  const engine = await data.start({ [MARK]: data.path })
  const id = await sleeper(engine, 600)
  const stopping = says(engine, 'Stopping')
  const exit = once(engine.child, 'exit')
  engine.child.kill('SIGTERM')
  await stopping
  engine.child.kill('SIGTERM')
  const [code] = (await exit) as [number | null]
  expect(code).toBeGreaterThan(0)
  if (onLinux) await expect.poll(() => processesWith(`${MARK}=${data.path}`)).toEqual([])

  const next = await data.start()
  expect((await next.client.http.runs.get({ id })).status).toBe('abandoned')
  expect(await next.end('SIGTERM')).toBe(0)
})

test('a second engine on a data directory exits, names the first one, and does it no harm [F14]', async () => {
  using data = new DataDirectory()
  using start = new AwakeTime()
  const engine = await data.start()
  const startMs = start.ms
  await engine.client.http.flows.save({
    name: 'kept',
    flowDocument: pythonFlow('def run(n):\n    return {"out": n}\n') as never,
  })
  const rivals = Array.from({ length: 2 }, async () => {
    const rival = spawn(process.execPath, serviceCommand('serve', '--port', '0', '--data', data.path), {
      env: { ...process.env, SERVICE_LOG_LEVEL: 'warn', SERVICE_ENVIRONMENT: 'local' },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    using awake = new AwakeTime()
    let told = ''
    rival.stderr.setEncoding('utf8').on('data', (text: string) => (told += text))
    const [code] = (await once(rival, 'close')) as [number | null]
    return { code, told, tookMs: awake.ms }
  })
  for (const { code, told, tookMs } of await Promise.all(rivals)) {
    expect(code).toBeGreaterThan(0)
    expect(told).toContain(`process ${engine.child.pid}`)
    expect(told).toContain(data.path)
    expect(told).not.toMatch(/\n\s+at /)
    // most of it is the start of a process, which an engine needs too
    expect(tookMs).toBeLessThan(4 * startMs + 2000)
  }
  expect((await engine.client.http.flows.get({ name: 'kept' })).name).toBe('kept')
  expect(await engine.end('SIGTERM')).toBe(0)
})

test('fifty flows, some stopped, some paused, come back from a kill as they were left, with their webhooks mounted before the engine listens [R451, F58]', async () => {
  using data = new DataDirectory()
  const names = Array.from({ length: 50 }, (_, index) => `flow-${String(index).padStart(2, '0')}`)
  const left = names.map((_, index) => (['stopped', 'paused', 'active', 'active', 'active'] as const)[index % 5])
  const first = await data.start()
  const leave = async (name: string, index: number): Promise<void> => {
    await publishFlow(first.client, name, hooked)
    await first.client.http.flows.start({ name })
    if (left[index] === 'stopped') await first.client.http.flows.stop({ name })
    if (left[index] === 'paused') await first.client.http.flows.pause({ name })
  }
  await Promise.all(names.map(leave))
  await first.end('SIGKILL')

  const second = await data.start()
  const knock = async (name: string, index: number): Promise<number> => {
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: String(index) }
    return (await fetch(`${second.origin}/hooks/${name}/in`, init)).status
  }
  expect(await Promise.all(names.map(knock))).toEqual(left.map((state) => (state === 'stopped' ? 404 : 202)))
  const list = await second.client.flows.list()
  expect(list.map(({ name, status, held }) => [name, status, held])).toEqual(
    names.map((name, index) => [name, left[index], left[index] === 'paused' ? 1 : 0]),
  )
  const passed = async () => {
    const messages = await second.client.messages.list()
    return names.map((name) => messages.find((message) => message.name === `${name}.w`)?.value ?? null)
  }
  const expected = left.map((state, index) => (state === 'active' ? index : null))
  await expect.poll(passed).toEqual(expected)
  await second.client.http.flows.resume({ name: 'flow-01' })
  await expect.poll(passed).toEqual(expected.with(1, 1))
  expect(await second.end('SIGTERM')).toBe(0)
})
