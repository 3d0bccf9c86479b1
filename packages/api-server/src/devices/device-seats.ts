/**
 * Nodes of active live flows at the devices that they stand for. Nodes sit down when they start and leave when they stop;
 * sockets of devices tell who is connected, and what a device says goes into its flow through the seat of its node, so that
 * the value is credited to the node and thinned by the interval of its port.
 * @module
 */
import type { DeviceHost, DeviceSeat } from '@flow-service/core'

/** The seats of an engine. */
export class DeviceSeats implements DeviceHost {
  readonly #seats = new Map<string, Set<DeviceSeat>>()
  readonly #isOnline: (device: string) => boolean

  constructor(isOnline: (device: string) => boolean) {
    this.#isOnline = isOnline
  }

  seat(device: string, seat: DeviceSeat): () => void {
    const seats = this.#seats.get(device) ?? new Set()
    this.#seats.set(device, seats.add(seat))
    seat.presence(this.#isOnline(device))
    return () => {
      seats.delete(seat)
      if (seats.size === 0 && this.#seats.get(device) === seats) this.#seats.delete(device)
    }
  }

  /** The seat of a node; undefined while its flow is not active. */
  find(device: string, node: Pick<DeviceSeat, 'flow' | 'node'>): DeviceSeat | undefined {
    for (const seat of this.#seats.get(device) ?? []) {
      if (seat.flow === node.flow && seat.node === node.node) return seat
    }
    return undefined
  }

  /** Tells the nodes of a device whether it is connected now. */
  tell(device: string): void {
    const online = this.#isOnline(device)
    for (const seat of this.#seats.get(device) ?? []) seat.presence(online)
  }
}
