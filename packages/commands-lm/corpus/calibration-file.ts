/**
 * The table of the grammar by which scores become confidence, as the calibration split has it.
 * @module
 */
import { join } from 'node:path'

import { understand } from '../src/understand.ts'
import { curveOf, type Knot, type Scored } from './isotonic.ts'
import { type ExpectedCall, keyOf, readSplit, type Sentence } from './sentence.ts'

/** Readings that are right less often are worth nothing: they get the confidence 0, which says that nothing was understood. */
const WORTH_SAYING = 0.5

/**
 * The score of a sentence that reads as calls without a doubt, and whether each of them is to be written. A sentence counts
 * once: the calls of one are right or wrong together.
 */
function scoredOf({ text, context, calls }: Sentence): Scored[] {
  const [best] = understand(text, context).all
  const firm = best?.calls.filter(({ refusal, doubts }) => refusal === null && doubts.length === 0) ?? []
  if (!best || firm.length === 0) return []
  const meant = new Set(calls.filter(({ doubtful }) => !doubtful).map((call) => keyOf(call)))
  const right = firm.every(({ call, area, temperature, delay }) => {
    const degrees: Pick<ExpectedCall, 'temperature'> = temperature === null ? {} : { temperature }
    return meant.has(keyOf({ call, area, ...degrees, delay_s: delay }))
  })
  return [{ score: Number(best.score.toFixed(2)), right }]
}

/** The curve from where its readings are worth saying, and 0 below. */
function tableOf(curve: readonly Knot[]): Knot[] {
  const first = curve.findIndex(([, share]) => share >= WORTH_SAYING)
  const worth = curve.slice(Math.max(0, first))
  const [lowest] = worth[0] ?? [0]
  const below = curve[first - 1]?.[0] ?? Number((lowest - 1).toFixed(2))
  return [[below, 0], ...worth]
}

/** `src/calibration-table.ts`: its path and its text. */
export function calibrationFile(): { path: string; text: string } {
  const table = tableOf(curveOf(readSplit('calibration').flatMap((sentence) => scoredOf(sentence))))
  const text = `/**
 * Scores of readings, and how often a reading with this score was what had been said. Both grow. Written by
 * \`npm run commands-lm:calibrate\`.
 * @module
 */
export const calibration: readonly (readonly [score: number, confidence: number])[] = [
${table.map(([score, share]) => `  [${score}, ${share}],\n`).join('')}]
`
  return { path: join(import.meta.dirname, '../src/calibration-table.ts'), text }
}
