/**
 * A curve of a run as it grows.
 * @module
 */
import { type EventFrame, isFinished } from '@flow-service/protocol'

import type { EventOptions } from './event-stream.ts'
import type { MetricSeries, Run } from './generated/types.gen.ts'

/** A point of a curve. `step` counts from 0; `value` may be NaN or infinite. */
export interface MetricPoint {
  readonly step: number
  readonly ts: string
  readonly value: number
}

/** What following a curve needs of the client. */
export interface CurveSource {
  run(): Promise<Run>
  /** The curves of a message that are stored, from the first point on. */
  stored(): Promise<readonly MetricSeries[]>
  events(options: EventOptions): AsyncGenerator<EventFrame, void, undefined>
}

/** How long to wait between two looks at what is stored while points come, in milliseconds. */
const LOOK_EVERY_MS = 500

/**
 * The points of one message of a run, beginning with the first, and new ones until the run is over; every `stride`-th,
 * and always the last. A message that several nodes publish gives the points of the first of them.
 */
export async function* pointsOf(
  source: CurveSource,
  { id, flow, stride }: { readonly id: string; readonly flow: string; readonly stride: number },
  signal: AbortSignal,
): AsyncGenerator<MetricPoint, void, undefined> {
  let taken = 0
  let last: MetricPoint | null = null
  let lookedMs = Number.NEGATIVE_INFINITY
  for await (const frame of source.events({ flows: [flow], signal })) {
    const isOfRun = frame.type === 'value' ? frame.run === id : frame.type === 'run' && frame.run.id === id
    const isDue = performance.now() - lookedMs >= LOOK_EVERY_MS
    if (frame.type !== 'snapshot' && !(isOfRun && (isDue || frame.type === 'run'))) continue
    const { status } = await source.run()
    const points = (await source.stored())[0]?.points ?? []
    for (const { step, ts, value } of points.slice(taken)) {
      last = { step, ts, value: Number(value) }
      if (taken++ % stride === 0) yield last
    }
    if (isFinished(status)) {
      if (last !== null && (taken - 1) % stride !== 0) yield last
      return
    }
    lookedMs = performance.now()
  }
}
