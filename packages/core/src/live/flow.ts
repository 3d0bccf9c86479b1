/**
 * A live flow as its host sees it.
 * @module
 */
import type { Values } from '@flow-service/connector-sdk'
import type { FlowDocument, FlowNode, NodeState } from '@flow-service/protocol'

import type { KeptWork } from '../host.ts'

/** A started flow. A node that does not exist is refused with a {@link TriggerError}. */
export interface LiveFlow {
  readonly name: string
  readonly document: FlowDocument
  /** Deliveries that wait because the flow is paused. */
  readonly held: number
  readonly paused: boolean
  /** Whether a node would be made anew by a rebuild with the same document: what its package has stored was forgotten. */
  readonly isOutdated: boolean
  nodeStates(): NodeState[]
  /**
   * Ends the flow: nothing comes in any more, executing nodes get `graceMs` to end, 10 s unless given. Waiting deliveries
   * and timers become dead letters, or with `keep` are kept for the next start of the flow. Calling it again waits for the
   * same end.
   */
  stop(options?: { readonly keep?: boolean; readonly graceMs?: number }): Promise<void>
  /**
   * Gives the flow another document: nodes that are equal go on, the others are ended and made anew, and what comes to
   * them waits meanwhile. Answers the ids of those. Rejects with a StartError when a new node does not start, and with
   * what `commit` rejects with: then the old nodes are there again, or the flow has stopped where they do not start
   * either, and keeps what waits. Not while it is started, stopped, paused or rebuilt.
   */
  rebuild(document: FlowDocument, options?: RebuildOptions): Promise<readonly string[]>
  /** Settles once no rebuild makes this node anew. */
  ready(node: string): Promise<void>
  /** Holds every delivery that no node has begun; running executions end. */
  pause(): void
  /** Delivers what an earlier life has left; needed once after a deferred start. */
  takeUp(): void
  resume(): void
  /** Lets the oldest held delivery through; answers how many there were to release. */
  step(): 0 | 1
  /**
   * Feeds input ports, or publishes on output ports; without values the node acts by itself. Answers the cascade.
   * Throws a {@link TriggerError}, also for an output under a message that no published flow declares.
   */
  trigger(node: string, values: Values): string
  /**
   * A dead letter to be delivered again: its value to every input of the node that reads the message; a null message
   * asks the node to act. Throws a {@link TriggerError}.
   */
  replay(letter: { readonly node: string; readonly message: string | null; readonly value: unknown }): Replayed
  /** Ends the execution that runs; answers how many there were. */
  cancel(node: string): 0 | 1
  /** Clears the failure marker. */
  acknowledge(node: string): NodeState
  /** Resolves once nothing executes and nothing waits but what is held. */
  idle(): Promise<void>
}

/** A dead letter on its way: the host keeps the work first, and so may let go of the letter in the same commit. */
export interface Replayed {
  readonly work: KeptWork
  /** Delivers it; when the flow has stopped meanwhile it is left for its next start. */
  readonly deliver: () => void
}

/** Another name for a flow. */
export interface NewName {
  readonly from: string
  readonly to: string
}

/** What a flow is started with. */
export interface StartOptions {
  /**
   * Last values by qualified message. They stand in for initial values and fill passive inputs; other triggering
   * inputs wait for their first arrival (G15). They are read again once every node has started.
   */
  readonly values?: { get(message: string): unknown }
  /** Leave what an earlier life of the flow has left until {@link LiveFlow.takeUp}: other flows are to start first. */
  readonly deferred?: boolean
  /** Start paused: what the flow has left waits to be released. */
  readonly paused?: boolean
  /** Makes the start last, once every node has started; rejected, nothing of it is left. Nothing comes in before. */
  readonly commit?: () => Promise<void>
  /** The same flow under its earlier name, which has ended: values of joins go on, and equal schedules keep their times. */
  readonly after?: LiveFlow | undefined
}

/** What a flow is rebuilt with. */
export interface RebuildOptions extends Pick<StartOptions, 'values'> {
  /** Every node is made anew, or those that are told by it. */
  readonly restart?: boolean | ((node: FlowNode) => boolean) | undefined
  /** The messages of a flow have another name: inputs that read them keep what they have. */
  readonly renamed?: NewName
  /** Makes the change last, once every new node has started; it is told the ids that `rebuild` answers. */
  readonly commit?: (rebuilt: readonly string[]) => Promise<void>
}

/** A request to a node that it cannot take: there is no such node or port, or a value is off its dtype. */
export class TriggerError extends Error {
  override readonly name = 'TriggerError'
  /** Null when the fault is not one port's. */
  readonly port: string | null
  constructor(port: string | null, message: string) {
    super(message)
    this.port = port
  }
}
