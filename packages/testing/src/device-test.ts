/**
 * A paired device in the test of a flow: the test speaks for it, and looks at what it follows.
 * @module
 */
import type { Values } from '@flow-service/connector-sdk'
import type { MemoryDevices } from '@flow-service/core/testing'
import type { FlowDocument, FlowNode } from '@flow-service/protocol'

/** What a device in a test needs of its flow. */
export interface DeviceTestDeps {
  readonly document: FlowDocument
  /** Those of the life of the engine that goes on. Throws while the flow is down. */
  readonly devices: () => MemoryDevices
  /** Keeps whether it is connected, over all lives. */
  readonly connect: (online: boolean) => void
  /** Waits for what follows. */
  readonly settled: () => Promise<void>
  /** The last value of a message; undefined while there is none. */
  readonly last: (message: string) => unknown
}

/** A device that nodes of a flow under test stand for; made by `FlowTest.device`. It is not connected at first. */
export class DeviceTest {
  readonly id: string
  readonly #deps: DeviceTestDeps
  readonly #nodes: readonly FlowNode[]

  /** Throws a RangeError when no node stands for the device. */
  constructor(id: string, deps: DeviceTestDeps) {
    this.id = id
    this.#deps = deps
    const { name, nodes } = deps.document
    const standing = nodes.filter(({ type }) => type === 'device')
    this.#nodes = standing.filter(({ settings }) => settings.device === id)
    if (this.#nodes.length > 0) return
    const known = standing.map(({ settings }) => JSON.stringify(settings.device)).join(', ') || 'none'
    throw new RangeError(`flow "${name}" has no node of device "${id}"; its devices: ${known}`)
  }

  /** Connects the device, or takes it away: without it its nodes are degraded, and offline. */
  presence(online: boolean): void {
    this.#deps.connect(online)
  }

  /**
   * Publishes values by port, and waits for what follows. Rejects with a RangeError for a port that no node has, and with a
   * DtypeViolation for a value off its dtype.
   */
  async say(values: Values): Promise<void> {
    const known = new Set(this.#nodes.flatMap((node) => outputsOf(node)))
    const strange = Object.keys(values).find((port) => !known.has(port))
    if (strange !== undefined) {
      const names = [...known].map((port) => `"${port}"`).join(', ') || 'none'
      throw new RangeError(`no node has an output "${strange}" of device "${this.id}"; there are: ${names}`)
    }
    for (const seat of this.#deps.devices().seatsOf(this.id)) {
      const node = this.#nodes.find(({ id }) => id === seat.node)
      const own = new Set(node && outputsOf(node))
      seat.emit(Object.fromEntries(Object.entries(values).filter(([port]) => own.has(port))))
    }
    await this.#deps.settled()
  }

  /** What the device follows now, by port: the last value, else the initial one of its message; null without either. */
  followed(): Values {
    const { document, last } = this.#deps
    const initials = new Map(document.inputs.map(({ name, initial }) => [`${document.name}.${name}`, initial]))
    const inputs = this.#nodes.flatMap(({ ports }) => ports.filter(({ direction }) => direction === 'input'))
    return Object.fromEntries(inputs.map(({ port, message }) => [port, last(message) ?? initials.get(message) ?? null]))
  }
}

const outputsOf = ({ ports }: FlowNode): string[] =>
  ports.filter(({ direction }) => direction === 'output').map(({ port }) => port)
