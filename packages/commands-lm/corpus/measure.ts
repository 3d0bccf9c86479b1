/**
 * How well a model understands sentences: what the score prints and the tests hold to bounds.
 * @module
 */
import type { CommandModel, CommandReading } from '@flow-service/protocol'

import { type ExpectedCall, keyOf, keyOfReading, type Sentence } from './sentence.ts'

/** The confidence from which nodes write unless told otherwise, `min_confidence`. */
const WRITTEN_FROM = 0.93
/** The most that a reading may be given which is to be reported and not to be written. */
const DOUBTFUL_UP_TO = 0.9

/** What a model made of a sentence. */
export interface Judged {
  readonly sentence: Sentence
  /** Those above confidence 0. */
  readonly readings: readonly CommandReading[]
  /** Whether they are the calls of the sentence and no other, doubtful ones below what is written. */
  readonly exact: boolean
  /** Readings that are written and should not be. */
  readonly wrongWrites: readonly CommandReading[]
  /** Calls of the sentence that no reading has. */
  readonly missed: readonly ExpectedCall[]
  /** Readings that no call of the sentence has. */
  readonly extra: readonly CommandReading[]
}

/** Asks a model about sentences, one after the other. */
export async function judge(model: CommandModel, sentences: readonly Sentence[]): Promise<Judged[]> {
  const judged: Judged[] = []
  for (const sentence of sentences)
    judged.push(judgeReadings(sentence, await model.interpret(sentence.text, sentence.context)))
  return judged
}

/** Holds what a model gave for a sentence against its calls. */
export function judgeReadings(sentence: Sentence, given: readonly CommandReading[]): Judged {
  const readings = given.filter(({ confidence }) => confidence > 0)
  const expected = new Map(sentence.calls.map((call) => [keyOf(call), call]))
  const callOf = (reading: CommandReading): ExpectedCall | undefined => expected.get(keyOfReading(reading))
  const read = new Set(readings.map((reading) => keyOfReading(reading)))
  const missed = sentence.calls.filter((call) => !read.has(keyOf(call)))
  const extra = readings.filter((reading) => !callOf(reading))
  const isFirm = readings.some((reading) => reading.confidence > DOUBTFUL_UP_TO && callOf(reading)?.doubtful)
  return {
    sentence,
    readings,
    exact: missed.length === 0 && extra.length === 0 && read.size === readings.length && !isFirm,
    wrongWrites: readings.filter(
      (reading) => reading.confidence >= WRITTEN_FROM && callOf(reading)?.doubtful !== false,
    ),
    missed,
    extra,
  }
}

/** Some of many, as counts. */
export interface Share {
  readonly of: number
  readonly right: number
}

/** Shares of sentences and of readings. */
export interface Measure {
  /** Sentences that were understood exactly. */
  readonly exact: Share
  /** Sentences without a wrong write. */
  readonly harmless: Share
  /** Calls to be written that were, confident enough. */
  readonly written: Share
  /** Readings that were confident enough, and right so. */
  readonly confident: Share
}

const share = <T>(all: readonly T[], isRight: (each: T) => boolean): Share => ({
  of: all.length,
  right: all.filter((each) => isRight(each)).length,
})

/** The shares of judged sentences. */
export function measure(judged: readonly Judged[]): Measure {
  const passing = judged.flatMap((each) =>
    each.readings.filter(({ confidence }) => confidence >= WRITTEN_FROM).map((reading) => ({ each, reading })),
  )
  const meant = judged.flatMap(({ sentence, readings }) => {
    const passed = new Set(
      readings.filter(({ confidence }) => confidence >= WRITTEN_FROM).map((reading) => keyOfReading(reading)),
    )
    return sentence.calls.filter(({ doubtful }) => !doubtful).map((call) => passed.has(keyOf(call)))
  })
  return {
    exact: share(judged, ({ exact }) => exact),
    harmless: share(judged, ({ wrongWrites }) => wrongWrites.length === 0),
    written: share(meant, (isWritten) => isWritten),
    confident: share(passing, ({ each, reading }) => !each.wrongWrites.includes(reading)),
  }
}

/** A share in per cent; 100 of nothing. */
export const percentOf = ({ of, right }: Share): number => (of === 0 ? 100 : (100 * right) / of)

/** Readings whose confidence lies in a tenth, with what was said of them and what was so. */
export interface Bin extends Share {
  readonly from: number
  /** Their confidence on average. */
  readonly said: number
}

/** Whether a reading is what was said, also in doubt. */
const isRight = ({ extra }: Judged, reading: CommandReading): boolean => !extra.includes(reading)

/** The calibration of judged sentences in ten bins; those without readings are left out. */
export function calibration(judged: readonly Judged[]): Bin[] {
  const all = judged.flatMap((each) =>
    each.readings.map((reading) => ({ confidence: reading.confidence, right: isRight(each, reading) })),
  )
  return Array.from({ length: 10 }, (_, tenth) => {
    const inside = all.filter(({ confidence }) => Math.min(9, Math.floor(confidence * 10)) === tenth)
    const said = inside.reduce((sum, { confidence }) => sum + confidence, 0) / inside.length
    return { from: tenth / 10, said, ...share(inside, ({ right }) => right) }
  }).filter(({ of }) => of > 0)
}

/** How far confidence is from what is so, on average over readings: the expected calibration error. */
export function calibrationError(bins: readonly Bin[]): number {
  const all = bins.reduce((sum, { of }) => sum + of, 0)
  return bins.reduce((sum, { of, right, said }) => sum + Math.abs(said - right / of) * (of / all), 0)
}
