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
  /** Those that are connected to other engines. */
  #elsewhere: ReadonlySet<string> = new Set()
  readonly #listeners = new Set<(device: string) => void>()
  readonly #hereListeners = new Set<(device: string) => void>()

  constructor(deps: DevicePresenceDeps) {
    this.#deps = deps
  }

  isOnline(device: string): boolean {
    return this.isHere(device) || this.#elsewhere.has(device)
  }

  /** Whether it is connected to this engine. */
  isHere(device: string): boolean {
    return this.#open.has(device) || this.#asking.has(device)
  }

  /** The devices that are connected to this engine. */
  here(): string[] {
    return [...new Set([...this.#open.keys(), ...this.#asking.keys()])]
  }

  /** Takes which devices are connected to other engines. */
  setElsewhere(devices: ReadonlySet<string>): void {
    const before = this.#elsewhere
    const moved = [...new Set([...before, ...devices])].filter((id) => before.has(id) !== devices.has(id))
    this.#elsewhere = devices
    for (const device of moved) if (!this.isHere(device)) this.#tell(this.#listeners, device)
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

  /** Called when a device comes to this engine or leaves it; the result ends that. */
  onHere(listener: (device: string) => void): () => void {
    this.#hereListeners.add(listener)
    return () => void this.#hereListeners.delete(listener)
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
    const was = this.isHere(device)
    change()
    if (this.isHere(device) === was) return
    this.#tell(this.#hereListeners, device)
    if (!this.#elsewhere.has(device)) this.#tell(this.#listeners, device)
  }

  #tell(listeners: ReadonlySet<(device: string) => void>, device: string): void {
    for (const listener of listeners) listener(device)
  }
}
