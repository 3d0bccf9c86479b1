/**
 * A curve of a run as it grows.
 * @module
 */
import { type EventFrame, isFinished, messagePart } from '@flow-service/protocol'

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
/** The same while nothing comes: the end of a run goes unheard when its flow gets another name. */
const LOOK_UNTOLD_MS = 10_000

/** Which curve: `name` is the message, bare or as `<flow>.<message>`. */
export interface CurvePlace {
  readonly id: string
  readonly name: string
  readonly flow: string
}

/**
 * The points of one message of a run, beginning with the first, and new ones until the run is over; every `stride`-th,
 * and always the last. A message that several nodes publish gives the points of the first of them. Throws at the end of
 * those that an answer of the engine has, when there are more.
 */
export async function* pointsOf(
  source: CurveSource,
  { stride, ...place }: CurvePlace & { readonly stride: number },
  signal: AbortSignal,
): AsyncGenerator<MetricPoint, void, undefined> {
  let taken = 0
  let last: MetricPoint | null = null
  for await (const { isTold } of looks(source.events({ flows: [place.flow], signal }), place)) {
    // an engine that is away is waited for
    const run = await (isTold ? source.run() : source.run().catch(() => null))
    if (run === null) continue
    const { points, count } = (await source.stored())[0] ?? { points: [], count: 0 }
    for (const { step, ts, value } of points.slice(taken)) {
      last = { step, ts, value: Number(value) }
      if (taken++ % stride === 0) yield last
    }
    if (isFinished(run.status)) {
      if (points.length < count) throw new Error(cutText(place, points.length, count))
      if (last !== null && (taken - 1) % stride !== 0) yield last
      return
    }
  }
}

const cutText = ({ id, name }: CurvePlace, given: number, count: number): string =>
  `run "${id}" has ${count} points of "${name}", and an answer the first ${given}; ask for fewer by "stride" of runs.metrics, or export them`

/** When to look at what is stored: at first, soon after a new point, at the end of the run, and now and then untold. */
async function* looks(
  frames: AsyncGenerator<EventFrame, void, undefined>,
  place: CurvePlace,
): AsyncGenerator<{ readonly isTold: boolean }, void, undefined> {
  const following = (): ReturnType<typeof frames.next> => {
    const next = frames.next()
    // it may fail while the reader is busy with a point, and is awaited afterwards
    next.catch(() => {})
    return next
  }
  let next = following()
  let lookedMs = performance.now()
  let isBehind = false
  try {
    for (;;) {
      const everyMs: number = isBehind ? LOOK_EVERY_MS : LOOK_UNTOLD_MS
      // oxlint-disable-next-line no-await-in-loop -- one frame after the other
      const come = await within(next, lookedMs + everyMs - performance.now())
      if (come?.done) return
      if (come) next = following()
      const news = come ? newsOf(come.value, place) : null
      if (news === 'point') isBehind = true
      const sinceMs = performance.now() - lookedMs
      if (news !== 'all' && sinceMs < (isBehind ? LOOK_EVERY_MS : LOOK_UNTOLD_MS)) continue
      yield { isTold: isBehind || news === 'all' }
      lookedMs = performance.now()
      isBehind = false
    }
  } finally {
    await frames.return()
  }
}

/** What a frame tells of a curve: that there is a new point, or that everything may have changed. */
function newsOf(frame: EventFrame, { id, name }: CurvePlace): 'point' | 'all' | null {
  if (frame.type === 'snapshot' || (frame.type === 'run' && frame.run.id === id)) return 'all'
  if (frame.type !== 'value' || frame.run !== id) return null
  return messagePart(frame.message) === messagePart(name) ? 'point' : null
}

/** What a promise resolves to, null when that takes longer. */
async function within<T>(promise: Promise<T>, ms: number): Promise<T | null> {
  const { promise: late, resolve } = Promise.withResolvers<null>()
  const timer = setTimeout(resolve, ms, null)
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}
