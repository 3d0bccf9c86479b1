/** The time by which the page tells how long ago something was, and how long something lasts; it stands in a hidden page. */
import { signal } from '@preact/signals'

/** Moves on every ten seconds. */
export const now = signal(Date.now())
/** Moves on every second, for the little that is shown so exactly. */
export const second = signal(Date.now())

const tick = (time: typeof now) => (): void => {
  if (!document.hidden) time.value = Date.now()
}
setInterval(tick(now), 10_000)
setInterval(tick(second), 1000)
document.addEventListener('visibilitychange', tick(now))
document.addEventListener('visibilitychange', tick(second))
