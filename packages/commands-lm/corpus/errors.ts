/**
 * In what way sentences were misunderstood.
 * @module
 */
import { type CommandCall, commandCalls, type CommandReading } from '@flow-service/protocol'

import type { Judged } from './measure.ts'
import { type ExpectedCall, keyOf, keyOfReading } from './sentence.ts'

/** A call of a sentence beside what was read in its place; null where nothing was. */
interface Pair {
  readonly expected: ExpectedCall | null
  readonly read: CommandReading | null
}

/** The calls of a sentence and its readings, those together that have most in common. */
function pairsOf({ sentence, readings }: Judged): Pair[] {
  const left = [...readings]
  const take = (isLike: (reading: CommandReading) => boolean): CommandReading | null => {
    const at = left.findIndex((reading) => isLike(reading))
    return at === -1 ? null : (left.splice(at, 1)[0] ?? null)
  }
  const likenesses: ((expected: ExpectedCall, read: CommandReading) => boolean)[] = [
    (expected, read) => keyOfReading(read) === keyOf(expected),
    (expected, read) => read.call === expected.call && read.area === expected.area,
    (expected, read) => read.area === expected.area && read.kind === commandCalls[expected.call],
    (expected, read) => read.call === expected.call,
    (expected, read) => read.area === expected.area,
  ]
  const found = new Map<ExpectedCall, CommandReading>()
  for (const isLike of likenesses)
    for (const expected of sentence.calls) {
      const read = found.has(expected) ? null : take((each) => isLike(expected, each))
      if (read) found.set(expected, read)
    }
  return [
    ...sentence.calls.map((expected) => ({ expected, read: found.get(expected) ?? null })),
    ...left.map((read) => ({ expected: null, read })),
  ]
}

/** What is wrong with a sentence that was not understood exactly, in a few words each. */
export function faultsOf(judged: Judged): string[] {
  const faults = pairsOf(judged).map(({ expected, read }) => {
    if (!read) return 'call missed'
    if (!expected) return 'call too many'
    if (read.call !== expected.call) return 'other call'
    if (read.area !== expected.area) return 'other area'
    if (read.args.temperature !== expected.temperature) return 'other temperature'
    return read.delay_s === expected.delay_s ? '' : 'other delay'
  })
  const known = [...new Set(faults)].filter((fault) => fault !== '')
  if (judged.exact || known.length > 0) return known
  const keys = judged.readings.map((reading) => keyOfReading(reading))
  return [new Set(keys).size < keys.length ? 'call twice' : 'doubtful and said firmly']
}

/** Rows and columns of the confusion table: calls, and nothing at its end. */
export const confusable = [...(Object.keys(commandCalls) as CommandCall[]), null]

/** How often a call (row) was read as another (column), in the order of {@link confusable}. */
export function confusion(judged: readonly Judged[]): number[][] {
  const table = confusable.map(() => confusable.map(() => 0))
  for (const { expected, read } of judged.flatMap((each) => pairsOf(each))) {
    const row = table[confusable.indexOf(expected?.call ?? null)]
    const column = confusable.indexOf(read?.call ?? null)
    if (row) row[column] = (row[column] ?? 0) + 1
  }
  return table
}

/** The worst first: what writes wrongly, by how sure it is; then what is read wrongly; then what is missed. */
export const worstFirst = (judged: readonly Judged[]): Judged[] =>
  judged.filter(({ exact }) => !exact).toSorted((a, b) => harmOf(b) - harmOf(a))

function harmOf({ wrongWrites, extra, readings, missed, sentence }: Judged): number {
  const surest = (given: readonly CommandReading[]) => Math.max(0, ...given.map(({ confidence }) => confidence))
  if (wrongWrites.length > 0) return 3 + surest(wrongWrites)
  if (extra.length > 0) return 2 + surest(extra)
  return missed.length > 0 ? 1 + (missed.length / sentence.calls.length) * 0.5 : surest(readings)
}
