/**
 * The listening side of `mqtt`: what is published to its topics comes out of its ports (wire decision G70).
 * @module
 */
import type { NodeContext, NodeInstance, NodePort, Values } from '@flow-service/connector-sdk'
import { accepts } from '@flow-service/protocol'

import { keyOf, MAX_MESSAGE_BYTES, NOTHING, valueIn } from '../../payload-values.ts'
import type { MqttLibrary } from './connection.ts'
import { BrokerLink } from './link.ts'
import type { MqttSettings } from './settings.ts'
import { routing, topicOf, widest } from './topic.ts'

type Context = NodeContext<MqttSettings>

/** Subscribe until the node stops. A trigger publishes the values it brings. */
export function startListener(ctx: Context, library: MqttLibrary): NodeInstance {
  const { outputs, settings } = ctx
  const portsOf = routing(outputs, settings.topic)
  const filters = widest(outputs.flatMap((port) => topicOf(settings.topic, port) ?? []))
  const decoder = new TextDecoder()
  const heard = (topic: string, payload: Uint8Array): void => {
    const { values, fault } =
      payload.length > MAX_MESSAGE_BYTES
        ? { values: null, fault: `has ${payload.length} bytes, more than ${MAX_MESSAGE_BYTES}` }
        : read(portsOf(topic), decoder.decode(payload), settings)
    link.health.reading(fault === null ? null : `what came from the topic "${topic}" ${fault}; it was dropped`)
    if (values !== null) ctx.emit(values)
  }
  const link = new BrokerLink({ library, ctx, filters, events: { heard } })
  if (ctx.listens) link.open()
  return { onTrigger: (values) => values, stop: () => link.stop() }
}

interface Reading {
  readonly values: Values | null
  readonly fault: string | null
}

function read(ports: readonly NodePort[], text: string, { json_key }: MqttSettings): Reading {
  let values: Values | null = null
  let fault: string | null = null
  for (const each of ports) {
    const { port, dtype } = each
    const value = valueIn(text, each, keyOf(json_key, port))
    if (value === NOTHING) continue
    if (accepts(dtype, value)) (values ??= {})[port] = value
    else fault = `is no ${dtype} for the output "${port}"`
  }
  return { values, fault }
}
