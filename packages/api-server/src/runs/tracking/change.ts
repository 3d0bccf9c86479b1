/**
 * What a request of a tracked run changes, worked out from what is stored of the run. Nothing here reads or writes.
 * @module
 */
import type { Secrets } from '@flow-service/core'
import {
  isFinished,
  MAX_TRACKED_ARTIFACTS,
  MAX_TRACKED_CURVES,
  MAX_TRACKED_VALUES,
  type ProblemItem,
  type RunInput,
  type RunTrackAppend,
  type WireNumber,
} from '@flow-service/protocol'

import { invalid } from '../../http/errors.ts'
import { type KeptOutput, LogTail } from '../../node-logs/log-tail.ts'
import { boundsOf, type Chunk, type ChunkPoints, type CurveSummary } from '../curves/points.ts'
import { factsOf, type Facts, maskedInputs } from '../run-facts.ts'
import { type RunArtifact, storableText } from '../run-record.ts'
import { CHUNK_POINTS, type CurveEnd, TRACK_NODE, type TrackedState, type TrackEnd } from './tracked-state.ts'

/** Points of a chunk that one request fills. */
const MAX_CHUNK_POINTS = 2000
/** Points that are told to listeners of one request: the newest of each curve. */
const MAX_TOLD_POINTS = 1000

/** A request with what it took to read of it: bytes are known, large results stored. */
export interface Told {
  readonly body: RunTrackAppend
  /** Without the values of secrets; a large one is a reference. */
  readonly result: Record<string, unknown> | null
  readonly artifacts: readonly RunArtifact[]
  /** Ids of curves by their names. */
  readonly metricId: (name: string) => number
}

/** What a request changes. */
export interface Change {
  readonly curves: Readonly<Record<string, CurveEnd>>
  readonly chunks: readonly (Chunk & { readonly metric: number })[]
  readonly inputs: readonly RunInput[] | null
  readonly result: Record<string, unknown> | null
  readonly artifacts: readonly RunArtifact[] | null
  /** The kept end of what it has printed, all bytes of that, and what is new of it. */
  readonly logs: (KeptOutput & { readonly truncated: boolean; readonly added: string }) | null
  readonly end: TrackEnd | null
  /** Null where lists know nothing new. */
  readonly facts: Facts | null
  /** Points that were left out, by curve. */
  readonly dropped: Readonly<Record<string, number>>
  /** Points that listeners hear of. */
  readonly told: readonly {
    readonly name: string
    readonly step: number
    readonly value: WireNumber
    readonly ts: number
  }[]
}

/** Refuses with `validation_failed` what a run has too many of. */
export function changeOf(
  state: TrackedState,
  told: Told,
  { atMs, secrets }: { atMs: number; secrets: Secrets },
): Change {
  const { body } = told
  const inputs = body.params ? mergedInputs(state.inputs, body.params) : null
  const result = told.result ? { ...state.result, ...told.result } : null
  const artifacts = told.artifacts.length > 0 ? mergedArtifacts(state.artifacts, told.artifacts) : null
  assertBounds({ inputs, result, artifacts })
  const drawn = drawnOf(state.curves, told, atMs)
  const isNews = drawn.chunks.length > 0 || inputs !== null || result !== null
  return {
    ...drawn,
    inputs,
    result,
    artifacts,
    logs: body.logs ? longerLogs(state, secrets.mask(body.logs)) : null,
    end: body.status ? endOf(body, { atMs, secrets }) : null,
    facts: isNews
      ? factsOf({
          inputs: maskedInputs(inputs ?? state.inputs, secrets),
          curves: summariesOf(drawn.curves),
          result: result ?? state.result,
        })
      : null,
  }
}

/** Whether a run goes on with the next of its requests: one that is given up does (tracking.K4). */
export const goesOn = ({ status }: Pick<TrackedState, 'status'>): boolean =>
  !isFinished(status) || status === 'abandoned'

/** Params as a run has them: nobody has declared any. */
export const inputsOf = (params: Readonly<Record<string, unknown>>): RunInput[] =>
  Object.entries(params).map(([name, value]) => ({
    name,
    dtype: 'any',
    value: value as RunInput['value'],
    default: false,
  }))

function mergedInputs(known: readonly RunInput[], params: Readonly<Record<string, unknown>>): RunInput[] {
  const merged = new Map(known.map((input) => [input.name, input]))
  for (const input of inputsOf(params)) merged.set(input.name, input)
  return [...merged.values()]
}

/** The same bytes under the same name are one artifact. */
function mergedArtifacts(known: readonly RunArtifact[], added: readonly RunArtifact[]): RunArtifact[] {
  const merged = new Map(known.map((ref) => [`${ref.digest} ${ref.name}`, ref]))
  for (const ref of added) merged.set(`${ref.digest} ${ref.name}`, ref)
  return [...merged.values()]
}

function assertBounds({ inputs, result, artifacts }: Pick<Change, 'inputs' | 'result' | 'artifacts'>): void {
  const items: ProblemItem[] = [
    { path: '/params', count: inputs?.length ?? 0, most: MAX_TRACKED_VALUES },
    { path: '/result', count: Object.keys(result ?? {}).length, most: MAX_TRACKED_VALUES },
    { path: '/artifacts', count: artifacts?.length ?? 0, most: MAX_TRACKED_ARTIFACTS },
  ].flatMap(({ path, count, most }) => {
    const message = `the run would have ${count} of them, and may have ${most}: send no further ones`
    return count > most ? [{ path, code: 'too_big', message }] : []
  })
  if (items.length > 0) throw invalid(items)
}

type Drawn = Pick<Change, 'curves' | 'chunks' | 'dropped' | 'told'>

/** Points behind those that are stored. */
function drawnOf(known: TrackedState['curves'], { body, metricId }: Told, atMs: number): Drawn {
  const curves: Record<string, CurveEnd> = { ...known }
  const chunks: (Chunk & { metric: number })[] = []
  const dropped: Record<string, number> = {}
  const told: Change['told'][number][] = []
  let count = Object.keys(known).length
  const share = Math.max(1, Math.floor(MAX_TOLD_POINTS / Math.max(1, body.metrics.length)))
  for (const [name, given] of byName(body.metrics, atMs)) {
    const before = Object.hasOwn(curves, name) ? curves[name] : undefined
    const isFull = before === undefined && count >= MAX_TRACKED_CURVES
    const points = isFull ? noPoints : ascending(given, before ? before[4] : -1)
    const left = given.steps.length - points.steps.length
    if (left > 0) dropped[name] = left
    if (points.steps.length === 0) continue
    const metric = before?.[0] ?? metricId(name)
    if (!before) count += 1
    const { parts, end } = longer(before, points, metric)
    curves[name] = end
    chunks.push(...parts.map((part) => ({ node: TRACK_NODE, port: name, message: name, metric, ...part })))
    for (let at = Math.max(0, points.steps.length - share); at < points.steps.length; at += 1) {
      told.push({ name, step: points.steps[at] ?? 0, value: points.vals[at] ?? 0, ts: points.ts[at] ?? atMs })
    }
  }
  return { curves, chunks, dropped, told }
}

const noPoints: ChunkPoints = { steps: [], ts: [], vals: [] }

/** The points of each curve in the order in which they stand. */
function byName(metrics: RunTrackAppend['metrics'], atMs: number): Map<string, ChunkPoints> {
  const curves = new Map<string, { steps: number[]; ts: number[]; vals: WireNumber[] }>()
  for (const { name, steps, values, ts } of metrics) {
    const curve = curves.get(name) ?? { steps: [], ts: [], vals: [] }
    curves.set(name, curve)
    for (const [at, step] of steps.entries()) {
      curve.steps.push(step)
      curve.ts.push(ts?.[at] ?? atMs)
      curve.vals.push(values[at] ?? 0)
    }
  }
  return curves
}

/** The points whose steps are greater than all before them. */
function ascending({ steps, ts, vals }: ChunkPoints, behind: number): ChunkPoints {
  let last = behind
  const places = steps.flatMap((step, at) => {
    if (step <= last) return []
    last = step
    return [at]
  })
  if (places.length === steps.length) return { steps, ts, vals }
  return {
    steps: places.map((at) => steps[at] ?? 0),
    ts: places.map((at) => ts[at] ?? 0),
    vals: places.map((at) => vals[at] ?? 0),
  }
}

/** The last chunk of a curve takes points until it has enough (tracking.K5). */
function longer(before: CurveEnd | undefined, points: ChunkPoints, metric: number) {
  const [, lastSeq, filled, known, , , lowest, highest] = before ?? ([metric, 0, 0, 0, -1, 0, null, null] as const)
  const parts: (ChunkPoints & { readonly seq: number })[] = []
  let seq = lastSeq
  let inLast = filled
  for (let at = 0; at < points.steps.length;) {
    if (inLast >= CHUNK_POINTS) {
      seq += 1
      inLast = 0
    }
    const end = at + (inLast === 0 ? MAX_CHUNK_POINTS : CHUNK_POINTS - inLast)
    const part = { steps: points.steps.slice(at, end), ts: points.ts.slice(at, end), vals: points.vals.slice(at, end) }
    parts.push({ ...part, seq })
    inLast += part.steps.length
    at = end
  }
  const { low, high } = boundsOf(points.vals)
  const end: CurveEnd = [
    metric,
    seq,
    inLast,
    known + points.steps.length,
    points.steps.at(-1) ?? 0,
    points.vals.at(-1) ?? 0,
    bound(Math.min, lowest, low),
    bound(Math.max, highest, high),
  ]
  return { parts, end }
}

function bound(pick: (a: number, b: number) => number, known: number | null, added: number | null): number | null {
  if (known === null) return added
  return added === null ? known : pick(known, added)
}

const summariesOf = (curves: Change['curves']): Record<string, CurveSummary> =>
  Object.fromEntries(
    Object.entries(curves).map(([name, [, , , count, step, last, low, high]]) => [
      name,
      [count, step, last, low, high],
    ]),
  )

function longerLogs({ logs, logs_truncated: truncated, log_bytes: bytes }: TrackedState, text: string) {
  const tail = new LogTail({ text: logs, truncated, bytes })
  const added = tail.add(text)
  return { ...tail.read(), bytes: tail.bytes, added }
}

function endOf(
  { status = 'ok', error }: RunTrackAppend,
  { atMs, secrets }: { atMs: number; secrets: Pick<Secrets, 'mask'> },
): TrackEnd {
  const { type, message } = error ?? { type: 'error', message: 'the program that was tracked has failed' }
  return {
    status,
    atMs,
    error: status === 'error' ? { type: storableText(type), message: storableText(secrets.mask(message)) } : null,
  }
}
