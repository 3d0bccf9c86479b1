/**
 * The search for the cheapest ways to read a sentence: from left to right over the lattice, with a bounded number of readings
 * at each place, so that time grows with the length of the sentence and not faster.
 * @module
 */
import { gaps, type Gap } from '../tokens.ts'
import { acts, closing, emptyClause, isFresh, type Clause, type Link, type Piece } from './clause.ts'
import { grow } from './growth.ts'
import type { Lattice } from './lattice.ts'
import { nounsAt } from './nouns.ts'

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
      if (/^(area|elsewhere|here|there|group|kind|adjective|title|show|plant|other|one|it|them)$/.test(edge.means.is))
        continue
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
        cost: edge.cost + strange,
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
    return out
  })
}

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

/** Whether a place of the sentence names a thing. */
const namesThing = (lattice: Lattice, at: number): boolean =>
  (lattice.from[at] ?? []).some(({ means }) => means.is === 'kind')

/** A word such as "sorry" or "because": a clause begins with it. */
function turn(reading: Reading, piece: Piece, link: 'corr' | 'because', lattice: Lattice): Reading {
  const { clause } = reading
  const told: Partial<Clause> = link === 'corr' ? {} : { kind: 'aside', told: 1 }
  // "no heating in here" wants none.
  const none = piece.word === 'no' && lattice.gap[piece.to] === gaps.none && namesThing(lattice, piece.to)
  if (blank(clause)) {
    const refuses = none && !reading.done
    const begun = { ...clause, ...told, to: piece.to, link: link === 'corr' && reading.done ? link : clause.link }
    return {
      ...reading,
      cost: reading.cost + piece.cost + (refuses ? 0.9 : link === 'corr' ? 0.02 : 0.1),
      clause: begun,
      pending: '',
    }
  }
  const { cost, done, commanded } = close(reading, link, lattice)
  const begun: Clause = { ...emptyClause(piece.from, link), ...told, to: piece.to }
  const wants = none && /^(want|need|like|prefer|have)$/.test(lattice.read[piece.from - 1] ?? '') ? 0.9 : 0
  return { cost: cost + wants + piece.cost + 0.05, done, commanded, clause: begun, pending: '' }
}

/** "never mind": a clause of its own. */
function cancel(reading: Reading, piece: Piece, link: Link, lattice: Lattice): Reading {
  const clause: Clause = { ...emptyClause(piece.from, link), to: piece.to, kind: 'cancel' }
  if (blank(reading.clause)) return { ...reading, cost: reading.cost + piece.cost, clause, pending: '' }
  const { cost, done, commanded } = close(reading, 'corr', lattice)
  return { cost: cost + piece.cost, done, commanded, clause, pending: '' }
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
  if (is === 'corr' || is === 'because') return [turn(reading, piece, is, lattice)]
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

function keep(readings: readonly Reading[]): Reading[] {
  const best = new Map<string, Reading>()
  for (const reading of readings) {
    const key = signature(reading)
    const known = best.get(key)
    if (!known || reading.cost < known.cost) best.set(key, reading)
  }
  return [...best.values()].toSorted((one, other) => one.cost - other.cost).slice(0, WIDTH)
}

function clausesOf(done: Done | null): Clause[] {
  const all: Clause[] = []
  for (let at = done; at; at = at.before) all.push(at.clause)
  return all.toReversed()
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
      const loose = reading.pending === '' || reading.pending === 'comma' || reading.pending === 'stop' ? 0 : 0.2
      return { clauses: clausesOf(end.done), cost: end.cost + loose }
    })
    .toSorted((one, other) => one.cost - other.cost)
    .slice(0, BEST)
}
