/**
 * Answers to requests that are all here: a word between the engine's `fetch` and the node types that come with it, which
 * saves them a stream. Other node types need not know it.
 * @module
 */

/** Marks a `Response` that is no longer than a few packets and has been received to its end; nothing waits to be read. */
export const WHOLE = Symbol.for('flow-service.whole-answer')

/** Whether `text()` and its like only give what has been received already: reading such an answer needs no bound. */
export const isWhole = (response: Response): boolean => WHOLE in response
