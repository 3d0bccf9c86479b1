/**
 * Brings what executing runs gather into the database, whatever it takes: one commit for the writes of the same moment.
 * `recorder.ts` and `execution.ts` write, `run-queue.ts` claims: on the embedded database, which does one thing after
 * the other, a claim goes with the ends of the runs before. A server does both at the same time.
 *
 * - run-writes.W1 a write whose lease is gone changes nothing, is `lost`, and is never repeated.
 * - run-writes.W2 while the database does not answer, a write is tried again until it is held or lost, or the engine
 *   stops.
 * - run-writes.W3 a write that the database refuses for its content cannot block the end of its run: the end remains, as
 *   an error that says so. An earlier part of the record that was refused makes the end such an error too.
 * @module
 */
import type { Clock } from '@flow-service/core'
import { artifactRefsIn } from '@flow-service/protocol'

import type { Artifacts } from '../artifacts/artifacts.ts'
import type { Database, Sql } from '../db/database.ts'
import { createGroupWriter, type GroupWriter } from '../db/group-writer.ts'
import { isRefused } from '../db/transaction.ts'
import type { Log } from '../process/log.ts'
import { ClaimedDocuments } from './claimed-documents.ts'
import type { Curve, CurveSummary } from './curves/points.ts'
import { emptyWrite, type ExecutionStore, type RunEnd, type RunWrite } from './execution-store.ts'
import { droppedWrite } from './kept-store.ts'
import type { Claim, ClaimedRun, LeaseStore } from './lease-store.ts'
import type { FactColumns, Facts } from './run-facts.ts'
import type { RunShapes } from './shapes.ts'
import { entryOf } from './stages/store.ts'

/**
 * The outcome of a write: `held` while the run was this engine's, `reduced` when only {@link unstorable} was left of
 * it, `lost` when the run was no longer this engine's, `stopped` when the engine gave up before.
 */
export type Written = 'held' | 'reduced' | 'lost' | 'stopped'

/** What the writes of runs need. */
export interface RunWritesDeps {
  readonly database: Database
  readonly store: Pick<ExecutionStore, 'curvesOf' | 'leaseOf' | 'metricIds' | 'write'>
  readonly shapes: Pick<RunShapes, 'columns'>
  readonly leases: Pick<LeaseStore, 'claim' | 'claimWithinLimits'>
  readonly artifacts: Pick<Artifacts, 'addRefs' | 'dropRefs'>
  readonly clock: Clock
  readonly log: Pick<Log, 'error'>
}

const FIRST_PAUSE_MS = 100
const LONGEST_PAUSE_MS = 5_000

/** What a claim has taken, and whether flows of queued runs have limits. */
export interface Claimed {
  readonly runs: readonly ClaimedRun[]
  readonly areLimited: boolean
}

interface Writing {
  readonly write: RunWrite
  held: boolean
}

interface Claiming {
  readonly claim: Claim
  /** Null where flows have limits, which takes more than a statement. */
  runs: ClaimedRun[] | null
  /** Whether it may have taken runs of which nobody has heard. */
  isUnheard: boolean
}

type Item = Writing | Claiming

/** The writes of one engine. */
export class RunWrites {
  readonly #deps: RunWritesDeps
  readonly #group: GroupWriter<Item>
  readonly #metricIds = new Map<string, number>()
  readonly #columns = new WeakMap<Facts, FactColumns>()
  readonly #documents = new ClaimedDocuments()
  #stopped = false

  constructor(deps: RunWritesDeps) {
    this.#deps = deps
    this.#group = createGroupWriter<Item>(deps.database, (sql, items) => this.#flush(sql, items), {
      needsMore: (item) => 'write' in item && (digestsOf(item.write).length > 0 || item.write.cache.length > 0),
    })
  }

  /** Resolves after the commit. One write of a run at a time. */
  async write(write: RunWrite): Promise<Written> {
    const { store, clock, log } = this.#deps
    for (let pause = FIRST_PAUSE_MS; !this.#stopped; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
      try {
        if (await this.#commit(write)) return 'held'
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

  /** The curves of a node in the run that executed it, by port; none when the engine gives up before the database answers. */
  async curvesOf(run: string, node: string): Promise<{ port: string; summary: CurveSummary }[]> {
    const { store, clock, log } = this.#deps
    for (let pause = FIRST_PAUSE_MS; !this.#stopped; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
      try {
        return await store.curvesOf(run, node)
      } catch (error) {
        log.error({ err: error, run }, 'the curves of a stage could not be read')
      }
      await new Promise<void>((resolve) => clock.setTimer(pause, resolve))
    }
    return []
  }

  /** Tries no write again from now on: one that the database does not take would keep its run for ever. */
  stop(): void {
    this.#stopped = true
  }

  /**
   * Takes up to `limit` queued runs: the most urgent, then the oldest, and of no flow more than may execute at once in
   * all engines. One claim at a time.
   */
  async claim(claim: Omit<Claim, 'known'>): Promise<Claimed> {
    const { database, leases } = this.#deps
    const known = this.#documents.known()
    const asked = { ...claim, known: [...known.keys()] }
    const taken =
      database.backend === 'server' ? await leases.claim(database.sql, asked) : await this.#claimWithEnds(asked)
    const runs = taken ?? (await database.transaction((tx) => leases.claimWithinLimits(tx, asked)))
    this.#documents.complete(runs, known)
    return { runs, areLimited: taken === null }
  }

  /** Drops what cannot be stored and keeps the end (run-writes.W3). */
  async #reduced({ run, token, end, kept, ...content }: RunWrite): Promise<Written> {
    const { nodes, chunks, cache, artifacts, draft } = content
    const more = nodes.length + chunks.length + cache.length > 0 || artifacts !== null || draft !== null
    if (!more && (end === null || end.result === null)) return 'lost'
    const bare = { ...emptyWrite, run, token }
    // of a record with a gap nothing goes on
    const written = await this.write({ ...bare, kept: kept && droppedWrite, end: end && unstorable(end) })
    return written === 'held' ? 'reduced' : written
  }

  /** Whether the run was this engine's, and so the write is in the database. */
  async #commit(write: RunWrite): Promise<boolean> {
    await this.#learnMetricIds(write.chunks)
    const { facts } = write
    if (facts !== null) this.#columns.set(facts, await this.#deps.shapes.columns(facts))
    const item: Writing = { write, held: false }
    await this.#group.write(item)
    return item.held
  }

  async #claimWithEnds(claim: Claim): Promise<ClaimedRun[] | null> {
    const item: Claiming = { claim, runs: [], isUnheard: false }
    await this.#group.write(item)
    return item.runs
  }

  /**
   * A group that fails comes again, one item at a time. A claim does not, when the group may be stored all the same: the
   * queue has to hear of it, so that it frees what the claim has taken.
   */
  async #flush(tx: Sql, items: Item[]): Promise<void> {
    const writing = items.filter((item) => 'write' in item)
    const claiming = items.find((item) => 'claim' in item)
    if (claiming?.isUnheard) throw new Error('the answer to a claim was lost')
    if (claiming) claiming.isUnheard = true
    try {
      await this.#round(tx, writing, claiming)
    } catch (error) {
      // what fails within a transaction is rolled back
      if (claiming && (tx !== this.#deps.database.sql || isRefused(error))) claiming.isUnheard = false
      throw error
    }
  }

  async #round(tx: Sql, writing: readonly Writing[], claiming: Claiming | undefined): Promise<void> {
    if (writing.length === 0 && claiming) {
      claiming.runs = await this.#deps.leases.claim(tx, claiming.claim)
      return
    }
    const { held, claimed } = await this.#deps.store.write(tx, {
      writes: writing.map(({ write }) => write),
      metricId: (curve) => this.#metricIds.get(curveKey(curve)) ?? 0,
      columnsOf: (facts) => this.#columns.get(facts) ?? null,
      claim: claiming?.claim ?? null,
    })
    if (claiming) claiming.runs = claimed
    for (const item of writing) item.held = held.has(item.write.run)
    await this.#reference(
      tx,
      writing.flatMap((item) => (item.held ? [item.write] : [])),
    )
  }

  /** Notes which artifacts the runs and stages of these writes refer to. */
  async #reference(tx: Sql, writes: readonly RunWrite[]): Promise<void> {
    const { addRefs, dropRefs } = this.#deps.artifacts
    const stages = writes.flatMap(({ cache }) => cache)
    if (stages.length > 0) await dropRefs(tx, 'cache', stages.map(entryOf))
    for (const write of writes) {
      const digests = digestsOf(write)
      if (digests.length > 0) await addRefs(tx, 'run', write.run, digests)
    }
    for (const stage of stages) {
      const cached = artifactRefsIn(stage.outputs).map(({ digest }) => digest)
      if (cached.length > 0) await addRefs(tx, 'cache', entryOf(stage), [...new Set(cached)])
    }
  }

  async #learnMetricIds(curves: readonly Curve[]): Promise<void> {
    const unknown = curves.filter((curve) => !this.#metricIds.has(curveKey(curve)))
    if (unknown.length === 0) return
    for (const { id, ...curve } of await this.#deps.store.metricIds(unknown)) {
      this.#metricIds.set(curveKey(curve), id)
    }
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
