/**
 * Names that nobody knows where something to hear is named: "some Arooj Aftab", "put Sigrid on".
 * @module
 */
import { gaps } from '../tokens.ts'
import type { Lattice } from './lattice.ts'
import { nounsAt } from './nouns.ts'
import { nowhere, type Part } from './parts.ts'

const MOST_WORDS = 4

const behind = /^(in|on|at|for|please|now|to|while|playing|going|again|from|right|as|through|over|out|tonight|and)$/
const putting = /^(put|stick|bung|pop|whack|get|throw|lash|fire|bang|chuck|stream|queue|have|hear)$/

/** Where the words end that say that some of it is wanted: "some", "a bit of"; `at` where there are none. */
function amount(word: (at: number) => string | undefined, at: number): number {
  let to = at
  if (/^(a|another|quick)$/.test(word(to) ?? '')) to++
  if (word(to) === 'quick' || word(to) === 'nice' || word(to) === 'good') to++
  if (/^(bit|blast|spot|drop|touch|burst|dose|taste|little)$/.test(word(to) ?? '')) {
    to++
    if (word(to) === 'of') return to + 1
    return word(to - 1) === 'little' ? to : at
  }
  return /^(some|more)$/.test(word(at) ?? '') ? at + 1 : at
}

/** "on the office radio", of something to hear: where the radio is. */
export function devicesAt(lattice: Lattice, from: number): readonly { readonly cost: number; readonly part: Part }[] {
  if (!/^(on|through|via|over|from)$/.test(lattice.read[from] ?? '')) return []
  const heard = [from - 1, from - 2, from - 3].some((at) =>
    lattice.from[at]?.some((edge) => edge.means.is === 'title' && edge.to === from),
  )
  if (!heard) return []
  return nounsAt(lattice, from + 1).flatMap(({ part, cost }) =>
    part?.is === 'thing' && part.kind === 'media' && !part.title && part.where.areas.length > 0
      ? [{ cost: cost + 0.1, part: { ...part, from, is: 'place' as const, kind: null, prep: true } }]
      : [],
  )
}

/** The titles that begin at `from`, each as a thing to hear. */
export function titlesAt(lattice: Lattice, from: number): readonly { readonly cost: number; readonly part: Part }[] {
  const word = (at: number): string | undefined => lattice.read[at]
  const isStrange = (at: number): boolean =>
    (lattice.from[at] ?? []).every((edge) => edge.means.is === 'unknown' || edge.to > at + 1) && at < lattice.length
  const begin = amount(word, from)
  const put = begin === from && putting.test(word(from - 1) ?? '')
  if (begin === from && !put) return []
  const found: { cost: number; part: Part }[] = []
  for (let to = begin + 1; to <= begin + MOST_WORDS && isStrange(to - 1); to++) {
    const gap = lattice.gap[to] ?? gaps.stop
    const ends = gap > gaps.none || (put ? word(to) === 'on' : behind.test(word(to) ?? ''))
    if (put && word(to) !== 'on') continue
    if (ends)
      found.push({
        cost: (put ? 0.5 : 0.3) + 0.05 * (to - begin),
        part: {
          from,
          to,
          is: 'thing',
          kind: 'media',
          pointer: null,
          where: nowhere,
          all: false,
          prep: false,
          det: false,
          title: true,
          plant: false,
          out: false,
          linked: false,
          late: false,
        },
      })
    if (gap > gaps.none) break
  }
  return found
}
