/**
 * One worker thread with one embedded PostgreSQL, seen from the engine's side.
 * @module
 */
import fs from 'node:fs'
import { Worker } from 'node:worker_threads'

import type { PGliteOptions } from '@electric-sql/pglite'

import type { HeldPath } from '../process/held-directory.ts'
import { once } from './once.ts'
import { withoutWideJoins } from './wide-joins.ts'

/** What the thread is asked. */
export type EngineRequest = { id: number; messages: Uint8Array } | { id: number; close: true }

/** What the thread answers. */
export type EngineReply =
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

/** PostgreSQL, compiled. */
type Program = NonNullable<PGliteOptions['pgliteWasmModule']>

/** Its types are of browsers alone. */
const { WebAssembly: wasm } = globalThis as unknown as { WebAssembly: { compile(code: Uint8Array): Promise<Program> } }

/** Kept for threads to come: they begin with the machine code of those before, and are open in half the time. */
const program = once(async () => {
  const code = await fs.promises.readFile(new URL('pglite.wasm', import.meta.resolve('@electric-sql/pglite')))
  return wasm.compile(withoutWideJoins(code))
})

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

/** What the thread is started with; the program is its first message, since it is compiled meanwhile. */
export interface EngineThreadData extends EngineThreadOptions {
  readonly directory: string
}

/** The first message of a thread. */
export interface EngineProgram {
  readonly program: Program
}

/** Starts a thread on a database directory. */
export async function startEngineThread(directory: string, options: EngineThreadOptions): Promise<EngineThread> {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
  const worker = new Worker(new URL(`./embedded-worker.${extension}`, import.meta.url), {
    workerData: { directory, ...options } satisfies EngineThreadData,
    name: 'flow-service database',
    resourceLimits: { stackSizeMb: STACK_MB, maxYoungGenerationSizeMb: YOUNG_MB },
  })
  const waiting = new Map<number, Waiting>()
  const lost = new Promise<Error>((resolve) => {
    const lose = (error: Error): void => {
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
  const ready = new Promise((resolve) => void worker.once('message', resolve))
  try {
    worker.postMessage({ program: await program() } satisfies EngineProgram)
  } catch (error) {
    void worker.terminate()
    throw error
  }
  await inTime(Promise.race([ready, lost.then((error) => Promise.reject(error))]))

  let lastId = 0
  const call = (request: (id: number) => EngineRequest): Promise<EngineReply> =>
    new Promise((resolve, reject) => {
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
