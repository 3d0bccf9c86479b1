/**
 * The node behind a context (`ctx`): one of a live flow, or of a run. What it is asked for by `EngineContext`.
 * @module
 */
import type { PendingTimer, Values } from '@flow-service/connector-sdk'
import type { ArtifactRef, FlowNode, Health } from '@flow-service/protocol'

import type { Failure } from './failure.ts'
import type { CascadeOrigin } from './host.ts'

/** The timers of a node that outlive the engine. */
export interface LastingTimers {
  set(key: string, dueMs: number, data: unknown): void
  clear(key: string): void
  dueMs(key: string): number | null
  /** By when they are due. */
  pending(): readonly PendingTimer[]
}

/** The node behind a context. */
export interface ContextOwner {
  readonly node: FlowNode
  readonly run: string | null
  send(port: string, value: unknown): void
  emit(values: Values, atMs?: number): void
  emitDurably(values: Values): Promise<void>
  readonly timers: LastingTimers
  /** Names what sets off the cascades that the node begins by itself from now on; answers what was named before. */
  from(source: CascadeOrigin['kind']): CascadeOrigin['kind']
  latest(port: string): unknown
  /** While emissions come faster than they are kept: settles when there is room again; never rejects. */
  behind?(): Promise<void> | undefined
  /** Aborted when the execution that runs is cancelled or its node stops; null while none runs. */
  executionSignal(): AbortSignal | null
  /** What feeds the generator of numbers of a call, unless a `seed` port does; the call's id where it is left out. */
  seed?(call: string): string
  /** How often the node has been executed with the same input, this time included; 1 where it is left out. */
  readonly attempt?: number
  /** A callback of the node has failed. */
  fail(failure: Failure): void
  placed(place: { readonly waitingFor: string } | { readonly worker: string }): void
  reportHealth(status: Health, message: string | null): void
  log(stream: 'stdout' | 'stderr', text: string): void
  /** The node has stored bytes. */
  saved?(ref: ArtifactRef): void
}
