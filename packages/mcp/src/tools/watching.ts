/**
 * `list_cascades` and `list_dead_letters`: how live flows do.
 * @module
 */
import { cascadeStatusSchema, deadLetterReasonSchema, nameSchema } from '@flow-service/protocol'
import * as z from 'zod'

import { cursorSchema, given, nextBefore, nextSchema, olderThan } from '../paging.ts'
import { tool } from '../tool.ts'
import { bounded, line, moreBy, report, shown } from '../words.ts'
import { flowName } from './flow-words.ts'

const LIMIT = 30

const since = z.iso.datetime({ offset: true }).optional().describe('Of this time and later.')

/** `list_cascades`. */
export const listCascades = tool({
  name: 'list_cascades',
  title: 'List cascades',
  description:
    'What happened in live flows, the newest first: everything that one event set off (a webhook, a timer, a published value) is a cascade, with how it ended.',
  scope: 'observability:read',
  hints: { readOnly: true },
  input: z.strictObject({
    flow: flowName.optional(),
    status: cascadeStatusSchema.optional(),
    since,
    cursor: cursorSchema,
  }),
  output: z.object({
    cascades: z.array(
      z.object({
        id: z.string(),
        flow: z.string(),
        origin: z.string().describe('What set it off.'),
        status: z.string(),
        executions: z.int(),
        started_at: z.string(),
        duration_ms: z.number().nullable(),
        error: z.string().nullable().describe('The first failure.'),
      }),
    ),
    next: nextSchema,
  }),
  async run({ client, input: { cursor, ...which }, signal }) {
    const rows = await client.observability.cascades({ ...given(which), ...olderThan(cursor), limit: LIMIT, signal })
    const next = nextBefore(rows, (row) => row.started_at, LIMIT)
    const cascades = rows.map(({ id, flow, origin, status, executions, error, ...row }) => ({
      id,
      flow,
      origin: line([origin.kind, origin.node ?? origin.message].filter((part) => part !== null).join(' '), 200),
      status,
      executions,
      started_at: row.started_at,
      duration_ms: row.duration_ms,
      error: error && line(`${error.type}${error.node === null ? '' : ` in ${error.node}`}: ${error.message}`, 300),
    }))
    const lines = cascades.map(
      ({ flow, origin, status, started_at: at, error }) =>
        `${at} ${flow}: ${status}, by ${origin}${error === null ? '' : `: ${error}`}`,
    )
    const head = cascades.length === 0 ? 'No cascades.' : 'Cascades, the newest first:'
    return { text: report([head], lines, moreBy('list_cascades', next)), value: { cascades, next } }
  },
})

/** `list_dead_letters`. */
export const listDeadLetters = tool({
  name: 'list_dead_letters',
  title: 'List dead letters',
  description:
    'Work that ended without being done, the newest first, with its reason: crash, overflow (too much waited), expired, loop_limit (a cycle), lease (its engine was lost), stopped. People replay them.',
  scope: 'observability:read',
  hints: { readOnly: true },
  input: z.strictObject({
    flow: flowName.optional(),
    node: nameSchema.optional(),
    reason: deadLetterReasonSchema.optional(),
    since,
    cursor: cursorSchema,
  }),
  output: z.object({
    dead_letters: z.array(
      z.object({
        id: z.string(),
        ts: z.string(),
        flow: z.string(),
        node: z.string().nullable(),
        message: z.string().nullable(),
        value: z.unknown().describe('A long one is its JSON text, cut.'),
        truncated: z.boolean(),
        reason: z.string(),
        attempts: z.int(),
      }),
    ),
    next: nextSchema,
  }),
  async run({ client, input: { cursor, ...which }, signal }) {
    const rows = await client.observability.deadLetter({ ...given(which), ...olderThan(cursor), limit: LIMIT, signal })
    const next = nextBefore(rows, ({ ts }) => ts, LIMIT)
    const lines = rows.map(
      ({ ts, flow, node, message, reason, value }) =>
        `${ts} ${flow}${node === null ? '' : `/${node}`}: ${reason}${message === null ? '' : `, ${message} = ${shown(value, 60)}`}`,
    )
    const head = rows.length === 0 ? 'No dead letters.' : 'Dead letters, the newest first:'
    return {
      text: report([head], lines, moreBy('list_dead_letters', next)),
      value: {
        dead_letters: rows.map(({ id, ts, flow, node, message, value, reason, attempts }) => ({
          id,
          ts,
          flow,
          node,
          message,
          ...bounded(value, 500),
          reason,
          attempts,
        })),
        next,
      },
    }
  },
})
