/**
 * A sentence that was tried on a house: what is written, what is not, and why.
 * @module
 */
import type { ExplainedReading, Explanation } from '@flow-service/commands-lm'
import type { CommandsWrite } from '@flow-service/node-types'

import { deviceName, type House, isSame } from './house.ts'
import { oneLine, printable, table } from './table.ts'
import { bold, counted, dim, green, yellow } from './terminal.ts'

/** Readings that lost and are shown. */
const SHOWN = 8
/** Devices that are shown. */
const DEVICES = 6
/** Areas of a row that are shown. */
const AREAS = 5

/** A sentence with what was made of it. */
export interface TriedSentence {
  readonly sentence: string
  readonly house: House
  readonly explanation: Explanation
}

/** For programs. */
export const triedDocument = ({ sentence, house, explanation }: TriedSentence): object => ({
  sentence,
  context: house.context,
  min_confidence: house.minConfidence,
  apply: house.applies,
  words: explanation.words,
  readings: explanation.readings.map((reading) => {
    const { reason, writes } = outcomeOf(reading, house)
    const why = reading.lost ?? reason
    return { ...reading, written: why === null, reason: why, writes: why === null ? writes : [] }
  }),
  refusal: explanation.refusal,
})

/** The house for people, who read it once for many sentences. */
export function houseText({ context, title, applies, minConfidence }: House): string {
  const { presence, outdoor, dark, devices } = context
  const wired = devices
    .filter((device) => device.wired)
    .map((device) => `${deviceName(device)}${device.value === null ? '' : `=${oneLine(device.value, 20)}`}`)
  const more = wired.length > DEVICES ? ` and ${wired.length - DEVICES} more` : ''
  const where = presence === null ? 'away' : `in the ${presence.replaceAll('_', ' ')}`
  const rows = [
    ['speaker', `${where}; outside ${outdoor} °C, ${dark ? 'dark' : 'light'}`],
    ['house', title],
    ['wired', wired.length === 0 ? 'nothing' : `${wired.slice(0, DEVICES).join(', ')}${more}`],
    ['writes', applies ? `from a confidence of ${minConfidence}` : 'nothing: "apply" is off'],
  ]
  return rows.map(([name = '', text = '']) => `${dim(name.padEnd(7))}  ${text}`).join('\n')
}

/** What was made of the sentence, for people. */
export function triedText({ house, explanation }: TriedSentence): string {
  const { readings, refusal } = explanation
  const given = readings.filter((reading) => reading.lost === null)
  const lost = readings.filter((reading) => reading.lost !== null)
  const blocks = [
    repairLines(explanation),
    given.length === 0 ? nothingLines(refusal, lost) : givenLines(given, house),
    given.length > 0 && refusal !== null ? [printable(refusal)] : [],
    lost.length === 0 ? [] : lostLines(lost),
  ]
  return blocks.flatMap((lines) => (lines.length === 0 ? [] : [lines.join('\n')])).join('\n\n')
}

/** Whether a call is written, and why not. */
interface Outcome {
  /** Why not; null when it is written. */
  readonly reason: string | null
  /** What is written where; empty where nobody knows the targets. */
  readonly writes: readonly CommandsWrite[]
}

function outcomeOf(reading: ExplainedReading, { context, minConfidence, applies, writes: writesOf }: House): Outcome {
  const no = (reason: string): Outcome => ({ reason, writes: [] })
  if (!context.devices.some((device) => device.wired && isSame(device, reading))) return no('not wired')
  if (reading.confidence === 0) return no('it cannot be done')
  if (reading.confidence < minConfidence) return no(`below ${minConfidence}`)
  const writes = writesOf?.(reading) ?? []
  if (writes.length > 0 && writes.every(({ value }) => value === null))
    return no(`${writes.map(({ message }) => message).join(', ')} has no value for it`)
  return applies ? { reason: null, writes: writes.filter(({ value }) => value !== null) } : no('"apply" is off')
}

/** `yes`, or what is written where. */
const writtenText = ({ reason, writes }: Outcome): string => {
  if (reason !== null) return yellow(`no: ${printable(reason)}`)
  return green(writes.map(({ message, value }) => `${message} = ${oneLine(value)}`).join(', ') || 'yes')
}

/** The sentence as it is read, where that is not how it was typed. */
function repairLines({ words }: Explanation): string[] {
  const isRepaired = words.some((word) => hasChanged(word))
  if (!isRepaired) return []
  const read = words.map((word) => (hasChanged(word) ? bold(printable(word.read)) : printable(word.read)))
  return [`${dim('read as')}  ${read.join(' ')}`]
}

const hasChanged = ({ said, read }: Explanation['words'][number]): boolean => said.toLowerCase() !== read.toLowerCase()

function givenLines(given: readonly ExplainedReading[], house: House): string[] {
  const rows = given.map((reading) => [
    ...callCells(reading),
    confidenceText(reading.confidence),
    writtenText(outcomeOf(reading, house)),
  ])
  return table(['CALL', 'AREA', 'WITH', 'WHEN', 'CONFIDENCE', 'WRITTEN'], byArea(rows), '').split('\n')
}

function lostLines(lost: readonly ExplainedReading[]): string[] {
  const rows = byArea(
    lost.map((reading) => [
      ...callCells(reading),
      reading.score.toFixed(2),
      oneLine(reading.words, 40),
      printable(reading.lost ?? ''),
    ]),
  )
  const more = rows.length - SHOWN
  return [
    ...table(['LOST', 'AREA', 'WITH', 'WHEN', 'SCORE', 'MADE OF', 'WHY'], rows.slice(0, SHOWN), '').split('\n'),
    ...(more > 0 ? [dim(`and ${counted(more, 'other')}: --json`)] : []),
  ]
}

/** Rows that differ in the area alone are one: a sentence may reach every light of a house. */
function byArea(rows: readonly (readonly string[])[]): string[][] {
  const areas = new Map<string, string[]>()
  for (const [call = '', area = '', ...rest] of rows) {
    const key = JSON.stringify([call, ...rest])
    areas.set(key, [...(areas.get(key) ?? []), area])
  }
  return [...areas].map(([key, named]) => {
    const [call = '', ...rest] = JSON.parse(key) as string[]
    const shown = named.length > AREAS ? [...named.slice(0, AREAS - 1), `${named.length - AREAS + 1} more`] : named
    return [call, shown.join(', '), ...rest]
  })
}

/** Who sees what lost needs no example of what can be said. */
const nothingLines = (refusal: string | null, lost: readonly ExplainedReading[]): string[] => [
  `${yellow('Nothing is done')}: ${printable(refusal ?? 'this was not understood')}`,
  ...(lost.length > 0
    ? []
    : ['Say what to do with which device, such as "turn off the kitchen light" or "heat the bedroom in ten minutes".']),
]

const callCells = ({ call, area, args, delay_s: delay }: ExplainedReading): string[] => [
  call,
  area,
  args.temperature === undefined ? '-' : `${args.temperature} °C`,
  delayText(delay),
]

/** Rounded down, so that what is below a threshold does not look like it. */
const confidenceText = (confidence: number): string => (Math.floor(confidence * 1000 + 1e-9) / 1000).toFixed(3)

function delayText(seconds: number): string {
  const minutes = seconds / 60
  if (minutes === 0) return 'now'
  if (minutes < 60) return `in ${minutes} min`
  return `in ${Math.floor(minutes / 60)} h${minutes % 60 === 0 ? '' : ` ${minutes % 60} min`}`
}
