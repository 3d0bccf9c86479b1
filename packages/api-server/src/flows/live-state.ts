/**
 * What the engine shows of a live flow beside its document: its status, what it holds, its nodes, and what is wrong.
 * @module
 */
import { type LiveFlow, StartError } from '@flow-service/core'
import type { FlowDocument, FlowStatus, Issue, NodeState } from '@flow-service/protocol'

import type { FlowHead } from './store.ts'

/** What the engine shows of a flow beside its document. */
export interface LiveState {
  readonly status: FlowStatus
  readonly held: number
  readonly nodeStates: readonly NodeState[]
  /** Why the flow is not active, and what is wrong with its connections. */
  readonly issues: readonly Issue[]
}

/** What is known of a flow beside what runs. */
interface Known {
  /** Why it is failed. */
  readonly failure: Issue | undefined
  /** Why it goes on with what it executed before. */
  readonly outdated: Issue | undefined
  /** What it was before a change of its name that is under way. */
  readonly moving: FlowStatus | undefined
}

/** The state of a flow that runs, or does not. */
export function liveStateOf(
  row: Pick<FlowHead, 'published_mode'>,
  flow: LiveFlow | undefined,
  nodeStates: readonly NodeState[],
  { failure, outdated, moving }: Known,
): LiveState {
  const troubles = [failure ?? (flow && outdated) ?? []].flat()
  return {
    status: moving ?? statusOf(row, flow, failure),
    held: flow?.held ?? 0,
    nodeStates,
    issues: [...troubles, ...nodeStates.flatMap(healthIssues)],
  }
}

function statusOf(
  row: Pick<FlowHead, 'published_mode'>,
  flow: LiveFlow | undefined,
  failure: Issue | undefined,
): FlowStatus {
  const { published_mode: mode } = row
  if (mode === null) return 'draft'
  if (flow) return flow.paused ? 'paused' : 'active'
  if (failure) return 'failed'
  return mode === 'batch' ? 'ready' : 'stopped'
}

/** Why the nodes of a document do not run. */
export function startFailed(error: unknown, document: FlowDocument): Issue {
  const node = error instanceof StartError ? error.node : null
  const at = document.nodes.findIndex(({ id }) => id === node)
  const message = error instanceof Error ? error.message : String(error)
  return { severity: 'error', code: 'start_failed', message, node, path: at < 0 ? null : `/nodes/${at}` }
}

function healthIssues({ node, health, message }: NodeState): Issue[] {
  if (health !== 'down') return []
  return [{ severity: 'warning', code: 'connector_down', message: message ?? `"${node}" is down`, node, path: null }]
}
