/**
 * Keys of the whole console: Ctrl+K for the palette, `g` with the letter of an area, `?` for a list of them. `app.tsx` switches
 * them on; a page tells its own for the list.
 */
import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'

import { keyList, palette } from './overlays.ts'
import { go } from './router.ts'

interface Place {
  readonly to: string
  /** Leads there after `g`. */
  readonly letter: string
}

/** What is pressed, and what it does. */
export type KeyLine = readonly [keys: string, what: string]

/** The letter counts for so long after `g`. */
const PAUSE_MS = 1500

/** Keys of the page that is shown. */
export const pageKeys = signal<readonly KeyLine[]>([])

/** Lists the keys of a page for as long as it is shown; `lines` is a constant of its file. */
export function usePageKeys(lines: readonly KeyLine[]): void {
  useEffect(() => {
    pageKeys.value = lines
    return () => (pageKeys.value = [])
  }, [lines])
}

/** Listens until the result is called. */
export function listenToKeys(places: readonly Place[]): () => void {
  let since = -Infinity
  const hear = (event: KeyboardEvent): void => {
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') {
      event.preventDefault()
      keyList.value = false
      palette.value = !palette.value
      return
    }
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event)) return
    if (event.key === '?') {
      keyList.value = true
    } else if (event.key === 'g') {
      since = event.timeStamp
    } else if (event.timeStamp - since < PAUSE_MS) {
      since = -Infinity
      const place = places.find(({ letter }) => letter === event.key)
      if (place) go(place.to)
    }
  }
  document.addEventListener('keydown', hear)
  return () => document.removeEventListener('keydown', hear)
}

/**
 * Whether a key is a letter of a text; the editor of code has its own root, behind which its field is. The field of a dialog
 * that has just been closed has the focus until the page is drawn again.
 */
export function isTyping(event: Event): boolean {
  const [target] = event.composedPath()
  if (!(target instanceof HTMLElement) || !target.checkVisibility()) return false
  return target.isContentEditable || /^(?:INPUT|SELECT|TEXTAREA)$/.test(target.tagName)
}
