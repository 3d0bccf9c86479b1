/**
 * The graph runtime of flow-service.
 * @module
 */
export type {
  BatchContext,
  BatchEvent,
  BatchOutcome,
  EarlierNode,
  Stage,
  StageCache,
  StageEnd,
  StageTake,
} from './batch/context.ts'
export { type PlanContext, type PlanLook, type PlannedNode, planRun } from './batch/plan.ts'
export { runBatch } from './batch/run.ts'
export {
  digestSteps,
  documentDigest,
  type PythonStage,
  STAGE_KEY_SHAPE,
  stageEntry,
  type StageEnvironment,
  stageKey,
  type StageParts,
  stageParts,
  type StageValue,
} from './batch/stage-key.ts'
export { atOnce, endsStep, ITEMS_A_STEP, type Steps } from './steps.ts'
export { environmentDifference, missReasons, whyMissed } from './batch/stage-miss.ts'
export { checkDocument, checkSteps } from './check/document.ts'
export type { KnownDevice, KnownPythons, Surroundings } from './check/report.ts'
export { type Failure, textOf } from './failure.ts'
export { tracebackOf } from './traceback.ts'
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
  type CascadeBeginning,
  type CascadeId,
  type CascadeOrigin,
  type Clock,
  type CallPlacement,
  type CodeCall,
  CodeError,
  type DeadLetter,
  type NodeFailure,
  type DeviceHost,
  type DeviceSeat,
  type EndedCascade,
  type FailureMarker,
  type Host,
  type KeptWork,
  type Lease,
  LeftBehind,
  type MarkerHost,
  type MomentIds,
  type Mount,
  type NodeRoutes,
  type OverCascade,
  type StoreHost,
  type ValueSource,
  type WorkBody,
  type WorkHost,
  type WorkNotes,
} from './host.ts'
export type { FarDelivery, FarEngineHost, FarFlowHost, FarHost, FarValue, FarWork } from './far-host.ts'
export type { FarReader } from './live/far-reader.ts'
export { isIdentifier } from './identifier.ts'
export type { RunningCascade } from './live/cascades.ts'
export type { FlowStats } from './live/execution-stats.ts'
export {
  type LiveFlow,
  type NewName,
  type RebuildOptions,
  type Replayed,
  type StartOptions,
  TriggerError,
} from './live/flow.ts'
export { IntervalGate } from './live/gate.ts'
export { type PrivateRun, type PrivateRunResult, runPrivately } from './live/private-run.ts'
export { LiveRuntime } from './live/runtime.ts'
export { unrepeatableNodes } from './live/unrepeatable.ts'
export { MemoryMarkers } from './memory-markers.ts'
export { StartError } from './node-life.ts'
export { checkParams, type RunParams } from './params.ts'
export { type InstalledType, type InstalledTypes, NodeRegistry, nodeTypeEntry, type PackageOrigin } from './registry.ts'
export { missingSecret, noSecrets, secretRefs, type Secrets } from './secrets.ts'
export { type LoadBytes, openValue, openValues, storedKinds, StoredValue, withStored } from './stored-value.ts'
export { startTimer } from './timers.ts'
export type { UnkeptError } from './unkept.ts'
