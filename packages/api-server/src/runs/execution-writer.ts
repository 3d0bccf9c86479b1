/**
 * Brings what executions gather into the database, whatever it takes.
 *
 * - W1 a write whose lease is gone changes nothing and is told as `lost`; it is never repeated.
 * - W2 while the database does not answer, a write is tried again until it is held or lost, or the engine stops.
 * - W3 a write that the database refuses for its content cannot block the end of its run: what is left of it is the
 *   end, as an error that says so. An earlier part of the record that was refused makes the end such an error too.
 */
import type { Clock } from '@flow-service/core'

import type { ExecutionStore, RunEnd, RunWrite } from './execution-store.ts'
import { isRefused, type RunCommits } from './run-commits.ts'

/**
 * What became of a write: `held` while the run was this engine's, `reduced` when only {@link unstorable} was left of
 * it, `lost` when the run was no longer this engine's, `stopped` when the engine gave up before.
 */
export type Written = 'held' | 'reduced' | 'lost' | 'stopped'

/** Where the slice reports; a pino logger fits. */
export interface RunsLog {
  error(fields: object, message: string): void
}

/** What the writer needs. */
export interface WriterSetting {
  readonly commits: Pick<RunCommits, 'write'>
  readonly store: Pick<ExecutionStore, 'leaseOf'>
  readonly clock: Clock
  readonly log: RunsLog
}

const FIRST_PAUSE_MS = 100
const LONGEST_PAUSE_MS = 5_000

/** Writes for executing runs. */
export class ExecutionWriter {
  readonly #setting: WriterSetting
  #stopped = false

  constructor(setting: WriterSetting) {
    this.#setting = setting
  }

  /** Resolves after the commit. One write of a run at a time. */
  async write(write: RunWrite): Promise<Written> {
    const { commits, store, clock, log } = this.#setting
    for (let pause = FIRST_PAUSE_MS; !this.#stopped; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
      try {
        if (await commits.write(write)) return 'held'
        const lease = await store.leaseOf(write)
        // an earlier attempt was stored, and its answer was lost
        if (lease === 'ended') return 'held'
        // PGlite answers a statement that overflowed its stack with success and no row
        return lease === 'held' ? await this.#reduced(write) : 'lost'
      } catch (error) {
        log.error({ err: error, run: write.run }, 'the record of a run could not be written')
        if (isRefused(error)) return this.#reduced(write)
      }
      await new Promise<void>((resolve) => clock.setTimer(pause, resolve))
    }
    return 'stopped'
  }

  /** Tries no write again from now on. */
  stop(): void {
    this.#stopped = true
  }

  /** Drops what cannot be stored and keeps the end (W3). */
  async #reduced({ run, token, end, ...content }: RunWrite): Promise<Written> {
    const { nodes, chunks, cache, artifacts, draft } = content
    const more = nodes.length + chunks.length + cache.length > 0 || artifacts !== null || draft !== null
    if (!more && (end === null || end.result === null)) return 'lost'
    const bare = { run, token, draft: null, nodes: [], chunks: [], cache: [], artifacts: null }
    const written = await this.write({ ...bare, end: end && unstorable(end) })
    return written === 'held' ? 'reduced' : written
  }
}

/** The end that stands for one that the database refused. */
export const unstorable = ({ finished_at }: RunEnd): RunEnd => ({
  status: 'error',
  finished_at,
  result: null,
  error: {
    node: null,
    type: 'unstorable',
    message: 'the database refused what the run produced; the log of the engine says why',
  },
})
