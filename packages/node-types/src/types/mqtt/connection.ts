/**
 * One connection to a broker, from the first packet to its end. MQTT 3.1.1 with a clean session: what a connection
 * leaves behind is nothing. Answers to packets that came together leave together.
 * @module
 */
import type { Duplex } from 'node:stream'

import { type Cancel, gatherWrites, type NodeContext } from '@flow-service/connector-sdk'
import type * as mqtt from 'mqtt'

import { textOf } from '../../secret.ts'
import { shownAddress } from '../../shown-address.ts'
import { brokerOf, type MqttSettings } from './settings.ts'

/** The library, which an engine may not have. */
export type MqttLibrary = Pick<typeof mqtt, 'MqttClient'>

/** What is told of a connection. */
export interface ConnectionEvents {
  /** It is signed in and has subscribed. */
  up(connection: BrokerConnection): void
  heard(topic: string, payload: Uint8Array): void
  /** It has ended, or never came to be. Told once, and not after `close`. */
  lost(reason: string): void
}

/** A text and where it goes. */
export interface Published {
  readonly topic: string
  readonly text: string
}

interface ConnectionDeps {
  readonly library: MqttLibrary
  readonly ctx: NodeContext<MqttSettings>
  readonly clientId: string
  readonly filters: readonly string[]
  readonly events: ConnectionEvents
}

const LONGEST_TIMER_MS = 2 ** 31 - 1

/** Opens when it is made. */
export class BrokerConnection {
  readonly #ctx: NodeContext<MqttSettings>
  readonly #events: ConnectionEvents
  readonly #options: { readonly qos: 0 | 1 | 2; readonly retain: boolean }
  readonly #bound: Cancel
  #stream: Duplex | null = null
  #client: mqtt.MqttClient | null = null
  #isOver = false

  constructor({ library, ctx, clientId, filters, events }: ConnectionDeps) {
    const { keepalive, password, qos, retain, timeout, username } = ctx.settings
    this.#ctx = ctx
    this.#events = events
    this.#options = { qos, retain }
    this.#bound = ctx.after(timeout, () => this.fail(`gave no answer within ${timeout} s`))
    const client = new library.MqttClient(() => this.#open(), {
      clientId,
      keepalive,
      clean: true,
      protocolVersion: 4,
      reconnectPeriod: 0,
      resubscribe: false,
      queueQoSZero: false,
      // bounded above, by the engine's clock
      connectTimeout: Math.min(LONGEST_TIMER_MS, timeout * 2000 + 60_000),
      timerVariant: 'native',
      // the library describes each packet to its log, some twenty times
      log: () => {},
      ...(username === null ? {} : { username: textOf(username) }),
      ...(password === null ? {} : { password: textOf(password) }),
    })
    this.#client = client
    client.on('error', (error) => this.fail(error.message || error.name))
    client.on('close', () => this.fail('closed the connection'))
    client.on('message', (topic, payload) => {
      if (!this.#isOver) events.heard(topic, payload)
    })
    client.on('connect', () => this.#subscribe(client, filters))
  }

  /** Bytes that the connection has not taken yet. */
  get waiting(): number {
    return this.#stream?.writableLength ?? 0
  }

  /** Calls `run` once the connection has taken everything. */
  onceTaken(run: () => void): void {
    this.#stream?.once('drain', run)
  }

  /** `done` is called once the broker has it; with QoS 0, once the connection has taken it. Not after its end. */
  publish({ topic, text }: Published, done?: () => void): void {
    this.#client?.publish(topic, text, this.#options, done && ((error) => (error || this.#isOver ? undefined : done())))
  }

  /** Ends it for a reason. */
  fail(reason: string): void {
    if (this.#isOver) return
    this.#end()
    this.#client?.end(true)
    this.#stream?.destroy()
    this.#events.lost(reason)
  }

  /** Says good-bye, and ends it. */
  close(): void {
    if (this.#isOver) return
    this.#end()
    const client = this.#client
    const isIdle = client?.connected === true && Object.keys(client.outgoing).length === 0 && this.waiting === 0
    client?.end(!isIdle)
    if (isIdle) this.#stream?.end()
    else this.#stream?.destroy()
  }

  #end(): void {
    this.#isOver = true
    this.#bound()
  }

  #open(): Duplex {
    const broker = brokerOf(this.#ctx.settings)
    if (broker === null) throw new Error(`"${shownAddress(this.#ctx.settings.broker_host)}" names no broker`)
    this.#stream = this.#ctx.connect(broker)
    this.#stream.on('error', (error) => this.fail(error.message))
    // the library acknowledges each message with a system call of its own otherwise
    this.#stream.on('data', gatherWrites(this.#stream))
    return this.#stream
  }

  #subscribe(client: mqtt.MqttClient, filters: readonly string[]): void {
    if (this.#isOver) return
    if (filters.length === 0) return this.#up()
    client.subscribe([...filters], { qos: this.#options.qos }, (error, granted) => {
      if (this.#isOver) return
      const refused = granted?.find(({ qos }) => qos > 2)
      if (error || refused) this.fail(`refuses the subscription to "${refused?.topic ?? filters.join('", "')}"`)
      else this.#up()
    })
  }

  #up(): void {
    this.#bound()
    this.#events.up(this)
  }
}
