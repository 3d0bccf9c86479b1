/**
 * The connection of a node to its broker, kept up until the node stops: MQTT 3.1.1 with a clean session, over the stream of
 * `ctx.connect`.
 * @module
 */
import type { Duplex } from 'node:stream'

import { gatherWrites, type NodeContext, Redial, type RedialDeps } from '@flow-service/connector-sdk'
import { MqttClient } from 'mqtt'

/** Where the broker is, and who asks. */
interface BrokerSettings {
  readonly broker_host: string
  readonly broker_port: number
  readonly tls: boolean
  readonly username?: string | undefined
  readonly password?: string | undefined
  readonly timeout: number
}

/** The broker, what is subscribed to, and who is told. */
export interface BrokerLinkDeps {
  readonly ctx: Pick<NodeContext, 'after' | 'connect' | 'now'>
  readonly settings: BrokerSettings
  /** Filters that every connection begins with. */
  readonly filters: readonly string[]
  readonly tell: RedialDeps['tell']
  /** A connection is signed in and has subscribed. */
  readonly onUp: () => void
  /** `retained`: what the broker has kept for new subscribers. */
  readonly onMessage: (topic: string, payload: Buffer, retained: boolean) => void
  readonly onLost: () => void
}

/** One connection. */
interface Connection {
  readonly client: MqttClient
  /** Commands that the broker has not acknowledged. */
  readonly waiting: Set<(error: Error) => void>
}

/** Seconds between two signs of life. */
const KEEPALIVE_S = 60

/** One object a node. */
export class BrokerLink {
  readonly #deps: BrokerLinkDeps
  readonly #redial: Redial
  readonly #clientId = `fs-${crypto.randomUUID().replaceAll('-', '').slice(0, 18)}`
  #connection: Connection | null = null
  #isUp = false
  #isStopped = false

  constructor(deps: BrokerLinkDeps) {
    this.#deps = deps
    this.#redial = new Redial({ ctx: deps.ctx, tell: deps.tell, open: () => this.open() })
  }

  /** As it is shown to people. */
  get shown(): string {
    const { broker_host: host, broker_port: port } = this.#deps.settings
    return `broker ${host}:${port}`
  }

  /** Whether it can be used. */
  get isUp(): boolean {
    return this.#isUp
  }

  /** Whether a first attempt has been made. */
  get isOpen(): boolean {
    return this.#connection !== null || this.#redial.reason !== ''
  }

  open(): void {
    if (this.#isStopped) return
    const { ctx, filters, onMessage, onUp, settings } = this.#deps
    const { password, timeout, username } = settings
    const client = new MqttClient(() => this.#stream(), {
      clientId: this.#clientId,
      keepalive: KEEPALIVE_S,
      clean: true,
      protocolVersion: 4,
      reconnectPeriod: 0,
      resubscribe: false,
      queueQoSZero: false,
      // bounded below, by the engine's clock
      connectTimeout: timeout * 2000 + 60_000,
      timerVariant: 'native',
      // the library describes each packet to its log, some twenty times
      log: () => {},
      ...(username !== undefined && { username }),
      ...(password !== undefined && { password }),
    })
    this.#connection = { client, waiting: new Set() }
    const cancel = ctx.after(timeout, () => this.#fail(client, `gave no answer within ${timeout} s`))
    client.on('error', (error) => this.#fail(client, error.message || error.name))
    client.on('close', () => {
      cancel()
      this.#fail(client, 'closed the connection')
    })
    client.on('message', (topic, payload, { retain }) => {
      if (this.#connection?.client === client) onMessage(topic, payload, retain)
    })
    client.on('connect', () =>
      this.subscribe(filters, () => {
        cancel()
        this.#isUp = true
        this.#redial.up()
        onUp()
      }),
    )
  }

  /** Begins to hear topics or filters; a broker that refuses them is left, and told. */
  subscribe(filters: readonly string[], done?: () => void): void {
    const client = this.#connection?.client
    if (client === undefined) return
    client.subscribe([...filters], { qos: 1 }, (error, granted) => {
      if (this.#connection?.client !== client) return
      const refused = granted?.find(({ qos }) => qos > 2)
      if (error || refused)
        this.#fail(client, `refuses the subscription to "${refused?.topic ?? filters.join('", "')}"`)
      else done?.()
    })
  }

  unsubscribe(topics: readonly string[]): void {
    this.#connection?.client.unsubscribe([...topics])
  }

  /** Resolves once the broker has it; rejects when it does not take it in time. */
  async publish(topic: string, payload: string): Promise<void> {
    const connection = this.#connection
    const { ctx, settings } = this.#deps
    if (connection === null || !this.#isUp) throw new Error(this.#redial.reason || `${this.shown} is not connected`)
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    connection.waiting.add(reject)
    const cancel = ctx.after(settings.timeout, () =>
      reject(new Error(`${this.shown} has not taken a command within ${settings.timeout} s`)),
    )
    try {
      connection.client.publish(topic, payload, { qos: 1 }, (error) => (error ? reject(error) : resolve()))
      await promise
    } finally {
      cancel()
      connection.waiting.delete(reject)
    }
  }

  stop(): void {
    this.#isStopped = true
    this.#redial.stop()
    this.#leave(`${this.shown}: the node has stopped`)
  }

  #stream(): Duplex {
    const { ctx, settings } = this.#deps
    const stream = ctx.connect({ host: settings.broker_host, port: settings.broker_port, tls: settings.tls })
    const client = this.#connection?.client
    stream.on('error', (error) => {
      const at = client ?? this.#connection?.client
      if (at !== undefined) this.#fail(at, error.message)
    })
    stream.on('data', gatherWrites(stream))
    return stream
  }

  #fail(client: MqttClient, reason: string): void {
    if (this.#connection?.client !== client) return
    this.#leave(`${this.shown}: ${reason}`)
    this.#deps.onLost()
    this.#redial.failed(`${this.shown}: ${reason}`)
  }

  #leave(reason: string): void {
    const connection = this.#connection
    this.#connection = null
    this.#isUp = false
    if (connection === null) return
    connection.client.end(true)
    for (const reject of connection.waiting) reject(new Error(reason))
  }
}
