/**
 * The house of a node of type `commands_lm`: the devices that it is wired to, with what they do now.
 * @module
 */
import type { Client, Flow } from '@flow-service/client-sdk'
import { commandsView } from '@flow-service/node-types'

import { CommandFailure } from './failure.ts'
import { type House, momentAt } from './house.ts'

/** Which node. */
export interface FlowFlags {
  readonly flow: string
  /** Needed where the flow has several. */
  readonly node?: string
}

type Node = Flow['nodes'][number]

/** The house as it is now: of what is published, or of the draft of a flow that never was. */
export async function houseOfFlow(client: Client, { flow: name, node: id }: FlowFlags, now: Date): Promise<House> {
  const draft = await client.flows.get(name)
  const isRunning = draft.is_draft && draft.published_version !== null
  const flow = isRunning ? await client.flows.get(name, { published: true }) : draft
  const node = chosenNode(flow, id)
  const values = new Map((await client.messages.list()).map(({ name: message, value }) => [message, value]))
  const moment = momentAt(now, (message) => values.get(message) ?? null)
  const { context, apply, minConfidence, writes } = commandsView(node, moment)
  return { context, minConfidence, applies: apply, title: `${flow.name}.${node.id}`, writes }
}

function chosenNode({ name, nodes }: Flow, id: string | undefined): Node {
  const candidates = nodes.filter(({ type }) => type === 'commands_lm')
  const [first, ...others] = candidates
  if (first === undefined) throw new CommandFailure(1, `the flow "${name}" has no node of type commands_lm`)
  const ids = candidates.map((node) => node.id).join(', ')
  if (id === undefined) {
    if (others.length === 0) return first
    throw new CommandFailure(2, `the flow "${name}" has several nodes of type commands_lm; give --node one of ${ids}`)
  }
  const chosen = candidates.find((node) => node.id === id)
  if (chosen !== undefined) return chosen
  throw new CommandFailure(2, `the flow "${name}" has no node "${id}" of type commands_lm; give --node one of ${ids}`)
}
