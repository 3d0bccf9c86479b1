/**
 * Errors that nobody handles, while a connector is tested: in an engine they mark the node as failed.
 * @module
 */
import { settled } from './fake-clock.ts'

const events = ['unhandledRejection', 'uncaughtException'] as const

type Listener = (...args: unknown[]) => void

/** Runs a test; answers the errors that nobody has handled meanwhile, which no one else hears of. */
export async function unhandledWhile(run: () => Promise<void>): Promise<unknown[]> {
  const found: unknown[] = []
  const listen: Listener = (error) => void found.push(error)
  const before = events.map((event) => ({ event, listeners: process.rawListeners(event) as Listener[] }))
  for (const event of events) process.removeAllListeners(event).on(event, listen)
  try {
    await run()
    await settled()
  } finally {
    for (const { event, listeners } of before) {
      process.off(event, listen)
      for (const listener of listeners) process.on(event, listener)
    }
  }
  return found
}
