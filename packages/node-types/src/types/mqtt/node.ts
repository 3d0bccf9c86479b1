/**
 * `mqtt`: subscribes to topics when it has outputs, publishes to them when it has inputs (wire decision G70).
 * @module
 */
import {
  defineNode,
  type NodeContext,
  type NodeFinding,
  type NodeInstance,
  type NodePort,
  type NodeShape,
} from '@flow-service/connector-sdk'

import { missingPackage, notInstalled } from '../../optional-package.ts'
import { jsonKeyFindings } from '../../payload-values.ts'
import { shownAddress } from '../../shown-address.ts'
import type { MqttLibrary } from './connection.ts'
import { startListener } from './listener.ts'
import { startSender } from './sender.ts'
import { brokerOf, type MqttSettings, mqttSettings } from './settings.ts'
import { overlap, topicFault, topicOf, widest } from './topic.ts'

type Shape = NodeShape<MqttSettings>

const PACKAGE = 'mqtt'

/** Listens to a broker, or publishes to it. */
export const mqttNode = defineNode({
  type: 'mqtt',
  title: 'MQTT',
  description: 'With outputs: subscribes to topics of a broker. With inputs: publishes to them.',
  category: 'network',
  settings: mqttSettings,
  modes: ({ inputs }) => (inputs.length > 0 ? ['live', 'batch'] : ['live']),
  arrival: 'each',
  idempotent: ({ inputs }) => inputs.length === 0,
  missing: () => missingPackage(PACKAGE),
  check: (shape) => [
    ...portFindings(shape),
    ...brokerFindings(shape),
    ...topicFindings(shape),
    ...jsonKeyFindings(shape),
  ],
  start: (ctx) => startWith(ctx, () => import('mqtt')),
})

/** Start with the library, once it is there; without it the node is down and says what to install. */
export async function startWith(
  ctx: NodeContext<MqttSettings>,
  load: () => Promise<MqttLibrary>,
): Promise<NodeInstance> {
  let library: MqttLibrary
  try {
    library = await load()
  } catch {
    ctx.reportHealth('down', notInstalled(PACKAGE))
    return {}
  }
  return ctx.inputs.length > 0 ? startSender(ctx, library) : startListener(ctx, library)
}

const bad = (setting: string, message: string): NodeFinding => ({
  code: 'bad_setting',
  path: `/settings/${setting}`,
  message,
})

function portFindings({ inputs, outputs }: Shape): NodeFinding[] {
  if (inputs.length > 0 !== outputs.length > 0) return []
  const message = 'an mqtt node listens with outputs, or publishes with inputs; give it either, and not both'
  return [{ code: 'unsupported_ports', message }]
}

function brokerFindings({ settings }: Shape): NodeFinding[] {
  const findings: NodeFinding[] = []
  if (brokerOf(settings) === null) {
    const message = `"${shownAddress(settings.broker_host)}" is no broker; use its name or address, with the port in broker_port`
    findings.push(bad('broker_host', message))
  }
  if (settings.password !== null && settings.username === null)
    findings.push(bad('username', 'a password needs a user name; set one'))
  return findings
}

function topicFindings({ inputs, outputs, settings: { topic } }: Shape): NodeFinding[] {
  const use = inputs.length > 0 ? 'publish' : 'subscribe'
  const ports = inputs.length > 0 ? inputs : outputs
  const findings = ports.flatMap((port) => portFinding(port, topic, use))
  if (findings.length > 0 || use === 'publish') return findings
  const filters = widest(ports.flatMap((port) => topicOf(topic, port) ?? []))
  for (const [at, one] of filters.entries()) {
    const other = filters.slice(at + 1).find((each) => overlap(one, each))
    if (other === undefined) continue
    const message = `the filters "${one}" and "${other}" share topics, whose values a broker may send twice; use two nodes`
    findings.push({ ...bad('topic', message), severity: 'warning' })
  }
  return findings
}

function portFinding(port: NodePort, setting: MqttSettings['topic'], use: 'publish' | 'subscribe'): NodeFinding[] {
  const topic = topicOf(setting, port)
  if (topic === undefined)
    return [bad('topic', `there is no topic for the port "${port.port}"; name one by its message`)]
  const fault = topicFault(topic, use)
  return fault === null ? [] : [bad('topic', `the topic "${topic}" ${fault}`)]
}
