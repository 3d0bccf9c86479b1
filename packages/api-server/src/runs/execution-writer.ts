/**
 * Brings what executions gather into the database: writes of several runs share a commit.
 *
 * - W1 a write whose lease is gone changes nothing and is told as `lost`; it is never repeated.
 * - W2 while the database does not answer, a write is tried again until it is held or lost, or the engine stops.
 * - W3 a write that the database refuses for its content cannot block the end of its run: what is left of it is the
 *   end, as an error that says so.
 */
import type { Clock } from '@flow-service/core'
import { artifactRefsIn } from '@flow-service/protocol'

import type { Artifacts } from '../artifacts/artifacts.ts'
import type { Database, Sql } from '../db/database.ts'
import { sqlState } from '../db/transaction.ts'
import type { ExecutionStore, RunEnd, RunWrite } from './execution-store.ts'
import type { Curve } from './metrics.ts'
import { createStatementGroup } from './statement-group.ts'

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
  readonly database: Database
  readonly store: ExecutionStore
  readonly artifacts: Pick<Artifacts, 'addRefs' | 'dropRefs'>
  readonly clock: Clock
  readonly log: RunsLog
}

interface Item {
  readonly write: RunWrite
  held: boolean
}

const FIRST_PAUSE_MS = 100
const LONGEST_PAUSE_MS = 5_000
/** Data exceptions, violated constraints, exceeded program limits (PostgreSQL manual, appendix A). */
const refused = /^(?:22|23|54)/

/** Writes for executing runs. */
export class ExecutionWriter {
  readonly #setting: WriterSetting
  readonly #commit: (item: Item) => Promise<void>
  readonly #metricIds = new Map<string, number>()
  #stopped = false

  constructor(setting: WriterSetting) {
    this.#setting = setting
    const group = createStatementGroup<Item>(
      setting.database,
      ({ write }) => digestsOf(write).length > 0 || write.cache.length > 0,
      (sql, items) => this.#flush(sql, items),
    )
    this.#commit = (item) => group.write(item)
  }

  /** Resolves after the commit. One write of a run at a time. */
  async write(write: RunWrite): Promise<Written> {
    const { store, clock, log } = this.#setting
    for (let pause = FIRST_PAUSE_MS; !this.#stopped; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
      const item: Item = { write, held: false }
      try {
        await this.#learnMetricIds(write.chunks)
        await this.#commit(item)
        if (item.held) return 'held'
        // PGlite answers a statement that overflowed its stack with success and no row
        return (await store.isHeld(write.run, write.token)) ? await this.#reduced(write) : 'lost'
      } catch (error) {
        log.error({ err: error, run: write.run }, 'the record of a run could not be written')
        if (refused.test(sqlState(error))) return this.#reduced(write)
      }
      await new Promise<void>((resolve) => clock.setTimer(pause, resolve))
    }
    return 'stopped'
  }

  /** Tries no write again from now on. */
  stop(): void {
    this.#stopped = true
  }

  async #flush(tx: Sql, items: Item[]): Promise<void> {
    const writes = items.map((item) => item.write)
    const metricId = (curve: Curve): number => this.#metricIds.get(curveKey(curve)) ?? 0
    const held = await this.#setting.store.write(tx, writes, metricId)
    for (const item of items) item.held = held.has(item.write.run)
    const done = writes.filter(({ run }) => held.has(run))
    const keys = done.flatMap(({ cache }) => cache.map(({ key }) => key))
    if (keys.length > 0) await this.#setting.artifacts.dropRefs(tx, 'cache', keys)
    for (const write of done) await this.#reference(tx, write)
  }

  async #reference(tx: Sql, write: RunWrite): Promise<void> {
    const { addRefs } = this.#setting.artifacts
    const digests = digestsOf(write)
    if (digests.length > 0) await addRefs(tx, 'run', write.run, digests)
    for (const { key, outputs } of write.cache) {
      const cached = artifactRefsIn(outputs).map(({ digest }) => digest)
      if (cached.length > 0) await addRefs(tx, 'cache', key, [...new Set(cached)])
    }
  }

  async #learnMetricIds(curves: readonly Curve[]): Promise<void> {
    const unknown = curves.filter((curve) => !this.#metricIds.has(curveKey(curve)))
    if (unknown.length === 0) return
    for (const { id, ...curve } of await this.#setting.store.metricIds(unknown)) {
      this.#metricIds.set(curveKey(curve), id)
    }
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

/** What a write makes its run refer to. */
function digestsOf({ artifacts, end }: RunWrite): string[] {
  const refs = [...(artifacts ?? []), ...artifactRefsIn(end?.result)]
  return [...new Set(refs.map(({ digest }) => digest))]
}

const curveKey = ({ node, port, message }: Curve): string => `${node}/${port}/${message}`
