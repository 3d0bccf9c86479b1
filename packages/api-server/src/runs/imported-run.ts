/**
 * An entry of an import against the flow that it names (wire decision G33).
 * @module
 */
import { checkParams } from '@flow-service/core'
import {
  type FlowDocument,
  flowPart,
  type ImportedRun,
  messageNameRule,
  messagePart,
  type ProblemItem,
  type RunInput,
  timestampOf,
} from '@flow-service/protocol'

import { epochUs } from '../db/timestamps.ts'
import type { RunnableFlow } from '../flows/runnable-flows.ts'
import type { Chunk, Curve } from './curves/points.ts'

/** An entry that fits. Times are in microseconds since the Unix epoch. */
export interface CheckedImport {
  readonly entry: ImportedRun
  readonly flow: RunnableFlow
  readonly seed: number | null
  readonly inputs: readonly RunInput[]
  readonly createdUs: number
  readonly chunks: readonly Chunk[]
}

const CHUNK_POINTS = 500
/** Between these years microseconds are whole numbers, with room for the next free ones. */
const FIRST_YEAR = 1700
const LAST_YEAR = 2250
/** How far a run may lie ahead: a clock elsewhere may be wrong, and a list by time ends with its newest run. */
const MOST_AHEAD_US = 86_400e6

/** The entry, at a time, with what its flow makes of it, or what is wrong; paths are relative to the entry. */
export function checkImport(
  entry: ImportedRun,
  flow: RunnableFlow | null,
  nowMs: number,
): CheckedImport | { readonly errors: ProblemItem[] } {
  if (!flow) return failed('/flow', 'unknown_flow', `there is no flow "${entry.flow}"`)
  if (flow.mode !== 'batch') return failed('/flow', 'wrong_mode', `flow "${entry.flow}" is live and has no runs`)
  const { document } = flow
  if (!document) return failed('/flow', 'flow_invalid', `the content of flow "${entry.flow}" cannot be read`)
  const checked = checkParams(document, entry.params, entry.seed)
  const createdUs = usOf(entry.created_at)
  const paramFaults = 'errors' in checked ? checked.errors : []
  const errors = [
    paramFaults,
    timeFaults(entry),
    aheadFaults(entry, createdUs, nowMs),
    endFaults(entry, createdUs),
    pointFaults(entry),
  ].flat()
  if ('errors' in checked || errors.length > 0) return { errors }
  const { seed, inputs } = checked
  return { entry, flow, seed, inputs, createdUs, chunks: chunksOf(entry, document, createdUs) }
}

/** Microseconds since the Unix epoch of an ISO 8601 time with an offset; what is finer is cut off. */
export function usOf(time: string): number {
  const fraction = /\.(\d+)/.exec(time)?.[1] ?? ''
  const whole = Date.parse(time.replace(/\.\d+/, ''))
  return whole * 1000 + Number(fraction.padEnd(6, '0').slice(0, 6))
}

const failed = (path: string, code: string, message: string) => ({ errors: [{ path, code, message }] })

/** Times that cannot be told to the microsecond. */
function timeFaults({ created_at, finished_at, metrics }: ImportedRun): ProblemItem[] {
  const times = [
    { path: '/created_at', time: created_at },
    { path: '/finished_at', time: finished_at },
    ...metrics.map(({ ts }, at) => ({ path: `/metrics/${at}/ts`, time: ts })),
  ]
  return times.flatMap(({ path, time }) => {
    if (time === undefined) return []
    const year = new Date(time).getUTCFullYear()
    if (year >= FIRST_YEAR && year <= LAST_YEAR) return []
    return [{ path, code: 'bad_time', message: `${time} is out of range: use the years ${FIRST_YEAR} to ${LAST_YEAR}` }]
  })
}

function aheadFaults({ created_at }: ImportedRun, createdUs: number, nowMs: number): ProblemItem[] {
  const isCounted = new Date(created_at).getUTCFullYear() <= LAST_YEAR
  if (!isCounted || createdUs <= nowMs * 1000 + MOST_AHEAD_US) return []
  const message = `${created_at} is more than a day ahead: correct the time, or the clock that it was taken from`
  return [{ path: '/created_at', code: 'bad_time', message }]
}

function endFaults({ created_at, finished_at }: ImportedRun, createdUs: number): ProblemItem[] {
  if (finished_at === undefined || usOf(finished_at) >= createdUs) return []
  const message = `the run ended at ${finished_at}, before it was created at ${created_at}`
  return [{ path: '/finished_at', code: 'bad_time', message }]
}

function pointFaults({ flow, metrics }: ImportedRun): ProblemItem[] {
  const names = new Map(metrics.map(({ name }, at) => [name, at]))
  return [...names].flatMap(([name, at]) => {
    const path = `/metrics/${at}/name`
    const owner = name.includes('.') ? flowPart(name) : flow
    if (owner !== flow) {
      return [{ path, code: 'bad_metric', message: `"${name}" is a message of flow "${owner}", not of "${flow}"` }]
    }
    if (messageNameRule.pattern.test(messagePart(name))) return []
    return [{ path, code: 'bad_metric', message: `"${name}" is no message: ${messageNameRule.remedy}` }]
  })
}

/** The points of each curve by step, in chunks. */
function chunksOf({ metrics }: ImportedRun, document: FlowDocument, createdUs: number): Chunk[] {
  const curves = Map.groupBy(metrics, ({ name }) => messagePart(name))
  return [...curves].flatMap(([message, points]) => {
    const curve = curveOf(message, document)
    const sorted = points.toSorted((a, b) => a.step - b.step)
    const count = Math.ceil(sorted.length / CHUNK_POINTS)
    return Array.from({ length: count }, (_, seq) => {
      const part = sorted.slice(seq * CHUNK_POINTS, (seq + 1) * CHUNK_POINTS)
      return {
        ...curve,
        seq,
        steps: part.map(({ step }) => step),
        ts: part.map(({ ts }) => (ts === undefined ? createdUs : usOf(ts)) / 1000),
        vals: part.map(({ value }) => value),
      }
    })
  })
}

/** The port that publishes a message; a message that the flow does not have now is kept under its name alone. */
function curveOf(message: string, { nodes }: FlowDocument): Curve {
  for (const node of nodes) {
    const port = node.ports.find((item) => item.direction === 'output' && messagePart(item.name) === message)
    if (port) return { node: node.id, port: port.port, message }
  }
  return { node: '', port: message, message }
}

/** Times of creation that are not taken, the wished ones or the next after them; `taken` tells those from a time on. */
export async function freeTimes(
  wished: readonly number[],
  taken: (from: string, limit: number) => Promise<string[]>,
): Promise<number[]> {
  const order = [...wished.keys()].toSorted((a, b) => (wished[a] ?? 0) - (wished[b] ?? 0))
  const times = new Array<number>(wished.length)
  let next = -Infinity
  let known: Set<number> = new Set()
  let knownUntil = -Infinity
  for (const at of order) {
    next = Math.max(next, wished[at] ?? 0)
    for (;;) {
      if (next >= knownUntil) {
        // oxlint-disable-next-line no-await-in-loop -- where to look next depends on what was found
        const found = (await taken(timestampOf(next), WINDOW)).map(epochUs)
        known = new Set(found)
        knownUntil = found.length < WINDOW ? Infinity : (found.at(-1) ?? Infinity) + 1
      }
      if (!known.has(next)) break
      next += 1
    }
    times[at] = next
    next += 1
  }
  return times
}

const WINDOW = 1_000
