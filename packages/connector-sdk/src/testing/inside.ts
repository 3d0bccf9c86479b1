/**
 * What code belongs to which node of a test: all that a connector begins, also later and by timers of its own, counts as
 * begun inside its context, and what the test answers counts as outside.
 * @module
 */
import { AsyncLocalStorage } from 'node:async_hooks'

const contexts = new AsyncLocalStorage<object>()

/** Runs code of the node that a context belongs to. */
export const inside = <T>(context: object, run: () => T): T => contexts.run(context, run)

/** Runs code of the test, on behalf of whoever asks. */
export const outside = <T>(run: () => T): T => contexts.exit(run)

/** The context of the node whose code runs; undefined for code of nobody. */
export const currentContext = (): object | undefined => contexts.getStore()
