/** The time by which the page tells how long ago something was: it moves on every ten seconds, and stands in a hidden page. */
import { signal } from '@preact/signals'

const STEP_MS = 10_000

export const now = signal(Date.now())

const tick = (): void => {
  if (!document.hidden) now.value = Date.now()
}
setInterval(tick, STEP_MS)
document.addEventListener('visibilitychange', tick)
