/**
 * What of the runs is shown, and how, as the address says it. While a hand moves something (a brush, the slider) the page
 * follows at once and the address when it rests: browsers let a page change that only some times a second.
 */
import { batch, computed, signal } from '@preact/signals'

import type { Range, View } from '../parts/chart/series.ts'
import { query, setQuery } from '../router.ts'

type Changes = Readonly<Record<string, string | null>>

/** What has no place in the address yet. */
const moving = signal<Changes>({})
let timer = 0
const REST_MS = 250

/** The query of the address, with what moves. */
export const shown = computed(() => {
  const now = new URLSearchParams(query.value)
  for (const [key, value] of Object.entries(moving.value)) {
    if (value === null || value === '') now.delete(key)
    else now.set(key, value)
  }
  return now
})

/** Changes what is shown; null takes a part away. */
export function change(changes: Changes): void {
  moving.value = { ...moving.peek(), ...changes }
  clearTimeout(timer)
  timer = window.setTimeout(settle, REST_MS)
}

/** Puts what is shown into the address now, as somebody takes the link or leaves. */
export function settle(): void {
  clearTimeout(timer)
  const changes = moving.peek()
  if (Object.keys(changes).length === 0) return
  batch(() => {
    setQuery(changes)
    moving.value = {}
  })
}

/** Forgets what moves: the page is left. */
export function leave(): void {
  clearTimeout(timer)
  moving.value = {}
}

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
  return { x: [x0, x1] satisfies Range, y: [y0, y1] satisfies Range }
}
