/**
 * Turns for everything else while a big document is read, checked or written: what does so is in steps, and those who may
 * wait take them by this. Without it an engine answers nobody for as long as it looks at ten thousand nodes.
 * @module
 */
import { setImmediate } from 'node:timers/promises'

import type { Steps } from '@flow-service/core'

/** How long work goes on before others have a turn. */
const SLICE_MS = 10

/** Work to its end, while everything else has turns; what is short is over before anybody has one. */
export async function inTurns<T>(steps: Steps<T>): Promise<T> {
  for (let since = performance.now(), step = steps.next(); ; step = steps.next()) {
    if (step.done) return step.value
    if (performance.now() - since < SLICE_MS) continue
    // oxlint-disable-next-line no-await-in-loop -- the turn of the others
    await setImmediate()
    since = performance.now()
  }
}
