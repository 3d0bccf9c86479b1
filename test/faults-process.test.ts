import { spawn } from 'node:child_process'
import { once } from 'node:events'

import { expect, test, vi } from 'vitest'

import { publishFlow, pythonFlow } from './documents.ts'
import { DataDirectory, type EngineProcess, processesWith, serviceCommand } from './engine-process.ts'

const onLinux = process.platform === 'linux'
const MARK = 'FAULT_TEST_MARK'

/** Each test starts engines one after the other. */
vi.setConfig({ testTimeout: 180_000 })

/** A run that sleeps, once its code is running. */
async function sleeper(engine: EngineProcess, seconds: number): Promise<string> {
  const flow = pythonFlow(
    `def run(n):\n    emit(tick=1)\n    import time\n    time.sleep(${seconds})\n    return {"out": n}\n`,
  )
  flow.nodes[0]?.ports.push({ direction: 'output', name: 'tick', dtype: 'int', stream: true } as never)
  await publishFlow(engine.client, 'sleeper', flow)
  const ticks = engine.client.events({ flows: ['sleeper'] })
  await ticks.next()
  const { id } = await engine.client.runs.submit({ name: 'sleeper' })
  for await (const frame of ticks) if (frame.type === 'value') break
  return id
}

/** Resolves when the engine has said so. */
async function says(engine: EngineProcess, text: string): Promise<void> {
  for await (const chunk of engine.child.stdout ?? []) if (String(chunk).includes(text)) return
}

test('a SIGTERM lets running work end, and the engine exits with 0', async () => {
  using data = new DataDirectory()
  const engine = await data.start()
  const id = await sleeper(engine, 2)
  expect(await engine.end('SIGTERM')).toBe(0)

  const next = await data.start()
  const run = await next.client.runs.get({ id })
  expect([run.status, run.result]).toEqual(['ok', { out: 3 }])
  expect(await next.end('SIGTERM')).toBe(0)
})

test('a second SIGTERM ends the engine at once, with its children, and the run is told as abandoned', async () => {
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
  if (onLinux) await expect.poll(() => processesWith(`${MARK}=${data.path}`), { timeout: 10_000 }).toEqual([])

  const next = await data.start()
  expect((await next.client.runs.get({ id })).status).toBe('abandoned')
  expect(await next.end('SIGTERM')).toBe(0)
})

test('a second engine on a data directory exits, names the first one, and does it no harm', async () => {
  using data = new DataDirectory()
  const engine = await data.start()
  await engine.client.flows.save({
    name: 'kept',
    flowDocument: pythonFlow('def run(n):\n    return {"out": n}\n') as never,
  })
  const rivals = Array.from({ length: 2 }, async () => {
    const rival = spawn(process.execPath, serviceCommand('serve', '--port', '0', '--data', data.path), {
      env: { ...process.env, SERVICE_LOG_LEVEL: 'warn', SERVICE_ENVIRONMENT: 'local' },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    let told = ''
    rival.stderr.setEncoding('utf8').on('data', (text: string) => (told += text))
    const [code] = (await once(rival, 'close')) as [number | null]
    return { code, told }
  })
  for (const { code, told } of await Promise.all(rivals)) {
    expect(code).toBeGreaterThan(0)
    expect(told).toContain(`process ${engine.child.pid}`)
    expect(told).toContain(data.path)
    expect(told).not.toMatch(/\n\s+at /)
  }
  expect((await engine.client.flows.get({ name: 'kept' })).name).toBe('kept')
  expect(await engine.end('SIGTERM')).toBe(0)
})
