/**
 * Things of another world, places that nobody knows, and circumstances: "the fan", "in the zeppelin", "for the kids".
 * @module
 */
import { gaps } from '../tokens.ts'
import type { Edge, Lattice } from './lattice.ts'
import { isStrange, partOf, start, type NounPhrase } from './noun-phrase.ts'
import { nowhere } from './parts.ts'

const circumstance = /^(for|with|about|by|from|like|under|after|behind|without|against|of)$/
const placing = /^(in|on|at|inside|over|around|near|out|outside)$/

interface Stranger {
  readonly at: number
  readonly cost: number
  readonly words: number
  readonly det: boolean
  readonly head: boolean
  readonly unknown: number
  readonly placed: boolean
}

/** Goes one word on in a phrase about a thing of another world. */
function estrange(walker: Stranger, edge: Edge, marked: boolean, lattice: Lattice): Stranger | null {
  const { is } = edge.means
  const step = { ...walker, at: edge.to, cost: walker.cost + edge.cost, words: walker.words + 1 }
  const begun = walker.head || walker.unknown > 0
  if (is === 'det' || is === 'quant' || is === 'some') return begun ? null : { ...step, det: true }
  if (is === 'adjective') return walker.head ? null : step
  if (is === 'area' || is === 'kind' || is === 'elsewhere')
    return begun ? null : { ...step, cost: step.cost + 0.1, placed: true }
  if (is === 'cop')
    return lattice.read[edge.from] === "'s" && (walker.placed || walker.unknown > 0)
      ? { ...step, head: false, cost: step.cost + 0.1 }
      : null
  if (is === 'other') return { ...step, head: true, cost: step.cost + 0.05 }
  const odd = is === 'unknown' && isStrange(lattice, edge) && walker.unknown < 3
  if (!odd || !(walker.det || walker.unknown > 0 || marked || walker.placed)) return null
  return { ...step, head: true, unknown: walker.unknown + 1, cost: step.cost + 0.35 + (walker.placed ? 0.6 : 0) }
}

/** Things of another world, and circumstances: "the fan", "for the kids", "in the zeppelin". */
export function foreign(lattice: Lattice, from: number, out: NounPhrase[]): void {
  const first = lattice.read[from] ?? ''
  const begin = circumstance.test(first) || placing.test(first) ? from + 1 : from
  const open: Stranger[] = [{ at: begin, cost: 0, words: 0, det: false, head: false, unknown: 0, placed: false }]
  for (let walker = open.pop(); walker; walker = open.pop()) {
    for (const edge of walker.words > 7 ? [] : (lattice.from[walker.at] ?? [])) {
      if (walker.at > from && (lattice.gap[edge.from] ?? gaps.none) >= gaps.comma) continue
      const next = estrange(walker, edge, begin > from, lattice)
      if (!next) continue
      if (next.head) settle(next, lattice, { from, begin, first }, out)
      open.push(next)
    }
  }
}

function settle(
  walker: Stranger,
  lattice: Lattice,
  at: { readonly from: number; readonly begin: number; readonly first: string },
  out: NounPhrase[],
): void {
  const { from, begin, first } = at
  // "that dreadful | television" goes on.
  if (
    walker.unknown > 0 &&
    lattice.gap[walker.at] === gaps.none &&
    (lattice.from[walker.at] ?? []).some((edge) => edge.means.is === 'kind')
  )
    return
  if (begin === from) {
    out.push({ from, to: walker.at, cost: walker.cost, is: 'foreign', part: null })
    return
  }
  if (placing.test(first)) {
    // A place that nobody knows.
    const part = partOf(
      { ...start(from), where: { ...nowhere, elsewhere: true }, prep: true, det: walker.det },
      walker.at,
      { is: 'place' },
    )
    out.push({ from, to: walker.at, cost: walker.cost + 0.3, is: 'part', part })
  }
  if (circumstance.test(first)) out.push({ from, to: walker.at, cost: walker.cost + 0.25, is: 'aside', part: null })
}
