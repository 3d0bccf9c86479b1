/**
 * Phrases around nouns: "all the lights", "the kitchen and bathroom radiators", "in the back garden", and those of things that
 * no house here has. Each is a network of words, gone through from every place.
 * @module
 */
import type { CommandKind } from '@flow-service/protocol'

import { gaps } from '../tokens.ts'
import type { Edge, Lattice } from './lattice.ts'
import { isStrange, partOf, placeOf, start, type NounPhrase, type Walker } from './noun-phrase.ts'
import { bothPlaces, isSomewhere, nowhere, within, type Pointer, type Where } from './parts.ts'
import { beside, places } from './places.ts'
import { foreign } from './strangers.ts'

const MAX_PHRASE = 14

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
  if (means.is === 'others') return { ...nothing, pointer: 'one', where: { ...nowhere, groups: ['rest'] } }
  if (means.is === 'show' || means.is === 'title') return { ...nothing, kind: 'media', show: true }
  return means.is === 'one' || means.is === 'it' || means.is === 'them' ? { ...nothing, pointer: means.is } : null
}

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
  if (is === 'remaining') return { cost: 0.03, rest: true, last: 'adjective' }
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
    ? {
        where: walker.last === 'and' ? bothPlaces(walker.where, where) : within(walker.where, where),
        last: 'place',
        cost: again,
      }
    : wordStep(
        paused && edge.means.is !== 'and' ? { ...walker, last: 'and' } : walker,
        edge,
        lattice.read[edge.from] ?? '',
        lattice,
      )
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
      if (head && !(walker.words > 0 && gap >= gaps.comma))
        emit(walker, edge, { ...head, many: many.test(lattice.read[edge.to - 1] ?? '') }, out)
      const next = walker.words < MAX_PHRASE && open.length < 60 ? advance(walker, edge, lattice) : null
      if (next && next.words < MAX_PHRASE) open.push(next)
    }
  }
}

const many = /(s|heating|heat|music)$/

function emit(walker: Walker, edge: Edge, head: Found & { readonly many: boolean }, out: NounPhrase[]): void {
  if (walker.last === 'and' && !isSomewhere(walker.where)) return
  // "it" and "them" stand alone.
  if ((head.pointer === 'it' || head.pointer === 'them') && walker.words > 0) return
  if (head.pointer === 'one' && walker.unknown > 0) return
  const named = bothPlaces(walker.where, head.where)
  const where = walker.rest && head.many ? within(named, { ...nowhere, groups: ['rest'] }) : named
  const odd =
    (head.where.areas.length > 0 && isSomewhere(walker.where) ? 0.5 : 0) +
    (walker.title && head.kind !== 'media' ? 3 : 0) +
    (walker.last === 'and' ? 1 : 0)
  out.push({
    from: walker.from,
    to: edge.to,
    cost: walker.cost + edge.cost + odd,
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

/** Every noun phrase that begins at `from`, the cheapest of a shape each. */
export function nounsAt(lattice: Lattice, from: number): readonly NounPhrase[] {
  const all: NounPhrase[] = []
  things(lattice, from, all)
  places(lattice, from, all)
  foreign(lattice, from, all)
  beside(lattice, from, all)
  const best = new Map<string, NounPhrase>()
  for (const phrase of all) {
    const key = `${phrase.to} ${phrase.is} ${phrase.part ? JSON.stringify([phrase.part.is, phrase.part.kind, phrase.part.pointer, phrase.part.where, phrase.part.all, phrase.part.title]) : ''}`
    const known = best.get(key)
    if (!known || phrase.cost < known.cost) best.set(key, phrase)
  }
  return [...best.values()]
}
