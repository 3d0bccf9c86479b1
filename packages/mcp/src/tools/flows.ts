/**
 * `list_flows` and `get_flow`: flows as they are.
 * @module
 */
import type { Flow } from '@flow-service/client-sdk'
import type { FlowNode } from '@flow-service/protocol'
import * as z from 'zod'

import { cursorSchema, nextSchema, offsetOf, pageOf } from '../paging.ts'
import { tool } from '../tool.ts'
import { count, line, moreBy, report } from '../words.ts'
import { flowName, issueLine, issuesOf, issueSchema, MAX_ISSUES } from './flow-words.ts'

/** Longest JSON of the nodes of a page; one node is always told. */
const MAX_NODES = 40_000
/** Longest source that is told with its node. */
const MAX_SOURCE = 8000

/** `list_flows`. */
export const listFlows = tool({
  name: 'list_flows',
  title: 'List flows',
  description:
    'All flows with their modes (live: reacts to events while active; batch: runs once for each set of parameters), states and versions. get_flow tells what is in one.',
  scope: 'flows:read',
  hints: { readOnly: true },
  input: z.strictObject({
    query: z.string().max(200).optional().describe('A part of the name or title.'),
    cursor: cursorSchema,
  }),
  output: z.object({
    flows: z.array(
      z.object({
        name: z.string(),
        title: z.string(),
        mode: z.string(),
        status: z.string(),
        version: z.int(),
        published_version: z.int().nullable(),
        has_draft: z.boolean(),
        errors: z.int(),
        failed_nodes: z.int(),
        updated_at: z.string(),
      }),
    ),
    total: z.int(),
    next: nextSchema,
  }),
  async run({ client, input: { query = '', cursor }, signal }) {
    const part = query.toLowerCase()
    const all = (await client.flows.list({ signal })).filter(({ name, title }) =>
      `${name} ${title}`.toLowerCase().includes(part),
    )
    const { rows, next } = pageOf(all, cursor)
    const flows = rows.map(({ name, title, mode, status, issues, ...each }) => ({
      name,
      title: line(title, 200),
      mode,
      status,
      version: each.version,
      published_version: each.published_version,
      has_draft: each.has_draft,
      errors: issues.error,
      failed_nodes: each.failed_nodes,
      updated_at: each.updated_at,
    }))
    const lines = flows.map(({ name, mode, status, errors, failed_nodes: failed, has_draft: draft }) =>
      [
        `${name}: ${mode}, ${status}`,
        ...(draft && status !== 'draft' ? ['has a newer draft'] : []),
        ...(errors > 0 ? [count(errors, 'error')] : []),
        ...(failed > 0 ? [`${count(failed, 'node')} failed`] : []),
      ].join(', '),
    )
    return {
      text: report([count(all.length, 'flow')], lines, moreBy('list_flows', next)),
      value: { flows, total: all.length, next },
    }
  },
})

/** `get_flow`. */
export const getFlow = tool({
  name: 'get_flow',
  title: 'Read a flow',
  description:
    'A flow as a document that save_draft takes again, with its version and issues: the draft if there is one, else what is published. Long flows come in pages of nodes. A long source of a node is left out ("sources_left_out"): save_draft keeps the source of a node that is saved without one.',
  scope: 'flows:read',
  hints: { readOnly: true },
  input: z.strictObject({
    name: flowName,
    published: z.boolean().default(false).describe('What is published, in place of the draft.'),
    cursor: cursorSchema,
  }),
  output: z.object({
    name: z.string(),
    version: z.int().describe('Give it to save_draft or publish_flow.'),
    status: z.string(),
    is_draft: z.boolean(),
    published_version: z.int().nullable(),
    origin: z.string().describe('code: it is written in a project in TypeScript, and cannot be saved here.'),
    issues: z.array(issueSchema),
    document: z
      .record(z.string(), z.unknown())
      .describe('Without the layout, which save_draft keeps; "nodes" are those of this page.'),
    nodes_total: z.int(),
    sources_left_out: z.array(z.string()).describe('Ids of nodes of this page.'),
    next: nextSchema,
  }),
  async run({ client, input: { name, published, cursor }, signal }) {
    const flow = await client.flows.get(name, { published, signal })
    const { nodes, next } = nodesFrom(flow.nodes as readonly FlowNode[], offsetOf(cursor))
    const long = nodes.filter(({ source }) => (source ?? '').length > MAX_SOURCE)
    const document = {
      title: flow.title,
      description: flow.description,
      mode: flow.mode,
      inputs: flow.inputs,
      outputs: flow.outputs,
      nodes: nodes.map(asWritten),
      resources: flow.resources,
      concurrency: flow.concurrency,
    }
    const lines = [...flow.issues.slice(0, 10).map(issueLine), ...nodes.map(nodeLine)]
    return {
      text: report([headOf(flow)], lines, moreBy('get_flow', next)),
      value: {
        name: flow.name,
        version: flow.version,
        status: flow.status,
        is_draft: flow.is_draft,
        published_version: flow.published_version,
        origin: flow.origin,
        issues: issuesOf(flow.issues.slice(0, MAX_ISSUES)),
        document,
        nodes_total: flow.nodes.length,
        sources_left_out: long.map(({ id }) => id),
        next,
      },
    }
  },
})

/** As many nodes as a page holds. */
function nodesFrom(all: readonly FlowNode[], from: number): { nodes: FlowNode[]; next: string | null } {
  const nodes: FlowNode[] = []
  let length = 0
  for (const node of all.slice(from)) {
    length += JSON.stringify(asWritten(node)).length
    if (nodes.length > 0 && length > MAX_NODES) break
    nodes.push(node)
  }
  const end = from + nodes.length
  return { nodes, next: end < all.length ? String(end) : null }
}

/** A node as clients write it, without what has its default. */
function asWritten({ ports, ...node }: FlowNode): object {
  const { source, ...rest } = node
  const given = Object.entries(rest).filter(([field, value]) => !isDefault(field, value))
  const shownSource = source === null || source.length > MAX_SOURCE ? {} : { source }
  return { ...Object.fromEntries(given), ...shownSource, ports: ports.map(portAsWritten) }
}

const isDefault = (field: string, value: unknown): boolean =>
  value === null ||
  value === '' ||
  (field === 'cache' && value === true) ||
  (field === 'worker_policy' && value === 'require') ||
  (field === 'settings' && Object.keys(value as object).length === 0)

const portAsWritten = ({
  direction,
  name,
  port,
  dtype,
  interval,
  stream,
  on_demand,
  trigger,
}: FlowNode['ports'][number]) => ({
  direction,
  name,
  port,
  dtype,
  ...(interval === null ? {} : { interval }),
  ...(stream ? { stream } : {}),
  ...(on_demand ? { on_demand } : {}),
  ...(direction === 'input' && !trigger ? { trigger } : {}),
})

function headOf({ name, mode, status, version, is_draft, published_version: published, nodes, ...flow }: Flow): string {
  const state = is_draft ? `draft, version ${version}` : `version ${version}, published`
  const other = is_draft && published !== null ? ` (published: ${published})` : ''
  const ports = (items: readonly { name: string }[]) => line(items.map((item) => item.name).join(', ') || 'none', 200)
  return [
    `${name}: ${mode} flow, ${status}, ${state}${other}, ${count(nodes.length, 'node')}`,
    `Inputs: ${ports(flow.inputs)}. Outputs: ${ports(flow.outputs)}.`,
    ...(flow.description === '' ? [] : [line(flow.description, 300)]),
  ].join('\n')
}

function nodeLine({ id, type, ports }: FlowNode): string {
  const names = (direction: string) =>
    ports
      .filter((port) => port.direction === direction)
      .map((port) => port.name)
      .join(', ')
  const [reads, writes] = [names('input'), names('output')]
  return `${id} (${type})${reads === '' ? '' : `: reads ${reads}`}${writes === '' ? '' : `, writes ${writes}`}`
}
