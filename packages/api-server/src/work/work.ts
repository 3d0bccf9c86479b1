/**
 * The work of live flows that outlives the engine, in the database (wire decision G79): held deliveries, durable
 * arrivals, timers, and notes of executions that must not be repeated.
 *
 * Operations gather in a batch while the one before is written; a batch is one statement, and so one commit. Invariants
 * work.W1-W12 are in DESIGN.md beside this file.
 * @module
 */
import { AsyncResource } from 'node:async_hooks'
import { setImmediate, setTimeout as delay } from 'node:timers/promises'

import type { KeptWork, WorkHost } from '@flow-service/core'

import type { Database, Sql } from '../db/database.ts'
import { sqlState } from '../db/transaction.ts'
import type { Fence } from '../engines/fence.ts'
import { ProblemError } from '../http/errors.ts'
import type { Log } from '../process/log.ts'
import { WorkBatch } from './batch.ts'
import { WorkEnvelope, type WorkSeals } from './envelope.ts'
import {
  OwedRows,
  type OwedValue,
  arrivedValuesOf,
  owedValuesOf,
  type Publication,
  publicationOf,
} from './owed-values.ts'
import { LostFlow, noFlow, Uncommitted, unkept } from './refusals.ts'
import { createWorkStore, rowOf, type WorkCommit, workOf, type WorkRow, type WorkStore } from './store.ts'

/** Operations that may wait to be written. */
const MAX_OPERATIONS = 100_000
/** Characters of JSON that may wait to be written. */
const MAX_LENGTH = 256 * 1024 * 1024
/** How long anybody waits for a commit, in milliseconds. */
const PATIENCE_MS = 10_000
/** How long to wait after a write that failed, in milliseconds. */
const RETRY_MS = 500
/** While a write takes longer, arrivals wait for their commit; in milliseconds. */
const PROMPT_MS = 1_000
/** A batch is full when it has this many operations, or characters of JSON. */
const BATCH_OPERATIONS = 5_000
const BATCH_LENGTH = 4_000_000

/** What kept work is made of. */
export interface WorkDeps {
  readonly database: Pick<Database, 'sql' | 'assertOutsideTransaction'>
  readonly log: Pick<Log, 'error'>
  /** Resolves when what ended work has left elsewhere is committed; never rejects. */
  readonly beforeDrops?: () => Promise<unknown>
  /** Resolves when all values that were published before are written behind; never rejects. */
  readonly recorded?: () => Promise<unknown>
  /** What keeps this engine from writing for flows that others have; without it there is no other engine. */
  readonly fence?: Pick<Fence, 'assertFinal' | 'has' | 'isLost' | 'lease' | 'refused' | 'tell'>
  /** Seals what must not be readable where it is stored; without it everything is. */
  readonly seals?: WorkSeals
  readonly patienceMs?: number
  readonly maxOperations?: number
}

/** Kept work on a database. */
export interface LiveWork extends WorkHost {
  /** Whether something waits to be committed. */
  readonly isWriting: boolean
  /**
   * Keeps work in the caller's transaction, which decides whether it is. Refuses with `not_active` when there is no flow
   * of its name.
   */
  keepIn(tx: Sql, works: readonly KeptWork[]): Promise<void>
  /**
   * Hands over what arrivals of earlier lives have published and may not have recorded, in the order of its times; before
   * a flow starts. Those of these flows, or of all.
   */
  recover(record: (values: readonly OwedValue[]) => unknown, flows?: readonly string[]): Promise<void>
  /** Notes of readers follow a flow to its new name, in the caller's transaction. */
  rename(tx: Sql, names: { readonly from: string; readonly to: string }): Promise<void>
  /** Resolves once all that was asked for so far is committed; rejects when that takes too long (work.W4). */
  written(): Promise<void>
  /** Writes what waits; what cannot be written in time is lost and told to the log. Nothing is kept afterwards. */
  close(): Promise<void>
}

const NOTHING = { added: [], changed: [], removed: [], published: [], recorded: [] }

/** Kept work; it is written from the moment it is asked for. */
export const createWork = (deps: WorkDeps): LiveWork => new StoredWork(deps)

class StoredWork implements LiveWork {
  readonly has?: (flow: string) => boolean
  readonly #deps: WorkDeps
  readonly #store: WorkStore
  readonly #envelope: WorkEnvelope
  readonly #patienceMs: number
  readonly #maxOperations: number
  /** Not committed; the first may be being written, operations gather in the last. */
  readonly #batches: WorkBatch[] = []
  /** Outside of any transaction, whoever asks. */
  readonly #write: () => void
  readonly #closing = new AbortController()
  /** What published arrivals leave owed when they end. */
  readonly #arrivals = new Map<string, Publication>()
  readonly #owed: OwedRows
  /** The batch that takes more operations. */
  #open: WorkBatch | null = null
  #operations = 0
  #length = 0
  /** Calls of `together` that go on. */
  #groups = 0
  #isWriting = false
  /** Whether the last attempt to write has failed. */
  #isFailing = false
  #isClosed = false

  constructor(deps: WorkDeps) {
    this.#deps = deps
    const { fence } = deps
    // the embedded database has one engine, whose fence knows no flows
    if (fence && fence.lease !== null) this.has = (flow) => fence.has(flow) && !fence.isLost(flow)
    this.#store = createWorkStore(deps.database.sql)
    this.#envelope = new WorkEnvelope(deps.seals ?? null, deps.log)
    this.#patienceMs = deps.patienceMs ?? PATIENCE_MS
    this.#maxOperations = deps.maxOperations ?? MAX_OPERATIONS
    this.#write = AsyncResource.bind(() => void this.#drain())
    const recorded = deps.recorded ?? (() => Promise.resolve())
    this.#owed = new OwedRows(recorded, (ids) => {
      if (!this.#isClosed) this.#ask((batch) => batch.record(ids))
    })
  }

  get isWriting(): boolean {
    return this.#isWriting
  }

  keep(work: KeptWork): Promise<void> {
    return this.#keeping(work, (row) => this.#add(row))
  }

  arrive(work: KeptWork, publish: () => void): Promise<void> {
    return this.#keeping(work, async (row) => {
      const waits = this.#isBehind
      const committed = this.#add(row)
      if (waits) await committed
      this.#arrivals.set(work.id, publicationOf(row))
      publish()
      try {
        await committed
      } catch (error) {
        throw error instanceof LostFlow ? new LostFlow(work.flow, { mayBeKept: true }) : error
      }
    })
  }

  async begin(id: string, reader: string): Promise<void> {
    await this.#ask((batch) => {
      batch.note(id, reader, 'begun')
      return batch.committed
    })
  }

  end(id: string, reader: string, taker?: string): void {
    this.#ask((batch) => batch.note(id, reader, 'ended', taker))
  }

  drop(id: string): void {
    const published = this.#arrivals.get(id)
    this.#arrivals.delete(id)
    this.#ask((batch) => batch.drop(id, published))
  }

  together<T>(change: () => T): T {
    this.#groups++
    try {
      return change()
    } finally {
      this.#groups--
      this.#closeFull()
    }
  }

  rename(tx: Sql, names: { readonly from: string; readonly to: string }): Promise<void> {
    return this.#store.rename(tx, names)
  }

  async keepIn(tx: Sql, works: readonly KeptWork[]): Promise<void> {
    const missing = await this.#store.add(
      tx,
      works.map((work) => this.#envelope.seal('live_work', rowOf(work))),
    )
    if (missing === null) return
    throw new ProblemError('not_active', `there is no flow "${missing}" any more, so that nothing is kept for it`)
  }

  async attempt(ids: readonly string[]): Promise<void> {
    await this.#ask((batch) => {
      for (const id of ids) batch.attempt(id)
      return batch.committed
    })
  }

  async left(flow: string): Promise<readonly KeptWork[]> {
    await this.written()
    const rows = await this.#store.left(flow)
    return rows.flatMap((row) => this.#envelope.opened('live_work', row)).map(workOf)
  }

  async recover(record: (values: readonly OwedValue[]) => unknown, flows?: readonly string[]): Promise<void> {
    const of = flows ? [...flows] : null
    const [rows, arrivals] = await Promise.all([this.#store.published(of), this.#store.arrivals(of)])
    const opened = rows.flatMap((row) => this.#envelope.opened('published_value', row))
    const values = [
      ...opened.flatMap(({ flow, body }) => owedValuesOf(flow, body)),
      ...arrivals.flatMap((row) => this.#envelope.opened('live_work', row)).flatMap(arrivedValuesOf),
    ]
    await record(values.toSorted((a, b) => a.atMs - b.atMs))
    this.#owed.add(opened.map(({ id }) => id))
  }

  async written(): Promise<void> {
    this.#deps.database.assertOutsideTransaction()
    await this.#batches.at(-1)?.committed
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.#batches.at(-1)?.committed.catch(() => {})
    this.#closing.abort()
    if (this.#batches.length === 0) return
    this.#deps.log.error({ operations: this.#operations }, 'the database did not take the last work of live flows')
  }

  /** Keeps work by `put`, and tells the log when it is not: what is held goes on in memory, and nobody else would. */
  async #keeping(work: KeptWork, put: (row: WorkRow) => Promise<void>): Promise<void> {
    try {
      this.#assertRoom(work.flow)
      await put(rowOf(work))
    } catch (error) {
      // that a flow has gone to another engine is told once for the flow, by whoever ends it here
      if (!(error instanceof LostFlow))
        this.#deps.log.error({ err: error, flow: work.flow, node: work.node }, 'work of a live flow is not kept')
      throw error
    }
  }

  #add(row: WorkRow): Promise<void> {
    if (this.#open?.takes(row.id) === false) this.#open = null
    return this.#ask((batch) => batch.keep(row))
  }

  /** Whether writes have trouble: a commit may take long, or fail. */
  get #isBehind(): boolean {
    const [oldest] = this.#batches
    return this.#isFailing || (oldest !== undefined && performance.now() - oldest.openedMs > PROMPT_MS)
  }

  /** Has the open batch take an operation. */
  #ask<T>(operation: (batch: WorkBatch) => T): T {
    const batch = this.#open ?? this.#newBatch()
    const { operations, length } = batch
    const result = operation(batch)
    this.#operations += batch.operations - operations
    this.#length += batch.length - length
    this.#closeFull()
    return result
  }

  /** A full batch takes no more, but for what belongs together (work.W8). */
  #closeFull(): void {
    const batch = this.#open
    if (this.#groups > 0 || batch === null) return
    if (batch.operations >= BATCH_OPERATIONS || batch.length >= BATCH_LENGTH) this.#open = null
  }

  #newBatch(): WorkBatch {
    const batch = new WorkBatch()
    this.#open = batch
    this.#batches.push(batch)
    const patience = setTimeout(() => this.#loseOf(batch), this.#patienceMs)
    patience.unref()
    const stop = (): void => clearTimeout(patience)
    batch.committed.then(stop, stop)
    if (!this.#isWriting) {
      this.#isWriting = true
      this.#write()
    }
    return batch
  }

  /** Tells those who wait for a batch (work.W4); later ones wait for another. */
  #loseOf(batch: WorkBatch): void {
    if (this.#open === batch) this.#open = null
    batch.fail(new Uncommitted(this.#patienceMs / 1000))
  }

  /** Writes batches until none is left (work.W1). */
  async #drain(): Promise<void> {
    while (this.#batches.length > 0) {
      // oxlint-disable no-await-in-loop -- one after the other is the point
      // what is asked for in one turn of the event loop shares a commit
      await setImmediate()
      const [batch] = this.#batches
      if (batch === undefined || !(await this.#commit(batch))) break
      // oxlint-enable no-await-in-loop
    }
    this.#isWriting = false
  }

  /** Writes a batch until it is committed (work.W3); false when the end comes first. */
  async #commit(batch: WorkBatch): Promise<boolean> {
    if (this.#open === batch) this.#open = null
    for (;;) {
      // oxlint-disable no-await-in-loop -- the next attempt follows the failure of this one
      try {
        await this.#attempt(batch)
        break
      } catch (error) {
        const found = isFault(error) && (await this.#refuseFaulty(batch))
        if (found) continue
        if (this.#closing.signal.aborted) return false
        this.#isFailing = true
        this.#deps.log.error({ err: error, operations: batch.operations }, 'work of live flows could not be kept yet')
        await delay(RETRY_MS, undefined, { signal: this.#closing.signal }).catch(() => {})
      }
      // oxlint-enable no-await-in-loop
    }
    this.#isFailing = false
    this.#batches.shift()
    this.#operations -= batch.operations
    this.#length -= batch.length
    batch.done()
    return true
  }

  async #attempt(batch: WorkBatch): Promise<void> {
    const commit = batch.commit()
    if (commit.removed.length + commit.published.length > 0) await this.#deps.beforeDrops?.()
    if (isNothing(commit)) return
    const { fence } = this.#deps
    const lease = fence?.lease ?? null
    const writing = this.#store.write(this.#envelope.sealCommit(commit), lease)
    writing.catch(() => (batch.mayBeKept = true))
    const { unstored, unpublished, lost } = await writing
    if (lost.length > 0) fence?.assertFinal(lease)
    const lostNames = fence?.tell(lost) ?? new Set()
    // one of this engine's that is not there by that name has been renamed or deleted by the engine that has it
    const isGone = (flow: string): boolean => lostNames.has(flow) || this.has?.(flow) === true
    const reasonOf = (flow: string): Error => (isGone(flow) ? new LostFlow(flow, batch) : noFlow(flow))
    for (const row of unstored) this.#refuse(batch, row, reasonOf(row.flow))
    const counts = unpublished.map(({ flow }) => [flow, batch.lose(flow, reasonOf(flow))] as const)
    const refused = [...unstored.map(({ flow }) => [flow, 1] as const), ...counts]
    if (fence) for (const [flow, count] of refused) fence.refused += lostNames.has(flow) ? count : 0
    const left = new Set(unpublished.map(({ id }) => id))
    this.#owed.add(commit.published.flatMap(({ id }) => (left.has(id) ? [] : [id])))
  }

  /** Tries new work one by one, and refuses what can never be stored (work.W6); whether there was any. */
  async #refuseFaulty(batch: WorkBatch): Promise<boolean> {
    const { id, added } = batch.commit()
    let found = false
    for (const row of added) {
      try {
        // oxlint-disable-next-line no-await-in-loop -- in the order in which it was kept
        await this.#store.write(this.#envelope.sealCommit({ ...NOTHING, id, added: [row] }), this.#deps.fence?.lease)
      } catch (error) {
        if (!isFault(error)) return found
        found = true
        this.#refuse(batch, row, unkept(row, (error as Error).message))
      }
    }
    return found
  }

  #refuse(batch: WorkBatch, row: WorkRow, reason: Error): void {
    const { flow, node } = row
    if (!(reason instanceof LostFlow))
      this.#deps.log.error({ flow, node, reason: reason.message }, 'work of a live flow cannot be kept')
    batch.refuse(row.id, reason)
  }

  #assertRoom(flow: string): void {
    if (this.#isClosed) throw new ProblemError('unavailable', 'the engine stops; nothing is kept any more')
    if (this.#operations < this.#maxOperations && this.#length < MAX_LENGTH) return
    const detail = `${this.#operations} changes of kept work wait for the database, so that nothing more is kept for flow "${flow}"; try again later`
    throw new ProblemError('unavailable', detail)
  }
}

const isNothing = ({ added, changed, removed, published, recorded }: WorkCommit): boolean =>
  added.length + changed.length + removed.length + published.length + recorded.length === 0

/** Errors of the data, which another attempt does not mend: classes 22, 23 and 54 (PostgreSQL manual, appendix A). */
const isFault = (error: unknown): boolean => /^(?:22|23|54)/.test(sqlState(error))
