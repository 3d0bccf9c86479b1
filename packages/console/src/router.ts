/**
 * Where the page is: the part of the address behind `#`, so that a view can be shared wherever the console is mounted, and
 * the engine needs no rule for it.
 */
import { computed, signal } from '@preact/signals'

const here = signal(location.hash.slice(1) || '/')
addEventListener('hashchange', () => (here.value = location.hash.slice(1) || '/'))

/** The parts of the path: `['runs', '01a2…']`. */
export const path = computed<readonly string[]>(() =>
  (here.value.split('?')[0] ?? '').split('/').filter(Boolean).map(decoded),
)

/** What the view is narrowed to: filters, tab, selection. */
export const query = computed(() => new URLSearchParams(here.value.split('?')[1] ?? ''))

/** Goes to a view, which the browser's history remembers. */
export function go(to: string): void {
  location.hash = to
}

/** Goes to a view in place of this one: the browser's history forgets the address. */
export function replace(to: string): void {
  history.replaceState(null, '', `#${to}`)
  here.value = to
}

/** Changes parts of the query in place; null takes one away. */
export function setQuery(changes: Readonly<Record<string, string | null>>): void {
  const next = new URLSearchParams(query.peek())
  for (const [key, value] of Object.entries(changes)) {
    if (value === null || value === '') next.delete(key)
    else next.set(key, value)
  }
  const tail = next.toString()
  replace(`/${path.peek().map(encodeURIComponent).join('/')}${tail === '' ? '' : `?${tail}`}`)
}

/** An address that is typed by hand need not be escaped rightly. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
