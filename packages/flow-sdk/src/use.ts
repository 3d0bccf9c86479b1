/**
 * `use`, the one wiring verb: it places a definition in a flow and wires its ports to messages (wire decision G64
 * rules 2-4). Nodes are never linked to each other: a Ref names a message, and equal messages are the wire.
 * @module
 */
import {
  compatible,
  type Definition,
  type Dtype,
  flowPart,
  type FlowDocumentInput,
  type FlowMode,
  messageNameSchema,
  messagePart,
  type Ref,
} from '@flow-service/protocol'
import type * as z from 'zod'

import { defined, type Execution, type SettingsOf, type Usable } from './definition.ts'
import { FlowError } from './flow-error.ts'
import type { MapTo, RefsOf, WireTo } from './message-ref.ts'
import type { Inputs, Outputs, StreamType } from './port-type.ts'

type NodeInput = NonNullable<FlowDocumentInput['nodes']>[number]
type PortInput = NonNullable<NodeInput['ports']>[number]
type AnyRef = Pick<Ref<unknown>, 'message' | 'dtype'>

/** How a definition stands in a flow. Execution options win over those of the definition. */
export type UseOptions<O, S extends z.ZodObject> = Execution & {
  /** The node's id; the definition's id, or the name of the type, unless given. */
  readonly id?: string
  /** Messages of outputs: another name, or a message of the flow. A message is called as its port unless given. */
  readonly out?: { readonly [K in keyof O]?: MapTo<O[K]> }
} & (Record<never, never> extends SettingsOf<S>
    ? { readonly settings?: SettingsOf<S> }
    : { readonly settings: SettingsOf<S> })

type Wires<I> = { readonly [K in keyof I]: WireTo<I[K]> }
type UseArguments<I, O, S extends z.ZodObject> =
  Record<never, never> extends SettingsOf<S>
    ? [keyof I] extends [never]
      ? [inputs?: Wires<I>, options?: UseOptions<O, S>]
      : [inputs: Wires<I>, options?: UseOptions<O, S>]
    : [inputs: Wires<I>, options: UseOptions<O, S>]

/**
 * Place a definition in a live flow: `use(definition, inputs, options?)`. Returns one Ref for each output.
 * @example const { model } = use(train, { rows, lr: p.lr }, { settings: { hidden: 128 }, worker: 'gpu' })
 */
export type Use = <I extends Inputs, O extends Outputs, S extends z.ZodObject>(
  definition: Usable<I, O, S>,
  ...rest: UseArguments<I, O, S>
) => RefsOf<O>

/** Place a definition in a batch flow: as {@link Use}, but for live function nodes, whose outputs are optional. */
export type BatchUse = <I extends Inputs, O extends Outputs, S extends z.ZodObject>(
  definition: Exclude<Usable<I, O, S>, { kind: 'node' }>,
  ...rest: UseArguments<I, O, S>
) => RefsOf<O>

interface AnyUseOptions extends Execution {
  readonly id?: string
  readonly out?: Readonly<Record<string, string | { readonly message: string; readonly dtype: Dtype } | undefined>>
  readonly settings?: Readonly<Record<string, unknown>>
}
type AnyUsable = Usable<Inputs, Outputs, z.ZodObject>

/** The nodes of one flow while it is built. */
export class Wiring {
  readonly nodes: NodeInput[] = []
  readonly definitions = new Map<string, Definition>()
  /** Bare name of each produced message, and the first output that publishes it. */
  readonly producers = new Map<string, string>()
  readonly use: Use
  readonly #flow: string
  readonly #mode: FlowMode
  /** Dtypes of the flow's messages by bare name: declared ones and those of outputs. */
  readonly #messages = new Map<string, Dtype>()

  constructor(flow: string, mode: FlowMode, declared: Readonly<Record<string, { readonly dtype: Dtype }>>) {
    this.#flow = flow
    this.#mode = mode
    for (const [name, { dtype }] of Object.entries(declared)) {
      if (!messageNameSchema.safeParse(name).success) throw this.#error(badName(name))
      this.#messages.set(name, dtype)
      if (mode === 'batch') this.producers.set(name, `the flow input "${name}"`)
    }
    this.use = ((definition: AnyUsable, inputs: Record<string, AnyRef> = {}, options: AnyUseOptions = {}) =>
      this.#place(definition, inputs, options)) as unknown as Use
  }

  /** A Ref of a message of this flow. */
  ref(name: string): AnyRef {
    return { message: `${this.#flow}.${name}`, dtype: this.#messages.get(name) ?? 'any' }
  }

  /** The name of a message as ports write it: bare in its own flow, which has to know it. */
  nameOf(ref: AnyRef, where: string): string {
    if (flowPart(ref.message) !== this.#flow) return ref.message
    const name = messagePart(ref.message)
    if (this.#messages.has(name)) return name
    throw this.#error(`${where}: the flow has no message "${name}"; it has ${listed([...this.#messages.keys()])}`)
  }

  #place(definition: AnyUsable, inputs: Record<string, AnyRef>, options: AnyUseOptions): Record<string, AnyRef> {
    const id = options.id ?? (definition.kind === 'typed' ? definition.type : definition.id)
    if (this.nodes.some((node) => node.id === id))
      throw this.#error(`two nodes have the id "${id}"; give one of them another with { id: "…" }`)
    if (definition.kind === 'node' && this.#mode === 'batch')
      throw this.#error(`node "${id}" is a live function, whose outputs are optional; define it with stage(…)`)
    const ports = Object.entries(definition.in).map(([port, type]) => {
      return this.#input(id, port, { dtype: type.dtype, trigger: type.kind !== 'latest' }, inputs[port])
    })
    const refs: Record<string, AnyRef> = {}
    for (const [port, type] of Object.entries(definition.out)) {
      const name = this.#output(id, port, type.dtype, options.out?.[port])
      const more = { ...(type.kind === 'stream' && streaming(type)), ...optionsOf(definition, port) }
      ports.push({ direction: 'output', port, name, dtype: type.dtype, ...more })
      refs[port] = name.includes('.') ? { message: name, dtype: type.dtype } : { ...this.ref(name), dtype: type.dtype }
    }
    for (const port of Object.keys(options.out ?? {})) {
      if (!Object.hasOwn(definition.out, port))
        throw this.#error(`node "${id}" has no output "${port}"; it has ${listed(Object.keys(definition.out))}`)
    }
    this.nodes.push({ id, type: definition.type, ports, ...placed(definition, options) })
    // The engine calls a definition with inputs it has checked; its types end here.
    if (definition.kind !== 'typed') this.definitions.set(id, definition as unknown as Definition)
    return refs
  }

  #input(id: string, port: string, type: { dtype: Dtype; trigger: boolean }, ref: AnyRef | undefined): PortInput {
    const where = `node "${id}", input "${port}"`
    if (ref === undefined) throw this.#error(`${where} is not wired; give it a message: use(…, { ${port}: … })`)
    const name = this.nameOf(ref, where)
    if (!compatible(ref.dtype, type.dtype))
      throw this.#error(
        `${where} takes ${type.dtype}, but message "${ref.message}" carries ${ref.dtype}; wire another message or change the port`,
      )
    return { direction: 'input', port, name, ...type }
  }

  #output(id: string, port: string, dtype: Dtype, target: string | AnyRef | undefined): string {
    const where = `node "${id}", output "${port}"`
    const name = typeof target === 'object' ? this.nameOf(target, where) : (target ?? port)
    if (typeof target === 'object' && name.includes('.')) return this.#foreign(where, dtype, target)
    if (!messageNameSchema.safeParse(name).success) throw this.#error(`${where}: ${badName(name)}`)
    const other = this.producers.get(name)
    // Several producers of one message are legal in a live flow, but only on purpose: by Ref.
    if (other !== undefined && (this.#mode === 'batch' || typeof target !== 'object'))
      throw this.#error(
        `${where} and ${other} both publish message "${this.#flow}.${name}"; rename one with { out: { ${port}: "other_name" } }`,
      )
    this.#checkTarget(where, dtype, { message: `${this.#flow}.${name}`, dtype: this.#messages.get(name) ?? dtype })
    this.producers.set(name, other ?? where)
    if (!this.#messages.has(name)) this.#messages.set(name, dtype)
    return name
  }

  #foreign(where: string, dtype: Dtype, target: AnyRef): string {
    if (this.#mode === 'batch')
      throw this.#error(
        `${where} is mapped to "${target.message}"; a batch flow publishes messages of its own only, as its results`,
      )
    this.#checkTarget(where, dtype, target)
    return target.message
  }

  #checkTarget(where: string, dtype: Dtype, target: AnyRef): void {
    if (!compatible(dtype, target.dtype))
      throw this.#error(
        `${where} gives ${dtype}, but message "${target.message}" carries ${target.dtype}; map it to another message with { out: … }`,
      )
  }

  #error(text: string): FlowError {
    return new FlowError(`flow "${this.#flow}": ${text}`)
  }
}

const badName = (name: string): string =>
  `"${name}" is no message name; use letters, digits and "_", not beginning with a digit, or a Ref of another flow`

const listed = (names: readonly string[]): string =>
  names.length === 0 ? 'none' : names.map((n) => `"${n}"`).join(', ')

const streaming = (type: StreamType<unknown, Dtype>) => ({ stream: true, interval: type.interval })

function optionsOf(definition: AnyUsable, port: string): Partial<PortInput> {
  const { interval, onDemand } = (definition.kind === 'typed' && definition.outputs?.[port]) || {}
  return defined({ interval, on_demand: onDemand }) as Partial<PortInput>
}

/** What a node has beside id, type and ports, in the document's words. */
function placed(definition: AnyUsable, options: AnyUseOptions): Partial<NodeInput> {
  const base: Execution = definition.kind === 'typed' ? {} : definition.execution
  const { title, worker, workerPolicy, timeout, cache, retry } = { ...base, ...defined(options) } as Execution
  const settings = { ...settingsOf(definition), ...options.settings } as NonNullable<NodeInput['settings']>
  const again =
    retry &&
    defined({ ...retry, delay: undefined, maxDelay: undefined, delay_s: retry.delay, max_delay_s: retry.maxDelay })
  return defined({
    title,
    settings,
    worker,
    worker_policy: workerPolicy,
    timeout,
    cache,
    retry: again,
  }) as Partial<NodeInput>
}

function settingsOf(definition: AnyUsable): Readonly<Record<string, unknown>> {
  if (definition.kind === 'typed') return definition.values
  if (definition.kind !== 'python' || !definition.settings) return {}
  // Nothing on the Python side knows the schema, so its defaults have to stand in the document.
  const defaults = Object.entries(definition.settings.shape as Record<string, z.ZodType>).map(([name, schema]) => {
    return [name, schema.safeParse(undefined).data] as const
  })
  return Object.fromEntries(defaults.filter(([, value]) => value !== undefined))
}
