/**
 * A trivial run from POST to `ok` over HTTP and the event socket, one at a time with a spare process ready: a node of
 * TypeScript and one of Python, each in a child process, against the bare start of a Node process. Only ratios are judged.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'

import { type Client, createClient } from '@flow-service/client-sdk'
import type { EventFrame } from '@flow-service/protocol'
import { expect, test } from 'vitest'

import { useServers } from './child-servers.ts'

const RUNS = 25
/** After each run, so that the next spare process is ready. */
const PAUSE_MS = 500
const { startAt } = useServers()

const median = (values: number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN

async function measure(client: Client, frames: AsyncIterator<EventFrame>, name: string): Promise<number> {
  const started = performance.now()
  const { id } = await client.http.runs.submit({ name })
  for (;;) {
    const { value } = await frames.next()
    if (value?.type === 'run' && value.run.id === id && value.run.status === 'ok') return performance.now() - started
  }
}

async function bareStart(): Promise<number> {
  const started = performance.now()
  await once(spawn(process.execPath, ['--eval', '0']), 'exit')
  return performance.now() - started
}

test('a trivial run costs less than the start of a process', async () => {
  const server = await startAt<{ baseUrl: string; token: string }>('service-runs.ts')
  const client = createClient(server.at)
  const frames = client.events()
  await frames.next()
  const times: Record<'doubling' | 'tripling' | 'bare', number[]> = { doubling: [], tripling: [], bare: [] }
  for (let at = 0; at < RUNS; at++) {
    for (const name of ['doubling', 'tripling'] as const) {
      times[name].push(await measure(client, frames, name))
      await pause(PAUSE_MS)
    }
    times.bare.push(await bareStart())
  }
  const [code, python, bare] = [times.doubling, times.tripling, times.bare].map(median) as [number, number, number]
  console.log(
    `POST to ok, median of ${RUNS}: code ${code.toFixed(1)} ms, python ${python.toFixed(1)} ms; ` +
      `bare start of Node ${bare.toFixed(1)} ms`,
  )
  expect(code / bare).toBeLessThan(1)
  expect(python / bare).toBeLessThan(1)
})
