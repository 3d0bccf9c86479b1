/**
 * The graph runtime of flow-service.
 * @module
 */
export type { BatchContext, BatchEvent, BatchOutcome, Stage, StageCache, StageEnd, StageTake } from './batch-context.ts'
export { runBatch } from './batch.ts'
export { checkDocument } from './check-document.ts'
export type { Surroundings } from './check-report.ts'
export type { RunningCascade } from './cascades.ts'
export type { FlowStats } from './execution-stats.ts'
export type { Failure } from './failure.ts'
export { IntervalGate } from './gate.ts'
export {
  buildGraph,
  type DeclaredMessage,
  declaredMessages,
  type Graph,
  type GraphNode,
  type PortPlace,
} from './graph.ts'
export {
  type ArtifactHost,
  type CascadeOrigin,
  type Clock,
  type CodeCall,
  CodeError,
  type DeadLetter,
  type EndedCascade,
  type Host,
  type KeptWork,
  type ValueSource,
  type WorkBody,
  type WorkHost,
} from './host.ts'
export { isIdentifier } from './identifier.ts'
export { type LiveFlow, type Replayed, StartError, type StartOptions, TriggerError } from './live-flow.ts'
export { LiveRuntime } from './live.ts'
export { type PrivateRun, type PrivateRunResult, runPrivately } from './private-run.ts'
export { checkParams, type RunParams } from './params.ts'
export { type PlanContext, type PlanLook, type PlannedNode, planRun } from './plan.ts'
export { NodeRegistry, nodeTypeEntry, type PackageOrigin } from './registry.ts'
export { documentDigest, STAGE_KEY_SHAPE, stageKey, type StageParts, stageParts, type StageValue } from './stage-key.ts'
export { missReasons, whyMissed } from './stage-miss.ts'
export { missingSecret, noSecrets, secretRefs, type Secrets } from './secrets.ts'
export { startTimer } from './timers.ts'
