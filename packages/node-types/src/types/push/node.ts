/**
 * `push`: sends a value as a notification to a server of ntfy's kind (wire decision G72).
 * @module
 */
import { defineNode, type NodeContext, type NodeFinding, type NodeShape } from '@flow-service/connector-sdk'
import * as z from 'zod'

import { RequestFailure, requestTitle, within } from '../../outgoing-request.ts'
import { credential, published, textOf } from '../../secret.ts'
import { addressFindings } from '../../server-address.ts'
import { prioritySchema, pushRequest } from './push-request.ts'

const settings = z.strictObject({
  server: z.string().min(1).max(2000).default('https://ntfy.sh').describe('URL of the push server.'),
  topic: z
    .string()
    .regex(/^[-_A-Za-z0-9]{1,64}$/, 'use 1 to 64 letters, digits, "-" and "_"')
    .describe('Topic that receivers have subscribed to; on a public server, who knows it can read along.'),
  title: z
    .string()
    .max(1000)
    .nullable()
    .default(null)
    .describe('Title of the notification; empty has none.')
    .meta(published),
  priority: prioritySchema.default('default').describe('How much the notification stands out.'),
  tags: z.string().max(1000).nullable().default(null).describe('Tags, separated by commas.').meta(published),
  token: credential
    .nullable()
    .default(null)
    .meta({ 'x-secret': true, description: 'Access token, for a protected topic.' }),
  timeout: z.number().positive().max(86_400).default(10).describe('Seconds to wait for the answer.'),
})
type Settings = z.infer<typeof settings>
type Context = NodeContext<Settings>

/** Sends a notification on each arrival. */
export const pushNode = defineNode({
  type: 'push',
  title: 'Push notification',
  description:
    'Sends each value as a notification. An object with a "message" may bring its own title, priority and tags.',
  category: 'network',
  settings,
  ports: { inputs: 'any', outputs: 'none' },
  arrival: 'each',
  // G79: a notification that was perhaps sent is not sent again
  idempotent: false,
  check: (shape) => [...portFindings(shape), ...addressFindings('server', shape.settings.server)],
  start: (ctx) => ({ onValue: (_port, value) => send(ctx, value) }),
})

async function send(ctx: Context, value: unknown): Promise<void> {
  const { server, token, timeout } = ctx.settings
  const title = requestTitle('POST', new URL(server))
  const request = pushRequest({ ...ctx.settings, token: token && textOf(token) }, value)
  await within(ctx, { seconds: timeout, title }, async (signal) => {
    const response = await ctx.fetch(server, { ...request, signal })
    await response.body?.cancel()
    if (!response.ok)
      throw new RequestFailure('http_status', `${title} answered ${response.status} ${response.statusText}`.trim())
  })
}

const portFindings = ({ inputs }: NodeShape): NodeFinding[] =>
  inputs.length > 0 ? [] : [{ code: 'unsupported_ports', message: 'a push has inputs, whose values it sends; add one' }]
