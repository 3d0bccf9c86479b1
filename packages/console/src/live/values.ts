/**
 * The newest value of each message as a signal of its own: a part of a page that shows one is bound to that one alone, and is
 * told five times a second at most, the last value always. Pages give it the frames that `follow` brings them.
 */
import type { EventFrame } from '@flow-service/protocol'
import { type ReadonlySignal, signal, type Signal } from '@preact/signals'

export interface LiveValue {
  readonly value: unknown
  /** When it came about; null for one that a flow begins with. */
  readonly ts: string | null
}

/** A text that changes faster cannot be read. */
const EVERY_MS = 200

interface Entry {
  readonly shown: Signal<LiveValue | null>
  waiting: LiveValue | null
  isResting: boolean
}

export interface LiveValues {
  /** Null until it is known. */
  readonly of: (message: string) => ReadonlySignal<LiveValue | null>
  readonly take: (frames: readonly EventFrame[]) => void
}

/** Values of live messages; those of runs are passed over. */
export function liveValues(): LiveValues {
  const entries = new Map<string, Entry>()
  const entryOf = (message: string): Entry => {
    const known = entries.get(message)
    if (known) return known
    const entry: Entry = { shown: signal(null), waiting: null, isResting: false }
    entries.set(message, entry)
    return entry
  }
  const put = (message: string, value: LiveValue): void => {
    const entry = entryOf(message)
    if (entry.isResting) entry.waiting = value
    else show(entry, value)
  }
  return {
    of: (message) => entryOf(message).shown,
    take(frames) {
      for (const frame of frames) {
        if (frame.type === 'value' && frame.run === null) put(frame.message, frame)
        else if (frame.type === 'snapshot') for (const value of frame.values) put(value.message, value)
      }
    },
  }
}

function show(entry: Entry, { value, ts }: LiveValue): void {
  entry.shown.value = { value, ts }
  entry.waiting = null
  entry.isResting = true
  setTimeout(() => {
    entry.isResting = false
    if (entry.waiting) show(entry, entry.waiting)
  }, EVERY_MS)
}
