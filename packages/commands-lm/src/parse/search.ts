/**
 * The search for the cheapest ways to read a sentence: from left to right over the lattice, with a bounded number of readings
 * at each place, so that time grows with the length of the sentence and not faster.
 * @module
 */
import { gaps, type Gap } from '../tokens.ts'
import { acts, closing, emptyClause, isFresh, type Clause, type Link, type Piece } from './clause.ts'
import { OPENED } from './growth-by-phrases.ts'
import { grow } from './growth.ts'
import type { Edge, Lattice } from './lattice.ts'
import { nounsAt } from './nouns.ts'
import { devicesAt, titlesAt } from './titles.ts'

/** A sentence as clauses, with what speaks against reading it so. */
export interface Parse {
  readonly clauses: readonly Clause[]
  readonly cost: number
}

interface Done {
  readonly clause: Clause
  readonly before: Done | null
}

interface Reading {
  readonly cost: number
  readonly done: Done | null
  readonly clause: Clause
  readonly commanded: boolean
  /** A word such as "and" that waits for what it ties. */
  readonly pending: Link
}

const WIDTH = 18
const BEST = 5

function pieces(lattice: Lattice): Piece[][] {
  return lattice.from.map((edges, at) => {
    const word = lattice.read[at] ?? ''
    const out: Piece[] = []
    for (const edge of edges) {
      // Nouns are read as noun phrases.
      if (
        /^(area|elsewhere|here|there|group|kind|adjective|title|show|plant|other|one|it|them|lot|others|remaining|furniture)$/.test(
          edge.means.is,
        )
      )
        continue
      if (describes(lattice, edge)) continue
      const noun = edge.means.is === 'verb' && isNoun(lattice, at) ? 0.5 : 0
      // A word of the vocabulary is seldom one that nobody knows.
      const strange =
        edge.means.is === 'unknown' && edges.some((other) => other !== edge && other.to === edge.to) ? 1.6 : 0
      if (
        edge.means.is === 'unknown' &&
        edges.some((other) => /^(filler|polite|det)$/.test(other.means.is) && other.to === edge.to)
      )
        continue
      out.push({
        from: edge.from,
        to: edge.to,
        cost: edge.cost + strange + noun,
        means: edge.means,
        word: edge.to - edge.from === 1 ? word : lattice.read.slice(edge.from, edge.to).join(' '),
      })
    }
    for (const noun of nounsAt(lattice, at)) {
      const means: Piece['means'] =
        noun.is === 'part' && noun.part
          ? { is: 'part', part: noun.part }
          : noun.is === 'foreign'
            ? { is: 'foreign' }
            : { is: 'circumstance' }
      out.push({ from: noun.from, to: noun.to, cost: noun.cost, means, word })
    }
    for (const { part, cost } of [...titlesAt(lattice, at), ...devicesAt(lattice, at)])
      out.push({ from: part.from, to: part.to, cost, means: { is: 'part', part }, word })
    return out
  })
}

/** Behind these, a word such as "cold" says how it is; behind others it may belong to the next: "dark chocolate". */
const copular =
  /^(is|are|am|was|were|'s|be|so|too|very|really|quite|pretty|bit|rather|getting|feeling|feels|feel|looks|gets|gone|bloody|freezing|this|that|not|just|awfully|here|room|it|kinda|all|bloody)$/
const describing =
  /^(cold|hot|dark|bright|chilly|icy|frosty|frozen|bitter|boiling|baking|steaming|dry|noisy|loud|cool|warm)$/

/** What is seen with the mind, or somebody. */
const minded =
  /^(point|points|difference|problem|problems|reason|use|future|you|him|her|them|us|why|how|appeal|sense|need)$/

/** Whether a word for a feeling only describes a thing, "a cold beer", or is one itself, "a cold". */
function describes(lattice: Lattice, { from, to, means }: Edge): boolean {
  if (means.is !== 'sense') return false
  const last = lattice.read[to - 1] ?? ''
  // "he's leaving his wife", "turn in your homework"
  if (
    /^(leaving|in)$/.test(last) &&
    /^(his|her|him|their|them|it|my|your|that|some|on|off|out)$/.test(lattice.read[to] ?? '')
  )
    return true
  // "I can't see the point"
  if (/^(see|the|a|any)$/.test(last)) {
    const at = /^(the|a|any)$/.test(lattice.read[to] ?? '') ? to + 1 : to
    if (minded.test(lattice.read[at] ?? '')) return true
  }
  // "let the light in the office burn"
  if (last === 'in' && lattice.read[to - 2] === 'light' && /^(the|my|our|this|that)$/.test(lattice.read[to] ?? ''))
    return true
  if (!describing.test(last)) return false
  const before = lattice.read[from - 1] ?? ''
  // "hot take"
  if (last === 'hot' && /^(take|takes|topic|tip|mess|gossip)$/.test(lattice.read[to] ?? '')) return true
  // "that's so cool"
  if (last === 'cool' && /^(that|what|how)$/.test(lattice.read[from - 2] ?? '')) return true
  if ((lattice.gap[to] ?? gaps.stop) > gaps.none) return last === 'cold' && before === 'a' && to - from === 1
  const behind = lattice.from[to] ?? []
  const strange = behind.every((edge) => edge.means.is === 'unknown')
  const named = behind.some(
    (edge) => edge.means.is === 'other' || (edge.means.is === 'kind' && edge.means.kind === 'water'),
  )
  return named || (strange && !(to - from === 1 ? copular.test(before) : false))
}

/** "that light": behind an article, a verb that is a noun as well is one. */
const isNoun = (lattice: Lattice, at: number): boolean =>
  /^(light|lights|water|heat)$/.test(lattice.read[at] ?? '') &&
  /^(the|a|that|this|my|no|enough|our)$/.test(lattice.read[at - 1] ?? '')

const linkAt = (pending: Link, gap: Gap): Link =>
  pending !== '' ? pending : gap >= gaps.stop ? 'stop' : gap === gaps.comma ? 'comma' : ''

const unfinished =
  /^(to|will|would|can|could|should|might|may|not|never|always|usually|did|do|does|already|just|and|i|we|he|she|they|you)$/

/** What it costs that a clause ends here. */
function boundary(link: Link, reading: Reading, last: string): number {
  const { clause } = reading
  const base = link === 'stop' ? 0 : link === 'comma' ? 0.12 : link === '' ? 0.6 : 0.08
  if (clause.not && clause.kind === 'command' && link !== 'stop') return 0.1
  // "I was going to | turn off the light" is one clause.
  if (link === '' && clause.kind !== 'command' && unfinished.test(last)) return 2.5
  // "he shouted, …"
  if (clause.kind === 'report' && clause.told === OPENED && link !== 'corr') return base + 0.7
  const talks = clause.kind === 'ask' ? (link === 'stop' ? 0 : link === 'comma' || link === 'because' ? 0.5 : 1.2) : 0
  return base + talks
}

function close(
  reading: Reading,
  link: Link,
  lattice: Lattice,
): { readonly cost: number; readonly done: Done; readonly commanded: boolean } {
  const { clause } = reading
  const end = closing(clause, reading.commanded)
  // What is corrected at once need not be complete.
  const cost = link === 'corr' ? Math.min(end, 0.35) : end
  return {
    cost: reading.cost + cost + boundary(link, reading, lattice.read[clause.to - 1] ?? ''),
    done: { clause, before: reading.done },
    commanded: reading.commanded || (clause.kind === 'command' && acts(clause)),
  }
}

const blank = (clause: Clause): boolean =>
  clause.from === clause.to ||
  (isFresh(clause) &&
    !clause.dont &&
    clause.delay === null &&
    !clause.clock &&
    !clause.vague &&
    !clause.now &&
    !clause.excluding)

const isPassing = (piece: Piece): boolean => piece.means.is === 'filler' || piece.means.is === 'polite'

/** A word such as "and": it waits for what it ties. */
function tie(reading: Reading, piece: Piece, link: Link): Reading {
  const { pending, clause } = reading
  const absorbed = clause.kind === 'ask' || clause.kind === 'cond' ? 0.02 : 0
  return {
    ...reading,
    cost: reading.cost + piece.cost + absorbed + (link === 'but' ? 0.03 : 0),
    pending: pending === '' || link !== 'and' ? link : pending,
  }
}

/** Whether a word stands by itself, and asks for no agreement: "the heater off, no?" */
const isApart = ({ from, to }: Piece, lattice: Lattice): boolean =>
  (to - from > 1 || (lattice.gap[from] ?? gaps.none) > gaps.none) &&
  !(to === lattice.length && lattice.gap[to] === gaps.question)

/** What takes back what was said before, whatever follows. */
const denial = /\b(no|nope|nah|wait|hang|stop|oh|ignore|scratch|strike|forget|disregard|cancel|undo)\b/

/** How odd it is to begin with a word of correction or of a reason. */
function oddTurn({ done }: Reading, piece: Piece, link: 'corr' | 'because', lattice: Lattice): number {
  if (link === 'because') return 0.1
  if (done) return 0.02
  // "no lights on" is no correction where nothing was said before.
  if (piece.word === 'no' && (lattice.gap[piece.to] ?? gaps.stop) === gaps.none) return 0.62
  return /^(i|we) /.test(piece.word) ? 0.3 : 0.02
}

/** A word such as "sorry" or "because": a clause begins with it. */
function turn(reading: Reading, piece: Piece, link: 'corr' | 'because', lattice: Lattice): Reading {
  const { clause } = reading
  const told: Partial<Clause> =
    link === 'corr'
      ? { denies: denial.test(piece.word) && isApart(piece, lattice), not: piece.word.startsWith('did i say') }
      : { kind: piece.word.startsWith('in case') && !reading.done && blank(clause) ? 'cond' : 'aside', told: 1 }
  if (blank(clause)) {
    const begun = { ...clause, ...told, to: piece.to, link: link === 'corr' && reading.done ? link : clause.link }
    return {
      ...reading,
      cost: reading.cost + piece.cost + oddTurn(reading, piece, link, lattice),
      clause: begun,
      pending: '',
    }
  }
  const { cost, done, commanded } = close(reading, link, lattice)
  const begun: Clause = { ...emptyClause(piece.from, link), ...told, to: piece.to }
  return { cost: cost + piece.cost + 0.05, done, commanded, clause: begun, pending: '' }
}

/** "no music in the kitchen", "I want no light": where nothing was said that it could correct. */
function without(reading: Reading, piece: Piece, after: Gap): Reading[] {
  const { clause } = reading
  const fits = piece.word === 'no' && after === gaps.none && !reading.done && !clause.contrary && !clause.dont
  if (!fits || !(isFresh(clause) || (clause.wish && !clause.verb && !clause.state && clause.parts.length === 0)))
    return []
  const change = { contrary: true, wish: true, none: true }
  return [{ ...reading, cost: reading.cost + piece.cost, clause: { ...clause, ...change, to: piece.to }, pending: '' }]
}

/** "never mind": a clause of its own. */
function cancel(reading: Reading, piece: Piece, link: Link, lattice: Lattice): Reading {
  const clause: Clause = { ...emptyClause(piece.from, link), to: piece.to, kind: 'cancel' }
  if (blank(reading.clause)) return { ...reading, cost: reading.cost + piece.cost, clause, pending: '' }
  const stops = (lattice.gap[piece.from] ?? gaps.none) >= gaps.stop
  const { cost, done, commanded } = close(reading, stops ? 'stop' : 'corr', lattice)
  return { cost: cost + piece.cost - (stops ? 0.05 : 0), done, commanded, clause, pending: '' }
}

/** What still waits behind a piece. */
function waiting(reading: Reading, piece: Piece, gap: Gap): Link {
  if (piece.means.is === 'not' && reading.clause.excluding) return reading.pending
  if (!isPassing(piece)) return ''
  return reading.pending === '' && gap >= gaps.comma ? linkAt('', gap) : reading.pending
}

/** Every way to go on by a piece. */
function steps(reading: Reading, piece: Piece, lattice: Lattice): Reading[] {
  const { clause, pending } = reading
  const gap = lattice.gap[piece.from] ?? gaps.none
  const after = lattice.gap[piece.to] ?? gaps.stop
  const { is } = piece.means
  if (is === 'and' || is === 'but' || is === 'then') return [tie(reading, piece, is)]
  if (is === 'corr' || is === 'because') return [turn(reading, piece, is, lattice), ...without(reading, piece, after)]
  if (is === 'cancel') return [cancel(reading, piece, linkAt(pending, gap), lattice)]
  // A sentence seldom goes on behind its end.
  const stops = gap >= gaps.stop && clause.to > clause.from && !isFresh(clause) && !isPassing(piece)
  const behind =
    (stops ? (clause.kind === 'command' ? 0.5 : 0.4) : 0) + (pending === 'then' && !isFresh(clause) ? 0.5 : 0)
  const out: Reading[] = grow(clause, piece, { pending, gap, after }).map((longer) => ({
    ...reading,
    cost: reading.cost + longer.cost + behind,
    clause: longer.clause,
    pending: waiting(reading, piece, gap),
  }))
  if (blank(clause) || is === 'filler') return out
  const link = linkAt(pending, gap)
  const { cost, done, commanded } = close(reading, link, lattice)
  for (const opened of grow(emptyClause(piece.from, link), piece, { pending, gap, after }))
    out.push({ cost: cost + opened.cost, done, commanded, clause: opened.clause, pending: '' })
  return out
}

const signature = ({ clause, pending, commanded, done }: Reading): string =>
  [
    clause.kind,
    clause.link,
    clause.verb?.base ?? '',
    clause.second?.base ?? '',
    clause.state ?? '',
    clause.wish,
    clause.dont,
    clause.not,
    clause.excluding,
    clause.foreign,
    clause.reason,
    clause.delay,
    clause.length,
    clause.now,
    clause.clock,
    clause.sense,
    clause.stranger,
    clause.denies,
    clause.none,
    clause.contrary,
    clause.degrees?.celsius,
    clause.title,
    clause.from,
    pending,
    commanded,
    clause.parts
      .map(
        (part) =>
          `${part.is}${part.kind}${part.pointer}${part.out}${part.where.areas.join()}${part.where.groups.join()}${part.where.elsewhere}${part.all}`,
      )
      .join(),
    done?.clause.from,
  ].join('|')

/** The cheapest readings, of those that go on alike the cheapest alone. */
function keep(readings: readonly Reading[]): Reading[] {
  const known = new Set<string>()
  const kept: Reading[] = []
  for (const reading of readings.toSorted((one, other) => one.cost - other.cost)) {
    const key = signature(reading)
    if (known.has(key)) continue
    known.add(key)
    if (kept.push(reading) === WIDTH) break
  }
  return kept
}

function clausesOf(done: Done | null): Clause[] {
  const all: Clause[] = []
  for (let at = done; at; at = at.before) all.push(at.clause)
  return all.toReversed()
}

/** "…, the balcony, I mean": what stands behind a pause is rather a correction of its own than one thing more. */
function afterthought({ clause, done }: Reading, lattice: Lattice): number {
  const means = clause.link === 'corr' && clause.to === lattice.length && acts(clause) === false
  const word = lattice.read[clause.to - 1] ?? ''
  return means && clause.parts.length === 0 && /^(mean|meant)$/.test(word) && done?.clause.link === 'comma' ? 0.45 : 0
}

/** The cheapest ways to read the sentence, the best first. */
export function parses(lattice: Lattice): readonly Parse[] {
  const all = pieces(lattice)
  const at: Reading[][] = Array.from({ length: lattice.length + 1 }, () => [])
  at[0] = [{ cost: 0, done: null, clause: emptyClause(0, ''), commanded: false, pending: '' }]
  for (let place = 0; place < lattice.length; place++) {
    const readings = keep(at[place] ?? [])
    at[place] = []
    for (const reading of readings) {
      for (const piece of all[place] ?? []) at[piece.to]?.push(...steps(reading, piece, lattice))
    }
  }
  return keep(at[lattice.length] ?? [])
    .map((reading) => {
      const end = close(reading, 'stop', lattice)
      const { kind, verb, state, polite, wish } = reading.clause
      // "kitchen light on?" may ask.
      const asking = lattice.gap[lattice.length] === gaps.question && kind === 'command' && state && !verb
      const fragment = asking === true && !polite && !wish ? 0.8 : 0
      const loose = reading.pending === '' || reading.pending === 'comma' || reading.pending === 'stop' ? 0 : 0.2
      return { clauses: clausesOf(end.done), cost: end.cost + loose + fragment - afterthought(reading, lattice) }
    })
    .toSorted((one, other) => one.cost - other.cost)
    .slice(0, BEST)
}
