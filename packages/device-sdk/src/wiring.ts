/**
 * What the engine has told a device: how flows wire its ports, the values of its `out` ports, and which pictures are wanted.
 * It stays known while the engine is away.
 *
 * - wiring.W1 a value that a snapshot repeats is not news: same message, port, time and value.
 * - wiring.W2 a message that is no longer wired to a port has no value there: when it comes back, it is news.
 * @module
 */
import type { DeviceBinding, DeviceSnapshotFrame } from '@flow-service/protocol'

/** A value of an `out` port. */
export interface PortValue {
  readonly port: string
  /** Qualified name of the message. */
  readonly message: string
  readonly value: unknown
  /** Engine time; null for an initial value. */
  readonly ts: string | null
}

/** What a snapshot has changed. */
export interface WiringChange {
  readonly values: readonly PortValue[]
  readonly isDemandNew: boolean
  readonly areBindingsNew: boolean
}

/** The wiring of a device. */
export class Wiring {
  bindings: readonly DeviceBinding[] = []
  /** The `on_demand` ports that somebody wants. */
  demand: readonly string[] = []
  uplink: 'binary' | 'http' = 'binary'
  /** Id of the device, from the first snapshot on. */
  device: string | null = null
  /** By port and message, the newest last. */
  #values = new Map<string, PortValue>()

  /** Takes a snapshot in place of all before. */
  take({ device, bindings, values, demand, uplink }: DeviceSnapshotFrame): WiringChange {
    const areBindingsNew = JSON.stringify(bindings) !== JSON.stringify(this.bindings)
    this.device = device
    this.bindings = bindings
    this.uplink = uplink
    const known = this.#values
    this.#values = new Map()
    const news = values.filter((value) => {
      this.takeValue(value)
      return !isSame(known.get(keyOf(value)), value)
    })
    return { values: news, isDemandNew: this.takeDemand(demand), areBindingsNew }
  }

  takeValue({ port, message, value, ts }: PortValue): void {
    const key = keyOf({ port, message })
    this.#values.delete(key)
    this.#values.set(key, { port, message, value, ts })
  }

  /** Whether it differs from the demand before. */
  takeDemand(ports: readonly string[]): boolean {
    const before = new Set(this.demand)
    this.demand = ports
    return before.size !== new Set(ports).size || ports.some((port) => !before.has(port))
  }

  /** The newest value of a port; undefined while there is none. */
  last(port: string): PortValue | undefined {
    return [...this.#values.values()].findLast((value) => value.port === port)
  }

  /** The setting `config` of the node that wires a port; empty when none does. */
  config(port: string): Readonly<Record<string, unknown>> {
    return this.bindings.find((binding) => binding.port === port)?.config ?? {}
  }

  /** Messages that take what an `in` port has to say now: those of `on_demand` ports while somebody wants them. */
  takers(port: string): DeviceBinding[] {
    const isWanted = this.demand.includes(port)
    return this.bindings.filter(
      (binding) => binding.port === port && binding.direction === 'in' && (isWanted || !binding.on_demand),
    )
  }
}

const keyOf = ({ port, message }: Pick<PortValue, 'port' | 'message'>): string => JSON.stringify([port, message])

const isSame = (known: PortValue | undefined, { value, ts }: PortValue): boolean =>
  known !== undefined && known.ts === ts && JSON.stringify(known.value) === JSON.stringify(value)
