/** How often engines are killed, and when: told by the environment where a search has to be longer or repeated. */

/** `KILLS`, for a longer search. */
export const chosenKills = (usual: number): number => Number(process.env['KILLS'] ?? usual)

/** `SEED`, for the moments of another run. */
export const chosenSeed = (): number => Number(process.env['SEED'] ?? Date.now() % 1_000_000)

/** mulberry32: numbers from 0 to 1 that a seed tells. */
export function randomFrom(start: number): () => number {
  let state = start
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
