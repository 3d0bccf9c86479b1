/**
 * Texts that a device says of itself, as people are shown them: whoever reads them must not be deceived, nor a terminal
 * be controlled.
 * @module
 */

import type { SelfDescription } from './device-store.ts'

/** Longest text that is kept, in characters. */
const MAX_LENGTH = 200

/** Control characters, and those that turn the direction of what follows. */
const misleading = /[\p{Cc}\p{Bidi_Control}]/gu

/** The text without misleading characters, cut to 200; null when nothing is left, or it is no text. */
function shownText(said: unknown): string | null {
  if (typeof said !== 'string') return null
  const text = said.replaceAll(misleading, '').trim()
  return text === '' ? null : Array.from(text).slice(0, MAX_LENGTH).join('').trim()
}

/** What a device says of itself, in a report or when it starts to be paired; whatever is no text is not said. */
export const selfDescription = (said: {
  readonly name?: unknown
  readonly board?: unknown
  readonly firmware?: unknown
}): SelfDescription => ({
  name: shownText(said.name),
  board: shownText(said.board),
  firmware: shownText(said.firmware),
})
