/**
 * Runs as they are read: the record with its nodes, and the curves.
 * @module
 */
import type { Secrets } from '@flow-service/core'
import type { MetricSeries, Run } from '@flow-service/protocol'

import { ProblemError } from '../http/errors.ts'
import type { ExecutionStore } from './execution-store.ts'
import { shownInputs } from './masked-event.ts'
import { inDocumentOrder, pointsOf, type StoredChunk } from './metrics.ts'
import { type DetailRow, runRecord } from './run-record.ts'
import { shownMessage } from './shown-names.ts'
import type { RunsStore } from './store.ts'

/** Which curves are asked for. */
export interface MetricsQuery {
  /** Bare or qualified messages; all when left out. */
  readonly names?: readonly string[] | undefined
  /** Every how many points one is given; the last always is. */
  readonly stride: number
  /** Most points of one answer; 1,000,000 unless told otherwise, which make some 80 MB of JSON. */
  readonly most?: number
}

const MAX_POINTS = 1_000_000

/** What reading takes. */
export interface RunViewSetting {
  readonly store: Pick<RunsStore, 'detail'>
  readonly executions: ExecutionStore
  /** Writes what this engine has gathered about a run, so that nothing told before is missing. */
  readonly flush: (id: string) => Promise<void>
  /** Masks the params of runs. */
  readonly secrets: Pick<Secrets, 'mask'>
}

/** Reads runs. */
export class RunView {
  readonly #setting: RunViewSetting

  constructor(setting: RunViewSetting) {
    this.#setting = setting
  }

  /** A run with its details; refuses with `not_found`. */
  async run(id: string): Promise<Run> {
    const { executions, secrets } = this.#setting
    const row = await this.#detail(id)
    const [nodes, curves] = await Promise.all([executions.nodes(id), executions.metricSummaries(id)])
    const metrics = inDocumentOrder(row.document, curves).map(({ node, port, message, run: _owner, ...summary }) => ({
      name: `${row.flow}.${shownMessage(row.document, { node, port, message })}`,
      ...summary,
    }))
    return runRecord({ ...row, inputs: shownInputs(row.inputs, secrets) }, nodes, metrics)
  }

  /**
   * The curves of a run in its document's order; refuses with `not_found`. Where they have more points than `most`, the
   * last ones are left out; `count` has them.
   */
  async metrics(id: string, { names, stride, most = MAX_POINTS }: MetricsQuery): Promise<MetricSeries[]> {
    const { executions } = this.#setting
    const row = await this.#detail(id)
    const { flow, document } = row
    // the flow may have had another name when the run was submitted
    const owners = [flow, document?.name ?? flow]
    const isAsked = (message: string): boolean =>
      !names || [message, ...owners.map((owner) => `${owner}.${message}`)].some((name) => names.includes(name))
    const curves = (await executions.metricSummaries(id)).filter((curve) => isAsked(shownMessage(document, curve)))
    if (curves.length === 0) return []
    const chunks = new Map<string, StoredChunk[]>()
    for (const chunk of await executions.chunks(id, curves, Math.min(most * stride, Number.MAX_SAFE_INTEGER))) {
      const place = `${chunk.node}/${chunk.port}`
      const known = chunks.get(place)
      if (known) known.push(chunk)
      else chunks.set(place, [chunk])
    }
    let left = most
    return inDocumentOrder(document, curves).map((curve) => {
      const { node, port, run, count } = curve
      const points = pointsOf(chunks.get(`${node}/${port}`) ?? [], { stride, count }).slice(0, left)
      left -= points.length
      return { name: `${flow}.${shownMessage(document, curve)}`, node, port, run, count, points }
    })
  }

  async #detail(id: string): Promise<DetailRow> {
    await this.#setting.flush(id)
    const row = await this.#setting.store.detail(id)
    if (!row) throw new ProblemError('not_found', `run "${id}" does not exist`)
    return row
  }
}
