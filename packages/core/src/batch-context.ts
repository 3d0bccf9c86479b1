/**
 * What a run is given, what it tells, and how it ends.
 * @module
 */
import type { Values } from '@flow-service/connector-sdk'
import type { Dtype, NodeRunStatus } from '@flow-service/protocol'

import type { Failure } from './failure.ts'
import type { Host } from './host.ts'
import type { NodeRegistry } from './registry.ts'

/** Results of stages by key (G63). */
export interface StageCache {
  /** `run` is the run that stored it, null once that is deleted. */
  lookup(key: string): Promise<{ outputs: Values; run: string | null } | null>
  store(key: string, entry: { node: string; outputs: Values }): Promise<void>
}

/** What happens in a run, in order. Times are milliseconds since the Unix epoch. */
export type BatchEvent =
  | {
      readonly kind: 'node'
      readonly node: string
      readonly status: NodeRunStatus
      readonly atMs: number
      /** Present on a cache hit: the run that executed the node, when it is still there. */
      readonly cachedFrom?: string | null
      readonly worker?: string | null
      readonly waitingFor?: string | null
      readonly error?: Failure
      readonly outputs?: Values
      readonly key?: string
    }
  | {
      readonly kind: 'emit'
      readonly node: string
      readonly port: string
      readonly message: string
      readonly dtype: Dtype
      readonly value: unknown
      readonly atMs: number
    }
  | { readonly kind: 'log'; readonly node: string; readonly stream: 'stdout' | 'stderr'; readonly text: string }

/** What a run is executed with. */
export interface BatchContext {
  readonly host: Host
  readonly registry: NodeRegistry
  /** Identifier of the run. */
  readonly run: string
  /** By input name, checked by `checkParams`. */
  readonly inputs: Values
  /** Look nothing up; results are stored all the same. */
  readonly noCache: boolean
  /** How many nodes execute at once, at least 1. */
  readonly parallel: number
  /** Cancels the run. */
  readonly signal: AbortSignal
  readonly cache: StageCache
  observe(event: BatchEvent): void
  /** Last value of another flow's message, by qualified name; undefined when it has none. Read once, at the start. */
  lastValue(message: string): unknown
}

/** How a run ended. `result` has every declared output by its key, null for what was skipped; `ok` alone has one. */
export interface BatchOutcome {
  readonly status: 'ok' | 'error' | 'cancelled'
  readonly result: Values | null
  readonly error: { readonly node: string | null; readonly type: string; readonly message: string } | null
}
