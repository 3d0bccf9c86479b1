/**
 * Group commit of what executions write. On the embedded database, which does one thing after the other, the queue's
 * claim goes with it: when runs end, the next ones begin by the same commit. A server does both at the same time.
 * @module
 */
import { artifactRefsIn } from '@flow-service/protocol'

import type { Artifacts } from '../artifacts/artifacts.ts'
import type { Database, Sql } from '../db/database.ts'
import type { GroupWriter } from '../db/group-writer.ts'
import { sqlState } from '../db/transaction.ts'
import type { Curve } from './curves/points.ts'
import type { ExecutionStore, RunWrite } from './execution-store.ts'
import type { Claim, ClaimedRun, LeaseStore } from './lease-store.ts'
import { createStatementGroup } from './statement-group.ts'

/** What commits need. */
export interface CommitsSetting {
  readonly database: Database
  readonly store: ExecutionStore
  readonly leases: Pick<LeaseStore, 'claim' | 'claimWithinLimits'>
  readonly artifacts: Pick<Artifacts, 'addRefs' | 'dropRefs'>
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

/**
 * Whether the database has refused a statement: data exceptions, violated constraints, exceeded program limits
 * (PostgreSQL manual, appendix A).
 */
export const isRefused = (error: unknown): boolean => /^(?:22|23|54)/.test(sqlState(error))

/** The commits of one engine. */
export class RunCommits {
  readonly #setting: CommitsSetting
  readonly #group: GroupWriter<Item>
  readonly #metricIds = new Map<string, number>()

  constructor(setting: CommitsSetting) {
    this.#setting = setting
    this.#group = createStatementGroup<Item>(
      setting.database,
      (item) => 'write' in item && (digestsOf(item.write).length > 0 || item.write.cache.length > 0),
      (sql, items) => this.#flush(sql, items),
    )
  }

  /** Whether the run was this engine's, and so the write is in the database. One write of a run at a time. */
  async write(write: RunWrite): Promise<boolean> {
    await this.#learnMetricIds(write.chunks)
    const item: Writing = { write, held: false }
    await this.#group.write(item)
    return item.held
  }

  /**
   * Takes up to `limit` queued runs: the most urgent, then the oldest, and of no flow more than may execute at once in
   * all engines. One claim at a time.
   */
  async claim(claim: Claim): Promise<ClaimedRun[]> {
    const { database, leases } = this.#setting
    const runs =
      database.backend === 'server' ? await leases.claim(database.sql, claim) : await this.#claimWithEnds(claim)
    return runs ?? leases.claimWithinLimits(claim)
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
      if (claiming && (tx !== this.#setting.database.sql || isRefused(error))) claiming.isUnheard = false
      throw error
    }
  }

  async #round(tx: Sql, writing: readonly Writing[], claiming: Claiming | undefined): Promise<void> {
    if (writing.length === 0 && claiming) {
      claiming.runs = await this.#setting.leases.claim(tx, claiming.claim)
      return
    }
    const { held, claimed } = await this.#setting.store.write(tx, {
      writes: writing.map(({ write }) => write),
      metricId: (curve) => this.#metricIds.get(curveKey(curve)) ?? 0,
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
    const { addRefs, dropRefs } = this.#setting.artifacts
    const stages = writes.flatMap(({ cache }) => cache)
    if (stages.length > 0)
      await dropRefs(
        tx,
        'cache',
        stages.map(({ key }) => key),
      )
    for (const write of writes) {
      const digests = digestsOf(write)
      if (digests.length > 0) await addRefs(tx, 'run', write.run, digests)
    }
    for (const { key, outputs } of stages) {
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
}

/** What a write makes its run refer to. */
function digestsOf({ artifacts, end }: RunWrite): string[] {
  const refs = [...(artifacts ?? []), ...artifactRefsIn(end?.result)]
  return [...new Set(refs.map(({ digest }) => digest))]
}

const curveKey = ({ node, port, message }: Curve): string => `${node}/${port}/${message}`
