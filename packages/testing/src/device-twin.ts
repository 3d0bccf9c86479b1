/**
 * The twin of a device: a board that a test plays at a running engine, paired and connected as a real one.
 *
 * - device-twin.W1 what the twin was told is kept by port over all its connections; `told` looks at each value once, in order.
 * - device-twin.W2 time that is waited is the machine's; the clock of the options is that of schedules alone.
 * @module
 */
import { isDeepStrictEqual } from 'node:util'

import type { Clock } from '@flow-service/core'
import { connect, type Device, type DeviceStatus, type EndReason } from '@flow-service/device-sdk'
import type { DeviceFrame, DeviceSnapshotFrame, Dtype } from '@flow-service/protocol'

import { type Duration, millisecondsOf } from './duration.ts'
import type { Picture } from './test-picture.ts'
import { TwinLink } from './twin-link.ts'
import { type Failure, howItIs, listed, Patience, shown } from './twin-patience.ts'
import { playSteps, type TwinStep } from './twin-schedule.ts'

/** Dtypes of a device's ports, by name: it publishes what is `in`, and follows what is `out`. */
export interface TwinIo {
  readonly in?: Readonly<Record<string, Dtype>>
  readonly out?: Readonly<Record<string, Dtype>>
}

/** What a twin is made of. */
export interface DeviceTwinDeps {
  readonly id: string
  /** Base URL of the API. */
  readonly url: string
  readonly credential: string
  readonly io: TwinIo
  /** How long it is waited for what is to come, unless a call says so. */
  readonly patience: Duration
  /** The clock of `play`. */
  readonly clock: Pick<Clock, 'setTimer'>
  /** Go with each request. */
  readonly headers: Readonly<Record<string, string>>
}

/** The twin of a device; made by `createTwin`. `In` are the ports that it publishes, `Out` those that it follows. */
export class DeviceTwin<In extends string = string, Out extends string = string> {
  readonly id: string
  /** By which the engine knows it. */
  readonly credential: string
  /** Snapshots that it was sent, over all its connections. */
  readonly snapshots: DeviceSnapshotFrame[] = []
  readonly #deps: DeviceTwinDeps
  readonly #patience = new Patience()
  readonly #link: TwinLink
  readonly #told = new Map<string, unknown[]>()
  /** How many values of a port `told` has looked at. */
  readonly #seen = new Map<string, number>()
  #device: Device

  constructor(deps: DeviceTwinDeps) {
    const { id, credential, headers } = deps
    this.#deps = deps
    this.id = id
    this.credential = credential
    this.#link = new TwinLink({ headers, onText: (text) => this.#hear(text) })
    this.#device = this.#connect()
  }

  /** The device of the SDK: bindings, config, and whatever else a board's program uses. Another one after `leave`. */
  get device(): Device {
    return this.#device
  }

  get status(): DeviceStatus {
    return this.#device.status
  }

  /**
   * Publishes values by port. Resolves when the engine has them; what is said while the twin has dropped off waits for `back`.
   * Rejects with a DeviceError that the engine answers, and with a RangeError for a port that the device does not have.
   */
  async say(values: { readonly [K in In]?: unknown }): Promise<void> {
    await Promise.all(Object.entries<unknown>(values).map(([port, value]) => this.#publish(port, value)))
  }

  /** Sends a picture of a port, unless nobody wants one now: whether it went out. Throws a RangeError as {@link say}. */
  show(port: In, { bytes, mediaType }: Picture): boolean {
    this.#known('in', port)
    return this.#device.frame(port, bytes, mediaType)
  }

  /**
   * Plays what was recorded. Resolves when the engine has all of it, to the steps that went out: pictures that nobody wanted are
   * left out. Rejects with an Error that names the step which was refused.
   * @example
   * await panel.play([
   *   { at: 0, port: 'lux', value: 12 },
   *   { at: '1500ms', port: 'camera', picture: testPicture(1) },
   * ])
   */
  async play(steps: readonly TwinStep<In>[]): Promise<TwinStep<In>[]> {
    for (const { port } of steps) this.#known('in', port)
    const act = async (step: TwinStep<In>): Promise<boolean> => {
      if ('picture' in step) return this.show(step.port, step.picture)
      await this.#publish(step.port, step.value)
      return true
    }
    return playSteps({ steps, clock: this.#deps.clock, act })
  }

  /** All that a port was told, in order. */
  values(port: Out): readonly unknown[] {
    this.#known('out', port)
    return this.#told.get(port) ?? []
  }

  /** Whether a value of a port is wanted now: a flow takes it, and somebody looks at it if it is `on_demand`. */
  wanted(port: In): boolean {
    this.#known('in', port)
    return this.#device.wanted(port)
  }

  /**
   * Waits until a port is told a value that equals `expected`, or for which it returns true. Values up to the one that was found
   * last are looked at no more. Rejects with an AssertionError that has what the port was told instead.
   */
  told(port: Out, expected: unknown, within?: Duration): Promise<void> {
    this.#known('out', port)
    const isMeant = (value: unknown): boolean =>
      typeof expected === 'function' ? expected(value) === true : isDeepStrictEqual(value, expected)
    const rest = () => this.values(port).slice(this.#seen.get(port) ?? 0)
    const find = (): boolean => {
      const at = rest().findIndex(isMeant)
      if (at >= 0) this.#seen.set(port, (this.#seen.get(port) ?? 0) + at + 1)
      return at >= 0
    }
    return this.#until(within, find, () => ({
      message: `was not told ${port}: ${shown(expected)}; it was told ${listed(rest().map(shown))}${this.#unwired(port)}`,
      actual: rest(),
      expected: [expected],
    }))
  }

  /** Waits until a value of a port is wanted, or no longer. Rejects with an AssertionError that has what is wanted instead. */
  wants(port: In, isWanted = true, within?: Duration): Promise<void> {
    this.#known('in', port)
    const all = () => Object.keys(this.#deps.io.in ?? {}).filter((name) => this.#device.wanted(name))
    return this.#until(
      within,
      () => this.#device.wanted(port) === isWanted,
      () => ({
        message: `is ${isWanted ? 'not' : 'still'} asked for ${port}; wanted: ${listed(all())}${this.#unwired(port)}`,
        actual: all(),
        expected: isWanted ? [...all(), port] : all().filter((name) => name !== port),
      }),
    )
  }

  /** Waits until a flow wires a port to a message. Rejects with an AssertionError that has how ports are wired instead. */
  wired(port: In | Out, message: string, within?: Duration): Promise<void> {
    const wish = `${port} to ${message}`
    const all = () => this.#device.bindings.map((binding) => `${binding.port} to ${binding.message}`)
    return this.#until(
      within,
      () => all().includes(wish),
      () => ({ message: `is not wired, ${wish}; wired: ${listed(all())}`, actual: all(), expected: [wish] }),
    )
  }

  /** Waits until the twin is connected. Rejects with an AssertionError that has why it is not. */
  online(): Promise<void> {
    return this.#until(
      undefined,
      () => this.status.state === 'online',
      () => ({ message: 'is not online', actual: this.status, expected: { state: 'online' } }),
    )
  }

  /** Waits until the engine ends it for a reason. Rejects with an AssertionError that has how it is instead. */
  ended(reason: EndReason, within?: Duration): Promise<void> {
    return this.#until(
      within,
      () => this.status.state === 'ended' && this.status.reason === reason,
      () => ({ message: `has not ended: ${reason}`, actual: this.status, expected: { state: 'ended', reason } }),
    )
  }

  /** Drops off: the network is gone, and the engine is told nothing. What the twin says from now on waits for `back`. */
  drop(): void {
    this.#link.cut()
  }

  /** Goes as a board that is switched off: what it has not said is lost. Resolves when the socket is closed. */
  async leave(): Promise<void> {
    this.#device.close()
    await this.#link.ended()
  }

  /** Comes back, after `drop` or `leave`. Resolves when it is connected. */
  async back(): Promise<void> {
    this.#link.mend()
    if (this.status.state === 'ended') this.#device = this.#connect()
    await this.online()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.leave()
  }

  #connect(): Device {
    const { url, credential, io } = this.#deps
    const device = connect({
      url,
      credential,
      webSocket: this.#link.open,
      fetch: this.#link.fetch,
      clock: this.#link.clock,
    })
    for (const port of Object.keys(io.out ?? {})) device.on(port, (value) => this.#keep(port, value))
    device.onDemand(() => this.#patience.review())
    device.onBindings(() => this.#patience.review())
    device.onStatus(() => this.#patience.review())
    return device
  }

  #hear(text: string): void {
    const frame = JSON.parse(text) as DeviceFrame
    if (frame.type === 'snapshot') this.snapshots.push(frame)
  }

  #keep(port: string, value: unknown): void {
    const values = this.#told.get(port) ?? []
    values.push(value)
    this.#told.set(port, values)
    this.#patience.review()
  }

  async #publish(port: string, value: unknown): Promise<void> {
    this.#known('in', port)
    await this.#device.publish(port, value)
  }

  #until(within: Duration | undefined, isSo: () => boolean, failure: () => Failure): Promise<void> {
    return this.#patience.until({
      withinMs: millisecondsOf(within ?? this.#deps.patience),
      isSo,
      isOver: () => this.status.state === 'ended',
      failure: () => {
        const { message, ...sides } = failure()
        return { message: `the twin "${this.id}" ${message}${howItIs(this.status)}`, ...sides }
      },
    })
  }

  #unwired(port: string): string {
    return this.#device.bindings.some((binding) => binding.port === port) ? '' : `; no flow wires ${port}`
  }

  #known(direction: 'in' | 'out', port: string): void {
    const ports = Object.keys(this.#deps.io[direction] ?? {})
    if (ports.includes(port)) return
    throw new RangeError(`the twin "${this.id}" has no port "${port}" that is ${direction}; it has ${listed(ports)}`)
  }
}
