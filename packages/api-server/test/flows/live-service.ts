/** A whole service with live flows, as clients of its API see them. */
import type {
  DeadLetterRecord,
  EngineEvent,
  Flow,
  FlowDocumentInput,
  FlowListItem,
  FlowState,
  MessageHistoryEntry,
  PublishedMessage,
} from '@flow-service/protocol'
import { expect } from 'vitest'

import type { ServiceConfig } from '../../src/config.ts'
import { startService } from '../observability/service.ts'

export type LiveService = Awaited<ReturnType<typeof startLive>>

/** Starts a service with the flow `lab` of `startService`, active. */
export async function startLive(options: ServiceConfig = {}) {
  const at = await startService(options)
  const { root } = at
  const events: EngineEvent[] = []
  at.bus.subscribe((event) => void events.push(event))
  const read = async (flow: string): Promise<Flow> => (await root<Flow>('GET', `/flows/${flow}`)).value
  const values = async (message: string): Promise<unknown[]> => {
    const { value } = await root<MessageHistoryEntry[]>('GET', `/messages/${message}/history?limit=500`)
    return value.map((entry) => entry.value).toReversed()
  }
  return {
    ...at,
    events,
    read,
    values,
    /** Resolves once the history of a message is this. */
    history: (message: string, expected: readonly unknown[]) => expect.poll(() => values(message)).toEqual(expected),
    /** An operation on a flow: `pause`, `step` … */
    control: <T = FlowState>(flow: string, verb: string, body?: object) =>
      root<T>('POST', `/flows/${flow}/${verb}`, body),
    /** An operation on a node: `trigger`, `cancel`, `acknowledge`. */
    node: <T>(flow: string, id: string, verb: string, body?: object) =>
      root<T>('POST', `/flows/${flow}/nodes/${id}/${verb}`, body),
    /** Saves and publishes the next version of a flow. */
    async next(name: string, document: FlowDocumentInput): Promise<Flow> {
      const { version } = await read(name)
      const saved = await root<Flow>('PUT', `/flows/${name}`, { ...document, version })
      return (await root<Flow>('POST', `/flows/${name}/publish`, { version: saved.value.version })).value
    },
    /** What the list of flows says of one. */
    async listed(name: string): Promise<FlowListItem | undefined> {
      return (await root<FlowListItem[]>('GET', '/flows/')).value.find((item) => item.name === name)
    },
    send: (message: string, value: unknown) => root<PublishedMessage>('POST', `/messages/${message}`, { value }),
    /** Posts JSON to a webhook. */
    hook: (path: string, body: unknown) =>
      fetch(`${at.origin}/hooks/${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    /** The states that observers were told of a flow. */
    told: (name: string) =>
      events.flatMap((event) => (event.type === 'flow' && event.name === name ? [[event.status, event.held]] : [])),
    /** Dead letters of a flow, oldest first. */
    async letters(flow: string) {
      const { value } = await root<DeadLetterRecord[]>('GET', `/observability/dead-letter?limit=500&flow=${flow}`)
      return value
        .map(({ node, message, value: lost, reason }) => ({ node, message, value: lost, reason }))
        .toReversed()
    },
    /** How much kept work is stored for a flow. */
    async kept(flow: string): Promise<number> {
      const [row] = await at.engine.database.sql<{ n: number }[]>`
        select count(*)::int as n from live_work join flow on flow.id = live_work.flow where flow.name = ${flow}`
      return row?.n ?? 0
    },
  }
}

type Node = NonNullable<FlowDocumentInput['nodes']>[number]
type Port = NonNullable<Node['ports']>[number]
export type Settings = NonNullable<Node['settings']>

export const input = (name: string, more: Partial<Port> = {}): Port => ({ direction: 'input', name, ...more })
export const output = (name: string, more: Partial<Port> = {}): Port => ({ direction: 'output', name, ...more })

/** Numbers of `on`, scaled, leave as `mid` and as `off`. */
export const chain = (scale = 1, more: Partial<FlowDocumentInput> = {}): FlowDocumentInput => ({
  inputs: [{ name: 'on' }],
  nodes: [
    { id: 'first', type: 'change', settings: { scale }, ports: [input('on'), output('mid')] },
    { id: 'second', type: 'change', settings: {}, ports: [input('mid'), output('off')] },
  ],
  ...more,
})

/** A webhook that feeds the message `temp`, whose values leave as `seen`. */
export const listening = (settings: Settings = {}): FlowDocumentInput => ({
  nodes: [
    { id: 'hook', type: 'http', settings: { url: 'in', ...settings }, ports: [output('temp', { dtype: 'float' })] },
    { id: 'pass', type: 'change', settings: {}, ports: [input('temp', { dtype: 'float' }), output('seen')] },
  ],
})

/** Whether there is a process of that id. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
