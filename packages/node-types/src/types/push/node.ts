/**
 * `push`: sends a value as a notification to a server of ntfy's kind (wire decision G72; docs.ntfy.sh/publish, "Publish
 * as JSON").
 * @module
 */
import { defineNode, type NodeContext, type NodeFinding, type NodeShape } from '@flow-service/connector-sdk'
import { describeValue } from '@flow-service/protocol'
import * as z from 'zod'

import { RequestFailure, requestTitle, within } from '../../outgoing-request.ts'
import { credential, published, textOf } from '../../secret.ts'
import { addressFindings } from '../../server-address.ts'
import { valueText } from '../../value-text.ts'

const priorities = ['min', 'low', 'default', 'high', 'urgent'] as const
const prioritySchema = z.enum(priorities)
type Priority = z.infer<typeof prioritySchema>

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

/** What the value says of its notification itself. */
const ownSchema = z.object({
  message: z.string(),
  title: z.string().optional(),
  priority: z.union([prioritySchema, z.int().min(1).max(5)]).optional(),
  tags: z.union([z.string(), z.array(z.string())]).optional(),
})

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
  const body = JSON.stringify(notificationOf(ctx.settings, value))
  const headers: Record<string, string> = { 'content-type': 'application/json' }
  if (token !== null) headers['authorization'] = `Bearer ${textOf(token)}`
  await within(ctx, { seconds: timeout, title }, async (signal) => {
    // a redirect would make a GET of it, which sends nothing and looks like success
    const response = await ctx.fetch(server, { method: 'POST', headers, body, redirect: 'manual', signal })
    await response.body?.cancel()
    if (!response.ok)
      throw new RequestFailure('http_status', `${title} answered ${response.status} ${response.statusText}`.trim())
  })
}

function notificationOf({ topic, title, priority, tags }: Settings, value: unknown): object {
  const own = ownOf(value)
  const tagList = tagsOf(own?.tags ?? tags)
  const heading = own?.title ?? title
  return {
    topic,
    message: own?.message ?? valueText(value),
    ...(heading ? { title: heading } : {}),
    priority: levelOf(own?.priority ?? priority),
    ...(tagList.length > 0 ? { tags: tagList } : {}),
  }
}

function ownOf(value: unknown): z.infer<typeof ownSchema> | null {
  if (typeof value !== 'object' || value === null) return null
  if (typeof (value as { message?: unknown }).message !== 'string') return null
  const parsed = ownSchema.safeParse(value)
  if (parsed.success) return parsed.data
  const key = String(parsed.error.issues[0]?.path[0] ?? '')
  const given = describeValue((value as Record<string, unknown>)[key])
  const expected = { title: 'a text', priority: `one of ${priorities.join(', ')}, or 1 to 5`, tags: 'texts' }[key]
  throw new TypeError(`the ${key} of a notification is ${expected ?? 'a text'}, which ${given} is not`)
}

const levelOf = (priority: Priority | number): number =>
  typeof priority === 'number' ? priority : priorities.indexOf(priority) + 1

const tagsOf = (tags: string | readonly string[] | null): string[] =>
  (typeof tags === 'string' ? tags.split(',') : (tags ?? [])).map((tag) => tag.trim()).filter((tag) => tag !== '')

const portFindings = ({ inputs }: NodeShape): NodeFinding[] =>
  inputs.length > 0 ? [] : [{ code: 'unsupported_ports', message: 'a push has inputs, whose values it sends; add one' }]
