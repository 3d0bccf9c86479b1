/** What somebody has chosen as texts of an address, and read from one that may be typed by hand. */
import type { View } from '../parts/chart/series.ts'

/** A list of names in an address. */
export const listOf = (text: string | null): readonly string[] => (text ?? '').split(',').filter(Boolean).map(decoded)
export const textOfList = (names: readonly string[]): string => names.map(encodeURIComponent).join()

/** An address that is typed by hand need not be escaped rightly. */
export function decoded(name: string): string {
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}

/** A zoomed part in an address: `0:100:0.1:0.5`, the range of x and that of y. */
export const textOfView = (view: View | null): string | null =>
  view === null ? null : [...view.x, ...view.y].map((end) => String(Number(end.toPrecision(6)))).join(':')

export function viewIn(text: string | null): View | null {
  const ends = (text ?? '').split(':').map(Number)
  const [x0 = 0, x1 = 0, y0 = 0, y1 = 0] = ends
  if (text === null || ends.length !== 4 || !ends.every(Number.isFinite) || x0 >= x1 || y0 >= y1) return null
  return { x: [x0, x1], y: [y0, y1] }
}
