import { expect, test } from 'vitest'

import { pythonFlow } from './documents.ts'
import { DataDirectory, processesWith } from './engine-process.ts'
import { writeUnderKills } from './writes-under-kills.ts'

/** In the environment of the first engine, and so of every process that it starts. */
const MARK = 'KILL_TEST_MARK'
const onLinux = process.platform === 'linux'

test('a kill in the middle of a run leaves it abandoned at the next start, and no process behind [R407] [R409]', async () => {
  using data = new DataDirectory()
  const first = await data.start({ [MARK]: data.path })
  const source = 'def run(n):\n    emit(tick=1)\n    import time\n    time.sleep(600)\n'
  const flow = pythonFlow(source, {})
  flow.nodes[0]?.ports.push({ direction: 'output', name: 'tick', dtype: 'int', stream: true } as never)
  const { version } = await first.client.flows.save({ name: 'sleeper', flowDocument: flow as never })
  await first.client.flows.publish({ name: 'sleeper', version })
  const ticks = first.client.events({ flows: ['sleeper'] })
  await ticks.next()
  const { id } = await first.client.runs.submit({ name: 'sleeper' })
  for await (const frame of ticks) if (frame.type === 'value') break
  if (onLinux) expect(processesWith(`${MARK}=${data.path}`)).not.toEqual([])

  await first.end('SIGKILL')
  const second = await data.start()
  const run = await second.client.runs.get({ id })
  expect(run.status).toBe('abandoned')
  if (onLinux) expect(processesWith(`${MARK}=${data.path}`)).toEqual([])
  expect(await second.end('SIGTERM')).toBe(0)
})

test('kills in the middle of writes lose nothing that was acknowledged', async () => {
  using data = new DataDirectory()
  const { acknowledged, lost } = await writeUnderKills(data)
  expect(lost).toEqual([])
  expect(acknowledged).toBeGreaterThan(120)
}, 180_000)

test('a second engine on the same data directory is refused with what holds it', async () => {
  using data = new DataDirectory()
  const engine = await data.start()
  await expect(data.start()).rejects.toThrow(new RegExp(`${data.path}[\\s\\S]*${engine.child.pid}`))
  expect(await engine.end('SIGTERM')).toBe(0)
})
