/**
 * Write flows in TypeScript: stages, function nodes, messages and wiring, checked by the compiler; and dashboards of them.
 * @module
 */
export { dashboard, type DashboardOptions } from './dashboard.ts'
export {
  type CodeContext,
  type Execution,
  node,
  type NodeDefinition,
  type NodeFunction,
  nodeType,
  type NoSettings,
  type OutputOptions,
  python,
  type PythonDefinition,
  type SettingsOf,
  stage,
  type StageDefinition,
  type StageFunction,
  type TypedNode,
  type Usable,
} from './definition.ts'
export { FlowError } from './flow-error.ts'
export { batchFlow, type BatchFlowOptions, type FlowOptions, liveFlow } from './flow.ts'
export type { MessageRef, MessageRefsOf, PortRef, RefsOf, Sources, Targets } from './message-ref.ts'
export {
  input,
  type Inputs,
  type InputType,
  type JsonObject,
  latest,
  type LatestType,
  type Messages,
  type Outputs,
  stream,
  type StreamType,
  t,
  type ValueOf,
  type ValuesOf,
  type ValueType,
} from './port-type.ts'
export { secret, type SecretRef, type WithSecrets } from './secret.ts'
export type { BatchUse, Use, UseOptions } from './use.ts'
export {
  button,
  chart,
  type ChartOptions,
  type CurveOptions,
  field,
  gauge,
  type GaugeOptions,
  image,
  runsChart,
  type RunsChartOptions,
  slider,
  type SliderOptions,
  table,
  type TableOptions,
  text,
  toggle,
  value,
  type ValueOptions,
  type Widget,
  type WidgetOptions,
} from './widgets.ts'
export type { ArtifactRef, BatchFlow, DashboardObject, LiveFlow, ParamsOf, Ref, ResultOf } from '@flow-service/protocol'
