/**
 * Sentences with what is right for them, as the files of the corpus have them.
 * @module
 */
import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'

import {
  type CommandArea,
  commandAreas,
  type CommandCall,
  commandCalls,
  type CommandContext,
  type CommandReading,
  commandTemperatures,
  MAX_COMMAND_DELAY_S,
} from '@flow-service/protocol'

import { contextOf } from './context.ts'

/** The parts of the corpus, each a folder: what the grammar may be fitted to, its calibration, what it is measured by. */
export const splits = ['fit', 'calibration', 'held-out'] as const
/** A part of the corpus. */
export type Split = (typeof splits)[number]

/** First line of every file. */
export const HEADER = 'text\tcontext\tcalls\ttag'

/** A call that is right for a sentence. */
export interface ExpectedCall {
  readonly call: CommandCall
  readonly area: CommandArea
  /** Degrees Celsius, for `heating_set` alone. */
  readonly temperature?: number
  /** Seconds. */
  readonly delay_s: number
  /** Whether it is to be reported and not to be written. */
  readonly doubtful: boolean
}

/** A sentence of the corpus. */
export interface Sentence {
  /** Name of its file without its ending. */
  readonly file: string
  readonly text: string
  readonly context: CommandContext
  /** None when nothing may be done. */
  readonly calls: readonly ExpectedCall[]
  /** What is special about it. */
  readonly tag: string
}

/** What tells calls apart, written as in the files: `heating_set bedroom 21 +600`. */
export const keyOf = ({ call, area, temperature, delay_s }: Omit<ExpectedCall, 'doubtful'>): string =>
  [call, area, temperature, delay_s > 0 ? `+${delay_s}` : undefined].filter((part) => part !== undefined).join(' ')

/** {@link keyOf} of a reading. */
export const keyOfReading = ({ call, area, args, delay_s }: CommandReading): string =>
  keyOf({ call, area, delay_s, ...(args.temperature === undefined ? {} : { temperature: args.temperature }) })

/** The sentence of a line; throws when the line breaks a rule of the guide that can be told from the line alone. */
export function sentenceOf(line: string, file: string): Sentence {
  try {
    const [text, context, calls, tag, ...more] = line.split('\t')
    if (!text || !context || !calls || !tag || more.length > 0) throw new Error('it has not four columns')
    if (text !== text.trim()) throw new Error('there is space around its text')
    if (!/^[a-z][a-z-]*$/.test(tag)) throw new Error(`"${tag}" is no tag`)
    return { file, text, context: contextOf(context), calls: callsOf(calls), tag }
  } catch (error) {
    throw new Error(`${file}: ${line}: ${(error as Error).message}`, { cause: error })
  }
}

/** What the column `calls` says. */
function callsOf(column: string): ExpectedCall[] {
  if (column === 'none') return []
  const parts = column.split('; ')
  const calls = parts.map((part) => callOf(part))
  const keys = calls.map((call) => keyOf(call))
  if (new Set(keys).size < keys.length) throw new Error('it has a call twice')
  if (keys.join() !== parts.map((part) => part.replace('~', '')).join()) throw new Error('it has a call in other words')
  return calls
}

function callOf(part: string): ExpectedCall {
  const doubtful = part.startsWith('~')
  const words = part.slice(doubtful ? 1 : 0).split(' ')
  const delay = words.at(-1)?.startsWith('+') ? Number(words.pop()) : 0
  const [call, area, degrees, ...more] = words
  if (!isCall(call)) throw new Error(`"${call}" is no call`)
  if (!isArea(area)) throw new Error(`"${area}" is no area`)
  if (more.length > 0 || (degrees !== undefined) !== (call === 'heating_set')) throw new Error(`"${part}" is no call`)
  if (delay % 60 !== 0 || delay < 0 || delay > MAX_COMMAND_DELAY_S) throw new Error(`${delay} is no delay`)
  if (degrees === undefined) return { call, area, delay_s: delay, doubtful }
  const temperature = Number(degrees)
  const { min, max } = commandTemperatures
  if (!(temperature >= min && temperature <= max && temperature % 0.5 === 0))
    throw new Error(`${degrees} is no temperature`)
  return { call, area, temperature, delay_s: delay, doubtful }
}

const isCall = (word: string | undefined): word is CommandCall => Object.hasOwn(commandCalls, word ?? '')
const isArea = (word: string | undefined): word is CommandArea => commandAreas.some((area) => area === word)

/** The lines of a file behind its header. */
export function linesOf(path: string): string[] {
  const [header, ...lines] = readFileSync(path, 'utf8').trimEnd().split('\n')
  if (header !== HEADER) throw new Error(`${path} begins with "${header}", not with the header`)
  return lines
}

/** All sentences of a part, file by file. */
export const readSplit = (split: Split): Sentence[] =>
  globSync('*.tsv', { cwd: join(import.meta.dirname, split) })
    .toSorted()
    .flatMap((name) =>
      linesOf(join(import.meta.dirname, split, name)).map((line) => sentenceOf(line, basename(name, '.tsv'))),
    )
