import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { onTestFinished } from 'vitest'

import { type RemoteWorkerOptions, runWorker, type WorkerEvent } from '../src/index.ts'
import { until } from './harness.ts'

/** A worker that dials this address without waiting between attempts, and ends with the test. */
export function startWorker(url: string, token: string, more: Partial<RemoteWorkerOptions> = {}) {
  const directory = mkdtempSync(join(tmpdir(), 'w-'))
  const events: WorkerEvent[] = []
  const stop = new AbortController()
  const end = runWorker({
    url,
    token,
    python: null,
    directory,
    env: { PATH: process.env['PATH'], SERVICE_ARTIFACT_CACHE: join(directory, 'kept'), AWS_SECRET_ACCESS_KEY: 'hush' },
    signal: stop.signal,
    onEvent: (event) => events.push(event),
    random: () => 0,
    ...more,
  })
  onTestFinished(async () => {
    stop.abort()
    await end.catch(() => undefined)
    rmSync(directory, { recursive: true, force: true })
  })
  const happened = (type: WorkerEvent['type']): Promise<boolean> => until(() => events.some((one) => one.type === type))
  return { events, directory, end, stop: () => stop.abort(), happened }
}
