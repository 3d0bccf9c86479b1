/**
 * Finished runs: their numbers, what their nodes returned, and how they are deleted (wire decisions G34, G35, G38).
 * @module
 */
import { isFinished, type NodeLogs, type NodeOutputs, type RunOverview } from '@flow-service/protocol'

import type { Artifacts } from '../artifacts/artifacts.ts'
import type { Database, Sql } from '../db/database.ts'
import { ProblemError } from '../http/errors.ts'
import { logPart } from '../node-logs/log-tail.ts'
import type { HistoryStore, OverviewRow, StoredLog } from './history-store.ts'
import { noRun, runActive } from './refusals.ts'
import { summaryOf, type SummaryRow } from './run-record.ts'
import type { RunsStore } from './store.ts'

/** Dependencies of the history. */
export interface HistoryDeps {
  readonly database: Pick<Database, 'transaction'>
  readonly store: HistoryStore
  readonly runs: Pick<RunsStore, 'detail'>
  readonly artifacts: Pick<Artifacts, 'dropRefs'>
  /** Writes what this engine has gathered about a run. */
  readonly flush: (id: string) => Promise<void>
}

/** Runs that are deleted in one transaction: on the embedded database everybody else waits for it. */
const PORTION = 200

/** Reads and deletes finished runs. */
export class RunHistory {
  readonly #deps: HistoryDeps

  constructor(deps: HistoryDeps) {
    this.#deps = deps
  }

  /** A line for each batch flow and each flow that has runs, by name. */
  async overview(): Promise<RunOverview[]> {
    return (await this.#deps.store.overview()).map(overviewOf)
  }

  /** When the newest run of each flow ended, began or was made, by the flow's id. */
  async newest(): Promise<ReadonlyMap<string, string>> {
    return new Map((await this.#deps.store.newest()).map(({ flow, at }) => [flow, at]))
  }

  /** What a node returned; refuses with `not_found` unless it succeeded and may be cached. */
  async outputs(id: string, node: string): Promise<NodeOutputs> {
    const { store, runs, flush } = this.#deps
    await flush(id)
    const found = await store.outputs(id, node)
    if (found) return { run: id, node, ...found } as NodeOutputs
    if (!(await runs.detail(id))) throw noRun(id)
    throw new ProblemError(
      'not_found',
      `node "${node}" has no outputs in run "${id}": they are kept of nodes that succeeded, may be cached and returned at most 262144 bytes of JSON`,
    )
  }

  /**
   * A part of what a node has printed, behind its first `after` bytes. Refuses with `not_found`, and with
   * `validation_failed` what is behind the end.
   */
  async logs(run: string, node: string, part: { after: number; limit: number }): Promise<NodeLogs> {
    const { store, flush } = this.#deps
    await flush(run)
    const { flow, status, runStatus, ...kept } = (await store.log(run, node)) ?? (await this.#silent(run, node))
    const ended = isFinished(runStatus) || !['pending', 'queued', 'running'].includes(status)
    return { flow, node, run, ...logPart(kept, part), ended }
  }

  /** A node that nothing has happened to. */
  async #silent(id: string, node: string): Promise<StoredLog> {
    const run = await this.#deps.runs.detail(id)
    if (!run) throw noRun(id)
    const nodes = run.document?.nodes ?? []
    if (nodes.some((one) => one.id === node)) {
      return { flow: run.flow, status: 'pending', runStatus: run.status, text: '', bytes: 0 }
    }
    const known = nodes.map((one) => one.id).join(', ')
    throw new ProblemError('not_found', `run "${id}" has no node "${node}"; its nodes: ${known || 'none'}`)
  }

  /** Deletes a finished run with its records; refuses with `not_found` and `run_active`. */
  async delete(id: string, audit: (tx: Sql, flow: string) => Promise<void> = async () => {}): Promise<void> {
    const { database, store, runs, artifacts } = this.#deps
    const flow = await database.transaction(async (tx) => {
      const of = await store.delete(tx, id)
      if (of === null) return null
      await artifacts.dropRefs(tx, 'run', [id])
      await audit(tx, of.name)
      return of.flow
    })
    if (flow !== null) return store.dropDocuments(database, [flow])
    const run = await runs.detail(id)
    if (!run) throw noRun(id)
    throw runActive(id, run.status, 'delete')
  }

  /**
   * Deletes the runs that a flow has now, a portion after the other; tells how many. Runs that are submitted meanwhile
   * stay. `also` is done in a last transaction. Refuses with `run_active` while one of them is not finished.
   */
  async deleteOf(flow: string, also: ((tx: Sql) => Promise<void>) | null = null): Promise<number> {
    const { database, store, artifacts } = this.#deps
    const { active, newest } = await store.bounds(flow)
    if (active.length > 0) {
      throw new ProblemError(
        'run_active',
        `flow "${flow}" has unfinished runs: cancel them before you delete its runs`,
        {
          runs: active,
        },
      )
    }
    let deleted = 0
    const flows = new Set<string>()
    for (let isOver = newest === null; !isOver;) {
      // oxlint-disable-next-line no-await-in-loop -- between two portions others have their turn
      const portion = await database.transaction(async (tx) => {
        const rows = await store.deletePortion(tx, { flow, until: newest ?? '', limit: PORTION })
        await artifacts.dropRefs(
          tx,
          'run',
          rows.map(({ id }) => id),
        )
        return rows
      })
      for (const row of portion) flows.add(row.flow)
      deleted += portion.length
      isOver = portion.length === 0
    }
    if (flows.size > 0) await store.dropDocuments(database, [...flows])
    if (also) await database.transaction(also)
    return deleted
  }
}

function overviewOf(row: OverviewRow): RunOverview {
  const { name, exists, counts, avg_duration_s, ...newest } = row
  const { queued = 0, running = 0, ok = 0, error = 0, cancelled = 0, abandoned = 0 } = counts
  return {
    flow: name,
    exists,
    total: queued + running + ok + error + cancelled + abandoned,
    queued,
    running,
    ok,
    error,
    cancelled,
    abandoned,
    last_run: newest.id === null ? null : summaryOf(newest as SummaryRow),
    avg_duration_s,
  }
}
