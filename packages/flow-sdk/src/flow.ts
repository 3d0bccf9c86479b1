/**
 * Flows in TypeScript: `batchFlow` and `liveFlow` (wire decision G64 rules 2 and 6). A built flow is a plain object that
 * holds its document and its definitions; no code of the author has run but the graph callback.
 * @module
 */
import {
  accepts,
  type BatchFlow,
  describeValue,
  flowDocumentInputSchema,
  type FlowDocumentInput,
  flowNameSchema,
  type LiveFlow,
  type Ref,
} from '@flow-service/protocol'

import { defined } from './definition.ts'
import { FlowError } from './flow-error.ts'
import type { MessageRefsOf, RefsOf } from './message-ref.ts'
import type { Messages, ValueOf } from './port-type.ts'
import { type BatchUse, type Use, Wiring } from './use.ts'

/** What a flow says of itself beside its graph. */
export interface FlowOptions {
  readonly title?: string
  readonly description?: string
  /** What the flow's node processes get and ask for; `memory` is in MB. */
  readonly resources?: NonNullable<FlowDocumentInput['resources']>
}

/** What a batch flow may say beside its graph. */
export interface BatchFlowOptions extends FlowOptions {
  /** Runs of the flow that execute at once, in all engines together; no limit of its own unless given. */
  readonly concurrency?: number
}

type NamesWithInitial<I> = { [K in keyof I]: I[K] extends { kind: 'input' } ? K : never }[keyof I]
type ParametersOf<I> = Plain<
  { readonly [K in NamesWithInitial<I>]?: ValueOf<I[K]> } & {
    readonly [K in Exclude<keyof I, NamesWithInitial<I>>]: ValueOf<I[K]>
  }
>
/** As one object, which errors and hovers show by its properties. */
type Plain<T> = T extends infer Same ? { readonly [K in keyof Same]: Same[K] } : never
type ValuesOfRefs<R> = { readonly [K in keyof R]: R[K] extends Ref<infer T> ? T : never }

/**
 * Define a batch flow: it runs once for each set of parameters. The callback wires the graph and returns the results by
 * name. An input without an initial value has to be given by each run; the result of a skipped node is null.
 * @example
 * export const fit = batchFlow('fit', { raw: t.artifact, lr: input(t.float, 0.1) }, (p, use) => {
 *   const { rows } = use(clean, { raw: p.raw })
 *   return { model: use(train, { rows, lr: p.lr }).model }
 * })
 */
export function batchFlow<I extends Messages, R extends Readonly<Record<string, Ref<unknown>>>>(
  name: string,
  inputs: I,
  graph: (inputs: RefsOf<I>, use: BatchUse) => R,
  options: BatchFlowOptions = {},
): BatchFlow<ParametersOf<I>, ValuesOfRefs<R>> {
  const wiring = new Wiring(name, 'batch', inputs)
  const results = graph(refsOf(wiring, inputs) as RefsOf<I>, wiring.use)
  const outputs = Object.entries(results).map(([port, ref]) => {
    const message = wiring.nameOf(ref, `result "${port}"`)
    if (message.includes('.'))
      throw new FlowError(
        `flow "${name}": result "${port}" is a message of another flow, "${message}"; return one of ours`,
      )
    return { name: message, port }
  })
  return {
    ...built(name, wiring, { mode: 'batch', inputs: inputsOf(name, inputs), outputs, ...options }),
    mode: 'batch',
  }
}

/**
 * Define a live flow: it reacts to messages while it is active. Of the declared messages, one that no node produces is an
 * input of the flow, published from outside; another is mapped to its producer's output with `{ out: { port: m.x } }`.
 * @example
 * export const hall = liveFlow('hall', { motion: t.bool, light: t.bool }, (m, use) => {
 *   use(debounce(t.bool, { wait: 90 }), { in: m.motion }, { out: { out: m.light } })
 * })
 */
export function liveFlow<M extends Messages>(
  name: string,
  messages: M,
  graph: (messages: MessageRefsOf<M>, use: Use) => void,
  options: FlowOptions = {},
): LiveFlow<MessageRefsOf<M>> {
  const wiring = new Wiring(name, 'live', messages)
  const refs = refsOf(wiring, messages) as MessageRefsOf<M>
  graph(refs, wiring.use)
  const produced = (message: string): boolean => wiring.producers.has(message)
  // A produced message with an initial value stays an input too: state that the flow feeds back to itself.
  const fed = Object.entries(messages).filter(([message, type]) => type.kind === 'input' || !produced(message))
  const content = {
    mode: 'live' as const,
    inputs: inputsOf(name, Object.fromEntries(fed)),
    outputs: Object.keys(messages).flatMap((message) => (produced(message) ? [{ name: message }] : [])),
  }
  return { ...built(name, wiring, { ...content, ...options }), mode: 'live', messages: refs }
}

const refsOf = (wiring: Wiring, declared: Messages): unknown =>
  Object.fromEntries(Object.keys(declared).map((name) => [name, wiring.ref(name)]))

function inputsOf(flow: string, declared: Messages): NonNullable<FlowDocumentInput['inputs']> {
  return Object.entries(declared).map(([name, type]) => {
    if (type.kind === 'value') return { name, dtype: type.dtype }
    const initial = wireValue(type.initial)
    if (!accepts(type.dtype, initial))
      throw new FlowError(
        `flow "${flow}": input "${name}" is ${type.dtype}, but its initial value is ${describeValue(initial)}; give another`,
      )
    return { name, dtype: type.dtype, initial: initial as never }
  })
}

/** JSON lacks NaN and the infinities: they travel by name. */
const wireValue = (value: unknown): unknown =>
  typeof value === 'number' && !Number.isFinite(value) ? String(value) : value

function built(name: string, wiring: Wiring, content: FlowDocumentInput) {
  const document: FlowDocumentInput = { name, ...defined(content), nodes: wiring.nodes }
  if (!flowNameSchema.safeParse(name).success)
    throw new FlowError(`flow "${name}": ${flowNameSchema.safeParse(name).error?.issues[0]?.message ?? ''}`)
  const fault = flowDocumentInputSchema.safeParse(document).error?.issues[0]
  if (fault) throw new FlowError(`flow "${name}": ${placeOf(wiring.nodes, fault.path)}: ${fault.message}`)
  return { kind: 'flow', name, document, definitions: wiring.definitions } as const
}

function placeOf(nodes: readonly { readonly id: string }[], path: readonly PropertyKey[]): string {
  const node = path[0] === 'nodes' ? nodes[Number(path[1])] : undefined
  return node ? `node "${node.id}", ${path.slice(2).map(String).join('.')}` : path.map(String).join('.')
}
