/**
 * Publications that wait to be sent, or for the engine's word on them (wire decisions U16, U18).
 *
 * - outbox.O1 publications leave in the order in which they were made.
 * - outbox.O2 at most 1,000 wait; the oldest makes way for a newer one, and is counted.
 * - outbox.O3 what was sent and not acknowledged when a connection ended is sent again, first: a value arrives once or, when
 *   the acknowledgement was lost, twice.
 * - outbox.O4 no more than 200 leave in a second, which is what the engine takes of a device.
 * @module
 */
import type { Clock } from './clock.ts'
import { DeviceError } from './device-error.ts'

/** Publications that wait at most. */
const MAX_WAITING = 1000
/** Publications that are sent without an answer at most. */
const MAX_SENT = 1000
const PER_SECOND = 200
/** Pause after which sending is tried again. */
const LULL_MS = 50
/** Bytes that may wait in the socket before the next publication. */
const MAX_UNSENT_BYTES = 1024 * 1024

/** The engine has taken a publication. */
export interface Published {
  /** Engine time of the value; null when the interval of the port holds it back for a newer one. */
  readonly ts: string | null
}

interface Publication {
  readonly id: string
  readonly text: string
  readonly settled: PromiseWithResolvers<Published>
}

/** Where publications go. */
export interface Outlet {
  /** Bytes that wait to be sent. */
  readonly unsent: number
  send(text: string): void
}

/** The outbox of a device. */
export class Outbox {
  readonly #clock: Clock
  #waiting: Publication[] = []
  /** Sent by the connection that is open, by id, in their order. */
  #sent = new Map<string, Publication>()
  #outlet: Outlet | null = null
  #ended: DeviceError | null = null
  #count = 0
  #dropped = 0
  #allowance = PER_SECOND
  #allowedMs: number
  #cancelLull: (() => void) | null = null

  constructor(clock: Clock) {
    this.#clock = clock
    this.#allowedMs = clock.now()
  }

  /** How many publications newer ones have taken the place of. */
  get dropped(): number {
    return this.#dropped
  }

  /** Publishes; `textOf` makes the frame, or throws. Rejects with a DeviceError; nobody has to wait for it. */
  add(textOf: (id: string) => string): Promise<Published> {
    const settled = Promise.withResolvers<Published>()
    settled.promise.catch(() => {})
    try {
      if (this.#ended) throw this.#ended
      const id = String(++this.#count)
      this.#waiting.push({ id, text: textOf(id), settled })
      this.#pump()
      this.#trim()
    } catch (error) {
      settled.reject(error)
    }
    return settled.promise
  }

  /** A connection is open. */
  open(outlet: Outlet): void {
    this.#outlet = outlet
    this.#pump()
  }

  /** The connection has ended (outbox.O3). */
  close(): void {
    this.#outlet = null
    this.#cancelLull?.()
    this.#cancelLull = null
    this.#waiting = [...this.#sent.values(), ...this.#waiting]
    this.#sent.clear()
    this.#trim()
  }

  /** The engine has taken a publication; false when it is none of those that were sent. */
  published(id: string, ts: string | null): boolean {
    const publication = this.#answered(id)
    publication?.settled.resolve({ ts })
    return publication !== undefined
  }

  /** The engine has refused a publication; false when it is none of those that were sent. */
  refused(id: string, error: DeviceError): boolean {
    const publication = this.#answered(id)
    publication?.settled.reject(error)
    return publication !== undefined
  }

  /** Gives up all that waits, and what is published from now on. */
  end(error: DeviceError): void {
    this.close()
    this.#ended = error
    for (const { settled } of this.#waiting) settled.reject(error)
    this.#waiting = []
  }

  #answered(id: string): Publication | undefined {
    const publication = this.#sent.get(id)
    this.#sent.delete(id)
    this.#pump()
    return publication
  }

  #pump(): void {
    const outlet = this.#outlet
    if (outlet === null || this.#cancelLull !== null) return
    this.#allow()
    let next = 0
    while (next < this.#waiting.length && this.#sent.size < MAX_SENT) {
      if (this.#allowance < 1 || outlet.unsent > MAX_UNSENT_BYTES) {
        this.#lull()
        break
      }
      const publication = this.#waiting[next++] as Publication
      this.#allowance--
      this.#sent.set(publication.id, publication)
      outlet.send(publication.text)
    }
    if (next > 0) this.#waiting = this.#waiting.slice(next)
  }

  /** What time has made of the allowance (outbox.O4). */
  #allow(): void {
    const nowMs = this.#clock.now()
    this.#allowance = Math.min(PER_SECOND, this.#allowance + ((nowMs - this.#allowedMs) / 1000) * PER_SECOND)
    this.#allowedMs = nowMs
  }

  #lull(): void {
    this.#cancelLull = this.#clock.setTimer(LULL_MS, () => {
      this.#cancelLull = null
      this.#pump()
    })
  }

  #trim(): void {
    const over = this.#waiting.length - MAX_WAITING
    if (over <= 0) return
    this.#dropped += over
    for (const { settled } of this.#waiting.splice(0, over)) {
      settled.reject(new DeviceError('dropped', 'newer values have taken its place while the engine was away'))
    }
  }
}
