/**
 * Everything that an agent can do: none of it touches secrets, users or deletion.
 * @module
 */
import type { Tool } from './tool.ts'
import { compareRuns } from './tools/compare-runs.ts'
import { getCurve } from './tools/curves.ts'
import { publishFlow, saveDraft, validate } from './tools/drafts.ts'
import { getFlow, listFlows } from './tools/flows.ts'
import { getHistory, listMessages } from './tools/messages.ts'
import { findNodeTypes } from './tools/node-types.ts'
import { cancelRun, getRun, listRuns } from './tools/runs.ts'
import { getLogs, whyMiss } from './tools/stages.ts'
import { submitRun, submitSweep } from './tools/submissions.ts'
import { tryDraft } from './tools/try-draft.ts'
import { listCascades, listDeadLetters } from './tools/watching.ts'

/** All tools, in the order in which they are shown. */
export const tools: readonly Tool[] = [
  findNodeTypes,
  listFlows,
  getFlow,
  validate,
  saveDraft,
  tryDraft,
  listRuns,
  getRun,
  compareRuns,
  getCurve,
  getLogs,
  whyMiss,
  submitRun,
  submitSweep,
  cancelRun,
  listMessages,
  getHistory,
  listCascades,
  listDeadLetters,
  publishFlow,
]
