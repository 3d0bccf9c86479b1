/**
 * The house of a node of type `commands_lm`: the devices that it is wired to, with what they do now.
 * @module
 */
import type { Client, Flow } from '@flow-service/client-sdk'
import type { CommandContext, CommandDevice } from '@flow-service/protocol'

import { CommandFailure } from './failure.ts'
import { areaOf, deviceOfPort, type House, isSame, unknownSurroundings, withDefaults } from './house.ts'

/** Which node. */
export interface FlowFlags {
  readonly flow: string
  readonly node?: string
}

type Node = Flow['nodes'][number]

/** The house as it is now: what is published, or the draft of a flow that never was. */
export async function houseOfFlow(client: Client, { flow: name, node: id }: FlowFlags, now: Date): Promise<House> {
  const flow = await readFlow(client, name)
  const node = chosenNode(flow, id)
  const values = new Map((await client.messages.list()).map(({ name: message, value }) => [message, value]))
  const { min_confidence: least, apply } = node.settings
  return {
    context: { ...surroundingsOf(node, values, now), devices: withDefaults(devicesOf(node, values)) },
    minConfidence: typeof least === 'number' ? least : 0.93,
    applies: apply === true,
    title: `${flow.name}.${node.id}`,
  }
}

async function readFlow(client: Client, name: string): Promise<Flow> {
  const flow = await client.flows.get({ name })
  return flow.is_draft && flow.published_version !== null ? client.flows.get({ name, published: true }) : flow
}

function chosenNode({ name, nodes }: Flow, id: string | undefined): Node {
  const candidates = nodes.filter(({ type }) => type === 'commands_lm')
  const [first] = candidates
  if (first === undefined) throw new CommandFailure(1, `the flow "${name}" has no node of type commands_lm`)
  const names = candidates.map((node) => node.id).join(', ')
  if (id === undefined && candidates.length > 1)
    throw new CommandFailure(2, `the flow "${name}" has several nodes of type commands_lm; give --node one of ${names}`)
  const node = id === undefined ? first : candidates.find((candidate) => candidate.id === id)
  if (node === undefined)
    throw new CommandFailure(
      2,
      `the flow "${name}" has no node "${id}" of type commands_lm; give --node one of ${names}`,
    )
  return node
}

function surroundingsOf(
  { ports }: Node,
  values: ReadonlyMap<string, unknown>,
  now: Date,
): Omit<CommandContext, 'devices'> {
  const at = (port: string): unknown =>
    values.get(ports.find((each) => each.direction === 'input' && each.port === port)?.message ?? '') ?? null
  const unknown = unknownSurroundings(now)
  const [presence, outdoor, dark] = [at('presence'), at('outdoor'), at('dark')]
  return {
    presence: typeof presence === 'string' ? areaOf(presence) : unknown.presence,
    outdoor: typeof outdoor === 'number' ? Math.min(30, Math.max(-5, outdoor)) : unknown.outdoor,
    dark: typeof dark === 'boolean' ? dark : unknown.dark,
  }
}

/** Ports of one area and kind are one device; what it does is what the first of them says that is known. */
function devicesOf({ ports }: Node, values: ReadonlyMap<string, unknown>): CommandDevice[] {
  const devices: CommandDevice[] = []
  for (const { direction, port, message } of ports) {
    const place = direction === 'output' ? deviceOfPort(port) : null
    if (place === null) continue
    const device = { ...place, value: values.get(message) ?? null, wired: true }
    const at = devices.findIndex((other) => isSame(other, device))
    if (at === -1) devices.push(device)
    else if (devices[at]?.value === null) devices[at] = device
  }
  return devices
}
