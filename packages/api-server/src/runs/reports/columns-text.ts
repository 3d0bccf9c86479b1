/**
 * Compared curves as JSON in pieces that are made while they are read: `curve-columns.ts` gives this where an answer is long.
 * Without it two million points would be in memory as numbers and as text, and the database would wait while they are
 * spelled.
 * @module
 */
import { setImmediate } from 'node:timers/promises'

import type { ComparedColumns, CurveComparison } from '@flow-service/protocol'

import { Recent } from '../../process/recent.ts'
import { ThinCurve } from '../curves/extremes.ts'

/** Points of one curve, after those that came before. */
export interface NextPoints {
  /** Its place among the heads. */
  readonly at: number
  readonly x: Float64Array
  readonly y: Float64Array
}

/** A comparison whose points are read when they are asked for. */
export interface ReadColumns extends Pick<CurveComparison, 'x' | 'params'> {
  /** The series without their points. */
  readonly heads: readonly Omit<ComparedColumns, 'x' | 'y'>[]
  /** Pages of points, curve by curve in the order of the heads. */
  readonly pages: () => AsyncIterable<readonly NextPoints[]>
  /** Most points of a curve, null for all, and the last x of each. */
  readonly points: number | null
  readonly ends: readonly number[]
}

/** About how many characters are one piece. */
const PIECE = 64 * 1024
/** After so many characters, some 4 ms of spelling, others have a turn. */
const TURN = 8 * PIECE
/** Characters of the steps that are kept, for curves with the same ones. */
const KEPT_STEPS = 4 * 1024 * 1024

/** The comparison as JSON; of one curve at a time more is in memory than a piece. */
export async function* columnsText(columns: ReadColumns): AsyncGenerator<string> {
  let text = `{"x":${JSON.stringify(columns.x)},"series":[`
  let told = 0
  for await (const piece of seriesText(columns)) {
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
  yield `${text}],"params":${JSON.stringify(columns.params)},"groups":null}`
}

/** The series, separated by commas. */
async function* seriesText({ x: axis, heads, pages, points, ends }: ReadColumns): AsyncGenerator<string> {
  const spell = axis === 'step' ? stepsTexts() : numbersText
  const textFor = (at: number): CurveText =>
    points === null ? new WholeText(spell) : new ThinText(new ThinCurve(points, ends[at] ?? 0))
  let open = -1
  let curve = textFor(0)
  /** Ends the series that is open, gives those without points, and opens the one at this place. */
  function* openTo(place: number): Generator<string> {
    while (open < place) {
      if (open >= 0) yield* curve.end()
      open += 1
      const head = heads[open]
      if (head) yield `${open === 0 ? '' : ','}${JSON.stringify(head).slice(0, -1)},"x":[`
      curve = textFor(open)
    }
  }
  for await (const page of pages()) {
    for (const { at, x, y } of page) {
      yield* openTo(at)
      if (x.length > 0) yield curve.add(x, y)
    }
  }
  yield* openTo(heads.length)
}

/** Spells the points of one curve, from its first x to the end of the series. */
interface CurveText {
  /** Takes the next points, at least one, and gives what can be told already. */
  add(x: Float64Array, y: Float64Array): string
  /** The rest. */
  end(): Iterable<string>
}

/** All points: the values, 8 bytes each, wait until the x are told. */
class WholeText implements CurveText {
  readonly #spell: (x: Float64Array) => string
  readonly #values: Float64Array[] = []

  constructor(spell: (x: Float64Array) => string) {
    this.#spell = spell
  }

  add(x: Float64Array, y: Float64Array): string {
    this.#values.push(y)
    return (this.#values.length === 1 ? '' : ',') + this.#spell(x)
  }

  *end(): Generator<string> {
    yield '],"y":['
    for (const [at, values] of this.#values.entries()) yield (at === 0 ? '' : ',') + numbersText(values)
    yield ']}'
  }
}

/** The points that a thinned curve keeps. */
class ThinText implements CurveText {
  readonly #curve: ThinCurve

  constructor(curve: ThinCurve) {
    this.#curve = curve
  }

  add(x: Float64Array, y: Float64Array): string {
    this.#curve.add(x, y, null)
    return ''
  }

  end(): string[] {
    const { x, y } = this.#curve.columns()
    return [`${JSON.stringify(x).slice(1, -1)}],"y":${JSON.stringify(y)}}`]
  }
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
