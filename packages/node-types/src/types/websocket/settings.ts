/**
 * Settings of `websocket` (wire decision G69).
 * @module
 */
import * as z from 'zod'

import { jsonKey } from '../../payload-values.ts'
import { credential, textOrSecret } from '../../secret.ts'

/** Settings of a `websocket` node as documents hold them. */
export const websocketSettings = z.strictObject({
  url: z
    .string()
    .min(1)
    .max(2000)
    .describe('A ws:// or wss:// URL to connect to, or the path to serve, such as /ticker.'),
  headers: z.record(z.string(), textOrSecret).default({}).describe('Headers of the handshake; clients only.'),
  on_connect: z.array(textOrSecret).max(100).default([]).describe('Texts to send after each connect; clients only.'),
  secret: credential
    .nullable()
    .default(null)
    .meta({ 'x-secret': true, description: 'Last part of a served socket’s address; without it anyone may connect.' }),
  timeout: z
    .number()
    .positive()
    .max(86_400)
    .default(10)
    .describe('Seconds for the handshake, and for a client to take what is sent.'),
  send_queue_size: z
    .int()
    .min(1)
    .max(100_000)
    .default(256)
    .describe('Messages that may wait; of more the oldest is dropped.'),
  json_key: jsonKey,
})

/** Settings of a `websocket` node in normal form. */
export type WebsocketSettings = z.infer<typeof websocketSettings>

/** Whether a node connects to a server; otherwise it is one. */
export const isClient = ({ url }: Pick<WebsocketSettings, 'url'>): boolean => /^[a-z][a-z\d+.-]*:/i.test(url)

/** Where a socket is served below its flow. */
export const routeOf = ({ url }: Pick<WebsocketSettings, 'url'>): string => url.replace(/^\//, '')
