/**
 * The contract of node types.
 * @module
 */
export {
  type Cancel,
  DtypeViolation,
  HookRefusal,
  type HookRequest,
  type HookRoute,
  type NodeContext,
  type SaveOptions,
} from './context.ts'
export {
  type AnyNodeDefinition,
  defineNode,
  type NodeDefinition,
  type NodeFinding,
  type NodeInstance,
  type NodePort,
  type NodeShape,
  type Outcome,
  type PortRules,
  type Values,
} from './node.ts'
