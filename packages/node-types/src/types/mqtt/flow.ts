/**
 * Typed constructors of `mqtt`.
 * @module
 */
import { type Inputs, nodeType, type Outputs, type SecretRef, type TypedNode } from '@flow-service/flow-sdk'

import type { NoPorts } from '../../constructor-ports.ts'

/** Where a broker is, and how it is spoken to. */
export interface MqttConnection {
  /** Name or address of the broker, `mqtts://` before it for TLS; `localhost` unless given. */
  readonly brokerHost?: string
  /** 1883 unless given. */
  readonly brokerPort?: number
  readonly username?: string | SecretRef
  readonly password?: string | SecretRef
  /** A new one for each start unless given. */
  readonly clientId?: string
  /** 0 unless given. */
  readonly qos?: 0 | 1 | 2
  /** Seconds between two signs of life; 60 unless given. */
  readonly keepalive?: number
  /** Seconds until an operation is given up; 10 unless given. */
  readonly timeout?: number
}

/** Options of {@link mqtt.subscribe}. */
export interface MqttSubscribeOptions<O extends Outputs> extends MqttConnection {
  readonly out: O
  /** One topic or filter for all outputs, or one by output. */
  readonly topic: string | { readonly [K in keyof O]: string }
  /** Key that is taken out of an object: one for all outputs, or one by output. */
  readonly jsonKey?: string | { readonly [K in keyof O]?: string }
}

/** Options of {@link mqtt.publish}. */
export interface MqttPublishOptions<I extends Inputs> extends MqttConnection {
  readonly in: I
  /** One topic for all inputs, or one by input. */
  readonly topic: string | { readonly [K in keyof I]: string }
  /** The broker keeps the last payload for later subscribers. */
  readonly retain?: boolean
  /** Payloads that may wait; 256 unless given. */
  readonly sendQueueSize?: number
}

const connectionOf = ({ brokerHost, brokerPort, clientId, ...settings }: MqttConnection) => ({
  ...settings,
  broker_host: brokerHost,
  broker_port: brokerPort,
  client_id: clientId,
})

/** Topics of a broker. */
export const mqtt = {
  /**
   * Emit what is published to topics; `+` stands for one level, `#` for the rest.
   * @example const { temp } = use(mqtt.subscribe({ topic: 'plant/+/temp', out: { temp: t.float } }))
   */
  subscribe: <O extends Outputs>({ out, jsonKey, ...settings }: MqttSubscribeOptions<O>): TypedNode<NoPorts, O> =>
    nodeType('mqtt', { out, settings: { ...connectionOf(settings), json_key: jsonKey } }),

  /**
   * Publish each value to a topic, text as it is and anything else as JSON.
   * @example use(mqtt.publish({ topic: 'plant/fan', in: { fan: t.bool }, qos: 1, retain: true }), { fan })
   */
  publish: <I extends Inputs>({
    in: inputs,
    sendQueueSize,
    ...settings
  }: MqttPublishOptions<I>): TypedNode<I, NoPorts> =>
    nodeType('mqtt', { in: inputs, out: {}, settings: { ...connectionOf(settings), send_queue_size: sendQueueSize } }),
}
