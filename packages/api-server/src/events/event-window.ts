/**
 * Events of one socket that wait for the end of their window: `event-session.ts` fills one for each socket that has asked for
 * `batch` or `values=newest` (wire decision V19). Without it a page pays for a message of its socket each time a value changes: in
 * Chromium 70 µs, where a value in an array takes 4 (bench/event-worker).
 *
 * - event-window.W1 a window begins with its first event and ends `batchMs` later, or before it has more than {@link ARRAY_BYTES}:
 *   there is no empty one.
 * - event-window.W2 events keep their order; with `newest` the value of a live message that has a newer one in its window is
 *   left out. Values of runs, and all other events, are never left out.
 * @module
 */
import type { Clock } from '@flow-service/core'

import { ARRAY_BYTES } from './event-reader.ts'
import type { EventText } from './event-text.ts'
import type { Media } from './media.ts'

/** How a socket wants its events gathered. */
export interface WindowOptions {
  readonly batchMs: number
  readonly newest: boolean
}

/** An event, and its media where they are asked for. */
export interface WindowItem {
  readonly text: EventText
  readonly media: Media | null
}

/** The window of a socket. */
export class EventWindow {
  readonly #clock: Pick<Clock, 'setTimer'>
  readonly #options: WindowOptions
  readonly #tell: (items: readonly WindowItem[]) => void
  /** By message for live values of which only the newest counts; by a number that grows for all else. */
  readonly #items = new Map<string | number, WindowItem>()
  #bytes = 0
  #count = 0
  #cancel: (() => void) | null = null

  constructor(clock: Pick<Clock, 'setTimer'>, options: WindowOptions, tell: (items: readonly WindowItem[]) => void) {
    this.#clock = clock
    this.#options = options
    this.#tell = tell
  }

  add(item: WindowItem): void {
    if (this.#bytes + sizeOf(item) > ARRAY_BYTES) this.end()
    const key = this.#keyOf(item.text)
    const older = this.#items.get(key)
    // behind all that waits, as its number says
    if (older) this.#items.delete(key)
    this.#items.set(key, item)
    this.#bytes += sizeOf(item) - (older ? sizeOf(older) : 0)
    this.#cancel ??= this.#clock.setTimer(this.#options.batchMs, () => this.end())
  }

  /** Tells what waits now. */
  end(): void {
    const items = [...this.#items.values()]
    this.close()
    if (items.length > 0) this.#tell(items)
  }

  /** Gives up what waits. */
  close(): void {
    this.#cancel?.()
    this.#cancel = null
    this.#items.clear()
    this.#bytes = 0
  }

  #keyOf({ event }: EventText): string | number {
    const isReplaced = this.#options.newest && event.type === 'value' && event.run === null
    return isReplaced ? event.message : (this.#count += 1)
  }
}

const sizeOf = ({ text, media }: WindowItem): number => text.tail.length + (media?.bytes.length ?? 0)
