/**
 * Widgets of a grid that say how large they are and not where: dashboards in TypeScript, and those made from a flow.
 * @module
 */

/** Columns and rows of a grid. */
export interface GridSize {
  readonly w: number
  readonly h: number
}

/** Where a widget begins; both from 0. */
export interface GridPlace {
  readonly x: number
  readonly y: number
}

/** Places from left to right, in rows as high as the highest of each: none overlaps another, or ends outside the columns. */
export function placedInRows(columns: number, sizes: readonly GridSize[]): GridPlace[] {
  let [x, y, height] = [0, 0, 0]
  return sizes.map(({ w, h }) => {
    if (x > 0 && x + w > columns) [x, y, height] = [0, y + height, 0]
    const place = { x, y }
    x += w
    height = Math.max(height, h)
    return place
  })
}
