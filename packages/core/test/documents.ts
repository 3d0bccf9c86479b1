/**
 * Short spellings for the flows of tests.
 */
import {
  type AnyNodeDefinition,
  defineNode,
  type NodeInstance,
  type Outcome,
  type Values,
} from '@flow-service/connector-sdk'
import type { NodeContext } from '@flow-service/connector-sdk'
import {
  type FlowDocument,
  type FlowDocumentInput,
  flowDocumentInputSchema,
  normalizeDocument,
} from '@flow-service/protocol'
import * as z from 'zod'

type NodeInput = NonNullable<FlowDocumentInput['nodes']>[number]
type PortInput = NonNullable<NodeInput['ports']>[number]
type PortOptions = Partial<PortInput>

/** A document in normal form; `name` is `f` unless given. */
export const flow = (nodes: NodeInput[], more: Partial<FlowDocumentInput> = {}): FlowDocument =>
  normalizeDocument(more.name ?? 'f', flowDocumentInputSchema.parse({ nodes, ...more }))

export const batch = (nodes: NodeInput[], more: Partial<FlowDocumentInput> = {}): FlowDocument =>
  flow(nodes, { mode: 'batch', ...more })

/** An input port; `port:message` or both by one name. */
export const input = (wire: string, options: PortOptions = {}): PortInput => ({
  direction: 'input',
  ...wired(wire),
  ...options,
})
export const output = (wire: string, options: PortOptions = {}): PortInput => ({
  direction: 'output',
  ...wired(wire),
  ...options,
})

function wired(wire: string): { name: string; port?: string } {
  const [port = '', name] = wire.split(':')
  return name === undefined ? { name: port } : { port, name }
}

/** A node type around handlers. */
export function type(
  name: string,
  start: (ctx: NodeContext) => NodeInstance | Promise<NodeInstance>,
  more: Partial<AnyNodeDefinition> = {},
): AnyNodeDefinition {
  return defineNode({
    type: name,
    title: name,
    description: '',
    category: 'logic',
    settings: z.object({}),
    arrival: 'each',
    ...more,
    start,
  })
}

/** Keeps what its handler is called with, by node. */
export function recorder(name: string, arrival: AnyNodeDefinition['arrival'] = 'each') {
  const calls: [node: string, ...unknown[]][] = []
  const definition = type(
    name,
    ({ node }) => ({
      onValue: (port, value) => void calls.push([node, port, value]),
      onInput: (values) => void calls.push([node, values]),
      onTrigger: () => void calls.push([node, 'trigger']),
    }),
    { arrival },
  )
  return { calls, definition }
}

/** Sends every value on to all its outputs, as one delivery. */
export const pass = type('pass', ({ outputs }) => ({
  onValue: (_port, value) => Object.fromEntries(outputs.map(({ port }) => [port, value])),
}))

/** A promise with its ends. */
export const gateway = (): PromiseWithResolvers<Outcome extends Promise<infer T> ? T : Values | undefined> =>
  Promise.withResolvers<Values | undefined>()
