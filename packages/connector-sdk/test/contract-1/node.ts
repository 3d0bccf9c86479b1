import type { Dtype, FlowMode, IssueCode, NodeCategory } from '@flow-service/protocol'
import type * as z from 'zod'

import type { NodeContext } from './context.ts'
export type Values = Record<string, unknown>
export type Outcome = Values | undefined | void | Promise<Values | undefined | void>
export interface NodePort {
  readonly port: string
  readonly message: string
  readonly dtype: Dtype
  readonly stream: boolean
  readonly trigger: boolean
}
export interface NodeShape<S = Values> {
  readonly id: string
  readonly mode: FlowMode
  readonly settings: S
  readonly inputs: readonly NodePort[]
  readonly outputs: readonly NodePort[]
}
export interface NodeFinding {
  readonly code: IssueCode
  readonly message: string
  readonly severity?: 'error' | 'warning' | 'advisory'
  readonly path?: string
}
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
export interface NodeInstance {
  onValue?(port: string, value: unknown): Outcome
  onInput?(values: Values): Outcome
  onTrigger?(values: Values): Outcome
  onTimer?(key: string, data: unknown, dueMs: number): Outcome
  stop?(): void | Promise<void>
}
export interface NodeDefinition<S extends z.ZodObject = z.ZodObject> {
  readonly type: string
  readonly title: string
  readonly description: string
  readonly category: NodeCategory
  readonly settings: S
  readonly modes?: readonly FlowMode[] | ((shape: NodeShape<z.output<S>>) => readonly FlowMode[])
  readonly ports?: PortRules
  passive?(settings: Values): readonly string[]
  readonly arrival: 'each' | 'together' | 'combine'
  readonly idempotent?: boolean | ((shape: NodeShape<z.output<S>>) => boolean)
  readonly code?: 'python' | 'typescript'
  missing?(): string | null
  readonly superuser?: boolean
  check?(shape: NodeShape<z.output<S>>): readonly NodeFinding[]
  claims?(shape: NodeShape<z.output<S>>): readonly string[]
  readonly routes?: boolean
  holds?(key: string, data: unknown): readonly [port: string, value: unknown] | null
  start(ctx: NodeContext<z.output<S>>): NodeInstance | Promise<NodeInstance>
}
export type AnyNodeDefinition = NodeDefinition<z.ZodObject>
export declare const defineNode: <const S extends z.ZodObject>(definition: NodeDefinition<S>) => AnyNodeDefinition
