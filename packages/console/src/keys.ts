/** Keys of the whole console: Ctrl+K for the palette, and `g` with the letter of an area. `app.tsx` switches them on. */
import { palette } from './palette.tsx'
import { go } from './router.ts'

interface Place {
  readonly to: string
  /** Leads there after `g`. */
  readonly letter: string
}

/** The letter counts for so long after `g`. */
const PAUSE_MS = 1500

/** Listens until the result is called. */
export function listenToKeys(places: readonly Place[]): () => void {
  let since = -Infinity
  const hear = (event: KeyboardEvent): void => {
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') {
      event.preventDefault()
      palette.value = !palette.value
      return
    }
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event)) return
    if (event.key === 'g') {
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

/** Whether a key is a letter of a text; the editor of code has its own root, behind which its field is. */
export function isTyping(event: Event): boolean {
  const [target] = event.composedPath()
  return (
    target instanceof HTMLElement && (target.isContentEditable || /^(?:INPUT|SELECT|TEXTAREA)$/.test(target.tagName))
  )
}
