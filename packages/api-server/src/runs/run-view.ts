/**
 * Runs as they are read: the record with its nodes, and the curves.
 * @module
 */
import type { Secrets } from '@flow-service/core'
import type { Clock } from '@flow-service/core'
import type { FlowDocument, MetricSeries, Run } from '@flow-service/protocol'

import { ProblemError } from '../http/errors.ts'
import { type GivenPoints, type RunCurves, wholeCurves } from './curve-answer.ts'
import { inDocumentOrder } from './curves/points.ts'
import { shownMessage } from './curves/shown-names.ts'
import { chosenOf, sharesOf, thinned } from './curves/thinning.ts'
import type { ChunkKey, ExecutionStore } from './execution-store.ts'
import { shownInputs } from './masked-event.ts'
import { noRun } from './refusals.ts'
import { type DetailRow, runRecord } from './run-record.ts'
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
/** Chunks of one statement. */
const PAGE_CHUNKS = 100

/** Dependencies of the view. */
export interface RunViewDeps {
  readonly store: Pick<RunsStore, 'detail'>
  readonly executions: ExecutionStore
  /** Writes what this engine has gathered about a run, so that nothing told before is missing. */
  readonly flush: (id: string) => Promise<void>
  /** Masks the params of runs. */
  readonly secrets: Pick<Secrets, 'mask'>
}

/** Reads runs. */
export class RunView {
  readonly #deps: RunViewDeps

  constructor(deps: RunViewDeps) {
    this.#deps = deps
  }

  /** A run with its details; refuses with `not_found`. */
  async run(id: string): Promise<Run> {
    const { executions, secrets } = this.#deps
    const row = await this.#detail(id)
    const [nodes, curves] = await Promise.all([executions.nodes(id), executions.metricSummaries(id)])
    const metrics = inDocumentOrder(row.document, curves).map(({ node, port, message, run: _owner, ...summary }) => ({
      name: `${row.flow}.${shownMessage(row.document, { node, port, message })}`,
      ...summary,
    }))
    return runRecord({ ...row, inputs: shownInputs(row.inputs, secrets) }, nodes, metrics)
  }

  /** What a run executes or executed; refuses with `not_found`, also where that is not known. */
  async document(id: string): Promise<FlowDocument> {
    const { document } = await this.#detail(id)
    if (document) return document
    const why = 'runs that come from elsewhere have none, and those of a draft none before they start'
    throw new ProblemError('not_found', `no document of run "${id}" is known: ${why}`)
  }

  /**
   * The curves of a run in its document's order; refuses with `not_found`. Where they have more points than `most`, the
   * last ones of the longest curves are left out; `count` has them. Chunks are read a page at a time, and only those with
   * points that are given.
   */
  async curves(id: string, { names, stride, most = MAX_POINTS }: MetricsQuery): Promise<RunCurves> {
    const { executions } = this.#deps
    const row = await this.#detail(id)
    const { flow, document } = row
    // the flow may have had another name when the run was submitted
    const owners = [flow, document?.name ?? flow]
    const isAsked = (message: string): boolean =>
      !names || [message, ...owners.map((owner) => `${owner}.${message}`)].some((name) => names.includes(name))
    const asked = (await executions.curves(id)).filter((curve) => isAsked(shownMessage(document, curve)))
    const curves = inDocumentOrder(document, asked)
    const counts = curves.map(({ chunks }) => chunks.reduce((sum, [, count]) => sum + count, 0))
    const shares = sharesOf(
      counts.map((count) => thinned(count, stride)),
      most,
    )
    const heads = curves.map((curve, at) => {
      const { node, port, run } = curve
      return { name: `${flow}.${shownMessage(document, curve)}`, node, port, run, count: counts[at] ?? 0 }
    })
    const chosen = curves.flatMap(({ run, metric, chunks }, at) =>
      chosenOf(chunks, { stride, share: shares[at] ?? 0 }).map((chunk) => ({ ...chunk, run, metric, curve: at })),
    )
    return { heads, shares, points: () => this.#points(chosen) }
  }

  /** The same with their points. */
  async metrics(id: string, query: MetricsQuery): Promise<MetricSeries[]> {
    return wholeCurves(await this.curves(id, query))
  }

  async *#points(chosen: readonly (ChunkKey & Omit<GivenPoints, 'chunk'>)[]): AsyncGenerator<GivenPoints> {
    for (let from = 0; from < chosen.length; from += PAGE_CHUNKS) {
      const page = chosen.slice(from, from + PAGE_CHUNKS)
      // oxlint-disable-next-line no-await-in-loop -- bounds what is in memory
      const read = new Map((await this.#deps.executions.points(page)).map((points) => [points.at, points]))
      for (const [at, { curve, places }] of page.entries()) {
        const chunk = read.get(at)
        // the run that executed it was deleted meanwhile
        if (chunk) yield { curve, places, chunk }
      }
    }
  }

  async #detail(id: string): Promise<DetailRow> {
    await this.#deps.flush(id)
    const row = await this.#deps.store.detail(id)
    if (!row) throw noRun(id)
    return row
  }
}

/** Writes are repeated for as long as the database does not take them; who reads is not kept that long. */
const PATIENCE_MS = 5_000

/** Resolves when what has gathered is written; refuses with `unavailable` when that takes more than 5 s. */
export async function flushForRead(
  execution: { flush(): Promise<void> } | null,
  clock: Pick<Clock, 'setTimer'>,
): Promise<void> {
  if (execution === null) return
  const { promise: late, reject } = Promise.withResolvers<never>()
  const cancel = clock.setTimer(PATIENCE_MS, () =>
    reject(
      new ProblemError('unavailable', 'the database does not take what the run has done now; try again', {
        retry_after_s: 5,
      }),
    ),
  )
  try {
    await Promise.race([execution.flush(), late])
  } finally {
    cancel()
  }
}
