import { createHash, randomUUID } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'

/**
 * An engine in memory around a real worker: sends calls, keeps the frames, holds artifacts, and checks at the end that
 * no process is left.
 */
import {
  type ArtifactRef,
  type CallFrame,
  type EngineFrame,
  WORKER_PROTOCOL,
  type WorkerFrame,
} from '@flow-service/protocol'
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest'

import { AwakeTime } from '../../../test/components/awake-time.ts'
import { createWorker, type EngineTransport, memoryTransport, type Worker, type WorkerOptions } from '../src/index.ts'

export { python, pythons } from '../../../test/components/pythons.ts'

type Of<T extends WorkerFrame['type']> = Extract<WorkerFrame, { type: T }>
export type Last = Of<'result'> | Of<'error'>

/** What a call is about; the rest of the frame has defaults. */
export type CallRequest = Partial<CallFrame> & { source: string }

export interface Rig {
  readonly worker: Worker
  readonly engine: EngineTransport
  readonly frames: WorkerFrame[]
  readonly stored: Map<string, Uint8Array>
  /** Sends a call and settles with its last frame. */
  readonly call: (request: CallRequest) => Promise<Last>
  /** Sends a call and answers its id at once. */
  begin(request: CallRequest): string
  last(call: string): Promise<Last>
  /** The first frame that fits, past or to come. */
  seen<T extends WorkerFrame['type']>(type: T, test?: (frame: Of<T>) => boolean): Promise<Of<T>>
  /** All values that were emitted in a call, in order. */
  emitted(call: string): Record<string, unknown>[]
  log(call: string): string
}

/** One rig for all tests of a suite. */
export function sharedRig(options: WorkerOptions): () => Rig {
  const shared: { rig?: Rig; close?: () => Promise<void> } = {}
  beforeAll(() => {
    Object.assign(shared, make(options))
  })
  afterAll(() => shared.close?.())
  return () => shared.rig as Rig
}

/** A worker and the engine that it serves; closed after the test. */
export function rig(options: WorkerOptions = {}, hold?: Hold): Rig {
  const made = make(options, hold)
  onTestFinished(made.close)
  return made.rig
}

/** A worker and the engine that it serves, outside of tests. */
export function openRig(options: WorkerOptions = {}): Rig & { close(): Promise<void> } {
  const made = make(options)
  return { ...made.rig, close: made.close }
}

export const welcome = {
  type: 'welcome',
  worker: 'w',
  name: 'worker',
  labels: [],
  protocol: WORKER_PROTOCOL,
  engine_version: '0.0.0',
  runtime: null,
  heartbeat_s: 10,
  silence_s: 90,
} satisfies EngineFrame

type Hold = (frame: WorkerFrame) => void | Promise<void>

function make(options: WorkerOptions, hold?: Hold): { rig: Rig; close: () => Promise<void> } {
  const id = options.id ?? randomUUID()
  const stored = new Map<string, Uint8Array>()
  const transport = memoryTransport({
    async get(digest) {
      const data = stored.get(digest)
      if (data) return data
      throw Object.assign(new Error(`there is no artifact ${digest}`), { code: 'not_found' })
    },
    async put(data, { name, mediaType, volatile }): Promise<ArtifactRef> {
      const digest = `sha256:${createHash('sha256').update(data).digest('hex')}`
      stored.set(digest, data)
      return { digest, name, media_type: mediaType, size: data.byteLength, volatile }
    },
  })
  const frames: WorkerFrame[] = []
  const watchers = new Set<() => void>()
  transport.engine.onFrame((frame) => {
    frames.push(frame)
    for (const watcher of watchers) watcher()
    if (frame.type === 'hello') transport.engine.send(welcome)
    return hold?.(frame)
  })
  const worker = createWorker(transport.worker, { ...options, id })
  const seen = <T extends WorkerFrame['type']>(type: T, test: (frame: Of<T>) => boolean = () => true): Promise<Of<T>> =>
    new Promise((resolve) => {
      const look = (): void => {
        const found = frames.find((frame): frame is Of<T> => frame.type === type && test(frame as Of<T>))
        if (!found) return
        watchers.delete(look)
        resolve(found)
      }
      watchers.add(look)
      look()
    })
  const last = async (call: string): Promise<Last> =>
    await Promise.race([seen('result', (frame) => frame.call === call), seen('error', (frame) => frame.call === call)])
  let count = 0
  const begin = (request: CallRequest): string => {
    count += 1
    const frame = callFrame(`call-${count}`, request)
    transport.engine.send(frame)
    return frame.call
  }
  const made: Rig = {
    worker,
    engine: transport.engine,
    frames,
    stored,
    begin,
    last,
    seen,
    call: (request) => last(begin(request)),
    emitted: (call) =>
      frames.flatMap((frame) => (frame.type === 'emit' && frame.call === call ? frame.batch.map(([v]) => v) : [])),
    log: (call) => frames.map((frame) => (frame.type === 'log' && frame.call === call ? frame.text : '')).join(''),
  }
  const close = async (): Promise<void> => {
    await worker.close()
    expect((await until(() => children(id).length === 0, 2000)) || children(id)).toBe(true)
  }
  return { rig: made, close }
}

/** A call of the engine; what the request leaves open has defaults. */
export const callFrame = (call: string, request: CallRequest): CallFrame => ({
  type: 'call',
  call,
  attempt: 1,
  flow: 'flow',
  node: 'train',
  run: null,
  mode: 'batch',
  kind: 'python',
  source_digest: createHash('sha256').update(request.source).digest('hex'),
  entry: 'run',
  settings: {},
  inputs: {},
  input_ports: Object.keys(request.inputs ?? {}).map((port) => ({ port, dtype: 'any', trigger: true })),
  outputs: [
    { port: 'y', dtype: 'any', stream: false },
    { port: 'loss', dtype: 'float', stream: true },
  ],
  env: {},
  seed: 'seed',
  timeout_s: null,
  ...request,
})

/** The text of a bundle with one stage named `entry`. */
export const bundle = (run: string, more = ''): string =>
  `export const entry = { kind: 'stage', id: 'train', initials: {}, ${more} run: ${run} }\n`

/** Processes of this machine that carry the mark of a worker, whoever their parent is. */
export function children(id: string): number[] {
  const mark = `SERVICE_WORKER_MARK=${createHash('sha256').update(id).digest('hex').slice(0, 12)}`
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0').includes(mark)
      } catch {
        return false
      }
    })
    .map(Number)
}

/** Waits until the kernel has done what was asked of it. */
export async function until(condition: () => boolean, limitMs = 10_000): Promise<boolean> {
  using awake = new AwakeTime()
  while (!condition() && awake.ms < limitMs) await pause(5)
  return condition()
}

export const isAlive = (pid: number): boolean => {
  try {
    // A zombie has no command line.
    return readFileSync(`/proc/${pid}/cmdline`).length > 0
  } catch {
    return false
  }
}
