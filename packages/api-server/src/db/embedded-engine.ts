/**
 * Keeps one thread of the embedded database running: when it dies (WebAssembly abort, out of memory, hang), the
 * database is opened again from disk, which takes about 0.4 s. Statements that were running fail; later ones wait.
 * After a disk that did not confirm a write it is not opened again: every later statement fails.
 * @module
 */
import type { Log } from '../process/log.ts'
import { DiskFailure, type EngineThread, startEngineThread } from './embedded-thread.ts'

/** The running engine. */
export interface EmbeddedEngine {
  /** Runs complete messages of the PostgreSQL wire protocol in the one session. */
  execute(messages: Uint8Array): Promise<Uint8Array>
  /** Calls back each time the session is lost, before any statement meets the next one. */
  onLost(listener: () => void): void
  /** Resolves when the database cannot be used any further. */
  readonly failed: Promise<Error>
  close(): Promise<void>
}

/** Starts the engine on a database directory. */
export async function startEmbeddedEngine(directory: string, log: Pick<Log, 'error'>): Promise<EmbeddedEngine> {
  const { promise: failed, resolve: fail } = Promise.withResolvers<Error>()
  const listeners: (() => void)[] = []
  let closing = false
  let thread: Promise<EngineThread>

  const watch = (running: EngineThread): EngineThread => {
    void running.lost.then((error) => {
      if (closing) return
      const isFinal = error instanceof DiskFailure
      if (!isFinal) log.error({ err: error }, 'the embedded database has stopped; opening it again')
      for (const listener of listeners) listener()
      thread = isFinal ? Promise.reject(error) : startEngineThread(directory).then(watch)
      thread.catch((reason: unknown) => {
        const what = isFinal ? 'cannot be used any further' : 'cannot be opened again'
        const failure = new Error(`the embedded database in ${directory} ${what}: ${String(reason)}`)
        log.error({ err: failure }, failure.message)
        fail(failure)
      })
    })
    return running
  }

  thread = startEngineThread(directory).then(watch)
  await thread
  return {
    failed,
    onLost: (listener) => void listeners.push(listener),
    execute: async (messages) => (await thread).execute(messages),
    async close() {
      closing = true
      // one that could not be opened again has nothing to close
      await (await thread.catch(() => null))?.close()
    },
  }
}
