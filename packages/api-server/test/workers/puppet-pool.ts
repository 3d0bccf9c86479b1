/** A dispatcher over a pool whose workers do what a test tells them. */
import { VirtualClock } from '@flow-service/core/testing'
import type { EngineFrame, Flavor, HelloFrame } from '@flow-service/protocol'
import { memoryTransport, type WorkerTransport } from '@flow-service/worker-agent'

import type { NewsEntry } from '../../src/events/event-log.ts'
import { createDispatcher, type Dispatcher } from '../../src/workers/dispatch.ts'
import type { KeptCalls } from '../../src/workers/kept-calls.ts'
import { WorkerPool } from '../../src/workers/pool.ts'
import { codeCall } from './code-call.ts'

/** A worker that does what the test tells it. */
export interface PuppetWorker extends WorkerTransport {
  readonly frames: EngineFrame[]
  calls(): string[]
  disconnect(): void
}

interface Setup {
  readonly pool: WorkerPool
  /** What was reported of workers, those that came and went aside. */
  readonly news: NewsEntry[]
  readonly clock: VirtualClock
  readonly dispatcher: Dispatcher
  /** Puts a flavor in the place of that of its name. */
  readonly change: (flavor: Flavor) => void
  /** `jti` is of its token. */
  readonly attach: (hello?: Partial<HelloFrame>, options?: { local?: boolean; jti?: string }) => PuppetWorker
}

/** Nobody is attached yet. */
export function setup({
  clock = new VirtualClock(0),
  flavors = [],
  ...resuming
}: {
  readonly clock?: VirtualClock
  readonly flavors?: readonly Flavor[]
  /** Seconds that workers have to come back. */
  readonly resumeS?: number
  readonly kept?: KeptCalls
} = {}): Setup {
  let ids = 0
  const news: NewsEntry[] = []
  const report = (entry: NewsEntry): void => {
    if (!/attach|detach/.test(entry.action)) news.push(entry)
  }
  const pool = new WorkerPool({ clock, newId: () => `w${++ids}`, engineVersion: '1.0.0', report, ...resuming })
  const known = new Map(flavors.map((flavor) => [flavor.name, flavor]))
  const listeners: (() => void)[] = []
  const dispatcher = createDispatcher({
    pool,
    bundleOf: async () => 'export {}',
    inProcess: () => null,
    flavors: { get: (name) => known.get(name), onChange: (listener) => void listeners.push(listener) },
  })
  return {
    pool,
    news,
    clock,
    dispatcher,
    change(flavor) {
      known.set(flavor.name, flavor)
      for (const listener of listeners) listener()
    },
    attach(hello = {}, { local = false, jti = 'j' } = {}) {
      const { worker, engine } = memoryTransport({ get: unused, put: unused })
      const frames: EngineFrame[] = []
      worker.onFrame((frame) => void frames.push(frame))
      const { name = 'worker', labels = [] } = hello
      pool.attach(engine, local ? null : { kind: 'worker', jti, name, labels })
      void worker.send({
        type: 'hello',
        protocol: 1,
        version: '1.0.0',
        name: 'worker',
        labels: [],
        parallel: 1,
        resources: { cpus: 4, gpus: 0, ram_mb: 1000 },
        python: '3.12.0',
        platform: 'linux-x64',
        ...hello,
      })
      const calls = (): string[] => frames.flatMap((frame) => (frame.type === 'call' ? [frame.call] : []))
      return { ...worker, frames, calls, disconnect: () => engine.close() }
    },
  }
}

const unused = (): Promise<never> => Promise.reject(new Error('no artifacts here'))
/** Resolves when what was due in this turn of the loop is done. */
export const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
/** The error of what is rejected. */
export const outcome = (promise: Promise<unknown>): Promise<unknown> => promise.catch((error: unknown) => error)

/** A call that executes on the one worker of a pool. */
export function inFlight(node: Parameters<typeof codeCall>[0] = {}) {
  const around = setup()
  const worker = around.attach({ name: 'w' }, { local: true })
  const call = codeCall(node)
  const done = outcome(around.dispatcher.call(call))
  return { ...around, worker, call, done }
}
