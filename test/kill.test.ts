import { readdirSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'

import { expect, test } from 'vitest'

import { pythonFlow } from './documents.ts'
import { DataDirectory, processesWith } from './engine-process.ts'

/** In the environment of the first engine, and so of every process that it starts. */
const MARK = 'KILL_TEST_MARK'
const onLinux = process.platform === 'linux'

test('a kill in the middle of a run and of an upload: the run is abandoned at the next start, of the bytes and of processes nothing is left [R407] [R409] [F6]', async () => {
  using data = new DataDirectory()
  const first = await data.start({ [MARK]: data.path })
  const source = 'def run(n):\n    emit(tick=1)\n    import time\n    time.sleep(600)\n'
  const flow = pythonFlow(source, {})
  flow.nodes[0]?.ports.push({ direction: 'output', name: 'tick', dtype: 'int', stream: true } as never)
  const { version } = await first.client.http.flows.save({ name: 'sleeper', flowDocument: flow as never })
  await first.client.http.flows.publish({ name: 'sleeper', version })
  const ticks = first.client.events({ flows: ['sleeper'] })
  await ticks.next()
  const { id } = await first.client.http.runs.submit({ name: 'sleeper' })
  for await (const frame of ticks) if (frame.type === 'value') break
  if (onLinux) expect(processesWith(`${MARK}=${data.path}`)).not.toEqual([])

  const staged = (): string[] => readdirSync(join(data.path, 'artifacts', 'tmp'))
  const headers = { authorization: `Bearer ${first.token}`, 'content-length': 1_000_000 }
  const upload = request(`${first.baseUrl}/artifacts`, { method: 'PUT', headers }).on('error', () => {})
  upload.write(Buffer.alloc(600_000))
  await expect.poll(staged).toHaveLength(1)

  await first.end('SIGKILL')
  expect(staged()).toHaveLength(1)
  const second = await data.start()
  expect(staged()).toEqual([])
  const run = await second.client.http.runs.get({ id })
  expect(run.status).toBe('abandoned')
  if (onLinux) expect(processesWith(`${MARK}=${data.path}`)).toEqual([])
  expect(await second.end('SIGTERM')).toBe(0)
})
