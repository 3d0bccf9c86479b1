/**
 * What can be done with the live flows of an engine: the contract of `live.ts`, for who starts, changes or shows flows.
 * @module
 */
import type { LiveFlow, NewName } from '@flow-service/core'
import type { FlowStatus, NodeState } from '@flow-service/protocol'

import type { LiveState } from './live-state.ts'
import type { Placed } from './placement.ts'
import type { FlowHead, FlowRow } from './store.ts'

/** Starts and stops live flows. Rows are those of flows with a published form. */
export interface LiveFlows {
  /** Runs `change` after every earlier change of the same flow. */
  exclusive<T>(id: string, change: () => Promise<T>): Promise<T>
  /**
   * Starts a flow unless it is active. False: it could not be started and is failed now. This, a stop, a pause and what
   * follows it refuse with `in_use` while another engine runs the flow.
   */
  start(row: FlowRow): Promise<boolean>
  stop(row: FlowRow): Promise<void>
  /**
   * Ends a flow without a change of what is wished, and keeps what waits; whether it was active or failed, and so is to
   * be revived. It stays this engine's where it `keepsPlace`, so that no other one starts it meanwhile.
   */
  end(row: Placed, options?: { readonly keepsPlace?: boolean }): Promise<boolean>
  /** Starts a flow that was ended so, unless another engine does. One that cannot be started is failed. */
  revive(row: FlowRow): Promise<void>
  /**
   * Starts flows that this engine has taken, side by side, as they are by then; the ids of those that could not be started,
   * and are failed.
   */
  begin(rows: readonly FlowRow[]): Promise<readonly string[]>
  /** Leaves flows to other engines: ends each soon, keeps what waits, and then lets go of all their places together. */
  leave(flows: readonly Placed[]): Promise<void>
  /** Ends flows that other engines have taken, at once: whatever they still do is not this engine's to do. */
  lose(flows: readonly Placed[]): Promise<void>
  /**
   * Ends a flow while `commit` gives it another name, and starts it under that; where `commit` is refused, under the one
   * that it had. It is shown as it was meanwhile, and what its nodes publish is kept back until `takeUp`.
   */
  move(row: FlowRow, commit: () => Promise<FlowRow>): Promise<FlowRow>
  /** Has a flow that was moved go on. */
  takeUp(row: FlowRow): void
  /** Holds what comes from now on. False: the flow is not active. */
  pause(row: FlowRow): Promise<boolean>
  /** Lets go of what is held, and of what comes. False: the flow is not active. */
  resume(row: FlowRow): Promise<boolean>
  /** The flow of a row while it runs. */
  running(row: Pick<FlowHead, 'name'>): LiveFlow | undefined
  /** Refuses with `in_use` what only the engine can do that runs the flow, when that is another one. */
  assertHere(row: FlowHead): void
  /**
   * Follows what a flow executes after it has changed: one that is active is replaced in place, one that is failed is
   * started, one that is stopped stays so. Ids of the nodes that were made anew or have gone.
   */
  rebuild(row: FlowRow, options?: Parameters<LiveFlow['rebuild']>[1]): Promise<readonly string[]>
  /**
   * Gives a flow another published form. Refuses with `flow_invalid` when a node of it does not start, and with what
   * `commit` refuses: then nothing has changed. `rebuilt` has the nodes that were made anew or have gone.
   */
  replace(change: Replacement): Promise<{ readonly row: FlowRow; readonly rebuilt: readonly string[] }>
  /**
   * Starts all flows that are wished to be active, side by side, of an engine that has its database to itself, but those that
   * `isMissing` names. One that cannot be started is failed; the others are not affected.
   */
  restore(isMissing: (name: string) => boolean): Promise<void>
  state(row: FlowHead): LiveState
  /** The states of those of these flows that run here, by name. */
  states(flows: readonly Placed[]): (readonly [name: string, state: LiveState])[]
  /** How the nodes of a flow are; of one that does not run, those that have failed. */
  nodeStates(name: string): readonly NodeState[]
  /** How many flows could not be started. */
  failed(): number
  /** Tells observers the state and version of a flow. */
  announce(row: FlowRow, options?: AnnounceOptions): void
}

/** How the state of a flow is told. */
export interface AnnounceOptions {
  /** Where others know better than the engine. */
  readonly status?: FlowStatus
  /** Another engine has changed it, and tells the observers of all but this one. */
  readonly isFollowed?: boolean
}

/** Another published form of a flow. */
export interface Replacement {
  readonly row: FlowRow
  /** The row as it is to be. */
  readonly next: FlowRow
  /** Every node is made anew. */
  readonly restart?: boolean
  /** The flow with another name whose messages the form names anew. */
  readonly renamed?: NewName
  /** What is wrong with the form is looked for first, as nobody has done yet. */
  readonly unchecked?: boolean
  /** Stores it and takes it over; answers the row as it is then. Told the nodes that are made anew or go. */
  readonly commit: (rebuilt: readonly string[]) => Promise<FlowRow>
}
