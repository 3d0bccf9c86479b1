/**
 * One engine for the tests of a file, each of which finds it without runs: what a test leaves queued or running is
 * cancelled. A failed test may go on in the background, or hold a slot for ever; the next one gets a new engine.
 * @module
 */
import { afterAll, afterEach, beforeEach } from 'vitest'

import { type EngineOptions, openEngine, type TestEngine } from './engine.ts'

/** Opens the engine before the first test and after a failed one; `prepare` receives it. */
export function useEngine(options: EngineOptions, prepare: (engine: TestEngine) => Promise<void> | void): void {
  let current: TestEngine | null = null
  const close = async (): Promise<void> => {
    const engine = current
    current = null
    await engine?.[Symbol.asyncDispose]()
  }
  beforeEach(async () => {
    if (current) return
    current = await openEngine(options)
    await prepare(current)
  })
  afterEach(async ({ task }) => {
    await (task.result?.state === 'fail' ? close() : current?.settle())
  })
  afterAll(close)
}
