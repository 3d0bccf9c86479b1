/**
 * How long a call that was given up, cancelled or silent for too long, keeps its place on its worker. The worker kills the
 * process within 5 s and tells when it is gone; until then the process may use its processors and its memory.
 *
 * - call-ending.E1 a call that the heartbeats of its worker do not name for three ticks of 10 s has ended there, though
 *   nothing came of it: its place is free.
 * - call-ending.E2 a call that they still name after six ticks is lost: its place goes to others, which would wait for
 *   ever, and the record of the worker shows it until the worker tells its end or is gone.
 * - call-ending.E3 ticks in which the worker has said nothing do not count: it may have lost nothing but the time.
 */

const FORGOTTEN_TICKS = 3
const LOST_TICKS = 6

/** What has become of a call that was given up. */
type Ended = 'ending' | 'forgotten' | 'lost'

/** One call from when it is given up. */
export class CallEnding {
  #ticks = 0
  #unnamed = 0

  /** Whether it is lost: it has no place any more. */
  get isLost(): boolean {
    return this.#ticks >= LOST_TICKS
  }

  /** A heartbeat has named it. */
  named(): void {
    this.#unnamed = 0
  }

  /** Ten seconds have passed in which the worker has said something. */
  tick(): Ended {
    this.#ticks += 1
    this.#unnamed += 1
    if (this.#unnamed >= FORGOTTEN_TICKS) return 'forgotten'
    return this.isLost ? 'lost' : 'ending'
  }
}
