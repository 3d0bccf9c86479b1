/**
 * A noun phrase of the sentence, and the way through its words.
 * @module
 */
import type { Edge, Lattice } from './lattice.ts'
import { nowhere, type Part, type Where } from './parts.ts'

/** A noun phrase of the sentence. */
export interface NounPhrase {
  readonly from: number
  readonly to: number
  readonly cost: number
  /** A thing or place of the house; a thing of another world; a circumstance such as "for the kids". */
  readonly is: 'part' | 'foreign' | 'aside'
  readonly part: Part | null
}

/** How far a phrase is read, and what was in it. */
export interface Walker {
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
  /** "the other", "the remaining". */
  readonly rest: boolean
}

/** A phrase of which nothing is read. */
export const start = (from: number): Walker => ({
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
  rest: false,
})

/** Where a word of a noun phrase is; null for words that name no place. */
export function placeOf(edge: Edge): Where | null {
  const { means } = edge
  if (means.is === 'area') return { ...nowhere, areas: [means.area] }
  if (means.is === 'group') return { ...nowhere, groups: [means.group] }
  if (means.is === 'here') return { ...nowhere, here: true }
  if (means.is === 'there') return { ...nowhere, there: true }
  return means.is === 'elsewhere' ? { ...nowhere, elsewhere: true } : null
}

/** Whether a word is none of the vocabulary, or only part of longer phrases. */
export const isStrange = (lattice: Lattice, edge: Edge): boolean =>
  !(lattice.from[edge.from] ?? []).some(
    (other) => other !== edge && other.to === edge.to && other.means.is !== 'sense' && other.means.is !== 'aux',
  )

/** The part that a phrase up to `to` is, with what is known more. */
export const partOf = (walker: Walker, to: number, more: Partial<Part>): Part => ({
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
