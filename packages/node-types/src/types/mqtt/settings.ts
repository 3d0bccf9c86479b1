/**
 * Settings of `mqtt` (wire decision G70).
 * @module
 */
import * as z from 'zod'

import { jsonKey } from '../../payload-values.ts'
import { credential, textOrSecret } from '../../secret.ts'

/** Settings of an `mqtt` node as documents hold them. */
export const mqttSettings = z.strictObject({
  topic: z
    .union([z.string().min(1), z.record(z.string(), z.string().min(1))])
    .default('*')
    .describe('One topic for all ports, or an object of topics by message. + stands for one level, # for the rest.'),
  broker_host: z.string().min(1).max(300).default('localhost').describe('Name or address; mqtts:// before it for TLS.'),
  broker_port: z.int().min(1).max(65_535).default(1883).describe('Port of the broker; 8883 speaks TLS.'),
  username: textOrSecret.nullable().default(null).describe('Name to sign in with.'),
  password: credential
    .nullable()
    .default(null)
    .meta({ 'x-secret': true, description: 'Password to sign in with; it needs a name.' }),
  client_id: z.string().min(1).max(200).nullable().default(null).describe('A new one for each start unless given.'),
  qos: z
    .union([z.literal(0), z.literal(1), z.literal(2)])
    .default(0)
    .describe('0: at most once, 1: at least once, 2: exactly once.'),
  retain: z.boolean().default(false).describe('The broker keeps the last payload for later subscribers.'),
  keepalive: z.int().min(0).max(65_535).default(60).describe('Seconds between two signs of life; 0 for none.'),
  timeout: z.number().positive().max(86_400).default(10).describe('Seconds until an operation is given up.'),
  send_queue_size: z
    .int()
    .min(1)
    .max(100_000)
    .default(256)
    .describe('Payloads that may wait; of more the oldest is dropped.'),
  json_key: jsonKey,
})

/** Settings of an `mqtt` node in normal form. */
export type MqttSettings = z.infer<typeof mqttSettings>

const TLS_PORT = 8883

/** Where the broker is; null when `broker_host` names none. */
export function brokerOf({
  broker_host,
  broker_port,
}: Pick<MqttSettings, 'broker_host' | 'broker_port'>): { host: string; port: number; tls: boolean } | null {
  const [, scheme, bracketed, plain] =
    /^(mqtts?:\/\/)?(?:\[([\da-f:.]+)\]|([^\s/@?#[\]\0]+))\/?$/i.exec(broker_host) ?? []
  const host = bracketed ?? plain
  // a name with a port in it is no IPv6 address
  if (host === undefined || (bracketed === undefined && /^[^:]*:[^:]*$/.test(host))) return null
  return { host, port: broker_port, tls: scheme?.toLowerCase() === 'mqtts://' || broker_port === TLS_PORT }
}
