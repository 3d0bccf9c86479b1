/**
 * Which points of curves an answer gives: of each every k-th from the first, and the last; where these are too many for
 * one answer, each curve gives the first ones of its share.
 * @module
 */

/** A stored chunk of a curve: its number, and how many points it has. */
export type ChunkSize = readonly [seq: number, count: number]

/** A chunk with the places of those of its points that are given. */
export interface ChosenChunk {
  readonly seq: number
  readonly places: readonly number[]
}

/** How many of so many points are given. */
export const thinned = (count: number, stride: number): number =>
  count === 0 ? 0 : Math.ceil((count - 1) / stride) + 1

/** How many points each curve gives of those it has to give; what short ones leave over goes to the others. */
export function sharesOf(wanted: readonly number[], most: number): number[] {
  const shares = [...wanted]
  let left = most
  const shortFirst = [...wanted.entries()].toSorted(([, a], [, b]) => a - b)
  for (const [done, [at, count]] of shortFirst.entries()) {
    const share = Math.min(count, Math.floor(left / (wanted.length - done)))
    shares[at] = share
    left -= share
  }
  return shares
}

/** The chunks of a curve, in order, that have some of the points which are given. */
export function chosenOf(
  chunks: readonly ChunkSize[],
  { stride, share }: { readonly stride: number; readonly share: number },
): ChosenChunk[] {
  const total = chunks.reduce((sum, [, count]) => sum + count, 0)
  const last = thinned(total, stride) <= share ? total - 1 : -1
  const chosen: ChosenChunk[] = []
  let before = 0
  for (const [seq, count] of chunks) {
    const places: number[] = []
    const end = before + count
    for (let nth = Math.ceil(before / stride); nth < share && nth * stride < end; nth += 1)
      places.push(nth * stride - before)
    if (last >= before && last < end && last % stride !== 0) places.push(last - before)
    if (places.length > 0) chosen.push({ seq, places })
    before = end
  }
  return chosen
}
