/**
 * Which devices are connected: those with an open socket, here or at another engine of the database, and those that have
 * made a request through the portal within a minute.
 * @module
 */

/** Presence of devices. */
export class DevicePresence {
  /** Open sockets of this engine, by device. */
  readonly #open = new Map<string, number>()
  readonly #listeners = new Set<(device: string) => void>()

  isOnline(device: string): boolean {
    return this.#open.has(device)
  }

  /** A socket of the device is open; the result tells that it has closed. */
  opened(device: string): () => void {
    this.#count(device, 1)
    return () => this.#count(device, -1)
  }

  /** Called when a device comes or goes; the result ends that. */
  onChange(listener: (device: string) => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  #count(device: string, by: number): void {
    const before = this.#open.get(device) ?? 0
    const now = before + by
    if (now === 0) this.#open.delete(device)
    else this.#open.set(device, now)
    if ((before === 0) === (now === 0)) return
    for (const listener of this.#listeners) listener(device)
  }
}
