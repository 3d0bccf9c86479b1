/**
 * The worker that the engine attaches to itself: its own node code takes the same way as that of any other worker.
 * @module
 */
import { realpath } from 'node:fs/promises'
import { join } from 'node:path'

import { createWorker, memoryTransport, type Worker, type WorkerOptions } from '@flow-service/worker-agent'

import type { Artifacts } from '../artifacts/artifacts.ts'
import type { WorkerPool } from './pool.ts'

/** The interpreter of the modules in force; null while they have none. It may not run. */
export async function pythonOfModules(folder: string): Promise<string | null> {
  try {
    return join(await realpath(join(folder, 'current', 'python')), 'bin', 'python')
  } catch {
    return null
  }
}

/** Name under which node records show the engine's own agent. */
export const LOCAL_AGENT = 'engine'

/** Starts the engine's own agent; it takes calls from its `ready` on, `parallel` at a time. */
export function startLocalAgent(
  pool: WorkerPool,
  artifacts: Pick<Artifacts, 'put' | 'read'>,
  options: Omit<WorkerOptions, 'name' | 'labels'> = {},
): Worker {
  const link = memoryTransport({
    get: (digest) => artifacts.read(digest),
    async put(data, named) {
      const { ref } = await artifacts.put(data, named)
      return ref
    },
  })
  pool.attach(link.engine, null)
  return createWorker(link.worker, { ...options, name: LOCAL_AGENT })
}
