/**
 * `npm run commands-lm:score [fit|calibration|held-out …] [-- --errors | --worst 10]`: how well the grammar understands the
 * corpus, for people. The bounds that it has to keep stand in `test/score.test.ts`.
 */
import { parseArgs } from 'node:util'

import { grammarModel } from '@flow-service/commands-lm'

import { confusable, confusion, faultsOf, worstFirst } from './errors.ts'
import { calibration, calibrationError, judge, type Judged, measure, percentOf, type Share } from './measure.ts'
import { keyOf, keyOfReading, readSplit, type Split, splits } from './sentence.ts'

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { errors: { type: 'boolean', default: false }, worst: { type: 'string', default: '0' } },
})
const unknown = positionals.find((name) => !splits.some((split) => split === name))
if (unknown !== undefined || !/^\d+$/.test(options.worst)) {
  console.error(`give splits (${splits.join(', ')}), --errors, --worst and a number`)
  process.exit(2)
}

/** Rows in columns, the first to the left and the others to the right. */
function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [head, ...rows]
  const widths = head.map((_, at) => Math.max(...all.map((row) => row[at]?.length ?? 0)))
  return all
    .map((row) =>
      row.map((cell, at) => (at === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[at] ?? 0))).join('  '),
    )
    .join('\n')
}

const percent = (part: Share): string => (part.of === 0 ? '-' : `${percentOf(part).toFixed(1)} %`)
const wrongWrites = ({ of, right }: Share): string => `${of - right} (${(100 - percentOf({ of, right })).toFixed(2)} %)`

/** A line for each group of sentences. */
function byGroup(name: string, judged: readonly Judged[], groupOf: (each: Judged) => string): string {
  const groups = Object.entries(Object.groupBy(judged, groupOf)).flatMap(([group, own]) =>
    own ? [{ group, own }] : [],
  )
  const rows = groups
    .toSorted((a, b) => b.own.length - a.own.length)
    .map(({ group, own }) => {
      const { exact, harmless, written } = measure(own)
      return [group, String(own.length), percent(exact), percent(written), String(harmless.of - harmless.right)]
    })
  return table([name, 'sentences', 'exact', 'written when meant', 'wrong writes'], rows)
}

function calibrationTable(judged: readonly Judged[]): string {
  const bins = calibration(judged)
  const rows = bins.map((bin) => [
    `${bin.from.toFixed(1)} to ${(bin.from + 0.1).toFixed(1)}`,
    bin.said.toFixed(3),
    (bin.right / bin.of).toFixed(3),
    String(bin.of),
  ])
  return `${table(['confidence', 'said', 'right', 'readings'], rows)}\nerror on average ${calibrationError(bins).toFixed(4)}`
}

function confusionTable(judged: readonly Judged[]): string {
  const names = confusable.map((call) => call ?? 'nothing')
  const rows = confusion(judged).map((row, at) => [
    `${String(at + 1).padStart(2)} ${names[at]}`,
    ...row.map((count) => (count === 0 ? '.' : String(count))),
  ])
  return table(['expected, read as', ...names.map((_, at) => String(at + 1))], rows)
}

/** How often sentences went wrong in each way, with their tags. */
function faultTable(judged: readonly Judged[]): string {
  const wrong = judged.filter(({ exact }) => !exact)
  const faults = wrong.flatMap((each) => faultsOf(each).map((fault) => ({ fault, tag: each.sentence.tag })))
  const rows = Object.entries(Object.groupBy(faults, ({ fault, tag }) => `${fault}, ${tag}`))
    .map(([name, own]) => [name, String(own?.length ?? 0)] as const)
    .toSorted((a, b) => Number(b[1]) - Number(a[1]))
  return table(['fault and tag', 'sentences'], rows)
}

/** A sentence that was misunderstood, over a few lines. */
const shown = (each: Judged): string =>
  [
    `- ${each.sentence.text}   [${each.sentence.file}, ${each.sentence.tag}: ${faultsOf(each).join(', ')}]`,
    `    right: ${each.sentence.calls.map((call) => (call.doubtful ? '~' : '') + keyOf(call)).join('; ') || 'none'}`,
    `    read:  ${each.readings.map((reading) => `${keyOfReading(reading)} (${reading.confidence.toFixed(3)})`).join('; ') || 'none'}`,
  ].join('\n')

async function report(split: Split): Promise<void> {
  const judged = await judge(grammarModel, readSplit(split))
  const { exact, harmless, written, confident } = measure(judged)
  const summary = [
    ['exact', percent(exact), `${exact.right} of ${exact.of} sentences`],
    ['wrong writes', wrongWrites(harmless), 'of sentences'],
    ['right of what is written', percent(confident), `${confident.right} of ${confident.of} calls`],
    ['written when meant', percent(written), `${written.right} of ${written.of} calls`],
  ]
  const worst = worstFirst(judged).slice(0, options.errors ? undefined : Number(options.worst))
  const parts = [
    table([split, '', ''], summary),
    calibrationTable(judged),
    confusionTable(judged),
    byGroup('tag', judged, ({ sentence }) => sentence.tag),
    byGroup('file', judged, ({ sentence }) => sentence.file),
    faultTable(judged),
    ...worst.map((each) => shown(each)),
  ]
  console.log(`${parts.join('\n\n')}\n`)
}

for (const split of splits.filter((name) => positionals.length === 0 || positionals.includes(name))) await report(split)
