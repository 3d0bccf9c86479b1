/**
 * Keeps one thread of the embedded database running: when it dies (WebAssembly abort, out of memory, hang), the
 * database is opened again from disk, which takes about 0.4 s. Statements that were running fail; later ones wait.
 * After a disk that did not confirm a write, or without the data directory that it was opened in, it is not opened again:
 * every later statement fails.
 * @module
 */
import type { HeldDirectory } from '../process/held-directory.ts'
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

/** Where an engine lives. */
export interface EmbeddedEngineDeps {
  /** The data directory that the database stands in. */
  readonly home: Pick<HeldDirectory, 'check' | 'lost' | 'paths'>
  readonly log: Pick<Log, 'error'>
  /** The first thread on the directory. */
  readonly thread: Promise<EngineThread>
}

/** Starts the engine on a database directory. */
export async function startEmbeddedEngine(
  directory: string,
  { home, log, thread: first }: EmbeddedEngineDeps,
): Promise<EmbeddedEngine> {
  const { promise: failed, resolve: fail } = Promise.withResolvers<Error>()
  const listeners: (() => void)[] = []
  let closing = false

  const reopened = async (error: Error): Promise<EngineThread> => {
    const gone = home.check()
    if (gone) throw gone
    if (error instanceof DiskFailure)
      throw new Error(`the embedded database in ${directory} cannot be used any further: ${error.message}`)
    log.error({ err: error }, 'the embedded database has stopped; opening it again')
    const { paths } = home
    const running = await startEngineThread(directory, { paths, isNew: false }).catch((reason: unknown) => {
      throw home.check() ?? new Error(`the embedded database in ${directory} cannot be opened again: ${String(reason)}`)
    })
    return watch(running)
  }
  const watch = (running: EngineThread): EngineThread => {
    void home.lost.then(() => running.end())
    void running.lost.then((error) => {
      if (closing) return
      thread = reopened(error)
      for (const listener of listeners) listener()
      thread.catch((failure: Error) => {
        log.error({ err: failure }, failure.message)
        fail(failure)
      })
    })
    return running
  }

  let thread = first.then(watch)
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
