/**
 * Stops of connectors that are awaited for as long as the suite waits for one.
 * @module
 */
import { setImmediate as turn } from 'node:timers/promises'

/** An engine gives a stop 10 s; nothing that a test answers takes as long. */
const PATIENCE_MS = 2000

/** Settles with the stop; rejects when it goes on for too long. */
export async function ended(stopping: Promise<void>): Promise<void> {
  let isDone = false
  const done = stopping.finally(() => (isDone = true))
  done.catch(() => {})
  const untilMs = performance.now() + PATIENCE_MS
  while (!isDone && performance.now() < untilMs) await turn()
  if (!isDone) throw new Error('it does not end')
  await done
}
