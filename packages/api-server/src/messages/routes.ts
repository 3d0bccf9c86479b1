/**
 * `/messages`: the catalogue, publishing and history (wire decision G28).
 * @module
 */
import {
  flowPart,
  messageHistoryEntrySchema,
  messageSchema,
  publishedMessageSchema,
  publishMessageSchema,
} from '@flow-service/protocol'
import * as z from 'zod'

import { endpoint, type Handlers, json, reply } from '../http/endpoint.ts'
import { nextPage, pageQuery } from '../http/query.ts'
import type { DeviceMessages, Messages } from './messages.ts'

const params = z.object({
  message: z.string().meta({ description: '`flow.message`, or `message` where a single flow declares it.' }),
})
const links = z.object({ link: z.string().optional().meta({ description: 'The next page, when there may be one.' }) })

export const messagesEndpoints = {
  list: endpoint({
    id: 'messages.list',
    method: 'get',
    path: '/messages/',
    summary: 'List messages',
    description: 'Every message that a published flow declares, with its last value.',
    auth: 'user',
    scope: 'messages:read',
    query: z.object({
      flow: z.string().optional().meta({ description: 'Only those of this flow.' }),
      prefix: z
        .string()
        .optional()
        .meta({ description: 'Only those whose qualified names begin so, as in `climate.room_`.' }),
    }),
    replies: { 200: reply.json('All messages by name.', z.array(messageSchema)) },
  }),
  publish: endpoint({
    id: 'messages.publish',
    method: 'post',
    path: '/messages/{message}',
    summary: 'Publish a value',
    description:
      'Feeds the flows that read the message. The answer comes when the value is stored as last value and history; ' +
      '`cascade` is null when nothing active reads the message. A device publishes what its ports send alone, by qualified names.',
    auth: ['user', 'device'],
    scope: 'messages:publish',
    params,
    body: json(publishMessageSchema),
    replies: { 200: reply.json('The value is stored.', publishedMessageSchema) },
    problems: ['message_not_declared', 'wrong_mode', 'validation_failed', 'forbidden'],
  }),
  history: endpoint({
    id: 'messages.history',
    method: 'get',
    path: '/messages/{message}/history',
    place: { param: 'message', names: 'message' },
    summary: 'Read the history of a message',
    description: 'Newest first: the last 1,000 values of at most 7 days. Values over 64 kB are null and `truncated`.',
    auth: 'user',
    scope: 'messages:read',
    params,
    query: pageQuery,
    replies: { 200: reply.json('A page of values.', z.array(messageHistoryEntrySchema), links) },
    problems: ['message_not_declared'],
  }),
} as const

/** What the endpoints work on. */
export interface MessagesHandlersDeps {
  readonly messages: Messages
  readonly ofDevices: DeviceMessages
}

export const messagesHandlers = (deps: MessagesHandlersDeps): Handlers<typeof messagesEndpoints> => ({
  list: async ({ query: { flow, prefix = '' } }) => ({
    status: 200,
    value: (await deps.messages.list()).filter(
      ({ name }) => name.startsWith(prefix) && (flow === undefined || flowPart(name) === flow),
    ),
  }),
  async publish({ params: { message }, body, principal }) {
    const value =
      principal.kind === 'device'
        ? await deps.ofDevices.publish(principal.id, message, body.value)
        : await deps.messages.publish(message, body.value)
    return { status: 200, value }
  },
  async history({ params: { message }, query, request }) {
    const value = await deps.messages.history(message, query)
    const headers = nextPage(request, { rows: value.length, limit: query.limit, cursor: value.at(-1)?.ts })
    return { status: 200, value, headers }
  },
})
