// oxlint-disable max-lines -- a list of names is as long as there are names
/**
 * The words that every package of flow-service shares.
 * @module
 */
export * from './alert.ts'
export * from './api-key.ts'
export * from './artifact.ts'
export {
  type BinaryFrame,
  decodeFrame,
  encodeFrame,
  frameHead,
  MAX_BINARY_FRAME_BYTES,
  MAX_FRAME_HEADER_BYTES,
  type MediaHeader,
  type UplinkHeader,
} from './binary-frame.ts'
export * from './commands.ts'
export { cronFault, takesBothDays } from './cron-pattern.ts'
export * from './dashboard.ts'
export {
  deviceDemandFrameSchema,
  type DeviceErrorCode,
  deviceErrorCodes,
  deviceErrorFrameSchema,
  type DeviceFrame,
  deviceFrameSchema,
  type DevicePublish,
  devicePublishedFrameSchema,
  devicePublishSchema,
  type DeviceSnapshotFrame,
  deviceSnapshotFrameSchema,
  type DeviceValueFrame,
  deviceValueFrameSchema,
} from './device-frames.ts'
export { devicePorts } from './device-ports.ts'
export {
  type PairRequest,
  pairRequestSchema,
  type Device,
  type DeviceBinding,
  deviceBindingSchema,
  deviceCreateSchema,
  type DeviceDetail,
  deviceDetailSchema,
  type DeviceDirection,
  deviceDirectionSchema,
  deviceIdSchema,
  type DevicePort,
  devicePortSchema,
  deviceReportSchema,
  deviceSaveSchema,
  deviceSchema,
  type PairingStarted,
  type PairingPreview,
  pairingPreviewSchema,
  pairingStartedSchema,
  type PairingStart,
  pairingStartSchema,
  type PairingPoll,
  pairingPollSchema,
  type PendingDevice,
  pendingDeviceSchema,
  reservedDeviceIds,
} from './device.ts'
export {
  accepts,
  compatible,
  describeValue,
  type Dtype,
  type DtypeInput,
  dtypeInputSchema,
  dtypeSchema,
  normalDtype,
  specialFloats,
} from './dtype.ts'
export {
  type Engine,
  type EngineLinkStatus,
  engineLinkStatusSchema,
  type EngineList,
  engineSchema,
  engineListSchema,
} from './engines.ts'
export {
  type Problem,
  problemCatalogue,
  type ProblemCode,
  type ProblemItem,
  problemItemSchema,
  problemSchema,
} from './errors.ts'
export {
  type EngineEvent,
  errorFrameSchema,
  type EventFrame,
  eventFrameSchema,
  flowFrameSchema,
  healthFrameSchema,
  modulesFrameSchema,
  nodeFrameSchema,
  runFrameSchema,
  type SnapshotFrame,
  snapshotFrameSchema,
  valueFrameSchema,
  frameKindSchema,
  type FrameKind,
} from './event-frames.ts'
export { type Flavor, flavorCreateSchema, flavorSchema, type FlavorUpdate, flavorUpdateSchema } from './flavor.ts'
export { type FlowGraph, flowGraphSchema } from './flow-graph.ts'
export { type Layout, layoutInputSchema, layoutSchema } from './flow-layout.ts'
export {
  duplicateRequestSchema,
  type PublishRequest,
  publishRequestSchema,
  renameRequestSchema,
} from './flow-requests.ts'
export {
  type Flow,
  type FlowListItem,
  flowListItemSchema,
  flowSchema,
  type PublishedFlow,
  publishedFlowSchema,
  type FlowState,
  flowStateSchema,
  type FlowStatus,
  flowStatusSchema,
  type Health,
  healthSchema,
  type Issue,
  type IssueCode,
  issueCodes,
  issueSchema,
  type NodeState,
  nodeStateSchema,
  type ValidationResult,
  validationResultSchema,
} from './flow-state.ts'
export {
  type Change,
  type FlowDiff,
  flowDiffSchema,
  type FlowVersion,
  type FlowVersionContent,
  flowVersionContentSchema,
  flowVersionSchema,
  type NodeChange,
  restoreRequestSchema,
  type Wire,
} from './flow-versions.ts'
export {
  type AnyFlow,
  type BatchFlow,
  type CodeContext,
  type CodeFunction,
  type Definition,
  type FlowObject,
  type LiveFlow,
  type ParamsOf,
  type Ref,
  type ResultOf,
} from './flow-types.ts'
export {
  type CodeEntry,
  codeEntrySchema,
  type FlowDocument,
  type FlowDocumentInput,
  flowDocumentInputSchema,
  flowDocumentSchema,
  flowInputSchema,
  type FlowMode,
  flowModeSchema,
  type FlowNode,
  flowOutputSchema,
  nodeInputSchema,
  type NodeRetry,
  nodeRetrySchema,
  nodeSchema,
  normalizeDocument,
  type Port,
  portInputSchema,
  portSchema,
  resourcesSchema,
} from './flow.ts'
export { type GridPlace, type GridSize, placedInRows } from './grid-layout.ts'
export { canonicalJson, type Json } from './json.ts'
export {
  flowRunRequestSchema,
  type LiveRunResult,
  liveRunResultSchema,
  type NodeCancelResult,
  nodeCancelResultSchema,
  type StepResult,
  stepResultSchema,
  triggerRequestSchema,
  type TriggerResult,
  triggerResultSchema,
} from './live-control.ts'
export {
  MAX_BODY_BYTES,
  MAX_CASCADE_EXECUTIONS,
  MAX_COMPARED_RUNS,
  MAX_CONCURRENCY,
  MAX_DASHBOARD_BYTES,
  MAX_HELD,
  MAX_HISTORY,
  MAX_HISTORY_VALUE_BYTES,
  MAX_HOOK_BYTES,
  MAX_IMPORT_RUNS,
  MAX_JSON_DEPTH,
  MAX_LAYOUT_BYTES,
  MAX_LAYOUT_COORDINATE,
  MAX_LOG_BYTES,
  MAX_MAILBOX,
  MAX_NODES,
  MAX_REQUIREMENT_LINES,
  MAX_REQUIREMENTS_BYTES,
  MAX_SECRET_BYTES,
  MAX_SELECTED_RUNS,
  MAX_SOCKET_CLIENTS,
  MAX_STORED_VALUE_BYTES,
  MAX_STORE_KEYS,
  MAX_STORE_KEY_LENGTH,
  MAX_STORE_VALUE_BYTES,
  MAX_SWEEP_BYTES,
  MAX_SWEEP_RUNS,
  MAX_WIDGETS,
  MAX_WORKER_FRAME_BYTES,
} from './limits.ts'
export {
  type Message,
  type MessageHistoryEntry,
  messageHistoryEntrySchema,
  messageSchema,
  type PublishedMessage,
  publishedMessageSchema,
  publishMessageSchema,
} from './message.ts'
export { nearName } from './near-name.ts'
export { curveNameRule, messageNameRule, type NameRule, nameRule } from './name-rules.ts'
export {
  type ConnectorReport,
  type ModulePackage,
  type ModuleProgress,
  type Modules,
  modulesApplySchema,
  modulesSchema,
  type ModuleState,
} from './modules.ts'
export {
  flowNameSchema,
  flowPart,
  messageNameSchema,
  messagePart,
  messageRefSchema,
  nameSchema,
  portNameSchema,
  qualify,
  reservedFlowNames,
  UNROUTED_FLOW_NAME,
} from './names.ts'
export {
  type LibrarySource,
  librarySourceSchema,
  type LibraryUse,
  libraryUseSchema,
  type NodeSource,
  nodeSourceSchema,
  shareRequestSchema,
  sourceUpdateSchema,
} from './node-source.ts'
export { type NodeCategory, nodeCategorySchema, type NodeType, nodeTypeSchema } from './node-type.ts'
export {
  type CascadeRecord,
  cascadeSchema,
  type CascadeStatus,
  cascadeStatusSchema,
  type Actor,
  actorSchema,
  type ActorVia,
  actorViaSchema,
  type Check,
  type Checks,
  checksSchema,
  type CheckStatus,
  checkStatusSchema,
  type DeadLetterReason,
  deadLetterReasonSchema,
  type DeadLetterRecord,
  deadLetterSchema,
  type EventKind,
  eventKindSchema,
  type FlowRollup,
  flowRollupSchema,
  type FlushResult,
  flushResultSchema,
  healthAnswerSchema,
  type ObservabilityEvent,
  observabilityEventSchema,
  type ObservabilitySummary,
  observabilitySummarySchema,
  type ReplayRequest,
  replayRequestSchema,
  type TimeBucket,
  timeBucketSchema,
} from './observability.ts'
export * from './node-logs.ts'
export * from './oauth.ts'
export * from './run-annotation.ts'
export * from './curves.ts'
export {
  deletedCountSchema,
  type NodeAttempt,
  type NodeRecord,
  nodeRecordSchema,
  type NodeCache,
  nodeCacheSchema,
  type NodeOutputs,
  nodeOutputsSchema,
  type Run,
  type RunHead,
  runHeadSchema,
  type RunInput,
  type RunProgress,
  runInputSchema,
  type RunOverview,
  runOverviewSchema,
  runSchema,
  type RunSubmit,
  runSubmitSchema,
  type RunSummary,
  runSummarySchema,
  type Sweep,
  sweepSchema,
  type SweepSubmit,
  sweepSubmitSchema,
} from './run.ts'
export * from './run-status.ts'
export * from './run-track.ts'
export { type ImportedRun, type RunImportResult, runImportResultSchema, runImportSchema } from './run-import.ts'
export * from './provisioner.ts'
export { type PythonModule, pythonParts, pythonSource } from './python-source.ts'
export { type PlannedStage, type RunPlan, runPlanSchema, type RunPlanSubmit, runPlanSubmitSchema } from './run-plan.ts'
export { covers, scopeSchema } from './scope.ts'
export { remedyOf, wantedBy } from './schema-words.ts'
export * from './secret.ts'
export * from './sign-in.ts'
export { timestampInputSchema, timestampOf, timestampOfMs, timestampSchema } from './time.ts'
export * from './user.ts'
export {
  type MintedWorkerToken,
  mintedWorkerTokenSchema,
  type WorkerAmounts,
  type WorkerEntry,
  workerSchema,
  type WorkerToken,
  type WorkerTokenRequest,
  workerTokenRequestSchema,
  workerTokenSchema,
} from './worker.ts'
export { isWhole, WHOLE } from './whole-answer.ts'
export { workerResourcesSchema } from './worker-resources.ts'
export {
  ackFrameSchema,
  artifactFrameSchema,
  busyFrameSchema,
  byeFrameSchema,
  type CallFailure,
  type CallFrame,
  callFrameSchema,
  type CallMark,
  cancelFrameSchema,
  drainFrameSchema,
  emitFrameSchema,
  type EngineFrame,
  endOfMalformed,
  engineFrameSchema,
  enginesFrameSchema,
  failureFrameSchema,
  type ForeignHelloFrame,
  foreignHelloFrameSchema,
  heartbeatFrameSchema,
  type HelloFrame,
  helloFrameSchema,
  logFrameSchema,
  type MalformedFrame,
  pythonsFrameSchema,
  readEngineFrame,
  readWorkerFrame,
  type RefusedFrame,
  refusedFrameSchema,
  releaseFrameSchema,
  resultFrameSchema,
  type SharedFrame,
  sharedFrameSchema,
  startedFrameSchema,
  type StoredKind,
  type WelcomeFrame,
  welcomeFrameSchema,
  WORKER_PROTOCOL,
  type WorkerFrame,
  workerFrameSchema,
  type WorkerPython,
} from './worker-frames.ts'
export * from './words.ts'
