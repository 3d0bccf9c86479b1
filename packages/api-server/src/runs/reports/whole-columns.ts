/**
 * Every point of compared curves as JSON in pieces that are made while they are read: `curve-columns.ts` gives this where an
 * answer is long. Without it two million points would be in memory as numbers and as text, and the database would wait while
 * they are spelled.
 * @module
 */
import { setImmediate } from 'node:timers/promises'

import type { ComparedColumns, CurveComparison } from '@flow-service/protocol'

import { Recent } from '../../process/recent.ts'

/** Points of one curve, after those that came before. */
export interface NextPoints {
  /** Its place among the heads. */
  readonly at: number
  readonly x: Float64Array
  readonly y: Float64Array
}

/** A comparison whose points are read when they are asked for. */
export interface WholeColumns extends Pick<CurveComparison, 'x' | 'params'> {
  /** The series without their points. */
  readonly heads: readonly Omit<ComparedColumns, 'x' | 'y'>[]
  /** Pages of points, curve by curve in the order of the heads. */
  readonly pages: () => AsyncIterable<readonly NextPoints[]>
}

/** About how many characters are one piece. */
const PIECE = 64 * 1024
/** After so many characters, some 4 ms of spelling, others have a turn. */
const TURN = 8 * PIECE

/** Characters of the steps that are kept, for curves with the same ones. */
const KEPT_STEPS = 4 * 1024 * 1024

/** The comparison as JSON. Of one curve the values are kept, 8 bytes each, until its x are through. */
export async function* columnsText({ x, params, heads, pages }: WholeColumns): AsyncGenerator<string> {
  let text = `{"x":${JSON.stringify(x)},"series":[`
  let told = 0
  for await (const piece of seriesText(heads, pages(), x === 'step' ? stepsTexts() : numbersText)) {
    text += piece
    if (text.length < PIECE) continue
    told += text.length
    yield text
    text = ''
    if (told > TURN) {
      told = 0
      await setImmediate()
    }
  }
  yield `${text}],"params":${JSON.stringify(params)},"groups":null}`
}

/** The series, separated by commas; `textOf` spells x. */
async function* seriesText(
  heads: WholeColumns['heads'],
  pages: AsyncIterable<readonly NextPoints[]>,
  textOf: (x: Float64Array) => string,
): AsyncGenerator<string> {
  let open = -1
  let values: Float64Array[] = []
  /** Ends the series that is open, gives those without points, and opens the one at this place. */
  function* openTo(place: number): Generator<string> {
    while (open < place) {
      if (open >= 0) {
        yield '],"y":['
        for (const [at, some] of values.entries()) yield (at === 0 ? '' : ',') + numbersText(some)
        yield ']}'
      }
      values = []
      open += 1
      const head = heads[open]
      if (head) yield `${open === 0 ? '' : ','}${JSON.stringify(head).slice(0, -1)},"x":[`
    }
  }
  for await (const page of pages) {
    for (const { at, x, y } of page) {
      if (x.length === 0) continue
      yield* openTo(at)
      yield (values.length === 0 ? '' : ',') + textOf(x)
      values.push(y)
    }
  }
  yield* openTo(heads.length)
}

/** Numbers as JSON, separated by commas; NaN and the infinities are named, as on the wire. */
function numbersText(numbers: Float64Array): string {
  const text = numbers.join(',')
  return /[NI]/.test(text) ? text.replaceAll(/NaN|-?Infinity/g, '"$&"') : text
}

/** Spells steps, which ascend. Most curves of a comparison have the same ones, a fifth of the whole work: they are kept. */
function stepsTexts(): (steps: Float64Array) => string {
  const texts = new Recent<string, string>({ count: 1000, weight: KEPT_STEPS, weightOf: ({ length }) => length })
  return (steps) => {
    const [first = 0, last = 0] = [steps[0], steps.at(-1)]
    // otherwise these are not all steps from the first to the last
    if (last - first !== steps.length - 1) return numbersText(steps)
    const key = `${first} ${last}`
    const text = texts.get(key) ?? numbersText(steps)
    texts.set(key, text)
    return text
  }
}
