/**
 * What of a flow is edited: its content without what the engine says about it. The commands of `edit.ts` change it, `merge.ts`
 * brings two of them together, `drafts.ts` saves it.
 */
import type { Flow, JsonValue, Layout, Node, NodeType, Port } from '@flow-service/client-sdk'

/** The content of a flow, as a save takes it. */
export interface Doc {
  readonly title: string
  readonly description: string
  readonly mode: Flow['mode']
  readonly inputs: Flow['inputs']
  readonly outputs: Flow['outputs']
  readonly nodes: readonly Node[]
  readonly resources: Flow['resources']
  readonly concurrency: Flow['concurrency']
  readonly layout: Layout
}

export type Place = { readonly x: number; readonly y: number }

export function docOf(flow: Pick<Flow, keyof Doc>): Doc {
  const { title, description, mode, inputs, outputs, nodes, resources, concurrency, layout } = flow
  return { title, description, mode, inputs, outputs, nodes, resources, concurrency, layout }
}

export const nodeOf = (doc: Doc, id: string): Node | undefined => doc.nodes.find((node) => node.id === id)

/** `temp` of the flow `climate` is `climate.temp`. */
export const qualified = (flow: string, name: string): string => (name.includes('.') ? name : `${flow}.${name}`)

/** A name that none of these is: the wanted one, or with a number behind it. */
export function freeName(wanted: string, taken: ReadonlySet<string>): string {
  if (!taken.has(wanted)) return wanted
  const [, stem = wanted] = /^(.*?)_?\d*$/.exec(wanted) ?? []
  for (let count = 2; ; count += 1) {
    const name = `${stem === '' ? 'n' : stem}_${count}`
    if (!taken.has(name)) return name
  }
}

/** Every message that the document names. */
export const messagesOf = (doc: Doc): Set<string> =>
  new Set([
    ...doc.nodes.flatMap(({ ports }) => ports.map(({ name }) => name)),
    ...[...doc.inputs, ...doc.outputs].map(({ name }) => name),
  ])

export function portOf(flow: string, given: Pick<Port, 'direction' | 'name'> & Partial<Port>): Port {
  return {
    port: given.name.slice(given.name.indexOf('.') + 1),
    dtype: 'any',
    interval: null,
    stream: false,
    on_demand: false,
    trigger: true,
    message: qualified(flow, given.name),
    ...given,
  }
}

/** A new node of a type, with the ports that it needs to be of use. */
export function newNode(doc: Doc, flow: string, type: NodeType, library: string | null = null): Node {
  const stem = library ?? type.type
  const id = freeName(stem, new Set(doc.nodes.map((node) => node.id)))
  return {
    id,
    type: type.type,
    title: '',
    settings: {},
    ports: firstPorts(doc, flow, type),
    source: type.has_source && library === null ? FIRST_SOURCE : null,
    library,
    entry: null,
    worker: null,
    worker_policy: 'require',
    cache: true,
    timeout: null,
    retry: null,
  }
}

const FIRST_SOURCE = 'def run(value):\n    return {"result": value}\n'

function firstPorts(doc: Doc, flow: string, type: NodeType): Port[] {
  const taken = messagesOf(doc)
  const named = (wanted: string): string => {
    const name = freeName(wanted, taken)
    taken.add(name)
    return name
  }
  const { inputs, outputs, fixed } = type.ports
  const own = fixed.map(({ direction, port, dtype, trigger }) =>
    portOf(flow, { direction, name: named(port), port, dtype, trigger }),
  )
  const has = (direction: Port['direction']): boolean => own.some((port) => port.direction === direction)
  const listens = type.ports.inputs === 'any' && outputs === 'any' && LISTENERS.has(type.type)
  return [
    ...(inputs === 'any' && !has('input') && !listens
      ? [
          portOf(flow, {
            direction: 'input',
            name: named(type.has_source ? 'value' : 'input'),
            port: type.has_source ? 'value' : 'input',
          }),
        ]
      : []),
    ...own,
    ...(outputs === 'any' && !has('output')
      ? [
          portOf(flow, {
            direction: 'output',
            name: named(type.has_source ? 'result' : 'output'),
            port: type.has_source ? 'result' : 'output',
          }),
        ]
      : []),
  ]
}

/** Types that are a source of values unless they have inputs. */
const LISTENERS: ReadonlySet<string> = new Set(['http', 'mqtt', 'websocket', 'device'])

export const isJsonObject = (value: unknown): value is Record<string, JsonValue> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Whether two values are the same JSON. */
export function isSame(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((item, at) => isSame(item, b[at]))
  if (!isJsonObject(a) || !isJsonObject(b)) return false
  const keys = Object.keys(a)
  return keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && isSame(a[key], b[key]))
}
