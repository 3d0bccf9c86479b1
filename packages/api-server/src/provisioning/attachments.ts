/**
 * Which attached workers were started by requests, at whichever engine those were made: the pool is followed, and the token
 * of each worker that comes is looked for among the requests. Without it a request would wait for ever.
 * @module
 */
import type { Clock } from '@flow-service/core'

import type { Database } from '../db/database.ts'
import type { Log } from '../process/log.ts'
import type { AttachedWorker } from '../workers/attached-worker.ts'
import type { WorkerPool } from '../workers/pool.ts'
import { createRequestStore, type RequestRow } from './store.ts'

const RETRY_MS = 5_000

/** What attachments are made of. */
export interface AttachmentsDeps {
  readonly pool: Pick<WorkerPool, 'list' | 'onChange'>
  readonly database: Pick<Database, 'sql'>
  readonly clock: Clock
  readonly log: Pick<Log, 'error'>
}

/** Of which request and profile a worker is. */
export type Origin = Pick<RequestRow, 'id' | 'provisioner' | 'profile'>

/** The workers of requests that are attached to this engine. */
export class Attachments {
  readonly #deps: AttachmentsDeps
  readonly #known = new Map<AttachedWorker, Origin | null>()
  readonly #listeners = new Set<(origin: Origin) => void>()
  #following: () => void = () => {}
  /** Those that are looked for once more. */
  readonly #again = new Set<AttachedWorker>()
  #retry: (() => void) | null = null
  #looking: Promise<void> = Promise.resolve()

  constructor(deps: AttachmentsDeps) {
    this.#deps = deps
  }

  open(): void {
    this.#following = this.#deps.pool.onChange(() => this.#follow())
    this.#follow()
  }

  async close(): Promise<void> {
    this.#following()
    this.#retry?.()
    await this.#looking
  }

  /** Calls back when a worker of a request has attached or left; the result ends that. */
  onChange(listener: (origin: Origin) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** The request that a worker is of; null when it is of none, as far as that is known. */
  originOf(worker: AttachedWorker): Origin | null {
    return this.#known.get(worker) ?? null
  }

  /** How many workers of a request are attached. */
  count(request: string): number {
    return [...this.#known.values()].filter((origin) => origin?.id === request).length
  }

  /** The scheduler has named the job of a request: its workers may have been faster. */
  named({ id, provisioner, profile }: Origin, job: string): void {
    for (const [worker, origin] of this.#known) if (origin?.id === id) worker.startedBy({ provisioner, profile, job })
  }

  #follow(): void {
    const workers = new Set(this.#deps.pool.list())
    for (const [worker, origin] of this.#known) {
      if (workers.has(worker)) continue
      this.#known.delete(worker)
      if (origin) this.#tell(origin)
    }
    for (const worker of workers) {
      if (worker.jti === null || this.#known.has(worker)) continue
      this.#known.set(worker, null)
      this.#queue(worker)
    }
  }

  #queue(worker: AttachedWorker): void {
    this.#looking = this.#looking.then(() => this.#look(worker))
  }

  async #look(worker: AttachedWorker): Promise<void> {
    const { database, log } = this.#deps
    try {
      const row = await createRequestStore(database.sql).attached(worker.jti ?? '')
      if (row === null || !this.#known.has(worker)) return
      const { id, provisioner, profile, job } = row
      this.#known.set(worker, { id, provisioner, profile })
      if (job !== null) worker.startedBy({ provisioner, profile, job })
      // it was faster than the answer of the scheduler, which another engine may get
      else this.#later(worker)
      this.#tell(row)
    } catch (error) {
      log.error({ err: error, worker: worker.hello.name }, 'it could not be read who has started a worker')
      this.#later(worker)
    }
  }

  #later(worker: AttachedWorker): void {
    this.#again.add(worker)
    this.#retry ??= this.#deps.clock.setTimer(RETRY_MS, () => {
      this.#retry = null
      const workers = [...this.#again]
      this.#again.clear()
      for (const each of workers) if (this.#known.has(each)) this.#queue(each)
    })
  }

  #tell(origin: Origin): void {
    for (const listener of this.#listeners) listener(origin)
  }
}
