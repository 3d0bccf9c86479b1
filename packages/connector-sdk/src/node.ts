/**
 * The contract of node types. Built-in types and third-party ones are written with the same `defineNode`; a type knows
 * its settings and its `ctx` and nothing else of the engine (wire decisions G15, R8).
 * @module
 */
import type { Dtype, FlowMode, IssueCode, NodeCategory } from '@flow-service/protocol'
import type * as z from 'zod'

import type { NodeContext } from './context.ts'

/** Values by port name. */
export type Values = Record<string, unknown>

/** What a handler may give back: values for output ports (one delivery), or nothing. */
export type Outcome = Values | undefined | void | Promise<Values | undefined | void>

/** A port as its node sees it. */
export interface NodePort {
  readonly port: string
  /** Qualified name of the message it is wired to. */
  readonly message: string
  readonly dtype: Dtype
  readonly stream: boolean
  /** Inputs only: whether an arrival runs the node. */
  readonly trigger: boolean
}

/** A node before it is built: what `check` looks at. `settings` have passed the schema. */
export interface NodeShape<S = Values> {
  readonly id: string
  readonly mode: FlowMode
  readonly settings: S
  readonly inputs: readonly NodePort[]
  readonly outputs: readonly NodePort[]
}

/**
 * A finding of `check`; `severity` is `error` unless given. `path` is relative to the node; `/inputs/0` and `/outputs/0`
 * are places of ports as `check` got them.
 */
export interface NodeFinding {
  readonly code: IssueCode
  readonly message: string
  readonly severity?: 'error' | 'warning' | 'advisory'
  readonly path?: string
}

/** Which ports a type has. */
export interface PortRules {
  readonly inputs: 'none' | 'any' | 'fixed'
  readonly outputs: 'none' | 'any' | 'fixed'
  readonly fixed?: readonly {
    readonly direction: 'input' | 'output'
    readonly port: string
    readonly dtype: Dtype
    readonly trigger?: boolean
  }[]
}

/** A started node. One execution runs at a time: while a handler's promise is pending, arrivals wait. */
export interface NodeInstance {
  /** `arrival: 'each'`: one triggering value. May answer synchronously; that is the fast path. */
  onValue?(port: string, value: unknown): Outcome
  /** `arrival: 'combine'`: the latest value of every input, absent passive ones as null. `'together'`: what arrived. */
  onInput?(values: Values): Outcome
  /** A request to act without an arrival: the trigger operation, and a batch run of a node without inputs. */
  onTrigger?(values: Values): Outcome
  /** A timer of `ctx.setTimer` is due: once, and after a crash in between perhaps again. `dueMs` is when it was due. */
  onTimer?(key: string, data: unknown, dueMs: number): Outcome
  /** Called once, also after a failed start; has to leave no timer, socket or process behind. */
  stop?(): void | Promise<void>
}

/** A node type. */
export interface NodeDefinition<S extends z.ZodObject = z.ZodObject> {
  readonly type: string
  readonly title: string
  readonly description: string
  readonly category: NodeCategory
  readonly settings: S
  /** Both modes unless given. A function decides by the node's ports and settings. */
  readonly modes?: readonly FlowMode[] | ((shape: NodeShape<z.output<S>>) => readonly FlowMode[])
  /** Any ports unless given. */
  readonly ports?: PortRules
  /**
   * Inputs that never run a node of these settings, which are as the document has them: their `trigger` is false where it
   * is left out, and may not be true.
   */
  passive?(settings: Values): readonly string[]
  /**
   * What an execution gets: `each` triggering value alone, `together` the ports that arrived together, `combine` the
   * latest value of all inputs once every triggering one has a value.
   */
  readonly arrival: 'each' | 'together' | 'combine'
  /** Whether a repeated execution does no harm; true unless given. */
  readonly idempotent?: boolean | ((shape: NodeShape<z.output<S>>) => boolean)
  /** Runs the author's own code: Python text in `source`, or a TypeScript bundle. */
  readonly code?: 'python' | 'typescript'
  /** The package to install before nodes of this type work; null when it is there, or none is needed. */
  missing?(): string | null
  /** Adding, retyping or changing the node takes a superuser. */
  readonly superuser?: boolean
  /** Findings beyond the schema of the settings. Never executes user code. */
  check?(shape: NodeShape<z.output<S>>): readonly NodeFinding[]
  /**
   * What the node takes for itself, in words: of each thing a flow has one, such as `webhook /alerts`. Two nodes that
   * claim the same are an error of the flow.
   */
  claims?(shape: NodeShape<z.output<S>>): readonly string[]
  /**
   * Id of the paired device that a node of these settings stands for, in a live flow: its outputs are what the device
   * publishes, its inputs what the device follows, and nothing of it is executed. Null while none is chosen.
   */
  device?(settings: z.output<S>): string | null
  /** Nodes of the type mount routes by `ctx.routes`. */
  readonly routes?: boolean
  /**
   * The message that a timer of `ctx.setTimer` holds back, by its port: a dead letter shows that. What the timer carries
   * is shown as it is unless given, and for null.
   */
  holds?(key: string, data: unknown): readonly [port: string, value: unknown] | null
  /** Build the node. Throwing refuses the start of the flow; the message becomes the issue's text. */
  start(ctx: NodeContext<z.output<S>>): NodeInstance | Promise<NodeInstance>
}

/** Any node type, its settings' type forgotten. */
export type AnyNodeDefinition = NodeDefinition<z.ZodObject>

/** Declare a node type; the settings' schema types `check`, `claims` and `start`. */
export const defineNode = <const S extends z.ZodObject>(definition: NodeDefinition<S>): AnyNodeDefinition =>
  definition as unknown as AnyNodeDefinition
