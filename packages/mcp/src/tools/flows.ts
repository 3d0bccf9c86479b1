/**
 * Tools about flows as they are.
 * @module
 */
import * as z from 'zod'

import { cursorSchema, nextSchema, tool } from '../tool.ts'

const PAGE = 50

/** `list_flows`. */
export const listFlows = tool({
  name: 'list_flows',
  title: 'List flows',
  description: 'Names, modes, states and versions of all flows. Use get_flow for what is in one.',
  scope: 'flows:read',
  hints: { readOnly: true },
  input: z.strictObject({ cursor: cursorSchema }),
  output: z.object({
    flows: z.array(z.object({ name: z.string(), mode: z.string(), status: z.string(), version: z.number() })),
    total: z.number(),
    next: nextSchema,
  }),
  async run({ client, input: { cursor }, signal }) {
    const all = await client.flows.list({ signal })
    const from = Number(cursor ?? 0)
    const flows = all
      .slice(from, from + PAGE)
      .map(({ name, mode, status, version }) => ({ name, mode, status, version }))
    const next = from + PAGE < all.length ? String(from + PAGE) : null
    const lines = flows.map(({ name, mode, status }) => `${name}: ${mode}, ${status}`)
    return {
      text: [`${all.length} flows`, ...lines].join('\n'),
      value: { flows, total: all.length, next },
    }
  },
})
