/**
 * One worker thread with one embedded PostgreSQL, seen from the engine's side.
 * @module
 */
import { Worker } from 'node:worker_threads'

import type { HeldPath } from '../process/held-directory.ts'
import { compileDatabase, type DatabaseProgram } from './database-program.ts'

/** What the thread is asked. */
export type EngineRequest = { id: number; messages: Uint8Array } | { id: number; close: true }

/** What the thread answers. */
export type EngineReply =
  | Compiled
  | { ready: true }
  | { id: number; answer: Uint8Array }
  | { id: number; error: string; isFinal?: true }
  | { id: number }

/** What is on the disk is not known, or not what it was: the database must not be used any further. */
export class DiskFailure extends Error {}

/** A running thread. */
export interface EngineThread {
  /** Runs complete messages of the PostgreSQL wire protocol; rejects when the thread is lost on the way. */
  execute(messages: Uint8Array): Promise<Uint8Array>
  /** Shuts the database down (with a checkpoint) and ends the thread. */
  close(): Promise<void>
  /** Ends the thread as it is, which is then {@link lost}. */
  end(): void
  /** Resolves when the thread has ended without {@link close}. */
  readonly lost: Promise<Error>
}

/** A statement of the embedded database cannot be cancelled; a thread silent for so long is taken for hung. */
const ANSWER_TIMEOUT_MS = 120_000

/**
 * PostgreSQL refuses deep recursion by itself (SQLSTATE 54001), when the thread's stack is larger than what it allows.
 * On the default of 4 MB the WebAssembly program breaks off first, which PGlite takes for success.
 */
const STACK_MB = 64

/** Of young objects: half of Node's default. What a query makes is over with its answer, and rows are not on this heap. */
const YOUNG_MB = 24

/** Kept for threads to come: they begin with the machine code of those before, and are open in half the time. */
const kept: { program: Promise<DatabaseProgram> | null } = { program: null }
const program = (): Promise<DatabaseProgram> => (kept.program ??= compileDatabase())

/** A thread that is to take the next database that is opened, if there is one. */
const ahead: { worker: Worker | null } = { worker: null }

/**
 * Starts the thread of the next embedded database of this process, which loads and compiles PostgreSQL while the process loads
 * the engine. It does not keep the process alive, and does nothing more until a database is opened; for a process that will
 * open one at once. The command line calls it.
 */
export function prepareDatabase(): void {
  if (ahead.worker !== null) return
  const worker = newWorker(null)
  ahead.worker = worker
  worker.unref()
  worker.once('message', ({ program: compiled }: Compiled) => void (kept.program ??= Promise.resolve(compiled)))
  // who opens a database starts another thread then, and is told why it cannot be
  const forget = (): void => {
    if (ahead.worker === worker) ahead.worker = null
  }
  worker.once('error', forget)
  worker.once('exit', forget)
}

function newWorker(workerData: EngineThreadData | null): Worker {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
  return new Worker(new URL(`./embedded-worker.${extension}`, import.meta.url), {
    workerData,
    name: 'flow-service database',
    resourceLimits: { stackSizeMb: STACK_MB, maxYoungGenerationSizeMb: YOUNG_MB },
  })
}

interface Waiting {
  resolve: (reply: EngineReply) => void
  reject: (error: Error) => void
}

/** What the thread works on. */
interface EngineThreadOptions {
  /** The database directory is created when it does not exist. */
  readonly isNew: boolean
  /** What has to be where it was when the engine opened; without it no statement is executed. */
  readonly paths: readonly HeldPath[]
}

/** What the thread opens: it is started with that, or ahead of it (then it is its first message). */
export interface EngineThreadData extends EngineThreadOptions {
  readonly directory: string
}

/** The first message to a thread that was not started ahead, which is compiled meanwhile; of one that was, to the engine. */
export interface Compiled {
  readonly program: DatabaseProgram
}

/** Starts a thread on a database directory. */
export async function startEngineThread(directory: string, options: EngineThreadOptions): Promise<EngineThread> {
  const data: EngineThreadData = { directory, ...options }
  const prepared = ahead.worker
  ahead.worker = null
  const worker = prepared ?? newWorker(data)
  const waiting = new Map<number, Waiting>()
  let loss: Error | null = null
  const ready = Promise.withResolvers<void>()
  const lost = new Promise<Error>((resolve) => {
    const lose = (error: Error): void => {
      loss ??= error
      for (const { reject } of waiting.values()) reject(error)
      waiting.clear()
      resolve(error)
      void worker.terminate()
    }
    worker.once('error', lose)
    worker.once('exit', (code) => lose(new Error(`the thread of the embedded database ended with code ${code}`)))
    worker.on('message', (reply: EngineReply) => {
      if ('error' in reply) {
        const Failure = reply.isFinal ? DiskFailure : Error
        return lose(new Failure(`the embedded database stopped: ${reply.error}`))
      }
      if ('id' in reply) take(waiting, reply.id)?.resolve(reply)
      else if ('ready' in reply) ready.resolve()
    })
  })
  const inTime = async <T>(answer: Promise<T>): Promise<T> => {
    const hung = setTimeout(() => void worker.terminate(), ANSWER_TIMEOUT_MS)
    try {
      return await answer
    } finally {
      clearTimeout(hung)
    }
  }
  if (prepared) {
    prepared.ref()
    prepared.postMessage(data)
  } else {
    try {
      worker.postMessage({ program: await program() } satisfies Compiled)
    } catch (error) {
      void worker.terminate()
      throw error
    }
  }
  await inTime(Promise.race([ready.promise, lost.then((error) => Promise.reject(error))]))

  let lastId = 0
  const call = (request: (id: number) => EngineRequest): Promise<EngineReply> =>
    new Promise((resolve, reject) => {
      if (loss !== null) return reject(loss)
      const id = ++lastId
      waiting.set(id, { resolve, reject })
      worker.postMessage(request(id))
    })
  return {
    lost,
    async execute(messages) {
      const reply = await inTime(call((id) => ({ id, messages })))
      return 'answer' in reply ? reply.answer : new Uint8Array()
    },
    async close() {
      await inTime(call((id) => ({ id, close: true })))
      await worker.terminate()
    },
    end: () => void worker.terminate(),
  }
}

function take<T>(map: Map<number, T>, id: number): T | undefined {
  const value = map.get(id)
  map.delete(id)
  return value
}
