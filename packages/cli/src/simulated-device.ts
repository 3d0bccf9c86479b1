/**
 * A simulated board at its engine: it tells what is moved on it to the flows that take it, shows what they say, and sends
 * pictures while somebody wants them.
 * @module
 */
import type { Device } from '@flow-service/device-sdk'

import { type PortValue, type SimulatedBoard, type SimulatedPort, steppedValue, typedValue } from './simulated-board.ts'
import { oneLine } from './table.ts'
import { testPicture } from './test-picture.ts'

/** What a simulation uses of the SDK. */
export type Connected = Pick<
  Device,
  'bindings' | 'frame' | 'on' | 'onBindings' | 'onDemand' | 'onStatus' | 'publish' | 'status' | 'wanted'
>

/** A port as it is now. */
export interface PortState {
  readonly port: SimulatedPort
  /** What it measures, or what a flow has said last. */
  readonly value: unknown
  /** Messages that flows wire it to. */
  readonly messages: readonly string[]
  /** Pictures that were sent. */
  readonly pictures: number
  readonly isWanted: boolean
}

/** A board with a connection. `tell` gets a line for whatever happens. */
export class SimulatedDevice {
  readonly #device: Connected
  readonly #board: SimulatedBoard
  readonly #tell: (line: string) => void
  readonly #values: Map<string, unknown>
  #pictures = 0
  #demand = ''

  constructor(device: Connected, board: SimulatedBoard, tell: (line: string) => void) {
    this.#device = device
    this.#board = board
    this.#tell = tell
    this.#values = new Map(board.ports.map(({ name, value }) => [name, value ?? null]))
    for (const { name, direction } of board.ports) {
      if (direction === 'out') device.on(name, (value) => this.#hear(name, value))
    }
    device.onBindings(() => this.#begin())
    device.onDemand((ports) => this.#look(ports))
    device.onStatus(() => this.#stand())
  }

  /** The ports in the order of the board. */
  get ports(): readonly PortState[] {
    return this.#board.ports.map((port) => ({
      port,
      value: this.#values.get(port.name),
      messages: this.#messages(port),
      pictures: this.#pictures,
      isWanted: port.dtype === 'image' && this.#device.wanted(port.name),
    }))
  }

  /** How it stands with the engine, in a few words. */
  get standing(): string {
    const { status } = this.#device
    if (status.state === 'offline') return `offline: ${oneLine(status.detail)}`
    return status.state === 'ended' ? status.detail : status.state
  }

  /** Takes `name=value`, as a person types it. */
  type(line: string): void {
    const [, name = '', text = ''] = /^([^=]+)=(.*)$/s.exec(line) ?? []
    const movable = this.#board.ports.filter(({ direction, dtype }) => direction === 'in' && dtype !== 'image')
    const port = movable.find((candidate) => candidate.name === name.trim())
    const value = port && typedValue(port, text.trim())
    if (port === undefined) {
      this.#tell(`error: write name=value, with a name of: ${movable.map((each) => each.name).join(', ')}`)
    } else if (value === undefined) {
      this.#tell(`error: "${oneLine(text)}" is no value of ${port.name}, which is a ${port.dtype}`)
    } else {
      this.#set(port, value)
    }
  }

  /** Moves a port by steps of its range; a switch turns over. Nothing else can be moved. */
  move(port: SimulatedPort, steps: number): void {
    const value = this.#values.get(port.name) as PortValue | null
    if (port.direction === 'in' && value !== null) this.#set(port, steppedValue(port, value, steps))
  }

  /** Sends a picture of each camera that is wanted. */
  look(): void {
    for (const { name, dtype } of this.#board.ports) {
      if (dtype !== 'image' || !this.#device.wanted(name)) continue
      if (this.#device.frame(name, testPicture(this.#pictures), 'image/png')) this.#pictures++
    }
  }

  #set(port: SimulatedPort, value: PortValue): void {
    this.#values.set(port.name, value)
    this.#publish(port, value)
  }

  #publish(port: SimulatedPort, value: PortValue): void {
    if (this.#messages(port).length === 0) {
      this.#tell(`${port.name} = ${oneLine(value)}, which no flow takes yet`)
      return
    }
    this.#device.publish(port.name, value).then(
      () => this.#tell(`-> ${port.name} = ${oneLine(value)}`),
      (error: unknown) => this.#tell(`error: ${port.name}: ${oneLine(error instanceof Error ? error.message : error)}`),
    )
  }

  /** Tells flows that take a port what it measures, once each time that they are wired. */
  #begin(): void {
    for (const port of this.#board.ports) {
      const { value } = port
      if (value !== undefined && this.#messages(port).length > 0)
        this.#publish(port, this.#values.get(port.name) as PortValue)
    }
    this.#tell(this.#device.bindings.length === 0 ? 'no flow uses it yet' : `wired: ${this.#wiring()}`)
  }

  #wiring(): string {
    return this.#device.bindings
      .map(({ port, direction, message }) => `${port} ${direction === 'in' ? '->' : '<-'} ${message}`)
      .join(', ')
  }

  #messages({ name, direction }: SimulatedPort): string[] {
    const own = this.#device.bindings.filter((binding) => binding.port === name && binding.direction === direction)
    return own.map(({ message }) => message)
  }

  #hear(name: string, value: unknown): void {
    this.#values.set(name, value)
    this.#tell(`<- ${name} = ${oneLine(value)}`)
  }

  #look(ports: readonly string[]): void {
    const demand = ports.join(', ')
    if (demand !== this.#demand) this.#tell(demand === '' ? 'nothing is wanted' : `wanted: ${oneLine(demand)}`)
    this.#demand = demand
    this.look()
  }

  #stand(): void {
    this.#tell(this.standing)
  }
}
