/**
 * Phrases around nouns: "all the lights", "the kitchen and bathroom radiators", "in the back garden", and those of things that
 * no house here has. Each is a network of words, gone through from every place.
 * @module
 */
import type { CommandKind } from '@flow-service/protocol'

import { gaps } from '../tokens.ts'
import type { Edge, Lattice } from './lattice.ts'
import { bothPlaces, isSomewhere, nowhere, type Part, type Pointer, type Where } from './parts.ts'

/** A noun phrase of the sentence. */
export interface NounPhrase {
  readonly from: number
  readonly to: number
  readonly cost: number
  /** A thing or place of the house; a thing of another world; a circumstance such as "for the kids". */
  readonly is: 'part' | 'foreign' | 'aside'
  readonly part: Part | null
}

interface Walker {
  readonly at: number
  readonly from: number
  readonly cost: number
  readonly where: Where
  readonly all: boolean
  readonly det: boolean
  readonly some: boolean
  readonly title: boolean
  /** Unknown words so far. */
  readonly unknown: number
  readonly words: number
  /** The word before: an area may be followed by "and" and another. */
  readonly last: string
  readonly prep: boolean
}

const start = (from: number): Walker => ({
  at: from,
  from,
  cost: 0,
  where: nowhere,
  all: false,
  det: false,
  some: false,
  title: false,
  unknown: 0,
  words: 0,
  last: '',
  prep: false,
})

const MAX_PHRASE = 14

/** Where a word of a noun phrase is; null for words that name no place. */
function placeOf(edge: Edge): Where | null {
  const { means } = edge
  if (means.is === 'area') return { ...nowhere, areas: [means.area] }
  if (means.is === 'group') return { ...nowhere, groups: [means.group] }
  if (means.is === 'here') return { ...nowhere, here: true }
  if (means.is === 'there') return { ...nowhere, there: true }
  return means.is === 'elsewhere' ? { ...nowhere, elsewhere: true } : null
}

/** Whether a word is none of the vocabulary, or only part of longer phrases. */
const isStrange = (lattice: Lattice, edge: Edge): boolean =>
  !(lattice.from[edge.from] ?? []).some(
    (other) => other !== edge && other.to === edge.to && other.means.is !== 'sense' && other.means.is !== 'aux',
  )

interface Found {
  readonly kind: CommandKind | null
  readonly pointer: Pointer | null
  readonly plant: boolean
  readonly show: boolean
  readonly where: Where
}

const nothing: Found = { kind: null, pointer: null, plant: false, show: false, where: nowhere }

/** The noun that a thing ends with. */
function headOf({ means }: Edge): Found | null {
  if (means.is === 'kind')
    return { ...nothing, kind: means.kind, where: means.area ? { ...nowhere, areas: [means.area] } : nowhere }
  if (means.is === 'plant') return { ...nothing, kind: 'water', plant: true }
  if (means.is === 'show' || means.is === 'title') return { ...nothing, kind: 'media', show: true }
  return means.is === 'one' || means.is === 'it' || means.is === 'them' ? { ...nothing, pointer: means.is } : null
}

const partOf = (walker: Walker, to: number, more: Partial<Part>): Part => ({
  from: walker.from,
  to,
  is: 'thing',
  kind: null,
  pointer: null,
  where: walker.where,
  all: walker.all,
  prep: walker.prep,
  det: walker.det,
  title: walker.title,
  plant: false,
  out: false,
  linked: false,
  late: false,
  ...more,
})

type Step = Partial<Walker> | null

/** After which words another kind of word may stand in a noun phrase. */
const follows: Readonly<Record<string, RegExp>> = {
  det: /^(|and|quant|prep)$/,
  quant: /^(|det|prep|and)$/,
  some: /^(|det)$/,
  and: /^place$/,
  cop: /^place$/,
  unknown: /^(det|adjective|owner|quant|place|unknown)$/,
}

/** How a word that names no place goes into a noun phrase. */
function wordStep(walker: Walker, edge: Edge, word: string, lattice: Lattice): Step {
  const { is } = edge.means
  if (is === 'adjective') return { cost: 0.03, last: walker.last === 'place' ? 'placed' : 'adjective' }
  if (is === 'title') return { title: true, last: 'adjective' }
  if (follows[is]?.test(walker.last) !== true) return null
  if (is === 'det') return { det: true, last: 'det' }
  if (is === 'some') return { some: true, last: 'quant' }
  if (is === 'quant')
    return walker.last === 'and' && word !== 'both'
      ? null
      : { all: walker.all || !/^(both|any)$/.test(word), last: 'quant' }
  if (is === 'cop') return word === "'s" ? { last: 'owner' } : null
  if (is === 'and')
    return edge.to - edge.from === 1 && isSomewhere(walker.where) ? { cost: word === 'or' ? 2 : 0, last: 'and' } : null
  return isStrange(lattice, edge) && walker.unknown < 2
    ? { unknown: walker.unknown + 1, cost: 1.1, last: 'unknown' }
    : null
}

/** Goes one word on; null where the word has no place in a noun phrase. */
function advance(walker: Walker, edge: Edge, lattice: Lattice): Walker | null {
  const gap = lattice.gap[edge.from] ?? gaps.none
  const paused = walker.words > 0 && gap === gaps.comma
  if (walker.words > 0 && gap >= gaps.stop) return null
  if (paused && walker.last !== 'place' && walker.last !== 'and') return null
  const where = placeOf(edge)
  // "bedroom bathroom and office heat"; "the kitchen here" is a place twice.
  const again =
    walker.last === 'place' && !paused ? (where && (where.areas.length > 0 || where.elsewhere) ? 0.3 : 0.4) : 0
  const step: Step = where
    ? { where: bothPlaces(walker.where, where), last: 'place', cost: again }
    : wordStep(paused ? { ...walker, last: 'and' } : walker, edge, lattice.read[edge.from] ?? '', lattice)
  if (!step) return null
  const cost = walker.cost + edge.cost + (paused ? 0.1 : 0) + (step.cost ?? 0)
  return { ...walker, ...step, at: edge.to, cost, words: walker.words + (edge.to - edge.from) }
}

/** Things: ends at a noun. */
function things(lattice: Lattice, from: number, out: NounPhrase[]): void {
  const open: Walker[] = [start(from)]
  for (let walker = open.pop(); walker; walker = open.pop()) {
    for (const edge of lattice.from[walker.at] ?? []) {
      const head = walker.words + (edge.to - edge.from) <= MAX_PHRASE ? headOf(edge) : null
      const gap = lattice.gap[edge.from] ?? gaps.none
      if (head && !(walker.words > 0 && gap >= gaps.comma)) emit(walker, edge, head, out)
      const next = walker.words < MAX_PHRASE && open.length < 60 ? advance(walker, edge, lattice) : null
      if (next && next.words < MAX_PHRASE) open.push(next)
    }
  }
}

function emit(walker: Walker, edge: Edge, head: Found, out: NounPhrase[]): void {
  if (walker.last === 'and' && !isSomewhere(walker.where)) return
  // "it" and "them" stand alone.
  if ((head.pointer === 'it' || head.pointer === 'them') && walker.words > 0) return
  if (head.pointer === 'one' && walker.unknown > 0) return
  const where = bothPlaces(walker.where, head.where)
  const odd =
    (head.where.areas.length > 0 && isSomewhere(walker.where) ? 0.5 : 0) +
    (walker.title && head.kind !== 'media' ? 3 : 0) +
    (walker.last === 'and' ? 1 : 0)
  const comma = walker.last === 'place' ? 0 : 0
  out.push({
    from: walker.from,
    to: edge.to,
    cost: walker.cost + edge.cost + odd + comma,
    is: 'part',
    part: partOf(walker, edge.to, {
      kind: head.kind,
      pointer: head.pointer,
      where,
      plant: head.plant,
      title: walker.title || head.show,
    }),
  })
}

/** Places: "in the kitchen", "the bathroom", "everywhere". */
function places(lattice: Lattice, from: number, out: NounPhrase[]): void {
  const open: Walker[] = [start(from)]
  for (const edge of lattice.from[from] ?? []) {
    if (edge.means.is === 'prep')
      open.push({
        ...start(from),
        at: edge.to,
        words: edge.to - edge.from,
        last: 'prep',
        prep: true,
        cost: edge.cost + (edge.to - edge.from > 1 && /^(up|down)$/.test(lattice.read[from] ?? '') ? 0.9 : 0),
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
  if (edge.means.is === 'group' && walker.prep && lattice.read[walker.from] === 'on') return 0.8
  if (edge.means.is !== 'area' || !walker.prep || lattice.read[walker.from] !== 'on') return 0
  return walker.last === 'prep' ? 0.8 : standing.test(edge.means.area) ? 0 : 0.3
}

function settlePlace(walker: Walker, edge: Edge, lattice: Lattice, out: NounPhrase[]): void {
  const where = placeOf(edge)
  if (!where) return
  const cost = walker.cost + edge.cost + oddPlace(walker, edge, lattice)
  const owner = lattice.read[edge.to] === "'s" && edge.means.is === 'area'
  for (const to of owner ? [edge.to, edge.to + 1] : [edge.to]) {
    const part = partOf({ ...walker, where }, to, { is: 'place' })
    out.push({ from: walker.from, to, cost: cost + (to > edge.to ? 0.1 : 0), is: 'part', part })
  }
}

function towardsPlace(walker: Walker, edge: Edge, lattice: Lattice): Walker | null {
  const { is } = edge.means
  const goes =
    is === 'det'
      ? /^(|prep|quant)$/.test(walker.last)
      : is === 'quant'
        ? /^(|prep)$/.test(walker.last)
        : is === 'adjective' && walker.words < 6
  if (!goes) return null
  return {
    ...walker,
    at: edge.to,
    cost: walker.cost + edge.cost + (is === 'adjective' ? 0.05 : 0),
    words: walker.words + edge.to - edge.from,
    det: walker.det || is === 'det',
    all: walker.all || (is === 'quant' && lattice.read[edge.from] !== 'both'),
    last: is,
  }
}

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
function foreign(lattice: Lattice, from: number, out: NounPhrase[]): void {
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

/** Every noun phrase that begins at `from`, the cheapest of a shape each. */
export function nounsAt(lattice: Lattice, from: number): readonly NounPhrase[] {
  const all: NounPhrase[] = []
  things(lattice, from, all)
  places(lattice, from, all)
  foreign(lattice, from, all)
  const best = new Map<string, NounPhrase>()
  for (const phrase of all) {
    const key = `${phrase.to} ${phrase.is} ${phrase.part ? JSON.stringify([phrase.part.is, phrase.part.kind, phrase.part.pointer, phrase.part.where, phrase.part.all, phrase.part.title]) : ''}`
    const known = best.get(key)
    if (!known || phrase.cost < known.cost) best.set(key, phrase)
  }
  return [...best.values()]
}
