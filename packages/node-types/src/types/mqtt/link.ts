/**
 * The connection of an `mqtt` node to its broker, kept up until the node stops. No two nodes share one: MQTT 3.1.1 does
 * not tell for which subscription a message comes, so that overlapping filters of one connection would double messages
 * or lose some, and a refused subscription, a full queue or a stop of one node would be felt by the others.
 * @module
 */
import { type NodeContext, Redial } from '@flow-service/connector-sdk'

import { LinkHealth } from '../../link-health.ts'
import { textOf } from '../../secret.ts'
import { withoutPassword } from '../../shown-address.ts'
import { BrokerConnection, type ConnectionEvents, type MqttLibrary } from './connection.ts'
import { brokerOf, type MqttSettings } from './settings.ts'

/** The library and the node, with its topics and handlers. */
export interface LinkDeps {
  readonly library: MqttLibrary
  readonly ctx: NodeContext<MqttSettings>
  readonly filters: readonly string[]
  readonly events: Partial<ConnectionEvents>
}

/** One object a node. */
export class BrokerLink {
  readonly health: LinkHealth
  readonly redial: Redial
  readonly #deps: LinkDeps
  readonly #clientId: string
  #connection: BrokerConnection | null = null
  #isStopped = false

  constructor(deps: LinkDeps) {
    this.#deps = deps
    const { ctx } = deps
    this.#clientId = ctx.settings.client_id ?? `fs-${crypto.randomUUID().replaceAll('-', '').slice(0, 18)}`
    this.health = new LinkHealth(ctx)
    this.redial = new Redial({ ctx, open: () => this.open(), tell: this.health.connection })
  }

  open(): void {
    if (this.#isStopped) return
    const { events } = this.#deps
    try {
      this.#connection = new BrokerConnection({
        ...this.#deps,
        clientId: this.#clientId,
        events: {
          up: (connection) => {
            this.redial.up()
            events.up?.(connection)
          },
          heard: (topic, payload) => events.heard?.(topic, payload),
          lost: (reason) => this.#lost(reason),
        },
      })
    } catch (error) {
      this.#lost((error as Error).message)
    }
  }

  stop(): void {
    this.#isStopped = true
    this.redial.stop()
    this.#connection?.close()
    this.#connection = null
  }

  #lost(reason: string): void {
    this.#connection = null
    this.#deps.events.lost?.(reason)
    const { settings } = this.#deps.ctx
    const broker = brokerOf(settings)
    const password = settings.password === null ? null : textOf(settings.password)
    this.redial.failed(`broker ${broker?.host}:${broker?.port}: ${withoutPassword(reason, password)}`)
  }
}
