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

/** Goes to a view, which the browser's history remembers. */
export function go(to: string): void {
  location.hash = to
}

/** Goes to a view in place of this one: the browser's history forgets the address. */
export function replace(to: string): void {
  history.replaceState(null, '', `#${to}`)
  here.value = to
}

/** An address that is typed by hand need not be escaped rightly. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
