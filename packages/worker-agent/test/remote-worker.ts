/** A worker of engines on ports of this machine, without Python unless asked for. It does not wait between attempts. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { onTestFinished } from 'vitest'

import { type RemoteWorkerOptions, runWorker, type WorkerEvent } from '../src/index.ts'
import { until } from './harness.ts'

/** Starts a worker that ends with the test. */
export function startWorker(url: string, options: Pick<RemoteWorkerOptions, 'token'> & Partial<RemoteWorkerOptions>) {
  const directory = mkdtempSync(join(tmpdir(), 'w-'))
  const events: WorkerEvent[] = []
  const stop = new AbortController()
  const end = runWorker({
    url,
    python: null,
    directory,
    env: { PATH: process.env['PATH'], SERVICE_ARTIFACT_CACHE: join(directory, 'kept'), AWS_SECRET_ACCESS_KEY: 'hush' },
    signal: stop.signal,
    onEvent: (event) => events.push(event),
    random: () => 0,
    ...options,
  })
  onTestFinished(async () => {
    stop.abort()
    await end.catch(() => undefined)
    rmSync(directory, { recursive: true, force: true })
  })
  const happened = (type: WorkerEvent['type']): Promise<boolean> => until(() => events.some((one) => one.type === type))
  return { events, directory, end, stop: () => stop.abort(), happened }
}
