/**
 * Places: "in the kitchen", "the bathroom", "everywhere", "on the desk in the study".
 * @module
 */
import { gaps } from '../tokens.ts'
import type { Edge, Lattice } from './lattice.ts'
import { partOf, placeOf, start, type NounPhrase, type Walker } from './noun-phrase.ts'
import { isSomewhere, nowhere } from './parts.ts'

/** Places: "in the kitchen", "the bathroom", "everywhere". */
export function places(lattice: Lattice, from: number, out: NounPhrase[]): void {
  const open: Walker[] = [start(from)]
  for (const edge of lattice.from[from] ?? []) {
    if (edge.means.is === 'prep')
      open.push({
        ...start(from),
        at: edge.to,
        words: edge.to - edge.from,
        last: 'prep',
        prep: true,
        cost: edge.cost + (edge.to - edge.from > 1 && /^(up|down)$/.test(lattice.read[from] ?? '') ? 0.3 : 0),
      })
  }
  for (let walker = open.pop(); walker; walker = open.pop()) {
    for (const edge of lattice.from[walker.at] ?? []) {
      if (walker.words > 0 && (lattice.gap[edge.from] ?? gaps.none) >= gaps.comma) continue
      settlePlace(walker, edge, lattice, out)
      const next = towardsPlace(walker, edge, lattice)
      if (next) open.push(next)
    }
  }
}

const standing = /^(patio|balcony|driveway|garden)$/

/** "light on kitchen" is seldom a light on a kitchen. */
function oddPlace(walker: Walker, edge: Edge, lattice: Lattice): number {
  const before = lattice.read[walker.from] ?? ''
  // "inside the house" is a group of its own.
  if (edge.means.is === 'group' && walker.prep && /^(on|inside|outside|within)$/.test(before)) return 0.8
  if (edge.means.is !== 'area' || !walker.prep || before !== 'on') return 0
  return walker.last === 'prep' ? 0.8 : standing.test(edge.means.area) ? 0 : 0.3
}

function settlePlace(walker: Walker, edge: Edge, lattice: Lattice, out: NounPhrase[]): void {
  const where = placeOf(edge)
  if (!where) return
  const every = walker.all && edge.means.is === 'elsewhere' ? 0.1 : 0
  const cost = walker.cost + edge.cost + oddPlace(walker, edge, lattice) + every
  const owner = lattice.read[edge.to] === "'s" && edge.means.is === 'area'
  for (const to of owner ? [edge.to, edge.to + 1] : [edge.to]) {
    const part = partOf({ ...walker, where }, to, { is: 'place' })
    out.push({ from: walker.from, to, cost: cost + (to > edge.to ? 0.1 : 0), is: 'part', part })
  }
}

/** "the house garage" */
const isHouse = (edge: Edge, lattice: Lattice): boolean =>
  edge.means.is === 'filler' && /^(house|home)$/.test(lattice.read[edge.from] ?? '')

function towardsPlace(walker: Walker, edge: Edge, lattice: Lattice): Walker | null {
  const { is } = edge.means
  const goes =
    is === 'det'
      ? /^(|prep|quant)$/.test(walker.last)
      : is === 'quant'
        ? /^(|prep)$/.test(walker.last)
        : (is === 'adjective' || isHouse(edge, lattice)) && walker.words < 6
  if (!goes) return null
  return {
    ...walker,
    at: edge.to,
    cost: walker.cost + edge.cost + (is === 'adjective' || is === 'filler' ? 0.05 : 0),
    words: walker.words + edge.to - edge.from,
    det: walker.det || is === 'det',
    all: walker.all || (is === 'quant' && lattice.read[edge.from] !== 'both'),
    last: is,
  }
}

const besideWhat = /^(to|for|of|from|inside|outside|out|up|down|'s)$/

/** "on the desk", "next to the sofa", "above the kitchen sink": a circumstance, or the place where that stands. */
export function beside(lattice: Lattice, from: number, out: NounPhrase[]): void {
  for (const edge of lattice.from[from] ?? [])
    if (edge.means.is === 'prep' && !besideWhat.test(lattice.read[from] ?? ''))
      furnished({ ...start(from), at: edge.to, cost: edge.cost, prep: true }, lattice, out)
}

function furnished(walker: Walker, lattice: Lattice, out: NounPhrase[]): void {
  if (walker.words > 3 || (lattice.gap[walker.at] ?? gaps.none) >= gaps.comma) return
  for (const { means, to, cost } of lattice.from[walker.at] ?? []) {
    const step = { ...walker, at: to, cost: walker.cost + cost, words: walker.words + 1 }
    if (means.is === 'det' || means.is === 'adjective') furnished(step, lattice, out)
    else if (means.is === 'area') furnished({ ...step, where: { ...nowhere, areas: [means.area] } }, lattice, out)
    else if (means.is === 'furniture') {
      const placed = isSomewhere(walker.where)
      const part = placed ? partOf(step, to, { is: 'place' }) : null
      out.push({ from: walker.from, to, cost: step.cost + 0.05, is: placed ? 'part' : 'aside', part })
    }
  }
}
