/**
 * The parts of a clause: things, places, and what else stands in one.
 * @module
 */
import type { CommandArea, CommandKind } from '@flow-service/protocol'

import type { AreaGroup } from '../lexicon.ts'

/** Which areas somebody names. */
export interface Where {
  readonly areas: readonly CommandArea[]
  readonly groups: readonly AreaGroup[]
  /** Where the speaker is; where the last thing was. */
  readonly here: boolean
  readonly there: boolean
  /** Whether a place is named that no house has. */
  readonly elsewhere: boolean
}

/** Nowhere in particular. */
export const nowhere: Where = { areas: [], groups: [], here: false, there: false, elsewhere: false }

/** Whether any place is named. */
export const isSomewhere = (where: Where): boolean =>
  where.areas.length > 0 || where.groups.length > 0 || where.here || where.there || where.elsewhere

/** Both places together. */
export const bothPlaces = (one: Where, other: Where): Where => ({
  areas: [...new Set([...one.areas, ...other.areas])],
  groups: [...new Set([...one.groups, ...other.groups])],
  here: one.here || other.here,
  there: one.there || other.there,
  elsewhere: one.elsewhere || other.elsewhere,
})

/** The narrower of both places: "the house's kitchen", "the patio lights outside". */
export function within(one: Where, other: Where): Where {
  if (one.areas.length > 0 && other.groups.length > 0) return one
  if (one.groups.length > 0 && other.areas.length > 0) return other
  return bothPlaces(one, other)
}

/** What is pointed at without its name. */
export type Pointer = 'one' | 'it' | 'them'

/** A thing, a place, or both; `from` and `to` are its place in the sentence. */
export interface Part {
  readonly from: number
  readonly to: number
  readonly is: 'thing' | 'place' | 'everything'
  readonly kind: CommandKind | null
  readonly pointer: Pointer | null
  readonly where: Where
  /** "all", "every". */
  readonly all: boolean
  /** Whether a preposition stands before a place. */
  readonly prep: boolean
  /** Whether an article stands before it. */
  readonly det: boolean
  /** A certain song, or what is shown. */
  readonly title: boolean
  readonly plant: boolean
  /** Excepted from what was said before. */
  readonly out: boolean
  /** How it is tied to the part before: by a word such as "and". */
  readonly linked: boolean
  /** Whether the state of the clause was said before it. */
  readonly late: boolean
}
