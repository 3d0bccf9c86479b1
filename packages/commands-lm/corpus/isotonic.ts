/**
 * From scores and what was right of them to a curve that grows: isotonic regression, as a few points with lines between.
 * @module
 */
/** A score that was given, and whether what it was given for is right. */
export interface Scored {
  readonly score: number
  readonly right: boolean
}

/** A point of the curve. */
export type Knot = readonly [score: number, share: number]

/** Scores beside each other, taken as one. */
interface Block {
  readonly of: number
  readonly right: number
  readonly lowest: number
  readonly highest: number
}

const shareOf = ({ of, right }: Block): number => right / of
/** Two blocks, the first with the lower scores. */
const merged = (one: Block, other: Block): Block => ({
  of: one.of + other.of,
  right: one.right + other.right,
  lowest: one.lowest,
  highest: other.highest,
})

/** A block for each score, the lowest first. */
function blocksOf(scored: readonly Scored[]): Block[] {
  const byScore = Map.groupBy(scored, ({ score }) => score)
  return [...byScore]
    .toSorted(([one], [other]) => one - other)
    .map(([score, own]) => ({
      of: own.length,
      right: own.filter(({ right }) => right).length,
      lowest: score,
      highest: score,
    }))
}

/** Blocks the share of each of which is greater than that of the one before: adjacent violators are pooled. */
function pooled(blocks: readonly Block[]): Block[] {
  const growing: Block[] = []
  for (const each of blocks) {
    let block = each
    for (let before = growing.at(-1); before && shareOf(before) >= shareOf(block); before = growing.at(-1)) {
      block = merged(before, block)
      growing.pop()
    }
    growing.push(block)
  }
  return growing
}

/** Blocks with fewer members than that join the nearest. */
function withoutSmall(blocks: readonly Block[], least: number): Block[] {
  const left = [...blocks]
  for (;;) {
    const small = left.findIndex(({ of }) => of < least)
    const block = left[small]
    if (!block || left.length === 1) return left
    const [before, behind] = [left[small - 1], left[small + 1]]
    const down = before ? block.lowest - before.highest : Number.POSITIVE_INFINITY
    const up = behind ? behind.lowest - block.highest : Number.POSITIVE_INFINITY
    const into = down <= up ? small - 1 : small
    left.splice(into, 2, merged(left[into] ?? block, left[into + 1] ?? block))
  }
}

/** Of how many scores a step of the curve is made at least. */
const LEAST = 12

/**
 * The curve of what was right of scores: level along each block, a line from one to the next. One right and one wrong are
 * added to each block, so that none is certain, unless that would make the curve fall.
 */
export function curveOf(scored: readonly Scored[]): Knot[] {
  let least = 0
  const knots = withoutSmall(pooled(blocksOf(scored)), LEAST).flatMap(({ of, right, lowest, highest }): Knot[] => {
    least = Math.max(least, (right + 1) / (of + 2))
    const share = Number(least.toFixed(4))
    return lowest === highest
      ? [[lowest, share]]
      : [
          [lowest, share],
          [highest, share],
        ]
  })
  return knots.filter(([, share], at) => share !== knots[at - 1]?.[1] || share !== knots[at + 1]?.[1])
}
