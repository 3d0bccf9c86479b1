/**
 * What of the runs is shown, and how, as the address says it. While a hand moves something (a brush, the slider) the page
 * follows at once and the address when it rests: browsers let a page change that only some times a second.
 */
import { batch, computed, signal } from '@preact/signals'

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
