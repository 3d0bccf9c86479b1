/**
 * The sending side of `mqtt`: inputs are published to their topics (wire decision G70).
 *
 * Without a connection, or when it takes no more, payloads wait in a bounded queue of which the oldest gives way. With
 * QoS 1 and 2 a payload is *in flight* until the broker has it; those that a lost connection leaves in flight are sent
 * again before all others. A broker that acknowledges nothing for the timeout is left, and what was in flight given up.
 * @module
 */
import type { Cancel, NodeContext, NodeInstance } from '@flow-service/connector-sdk'

import { HIGH_WATER_BYTES } from '../../frame-sender.ts'
import { SendQueue } from '../../send-queue.ts'
import { valueText } from '../../value-text.ts'
import type { BrokerConnection, MqttLibrary, Published } from './connection.ts'
import { BrokerLink } from './link.ts'
import type { MqttSettings } from './settings.ts'
import { topicOf } from './topic.ts'

type Context = NodeContext<MqttSettings>

/**
 * Payloads that a broker may have without an acknowledgement, by QoS. Mosquitto keeps 20 of QoS 2 for each client unless
 * it is told otherwise, and drops what comes beyond them.
 */
const MAX_IN_FLIGHT = { 0: Infinity, 1: 256, 2: 20 }

interface Payload extends Published {
  readonly done?: (error?: Error) => void
}

/** Publish each arrival. In runs an execution ends when the broker has the payload. */
export function startSender(ctx: Context, library: MqttLibrary): NodeInstance {
  const sender = new Sender(ctx, library)
  const topics = new Map(ctx.inputs.map((port) => [port.port, topicOf(ctx.settings.topic, port) ?? '']))
  const isAwaited = ctx.mode === 'batch' || !ctx.listens
  return {
    onValue(port, value) {
      const payload = { topic: topics.get(port) ?? '', text: valueText(value) }
      return isAwaited ? sender.deliver(payload) : sender.send(payload)
    },
    stop: () => sender.stop(),
  }
}

class Sender {
  readonly #ctx: Context
  readonly #link: BrokerLink
  readonly #queue: SendQueue<Payload>
  readonly #inFlight = new Set<Payload>()
  readonly #isAcknowledged: boolean
  #connection: BrokerConnection | null = null
  /** The connection takes no more. */
  #isBlocked = false
  #acknowledged = 0
  #watch: Cancel | null = null

  constructor(ctx: Context, library: MqttLibrary) {
    this.#ctx = ctx
    this.#queue = new SendQueue(ctx.settings.send_queue_size)
    this.#isAcknowledged = ctx.settings.qos > 0
    const up = (connection: BrokerConnection): void => {
      this.#connection = connection
      this.#flow()
    }
    this.#link = new BrokerLink({ library, ctx, filters: [], events: { up, lost: () => this.#lost() } })
    this.#link.open()
  }

  send(payload: Payload): void {
    if (this.#connection !== null && !this.#isFull) return this.#hand(this.#connection, payload)
    const old = this.#queue.push(payload)
    if (old !== undefined) this.#drop([old])
  }

  /** Resolves once the broker has the payload; rejects when that takes too long. */
  async deliver(payload: Published): Promise<void> {
    const { timeout } = this.#ctx.settings
    const { signal } = this.#ctx
    let cancel: Cancel = () => {}
    try {
      await new Promise<void>((resolve, reject) => {
        const late = (): void =>
          reject(new Error(`${this.#link.redial.reason || 'the broker'}: not published within ${timeout} s`))
        cancel = this.#ctx.after(timeout, late)
        signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true })
        this.send({ ...payload, done: (error) => (error ? reject(error) : resolve()) })
      })
    } finally {
      cancel()
    }
  }

  stop(): void {
    this.#connection = null
    this.#unwatch()
    this.#link.stop()
  }

  get #isFull(): boolean {
    return this.#isBlocked || this.#inFlight.size >= MAX_IN_FLIGHT[this.#ctx.settings.qos]
  }

  #hand(connection: BrokerConnection, payload: Payload): void {
    if (this.#isAcknowledged) {
      this.#inFlight.add(payload)
      this.#watch ??= this.#watchFor(this.#acknowledged)
      connection.publish(payload, () => this.#taken(payload))
    } else connection.publish(payload, payload.done && (() => payload.done?.()))
    if (!this.#isBlocked && connection.waiting >= HIGH_WATER_BYTES) this.#block(connection)
  }

  #block(connection: BrokerConnection): void {
    this.#isBlocked = true
    this.#watch ??= this.#watchFor(this.#acknowledged)
    connection.onceTaken(() => {
      if (this.#connection !== connection) return
      this.#isBlocked = false
      this.#acknowledged++
      this.#flow()
    })
  }

  #taken(payload: Payload): void {
    if (!this.#inFlight.delete(payload)) return
    this.#acknowledged++
    payload.done?.()
    if (this.#queue.length > 0) this.#flow()
  }

  #flow(): void {
    while (this.#connection !== null && !this.#isFull) {
      const payload = this.#queue.shift()
      if (payload === undefined) break
      this.#hand(this.#connection, payload)
    }
    if (this.#queue.length === 0) this.#link.health.drained()
  }

  /** Looks once in the timeout whether anything was taken since. */
  #watchFor(seen: number): Cancel {
    const { timeout } = this.#ctx.settings
    return this.#ctx.after(timeout, () => {
      this.#watch = null
      if (this.#inFlight.size === 0 && !this.#isBlocked) return
      if (this.#acknowledged > seen) {
        this.#watch = this.#watchFor(this.#acknowledged)
        return
      }
      const given = [...this.#inFlight]
      this.#inFlight.clear()
      for (const { done } of given) done?.(new Error(`the broker took nothing for ${timeout} s`))
      if (given.length > 0) this.#ctx.log(`${given.length} payloads were given up: no acknowledgement in ${timeout} s`)
      this.#connection?.fail(`took nothing for ${timeout} s`)
    })
  }

  #lost(): void {
    this.#connection = null
    this.#isBlocked = false
    this.#unwatch()
    const left = [...this.#inFlight]
    this.#inFlight.clear()
    this.#drop(this.#queue.putBack(left))
  }

  #drop(payloads: readonly Payload[]): void {
    if (payloads.length === 0) return
    const what = `more than ${this.#queue.limit} payloads wait; the oldest are dropped`
    for (const { done } of payloads) done?.(new Error(what))
    this.#link.health.dropped(payloads.length, what)
  }

  #unwatch(): void {
    this.#watch?.()
    this.#watch = null
  }
}
