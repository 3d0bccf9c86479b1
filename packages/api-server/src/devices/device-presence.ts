/**
 * Which devices are connected: those with an open socket, here or at another engine of the database, and those that have
 * made a request through the portal within a minute. Nodes of devices and everybody who lists them ask for it.
 * @module
 */
import type { Clock } from '@flow-service/core'

/** How long a request through the portal counts: there is no socket whose end would be told. */
const PORTAL_MS = 60_000
/** Between two notes that a device was heard of. */
const NOTE_MS = 10_000

/** What presence is made of. */
export interface DevicePresenceDeps {
  readonly clock: Clock
  /** Notes that a device was heard of now. Never throws. */
  readonly note: (device: string) => void
}

/** Presence of devices. */
export class DevicePresence {
  readonly #deps: DevicePresenceDeps
  /** Open sockets of this engine, by device. */
  readonly #open = new Map<string, number>()
  /** What ends the presence of those that ask through the portal. */
  readonly #asking = new Map<string, () => void>()
  /** When it was noted last that a device was heard of. */
  readonly #notedAt = new Map<string, number>()
  readonly #listeners = new Set<(device: string) => void>()

  constructor(deps: DevicePresenceDeps) {
    this.#deps = deps
  }

  isOnline(device: string): boolean {
    return this.#open.has(device) || this.#asking.has(device)
  }

  /** A socket of the device is open; the result tells that it has closed. */
  opened(device: string): () => void {
    this.heard(device)
    this.#change(device, () => this.#open.set(device, (this.#open.get(device) ?? 0) + 1))
    return () => {
      this.heard(device)
      this.#change(device, () => this.#leave(device))
    }
  }

  /** The device has made a request. */
  asked(device: string, throughPortal: boolean): void {
    this.heard(device)
    if (!throughPortal) return
    this.#asking.get(device)?.()
    this.#change(device, () =>
      this.#asking.set(
        device,
        this.#deps.clock.setTimer(PORTAL_MS, () => this.#change(device, () => this.#asking.delete(device))),
      ),
    )
  }

  /** Something has come from the device: noted at most each 10 s. */
  heard(device: string): void {
    const now = this.#deps.clock.now()
    if (now - (this.#notedAt.get(device) ?? Number.NEGATIVE_INFINITY) < NOTE_MS) return
    this.#notedAt.set(device, now)
    this.#deps.note(device)
  }

  /** Called when a device comes or goes; the result ends that. */
  onChange(listener: (device: string) => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  /** Ends what waits. */
  close(): void {
    for (const cancel of this.#asking.values()) cancel()
  }

  #leave(device: string): void {
    const left = (this.#open.get(device) ?? 0) - 1
    if (left > 0) this.#open.set(device, left)
    else this.#open.delete(device)
  }

  #change(device: string, change: () => void): void {
    const was = this.isOnline(device)
    change()
    if (this.isOnline(device) === was) return
    for (const listener of this.#listeners) listener(device)
  }
}
