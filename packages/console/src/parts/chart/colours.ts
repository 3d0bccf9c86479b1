/**
 * Colours of curves. Eight hues that stay apart for people who see red, green or blue badly (after Okabe and Ito, tuned for
 * the two backgrounds); beyond eight a hue says nothing any more, so that many runs are coloured by a value, on viridis.
 */
export type Theme = 'light' | 'dark'

const hues = {
  light: ['#0067b9', '#c25100', '#00856a', '#a8468c', '#8a6d00', '#3f8fd0', '#7a3b00', '#5a5f6b'],
  dark: ['#5fb2ff', '#ff9a52', '#3fd0a8', '#e58fcb', '#e6c34a', '#a7d3ff', '#d99a6c', '#a7adba'],
} as const

/** As many curves have a hue of their own. */
const HUES = 8

export const hue = (at: number, theme: Theme): string => hues[theme][at % HUES] ?? hues[theme][0]

const viridis: readonly (readonly [number, number, number])[] = [
  [68, 1, 84],
  [72, 40, 120],
  [62, 74, 137],
  [49, 104, 142],
  [38, 130, 142],
  [31, 158, 137],
  [53, 183, 121],
  [109, 205, 89],
  [180, 222, 44],
  [253, 231, 37],
]

/** Viridis from 0 to 1, without the end that vanishes on the background. */
export function ramp(share: number, theme: Theme): string {
  const at = (theme === 'dark' ? 0.18 + share * 0.82 : share * 0.86) * (viridis.length - 1)
  const below = Math.min(Math.floor(at), viridis.length - 2)
  const [from, to] = [viridis[below] ?? [0, 0, 0], viridis[below + 1] ?? [0, 0, 0]]
  const mixed = from.map((part, index) => Math.round(part + ((to[index] ?? 0) - part) * (at - below)))
  return `rgb(${mixed.join(', ')})`
}

/** One colour for each: hues for few, for many the ramp by the rank of their values, the least first. */
export function coloursOf(
  keys: readonly string[],
  valueOf: (key: string) => number,
  theme: Theme,
): ReadonlyMap<string, string> {
  if (keys.length <= HUES) return new Map(keys.map((key, index) => [key, hue(index, theme)]))
  const ranked = keys.toSorted((a, b) => order(valueOf(a), valueOf(b)))
  return new Map(ranked.map((key, index) => [key, ramp(1 - index / (ranked.length - 1), theme)]))
}

/** Numbers in order, and what is none behind them. */
export function order(a: number, b: number): number {
  if (Number.isNaN(a)) return Number.isNaN(b) ? 0 : 1
  return Number.isNaN(b) ? -1 : a - b
}
