/**
 * The node type `home_device`: a device that announces itself over MQTT, as Home Assistant's discovery or Zigbee2MQTT has
 * it. Outputs are what it tells, inputs what can be set.
 * @module
 */
import { isDeepStrictEqual } from 'node:util'

import {
  Connector,
  ConnectorParams,
  type ConnectorContext,
  type Health,
  reasonOf,
  secret,
} from '@flow-service/connector-sdk'
import * as z from 'zod'

import { BrokerLink } from './broker-link.ts'
import { DeviceDirectory } from './device-directory.ts'
import { availabilitiesOf, bind, type DevicePorts, isAway, topicsOf } from './device-ports.ts'

const topicRoot = z
  .string()
  .min(1)
  .max(200)
  .regex(/^[^+#\0]*[^+#\0/]$/, 'use a topic without + and #, and without "/" at the end')

/** Bytes of the largest value that is read. */
const MAX_VALUE_BYTES = 1024 * 1024
/** Seconds in which a broker sends what it has kept. */
const GRACE_S = 3

interface Told {
  readonly status: Health
  readonly message?: string | undefined
}

/** A device of the home. */
export class HomeDevice extends Connector<typeof HomeDevice.Params> {
  static readonly contract = 1
  static override readonly title = 'Home device (MQTT)'
  static override readonly description =
    'A device that Zigbee2MQTT or Home Assistant’s discovery announces at an MQTT broker.'
  /** A button is not to be pressed twice. */
  static override readonly idempotent = false
  static override readonly Params = ConnectorParams.extend({
    device: z.string().min(1).max(200).describe('Name or identifier of the device, as it announces itself.'),
    broker_host: z
      .string()
      .max(253)
      .regex(/^[^\s/@:]+$|^[\da-f:.]+$/i, 'use a name or an address, with the port in broker_port')
      .default('localhost')
      .describe('Name or address of the broker.'),
    broker_port: z.int().min(1).max(65_535).default(1883).describe('Port of the broker; 8883 with TLS mostly.'),
    tls: z.boolean().default(false).describe('Speak TLS with the broker.'),
    username: z.string().min(1).max(200).optional().describe('User of the broker.'),
    password: secret().optional().describe('Password of that user.'),
    discovery_prefix: topicRoot.default('homeassistant').describe('Topic under which devices announce themselves.'),
    base_topic: topicRoot.default('zigbee2mqtt').describe('Topic of Zigbee2MQTT.'),
    timeout: z.number().min(0.1).max(600).default(10).describe('Seconds in which broker and device have to answer.'),
  }).refine(({ password, username }) => password === undefined || username !== undefined, {
    path: ['username'],
    message: 'a password needs a user name; set one',
  })

  readonly #directory: DeviceDirectory
  readonly #link: BrokerLink
  #ports: DevicePorts | null = null
  /** Topics of the ports that this connection hears. */
  #subscribed = new Set<string>()
  /** What was said of who can be reached, by topic. */
  readonly #heard = new Map<string, string>()
  #connection: Told = { status: 'ok' }
  #reading: string | null = null
  /** Whether the broker has had time to send what it has kept. */
  #isSettled = false
  #hasListed = false
  /** Commands that wait for the device to be known. */
  readonly #waiting = new Set<() => void>()

  constructor(context: ConnectorContext) {
    super(context)
    const { base_topic: baseTopic, device: wanted, discovery_prefix: discoveryPrefix } = this.config
    const { ctx } = this
    this.#directory = new DeviceDirectory({ wanted, discoveryPrefix, baseTopic, log: (message) => ctx.log(message) })
    this.#link = new BrokerLink({
      ctx,
      settings: this.config,
      filters: this.#directory.filters,
      tell: (status, message) => {
        this.#connection = { status, message }
        this.#judge()
        if (status !== 'ok') this.#wake()
      },
      onUp: () => this.#up(),
      onMessage: (topic, payload, retained) => this.#message(topic, payload, retained),
      onLost: () => this.#subscribed.clear(),
    })
  }

  override async start(): Promise<void> {
    await super.start()
    if (this.ctx.mode === 'live' && this.ctx.listens) this.#link.open()
  }

  override async stop(): Promise<void> {
    this.#link.stop()
    this.#wake()
    await super.stop()
  }

  /** Sends a command for each value, once all of them are found to be fit. */
  override async write(inputs: Readonly<Record<string, unknown>>): Promise<void> {
    const ports = await this.#known()
    const commands = Object.entries(inputs).map(([port, value]) => {
      const command = ports.inputs.get(port)?.command
      if (command === undefined || command === null) throw new Error(ports.fault ?? `"${port}" cannot be set`)
      try {
        return { topic: command.topic, payload: command.write(value) }
      } catch (error) {
        throw new Error(`input "${port}": ${reasonOf(error)}`, { cause: error })
      }
    })
    await Promise.all(commands.map(({ topic, payload }) => this.#link.publish(topic, payload)))
  }

  /** The ports, once there are a connection and a device; rejects when that takes too long. */
  async #known(): Promise<DevicePorts> {
    const { ctx, config } = this
    if (!this.#link.isOpen) this.#link.open()
    // a broker that is away is not waited for
    if (this.#connection.status === 'ok' && (this.#ports === null || !this.#link.isUp)) {
      const { promise, resolve } = Promise.withResolvers<void>()
      this.#waiting.add(resolve)
      const cancel = ctx.after(config.timeout, resolve)
      await promise
      cancel()
      this.#waiting.delete(resolve)
    }
    if (this.#ports !== null && this.#link.isUp) return this.#ports
    throw new Error(this.#connection.status === 'ok' ? this.#missing() : this.#connection.message)
  }

  #up(): void {
    this.ctx.after(GRACE_S, () => {
      this.#isSettled = true
      this.#judge()
    })
    this.#bind()
  }

  #message(topic: string, payload: Buffer, retained: boolean): void {
    if (this.#directory.heard(topic, payload)) this.#bind()
    const ports = this.#ports
    if (ports === null || !this.#subscribed.has(topic)) return
    const text = payload.length > MAX_VALUE_BYTES ? null : payload.toString()
    if (text !== null && availabilitiesOf(ports).some(({ topics }) => topics.some((each) => each.topic === topic))) {
      // the newest is the last
      this.#heard.delete(topic)
      this.#heard.set(topic, text)
    }
    this.#read(ports, topic, text, retained)
    this.#judge()
  }

  /** Publishes what a message has for the ports. */
  #read({ outputs }: DevicePorts, topic: string, text: string | null, retained: boolean): void {
    if (!this.ctx.listens || this.ctx.mode !== 'live') return
    const values: Record<string, unknown> = {}
    let fault: string | null = null
    for (const { port, channel } of outputs) {
      if (channel.state?.topic !== topic) continue
      try {
        if (text === null) throw new Error(`more than ${MAX_VALUE_BYTES} bytes came`)
        const value = channel.state.read(text)
        // what the broker has kept comes with every connection
        if (value === undefined || (retained && isDeepStrictEqual(value, this.ctx.current(port.port)))) continue
        values[port.port] = value
      } catch (error) {
        fault = `device "${this.config.device}", output "${port.port}": ${reasonOf(error)}; it was dropped`
      }
    }
    this.#reading = fault
    try {
      if (Object.keys(values).length > 0) this.inject(values)
    } catch (error) {
      this.#reading = `device "${this.config.device}": ${reasonOf(error)}; it was dropped`
    }
  }

  /** Follows what the device has now. */
  #bind(): void {
    const { channels } = this.#directory
    this.#ports = channels === null ? null : bind(this.config.device, channels, this.inputs, this.outputs)
    if (!this.#link.isUp) return
    const topics = this.#ports === null ? new Set<string>() : topicsOf(this.#ports)
    const more = [...topics].filter((topic) => !this.#subscribed.has(topic))
    const fewer = [...this.#subscribed].filter((topic) => !topics.has(topic))
    this.#subscribed = topics
    if (fewer.length > 0) this.#link.unsubscribe(fewer)
    if (more.length > 0) this.#link.subscribe(more, () => this.#ask(more))
    this.#judge()
    if (this.#ports !== null) this.#wake()
  }

  /** Commands that wait look whether they can be sent, or fail. */
  #wake(): void {
    for (const go of this.#waiting) go()
  }

  /** Asks for states that no broker keeps. */
  #ask(topics: readonly string[]): void {
    const asked =
      this.#ports?.outputs.filter(({ channel: { state } }) => state !== null && topics.includes(state.topic)) ?? []
    for (const { channel } of asked)
      if (channel.ask !== null) this.#link.publish(channel.ask.topic, channel.ask.payload).catch(() => {})
  }

  /** Tells the worst that is known. */
  #judge(): void {
    const { status, message } = this.#told()
    this.reportHealth(status, message)
  }

  #told(): Told {
    if (this.#connection.status !== 'ok') return this.#connection
    if (this.#ports === null) {
      if (!this.#isSettled) return { status: 'ok' }
      if (!this.#hasListed) this.ctx.log(`devices that were announced: ${this.#directory.names.join(', ') || 'none'}`)
      this.#hasListed = true
      return { status: 'degraded', message: this.#missing() }
    }
    if (this.#ports.fault !== null) return { status: 'degraded', message: this.#ports.fault }
    if (availabilitiesOf(this.#ports).some((each) => isAway(each, this.#heard)))
      return { status: 'down', message: `device "${this.config.device}" is offline; look to its power and its radio` }
    return this.#reading === null ? { status: 'ok' } : { status: 'degraded', message: this.#reading }
  }

  #missing(): string {
    const { names } = this.#directory
    const seen =
      names.length === 0
        ? 'none was announced'
        : `there are ${names.slice(0, 20).join(', ')}${names.length > 20 ? ', …' : ''}`
    return `${this.#link.shown} has no device "${this.config.device}"; ${seen}`
  }
}
