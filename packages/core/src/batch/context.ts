/**
 * What a run is given, what it tells, and how it ends.
 * @module
 */
import type { Values } from '@flow-service/connector-sdk'
import type { ArtifactRef, Dtype, FlowDocument, FlowNode, NodeCache, NodeRunStatus } from '@flow-service/protocol'

import type { Failure } from '../failure.ts'
import type { GraphNode } from '../graph.ts'
import type { Host } from '../host.ts'
import type { NodeRegistry } from '../registry.ts'
import type { PythonStage, StageParts } from './stage-key.ts'

/** A node with code of its own, about to execute. */
export interface Stage {
  /** `sha256:` over what its outputs depend on; see `stageKey`. */
  readonly key: string
  readonly node: string
  /** Of a Python stage: what its source imports counts too, where it executes. Else null. */
  readonly python: PythonStage | null
  /** What the key is made of; computed when called. */
  parts(): StageParts
}

/** What a cache has for a stage. */
export type StageTake =
  /** `run` is the run that executed it, null once that is deleted. */
  | { readonly is: 'hit'; readonly outputs: Values; readonly run: string | null; readonly why: readonly string[] }
  /** The caller executes the stage and tells the end by `settle`. */
  | { readonly is: 'miss'; readonly why: readonly string[] }
  /** The same stage executes in `run`. Whoever still needs it when that is `over`, which never rejects, asks again. */
  | { readonly is: 'attached'; readonly run: string; readonly over: Promise<void> }

/** How the execution of a stage ended. */
export type StageEnd =
  | { readonly is: 'ok'; readonly outputs: Values }
  /** `too_large`: more than `MAX_STORED_VALUE_BYTES` of outputs; `secret`: outputs with the value of a secret. */
  | { readonly is: 'too_large' | 'secret' | 'failed' | 'cancelled' }

/** Results of stages by key (G63), and the stages that execute now (R4). */
export interface StageCache {
  /** With `fresh` nothing is taken over: a miss whatever there is. */
  take(stage: Stage, options: { readonly fresh: boolean }): Promise<StageTake>
  /** Once after each miss. What ended `ok` is kept for others. */
  settle(stage: Stage, end: StageEnd): Promise<void>
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
      /** Of a node with code: what the cache had for it. */
      readonly cache?: NodeCache
      /** It is queued for a slot of its run: of those, others have all. */
      readonly inLine?: true
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
  | {
      /** Of a node with `retry`: an attempt has ended, with an error or well. The node's own end follows or is awaited. */
      readonly kind: 'attempt'
      readonly node: string
      /** From 1. */
      readonly attempt: number
      readonly startMs: number
      readonly atMs: number
      readonly error: Failure | null
    }
  | { readonly kind: 'log'; readonly node: string; readonly stream: 'stdout' | 'stderr'; readonly text: string }
  /** The node has stored bytes; what it returns or emits refers to them, or nothing does. */
  | { readonly kind: 'artifact'; readonly node: string; readonly ref: ArtifactRef }

/** What another execution of a run has left of a node. Nodes that it left nothing of had not begun. */
export type EarlierNode =
  | { readonly status: 'ok'; readonly outputs: Values }
  | { readonly status: 'error'; readonly error: Omit<Failure, 'traceback'> }
  | { readonly status: 'skipped' }
  | {
      readonly status: 'begun'
      /** The one to be executed now, from 1. */
      readonly attempt: number
      /** Its code is being executed: the node's call is answered by what comes of that. Null when nothing is. */
      readonly goingOn: {
        /** When a worker began with the code; null when it had not. */
        readonly startMs: number | null
        /** The last value of each streaming port so far. */
        readonly emitted: Values
        /** What the cache had for it. */
        readonly cache: NodeCache | null
      } | null
    }

/** What a run is executed with. */
export interface BatchContext {
  readonly host: Host
  readonly registry: NodeRegistry
  /** Identifier of the run. */
  readonly run: string
  /** By input name, checked by `checkParams`. */
  readonly inputs: Values
  /** Take nothing over; results are stored all the same. */
  readonly noCache: boolean
  /** How many nodes execute at once, at least 1. */
  readonly parallel: number
  /** Cancels the run. */
  readonly signal: AbortSignal
  readonly cache: StageCache
  /** Nodes that another execution of the run has decided or begun, by id; those that ended in the order of their ends. */
  readonly earlier?: ReadonlyMap<string, EarlierNode>
  observe(event: BatchEvent): void
  /** Before a node executes, each time: settles when it may. */
  beginning?(node: FlowNode, attempt: number): Promise<void> | undefined
  /** While more emissions wait to be kept than should: settles when there is room again; never rejects. */
  behind?(): Promise<void> | undefined
  /** Last value of another flow's message, by qualified name; undefined when it has none. Read once, at the start. */
  lastValue(message: string): unknown
}

/** How a run ended. `result` has every declared output by its key, null for what was skipped; `ok` alone has one. */
export interface BatchOutcome {
  readonly status: 'ok' | 'error' | 'cancelled'
  readonly result: Values | null
  readonly error: { readonly node: string | null; readonly type: string; readonly message: string } | null
}

/** A node whose turn it is. */
export interface Turn {
  readonly graphNode: GraphNode
  /** Values of the inputs that have one. */
  readonly inputs: Values
  /** By input port the node that gives it. */
  readonly from: Readonly<Record<string, string>>
  readonly document: FlowDocument
  readonly context: BatchContext
  /** Resolves when `work`, which never rejects, is over; meanwhile another node may use the slot of this one. */
  readonly aside: (work: Promise<void>) => Promise<void>
}

/** How a node of a run ended, as its last event tells it. */
export type NodeEnd =
  | {
      readonly status: 'ok'
      readonly outputs: Values
      readonly key?: string
      readonly cachedFrom?: string | null
      readonly cache?: NodeCache
    }
  | { readonly status: 'error'; readonly error: Failure }
  | { readonly status: 'skipped' | 'cancelled' }
