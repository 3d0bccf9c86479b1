/**
 * The curves of a run as an answer: few points as a value, many as JSON in pieces that are made while they are read. Without
 * the pieces a curve of a million points would be in memory as a whole, several times over, for each who reads it.
 * @module
 */
import type { MetricPoint, MetricSeries } from '@flow-service/protocol'

import { type ChunkPoints, pointOf, pointText, TimeTexts } from './curves/points.ts'

/** The points of a chunk that are given. */
export interface GivenPoints {
  /** Its place among the curves. */
  readonly curve: number
  readonly chunk: ChunkPoints
  /** Of the points in the chunk. */
  readonly places: readonly number[]
}

/** The curves of a run, whose points are read when they are asked for. */
export interface RunCurves {
  readonly heads: readonly Omit<MetricSeries, 'points'>[]
  /** How many points of each are given. */
  readonly shares: readonly number[]
  /** Curve by curve, each in order. */
  readonly points: () => AsyncGenerator<GivenPoints>
}

/** So many points, 2 to 4 MB of JSON, are one value: it has a length, and is compressed as well as can be. */
export const WHOLE_POINTS = 50_000

/** What an answer holds: a value, or where it is long its JSON in pieces. */
export type InPieces<T> = { readonly value: T } | { readonly text: AsyncIterable<string> }

/** The curves as they are answered. */
export async function curveAnswer(curves: RunCurves): Promise<InPieces<MetricSeries[]>> {
  const given = curves.shares.reduce((sum, share) => sum + share, 0)
  return given > WHOLE_POINTS ? { text: curveText(curves) } : { value: await wholeCurves(curves) }
}

/** The curves with their points. */
export async function wholeCurves({ heads, points }: RunCurves): Promise<MetricSeries[]> {
  const series = heads.map((head) => ({ ...head, points: [] as MetricPoint[] }))
  for await (const { curve, chunk, places } of points()) {
    for (const place of places) series[curve]?.points.push(pointOf(chunk, place))
  }
  return series
}

/** The same as JSON, a chunk after the other. */
async function* curveText({ heads, points }: RunCurves): AsyncGenerator<string> {
  let text = '['
  let begun = 0
  let isFirst = true
  const times = new TimeTexts()
  const beginTo = (end: number): void => {
    for (const head of heads.slice(begun, end)) {
      text += `${begun === 0 ? '' : ']},'}${JSON.stringify(head).slice(0, -1)},"points":[`
      begun += 1
      isFirst = true
    }
  }
  for await (const { curve, chunk, places } of points()) {
    beginTo(curve + 1)
    for (const place of places) {
      text += `${isFirst ? '' : ','}{${pointText(chunk, place, times)}}`
      isFirst = false
    }
    yield text
    text = ''
  }
  beginTo(heads.length)
  yield `${text}${begun === 0 ? '' : ']}'}]`
}
