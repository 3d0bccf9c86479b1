/**
 * Curves: the numbers that the streaming ports of a run emit (wire decision G36). Points are gathered here and written
 * as chunks of arrays.
 * @module
 */
import {
  type Dtype,
  type FlowDocument,
  type MetricPoint,
  type MetricSeries,
  specialFloats,
  timestampOfMs,
  type WireNumber,
} from '@flow-service/protocol'

import { thinned } from './thinning.ts'

/** Points of one curve that are enough to be written at once. */
const CHUNK_POINTS = 500
/** Most points of a chunk, which readers take as a whole. */
const MAX_CHUNK_POINTS = 2_000

/** A streaming port and the bare message it publishes. */
export interface Curve {
  readonly node: string
  readonly port: string
  readonly message: string
}

/** Points of a curve in order; `seq` counts the chunks of a curve in a run, `ts` is in ms since the Unix epoch. */
export interface Chunk extends Curve {
  readonly seq: number
  readonly steps: readonly number[]
  readonly ts: readonly number[]
  readonly vals: readonly WireNumber[]
}

/** A curve in short: its points, its last step and value, its least and greatest finite value. */
export type CurveSummary = readonly [
  count: number,
  step: number,
  last: WireNumber,
  low: number | null,
  high: number | null,
]

interface Growing extends Curve {
  seq: number
  step: number
  count: number
  low: number | null
  high: number | null
  ts: number[]
  vals: WireNumber[]
}

/** The value as a point, or null: booleans and everything else that is no number make no curve. */
export function pointValue(dtype: Dtype, value: unknown): WireNumber | null {
  if (dtype !== 'float' && dtype !== 'int' && dtype !== 'any') return null
  if (typeof value === 'number') return value
  return dtype === 'float' && specialFloats.has(value) ? (value as WireNumber) : null
}

/** Where a curve goes on that has points already. */
export interface CurveEnd extends Curve {
  /** Of the next chunk. */
  readonly seq: number
  /** Of the next point. */
  readonly step: number
  /** Points so far. */
  readonly count: number
  /** Least and greatest finite value so far. */
  readonly low: number | null
  readonly high: number | null
}

/** Gathers the points of one run. */
export class MetricBuffer {
  readonly #curves = new Map<string, Growing>()
  #waiting = 0

  constructor(ends: readonly CurveEnd[] = []) {
    for (const end of ends) this.#curves.set(`${end.node}/${end.port}`, { ...end, ts: [], vals: [] })
  }

  /** Points that no chunk has taken yet. */
  get waiting(): number {
    return this.#waiting
  }

  /** Adds a point and gives its step; `full` says that the curve has enough new points to be written. */
  add(curve: Curve, value: WireNumber, atMs: number): { step: number; full: boolean } {
    const key = `${curve.node}/${curve.port}`
    let growing = this.#curves.get(key)
    if (!growing) {
      growing = { ...curve, seq: 0, step: 0, count: 0, low: null, high: null, ts: [], vals: [] }
      this.#curves.set(key, growing)
    }
    growing.ts.push(atMs)
    growing.vals.push(value)
    const step = growing.step
    growing.step += 1
    growing.count += 1
    if (typeof value === 'number') {
      growing.low = growing.low === null || value < growing.low ? value : growing.low
      growing.high = growing.high === null || value > growing.high ? value : growing.high
    }
    this.#waiting += 1
    return { step, full: growing.ts.length % CHUNK_POINTS === 0 }
  }

  /** The curves that have grown since the last {@link drain}, by their messages. */
  grown(): Record<string, CurveSummary> {
    const curves = [...this.#curves.values()].filter(({ vals }) => vals.length > 0)
    return Object.fromEntries(
      curves.map(({ message, count, step, vals, low, high }) => [
        message,
        [count, step - 1, vals.at(-1) ?? 0, low, high],
      ]),
    )
  }

  /** Takes what has gathered. */
  drain(): Chunk[] {
    const chunks: Chunk[] = []
    this.#waiting = 0
    for (const growing of this.#curves.values()) {
      const { node, port, message, step, ts, vals } = growing
      for (let at = 0; at < ts.length; at += MAX_CHUNK_POINTS) {
        const part = ts.slice(at, at + MAX_CHUNK_POINTS)
        const first = step - ts.length + at
        const steps = part.map((_, index) => first + index)
        const chunk = { node, port, message, seq: growing.seq, steps, ts: part }
        chunks.push({ ...chunk, vals: vals.slice(at, at + MAX_CHUNK_POINTS) })
        growing.seq += 1
      }
      growing.ts = []
      growing.vals = []
    }
    return chunks
  }
}

/** Whole curves in short, by their messages; the chunks of each in order. */
export function summariesOf(chunks: readonly Chunk[]): Record<string, CurveSummary> {
  const curves = Map.groupBy(chunks, ({ message }) => message)
  return Object.fromEntries(
    [...curves].map(([message, parts]) => {
      const { low, high } = boundsOf(parts.flatMap(({ vals }) => vals))
      const count = parts.reduce((sum, { vals }) => sum + vals.length, 0)
      const last = parts.at(-1)
      return [message, [count, last?.steps.at(-1) ?? 0, last?.vals.at(-1) ?? 0, low, high]]
    }),
  )
}

/** The least and the greatest finite value. */
export function boundsOf(vals: readonly WireNumber[]): { low: number | null; high: number | null } {
  let low: number | null = null
  let high: number | null = null
  for (const value of vals) {
    if (typeof value !== 'number') continue
    if (low === null || value < low) low = value
    if (high === null || value > high) high = value
  }
  return { low, high }
}

/** The numbers of a stored chunk. */
export interface ChunkPoints {
  readonly steps: readonly number[]
  readonly ts: readonly number[]
  readonly vals: readonly WireNumber[]
}

/** A stored chunk with the node under which the run that was asked for shows it; `run` executed it. */
export interface StoredChunk extends Curve, ChunkPoints {
  readonly run: string
}

/** Spells times that follow each other: of those within one minute the calendar is asked once. */
export class TimeTexts {
  #minute = Number.NaN
  #text = ''

  /** As `timestampOfMs` does. */
  of(epochMs: number): string {
    const us = Math.round(epochMs * 1000)
    // after the year 2255 a number has no single microseconds any more
    if (!Number.isSafeInteger(us)) return timestampOfMs(epochMs)
    const second = Math.floor(us / 1e6)
    const minute = Math.floor(second / 60)
    if (minute !== this.#minute) {
      this.#text = timestampOfMs(minute * 60_000).slice(0, 17)
      this.#minute = minute
    }
    const rest = us - second * 1e6
    const fraction = rest === 0 ? '000000' : String(rest).padStart(6, '0')
    return `${this.#text}${twoDigits[second - minute * 60] ?? ''}.${fraction}+00:00`
  }
}

const twoDigits = Array.from({ length: 60 }, (_, number) => String(number).padStart(2, '0'))

/** A point of a chunk. */
export const pointOf = ({ steps, ts, vals }: ChunkPoints, at: number): MetricPoint => ({
  step: steps[at] ?? 0,
  ts: timestampOfMs(ts[at] ?? 0),
  value: vals[at] ?? 0,
})

/** The members of a point as JSON. */
export function pointText({ steps, ts, vals }: ChunkPoints, at: number, times: TimeTexts): string {
  const value = vals[at] ?? 0
  const text = typeof value === 'number' ? String(value) : `"${value}"`
  return `"step":${steps[at] ?? 0},"ts":"${times.of(ts[at] ?? 0)}","value":${text}`
}

/** A curve, and how many of its points are given. */
interface CutCurve extends Pick<MetricSeries, 'count'> {
  readonly points: { readonly length: number }
}

/** Headers that tell that curves have more points than an answer; none when it has all. */
export function cutOf(series: readonly CutCurve[], stride: number): Record<string, string> {
  const given = series.reduce((sum, { points }) => sum + points.length, 0)
  const total = series.reduce((sum, { count }) => sum + thinned(count, stride), 0)
  return given < total ? { 'x-truncated': String(given), 'x-total-count': String(total) } : {}
}

/** Items in the order in which the document lists their ports; what it does not list comes last. */
export function inDocumentOrder<T extends Omit<Curve, 'message'>>(
  document: FlowDocument | null,
  items: readonly T[],
): T[] {
  const places = (document?.nodes ?? []).flatMap((node) => node.ports.map(({ port }) => `${node.id}/${port}`))
  const rank = new Map(places.toReversed().map((place, index) => [place, places.length - index]))
  const rankOf = ({ node, port }: T): number => rank.get(`${node}/${port}`) ?? places.length + 1
  return items.toSorted((a, b) => rankOf(a) - rankOf(b))
}
