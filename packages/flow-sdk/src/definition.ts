/**
 * Definitions: what `use` places in a flow. Stages, nodes and Python functions are module-level exports of the
 * author's code, so that they can be addressed, hashed and called in a unit test (wire decision G64 rules 1 and 5).
 * @module
 */
import {
  type CodeContext as AnyCodeContext,
  type Definition,
  messageNameRule,
  type NameRule,
  nameRule,
} from '@flow-service/protocol'
import type * as z from 'zod'

import type { Checked, Finals, Optional, OrNothing, Produced, Streams } from './answer.ts'
import { FlowError } from './flow-error.ts'
import type { Inputs, Outputs, ValueOf, ValuesOf } from './port-type.ts'
import type { WithSecrets } from './secret.ts'

/** Where and how the author's code executes; `use` can override each for one node. */
export interface Execution {
  readonly title?: string
  /** Name or label of the worker that executes the node; this machine unless given. */
  readonly worker?: string
  /** `prefer` falls back to this machine; `require` waits and is the default. */
  readonly workerPolicy?: 'require' | 'prefer'
  /** Seconds without a sign of life after which the execution fails. */
  readonly timeout?: number
  /** Whether equal inputs may reuse an earlier result in batch runs; true unless given. */
  readonly cache?: boolean
  /** Execute a failing node again; once unless given. */
  readonly retry?: Retry
}

/**
 * How often a failing node is executed, and the pauses between. A cancel is never retried. In a live flow the node takes
 * what comes meanwhile, and the pauses outlive the engine.
 */
export interface Retry {
  /** Executions in all, 1 to 20, the first one included. */
  readonly attempts: number
  /** Seconds after the first failure; 1 unless given. */
  readonly delay?: number
  /** Each pause to the one before; 2 unless given. */
  readonly factor?: number
  /** Seconds that no pause is longer than; 300 unless given. */
  readonly maxDelay?: number
}

interface Declaration<I, O> {
  readonly in: I
  readonly out: O
  /** Stands for the code where no bundle does: without it, flow objects are never cached. */
  readonly version?: string
}

/** Schema of settings where none was given. */
export type NoSettings = z.ZodObject<Record<never, never>>

type Arguments<I extends Inputs, S extends z.ZodObject> = string extends keyof z.output<S>
  ? ValuesOf<I>
  : ValuesOf<I> & Readonly<z.output<S>>

/** What code can do beside returning; `emit` takes the ports in `P` with values of their types. */
export interface CodeContext<P = Outputs> extends Omit<AnyCodeContext, 'emit'> {
  /** Publish one value at once. */
  emit<K extends keyof P & string>(port: K, value: ValueOf<P[K]>): void
}

type StageAnswer<O> = Produced<Optional<Streams<O>>, OrNothing<Finals<O>>>
type NodeAnswer<O> = Produced<Optional<O>, OrNothing<Optional<O>>>
// G is the answer that the code gives. Until it is known it stands for the right one, which keeps literals from widening.
type StageBody<I extends Inputs, O extends Outputs, S extends z.ZodObject, G> = (
  args: Arguments<I, S>,
  ctx: CodeContext<Streams<O>>,
) => G
type NodeBody<I extends Inputs, O extends Outputs, S extends z.ZodObject, G> = (
  args: Arguments<I, S>,
  ctx: CodeContext<O>,
) => G

/** Body of a stage: returns every output that is no stream; streams are yielded or emitted. */
export type StageFunction<I extends Inputs, O extends Outputs, S extends z.ZodObject> = StageBody<
  I,
  O,
  S,
  StageAnswer<O>
>

/** Body of a live node: a port left out of the answer publishes nothing. */
export type NodeFunction<I extends Inputs, O extends Outputs, S extends z.ZodObject> = NodeBody<I, O, S, NodeAnswer<O>>

interface Placeable<I extends Inputs, O extends Outputs> {
  readonly type: string
  readonly in: I
  readonly out: O
}

interface Written<I extends Inputs, O extends Outputs> extends Omit<Definition, 'run' | 'settings'>, Placeable<I, O> {
  readonly execution: Execution
}

/** A stage of batch flows. `run` can be called as it stands, with parsed settings among the arguments. */
export interface StageDefinition<I extends Inputs, O extends Outputs, S extends z.ZodObject> extends Written<I, O> {
  readonly kind: 'stage'
  readonly type: 'code'
  readonly settings?: S
  readonly run: StageFunction<I, O, S>
}

/** A function node of live flows. */
export interface NodeDefinition<I extends Inputs, O extends Outputs, S extends z.ZodObject> extends Written<I, O> {
  readonly kind: 'node'
  readonly type: 'code'
  readonly settings?: S
  readonly run: NodeFunction<I, O, S>
}

/** A Python function, in a file beside the module. */
export interface PythonDefinition<I extends Inputs, O extends Outputs, S extends z.ZodObject> extends Written<I, O> {
  readonly kind: 'python'
  readonly type: 'python'
  readonly settings?: S
  readonly file: string
}

/** A node of a type that the engine or an installed package brings; its settings are in the document's words. */
export interface TypedNode<I extends Inputs, O extends Outputs> extends Placeable<I, O> {
  readonly kind: 'typed'
  readonly values: Readonly<Record<string, unknown>>
  /** By output, for those that have any. */
  readonly outputs?: Readonly<Record<string, OutputOptions>>
}

/** What an output of a connector or a device has beside its type. */
export interface OutputOptions {
  /** Seconds between two values that are published. */
  readonly interval?: number
  /** Of a device: it sends values only while somebody wants them. */
  readonly onDemand?: boolean
}

/** Anything that `use` places. */
export type Usable<I extends Inputs, O extends Outputs, S extends z.ZodObject> =
  | StageDefinition<I, O, S>
  | NodeDefinition<I, O, S>
  | PythonDefinition<I, O, S>
  | TypedNode<I, O>

/** Settings as `use` takes them. */
export type SettingsOf<S extends z.ZodObject> = WithSecrets<z.input<S>>

/**
 * Define a stage of batch flows. Its inputs and settings come as one object; it returns every output that is no stream.
 * @example
 * export const train = stage('train', {
 *   in: { lr: t.float }, out: { loss: stream(t.float), error: t.float }, settings: z.object({ epochs: z.int().default(9) }),
 *   async *run({ lr, epochs }, ctx) { let e = 1; for (let i = 0; i < epochs; i++) yield { loss: (e *= 1 - lr) }; return { error: e } },
 * })
 */
export function stage<I extends Inputs, O extends Outputs, S extends z.ZodObject = NoSettings, G = StageAnswer<O>>(
  id: string,
  spec: Declaration<I, O> &
    Execution & {
      readonly settings?: S
      readonly run: Checked<StageBody<I, O, S, G>, G, Streams<O>, Finals<O>, O>
    },
): StageDefinition<I, O, S> {
  const run = checkingInputs(id, spec.in, spec.run as StageFunction<I, O, S>)
  return { kind: 'stage', type: 'code', ...written('stage', id, spec), ...withSettings(spec.settings), run }
}

/**
 * Define a function node of live flows: it runs on each arrival; an output left out publishes nothing.
 * @example
 * export const decide = node('decide', {
 *   in: { temp: t.float, mode: latest(t.str, 'auto') }, out: { fan: t.bool },
 *   run: ({ temp, mode }) => (mode === 'auto' ? { fan: temp > 28 } : {}),
 * })
 */
export function node<I extends Inputs, O extends Outputs, S extends z.ZodObject = NoSettings, G = NodeAnswer<O>>(
  id: string,
  spec: Declaration<I, O> &
    Execution & { readonly settings?: S; readonly run: Checked<NodeBody<I, O, S, G>, G, O, Optional<O>, O> },
): NodeDefinition<I, O, S> {
  const run = checkingInputs(id, spec.in, spec.run as NodeFunction<I, O, S>)
  return { kind: 'node', type: 'code', ...written('node', id, spec), ...withSettings(spec.settings), run }
}

/**
 * Define a node by a Python file, relative to the defining module (a path or file URL in flow objects). Its function
 * takes inputs and settings as keyword arguments; `settings` types them and fills in defaults.
 * @example export const clean = python('clean', { file: './clean.py', in: { raw: t.artifact }, out: { rows: t.artifact } })
 */
export function python<I extends Inputs, O extends Outputs, S extends z.ZodObject = NoSettings>(
  id: string,
  spec: Declaration<I, O> & Execution & { readonly file: string; readonly settings?: S },
): PythonDefinition<I, O, S> {
  const { file, settings } = spec
  return { kind: 'python', type: 'python', ...written('python', id, spec), ...withSettings(settings), file }
}

/**
 * Place a node of any type that the engine knows. The built-in types have constructors of their own in
 * `@flow-service/node-types/flow`.
 * @example use(nodeType('acme_meter', { out: { watts: t.float }, settings: { host: '10.0.0.7', token: secret('meter') } }))
 */
export function nodeType<I extends Inputs = Record<never, never>, O extends Outputs = Record<never, never>>(
  type: string,
  spec: {
    readonly in?: I
    readonly out?: O
    readonly settings?: Readonly<Record<string, unknown>>
    readonly outputs?: TypedNode<I, O>['outputs']
  },
): TypedNode<I, O> {
  const { in: inputs = {} as I, out = {} as O, settings = {}, outputs } = spec
  const what = `node type "${type}"`
  checkIntervals(what, out)
  for (const [port, { interval = 0 }] of Object.entries(outputs ?? {})) checkInterval(what, port, interval)
  const made = { kind: 'typed', type, in: inputs, out, values: defined(settings) } as const
  return outputs === undefined ? made : { ...made, outputs }
}

type AnySpec<I, O> = Declaration<I, O> & Execution & { readonly settings?: z.ZodObject }

function written<I extends Inputs, O extends Outputs>(kind: string, id: string, spec: AnySpec<I, O>) {
  const { in: inputs, out, settings, version, title, worker, workerPolicy, timeout, cache, retry } = spec
  const what = `${kind} "${id}"`
  assertName(id, nameRule, `${what}: the id`)
  for (const port of [...Object.keys(inputs), ...Object.keys(out)]) {
    assertName(port, messageNameRule, `${what}: port "${port}"`)
  }
  for (const name of Object.keys(settings?.shape ?? {})) {
    if (Object.hasOwn(inputs, name)) throw new FlowError(`${what}: "${name}" is an input and a setting; rename one`)
  }
  checkIntervals(what, out)
  return {
    id,
    in: inputs,
    out,
    initials: initialsOf(inputs),
    execution: defined({ title, worker, workerPolicy, timeout, cache, retry }),
    ...defined({ version }),
  }
}

function assertName(name: string, { pattern, remedy }: NameRule, what: string): void {
  if (!pattern.test(name)) throw new FlowError(`${what} is not valid: ${remedy}`)
}

const withSettings = <S>(settings: S | undefined): { readonly settings?: S } => (settings ? { settings } : {})

/** The entries that have a value. */
export function defined<T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const entries = Object.entries(values).filter(([, value]) => value !== undefined)
  return Object.fromEntries(entries) as { [K in keyof T]?: Exclude<T[K], undefined> }
}

function initialsOf(inputs: Inputs): Record<string, unknown> {
  const passive = Object.entries(inputs).flatMap(([port, type]) =>
    type.kind === 'latest' ? [[port, type.initial]] : [],
  )
  return Object.fromEntries(passive) as Record<string, unknown>
}

function checkIntervals(what: string, out: Outputs): void {
  for (const [port, type] of Object.entries(out)) {
    if (type.kind !== 'stream' && 'interval' in type)
      throw new FlowError(`${what}: output "${port}" has an interval but is no stream; use stream(type, { interval })`)
    if (type.kind === 'stream') checkInterval(what, port, type.interval ?? 0)
  }
}

function checkInterval(what: string, port: string, interval: number): void {
  if (interval >= 0) return
  throw new FlowError(`${what}: the interval of output "${port}" is ${interval}; use seconds, 0 or more`)
}

/** The same function, behind a check of what arrives on `t.json` inputs: messages may come from anywhere. */
function checkingInputs<A extends object, C, R>(
  id: string,
  inputs: Inputs,
  run: (args: A, ctx: C) => R,
): (args: A, ctx: C) => R {
  const schemas = Object.entries(inputs).flatMap(([port, { schema }]) => (schema ? [[port, schema] as const] : []))
  if (schemas.length === 0) return run
  return (args, ctx) => {
    const checked: { [port: string]: unknown } = Object.fromEntries(Object.entries(args))
    for (const [port, schema] of schemas) {
      const parsed = schema.safeParse(checked[port])
      if (!parsed.success)
        throw new TypeError(`input "${port}" of "${id}" is not of its shape: ${parsed.error.message}`)
      checked[port] = parsed.data
    }
    return run(checked as A, ctx)
  }
}
