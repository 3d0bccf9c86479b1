/**
 * Paired devices of a host without a server: tests tell who is connected, and speak for them.
 * @module
 */
import type { Cancel, Values } from '@flow-service/connector-sdk'

import type { DeviceHost, DeviceSeat } from './host.ts'

/** Devices of a memory host; none is connected at first. */
export class MemoryDevices implements DeviceHost {
  readonly #seats = new Map<string, Set<DeviceSeat>>()
  readonly #online = new Set<string>()

  seat(device: string, seat: DeviceSeat): Cancel {
    const seats = this.#seats.get(device) ?? new Set()
    this.#seats.set(device, seats.add(seat))
    seat.presence(this.#online.has(device))
    return () => void seats.delete(seat)
  }

  /** Connects a device, or takes it away. */
  presence(device: string, online: boolean): void {
    if (online) this.#online.add(device)
    else this.#online.delete(device)
    for (const seat of this.#seats.get(device) ?? []) seat.presence(online)
  }

  /** The nodes that stand for a device now. */
  seatsOf(device: string): readonly DeviceSeat[] {
    return [...(this.#seats.get(device) ?? [])]
  }

  /** Publishes values of the device, by port, through every node that stands for it. */
  say(device: string, values: Values): void {
    for (const seat of this.seatsOf(device)) seat.emit(values)
  }
}
