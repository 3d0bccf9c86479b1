/**
 * Random numbers that are the same each time: the generator has a row of them for each template.
 * @module
 */

/** Draws of a row. */
export interface Random {
  /** From 0, and below 1. */
  next(): number
  /** Whether something happens that has this probability. */
  happens(probability: number): boolean
  /** One of a list that is not empty. */
  pick<T>(from: readonly T[]): T
}

/** The row of a text. */
export function randomOf(seed: string): Random {
  let state = 0x811c9dc5
  for (const char of seed) state = Math.imul(state ^ (char.codePointAt(0) ?? 0), 0x01000193)
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  return {
    next,
    happens: (probability) => next() < probability,
    pick(from) {
      const one = from[Math.floor(next() * from.length)]
      if (one === undefined) throw new Error('there is nothing to pick from')
      return one
    },
  }
}
