/**
 * Runs as they are read: the record with its nodes, and the curves.
 * @module
 */
import type { MetricSeries, Run } from '@flow-service/protocol'

import { ProblemError } from '../http/errors.ts'
import type { ExecutionStore } from './execution-store.ts'
import { inDocumentOrder, seriesOf } from './metrics.ts'
import { type DetailRow, runRecord } from './run-record.ts'
import { shownMessage } from './shown-names.ts'
import type { RunsStore } from './store.ts'

/** Which curves are asked for. */
export interface MetricsQuery {
  /** Bare or qualified messages; all when left out. */
  readonly names?: readonly string[] | undefined
  /** Every how many points one is given; the last always is. */
  readonly stride: number
}

/** What reading takes. */
export interface RunViewSetting {
  readonly store: Pick<RunsStore, 'detail'>
  readonly executions: ExecutionStore
  /** Writes what this engine has gathered about a run, so that nothing told before is missing. */
  readonly flush: (id: string) => Promise<void>
}

/** Reads runs. */
export class RunView {
  readonly #setting: RunViewSetting

  constructor(setting: RunViewSetting) {
    this.#setting = setting
  }

  /** A run with its details; refuses with `not_found`. */
  async run(id: string): Promise<Run> {
    const { executions } = this.#setting
    const row = await this.#detail(id)
    const [nodes, curves] = await Promise.all([executions.nodes(id), executions.metricSummaries(id)])
    const metrics = inDocumentOrder(row.document, curves).map(({ node, port, message, ...summary }) => ({
      name: `${row.flow}.${shownMessage(row.document, { node, port, message })}`,
      ...summary,
    }))
    return runRecord(row, nodes, metrics)
  }

  /** The curves of a run in its document's order; refuses with `not_found`. */
  async metrics(id: string, { names, stride }: MetricsQuery): Promise<MetricSeries[]> {
    const row = await this.#detail(id)
    const stored = await this.#setting.executions.chunks(id)
    const chunks = stored.map((chunk) => ({ ...chunk, message: shownMessage(row.document, chunk) }))
    const asked = chunks.filter(
      ({ message }) => !names || names.includes(message) || names.includes(`${row.flow}.${message}`),
    )
    return seriesOf(row.flow, inDocumentOrder(row.document, asked), stride)
  }

  async #detail(id: string): Promise<DetailRow> {
    await this.#setting.flush(id)
    const row = await this.#setting.store.detail(id)
    if (!row) throw new ProblemError('not_found', `run "${id}" does not exist`)
    return row
  }
}
