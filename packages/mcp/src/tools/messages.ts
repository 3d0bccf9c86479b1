/**
 * `list_messages` and `get_history`: what live flows say.
 * @module
 */
import { messageRefSchema } from '@flow-service/protocol'
import * as z from 'zod'

import { cursorSchema, given, nextBefore, nextSchema, olderThan, pageOf } from '../paging.ts'
import { tool } from '../tool.ts'
import { bounded, count, moreBy, report, shown } from '../words.ts'
import { flowName } from './flow-words.ts'

const valued = { value: z.unknown().describe('A long one is its JSON text, cut.'), truncated: z.boolean() }
/** Longest JSON of a value. */
const MAX_VALUE = 500

/** `list_messages`. */
export const listMessages = tool({
  name: 'list_messages',
  title: 'List messages',
  description:
    'The messages that published flows declare, with their last values, and who writes and reads them. get_history has the values before.',
  scope: 'messages:read',
  hints: { readOnly: true },
  input: z.strictObject({
    flow: flowName.optional(),
    query: z.string().max(200).optional().describe('A part of the name.'),
    cursor: cursorSchema,
  }),
  output: z.object({
    messages: z.array(
      z.object({
        name: z.string(),
        dtype: z.string(),
        ...valued,
        ts: z.string().nullable().describe('null: it had no value yet, this is the initial one.'),
        sources: z.array(z.string()).describe('Nodes that write it.'),
        readers: z.array(z.string()).describe('Nodes that read it, as flow/node.'),
      }),
    ),
    total: z.int(),
    next: nextSchema,
  }),
  async run({ client, input: { flow, query = '', cursor }, signal }) {
    const part = query.toLowerCase()
    const all = (await client.messages.list({ signal })).filter(
      (message) => (flow === undefined || message.flow === flow) && message.name.toLowerCase().includes(part),
    )
    const { rows, next } = pageOf(all, cursor)
    const lines = rows.map(
      ({ name, dtype, value, ts }) => `${name} (${dtype}): ${shown(value, 80)}${ts === null ? '' : ` at ${ts}`}`,
    )
    return {
      text: report([count(all.length, 'message')], lines, moreBy('list_messages', next)),
      value: {
        messages: rows.map(({ name, dtype, value, ts, sources, readers }) => ({
          name,
          dtype,
          ...bounded(value, MAX_VALUE),
          ts,
          sources: sources.slice(0, 10).map(({ node }) => node),
          readers: readers.slice(0, 10).map((reader) => `${reader.flow}/${reader.node}`),
        })),
        total: all.length,
        next,
      },
    }
  },
})

/** `get_history`. */
export const getHistory = tool({
  name: 'get_history',
  title: 'Read the history of a message',
  description: 'The values that a message had, the newest first; the last 1,000 are kept.',
  scope: 'messages:read',
  hints: { readOnly: true },
  input: z.strictObject({
    message: messageRefSchema.describe('As <flow>.<message>.'),
    since: z.iso.datetime({ offset: true }).optional().describe('Values of this time and later.'),
    limit: z.int().min(1).max(100).default(30),
    cursor: cursorSchema,
  }),
  output: z.object({
    values: z.array(
      z.object({ ts: z.string(), ...valued, source: z.string().nullable().describe('The node that wrote it.') }),
    ),
    next: nextSchema,
  }),
  async run({ client, input: { message, since, limit, cursor }, signal }) {
    const entries = await client.messages.history(message, { limit, ...given({ since }), ...olderThan(cursor), signal })
    const next = nextBefore(entries, ({ ts }) => ts, limit)
    const lines = entries.map(
      ({ ts, value, truncated }) => `${ts}: ${truncated ? 'too long to be kept' : shown(value, 150)}`,
    )
    const head = entries.length === 0 ? `No values of ${message}.` : `${message}, the newest first:`
    return {
      text: report([head], lines, moreBy('get_history', next)),
      value: {
        values: entries.map(({ ts, value, truncated, source }) => {
          const kept = bounded(value, MAX_VALUE)
          return { ts, value: kept.value, truncated: truncated || kept.truncated, source: source?.node ?? null }
        }),
        next,
      },
    }
  },
})
