/**
 * The contract of node types.
 * @module
 */
export { type Command, type CommandEnd, MAX_COMMAND_OUTPUT_BYTES } from './command.ts'
export {
  type Cancel,
  DtypeViolation,
  type FetchInit,
  HookRefusal,
  type HookRequest,
  type HookRoute,
  type NodeContext,
  type PendingTimer,
  type SaveOptions,
} from './context.ts'
export { Connector, type ConnectorContext } from './connector.ts'
export { type ConnectorClass, ContractError, nodeTypeOf } from './connector-node.ts'
export { CONTRACT } from './contract.ts'
export { FileError, filePathFault, type Files, MAX_FILE_BYTES, MAX_FILE_READ_BYTES } from './files.ts'
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
export { ConnectorParams, secret, type SecretRef } from './params.ts'
export type { ConnectorPorts, InputsOf, OutputsOf } from './ports.ts'
export { reasonOf } from './reason-of.ts'
export { Redial, type RedialDeps } from './redial.ts'
export { PinError, pinnedAgent, pinnedTls } from './pinned-tls.ts'
export { type RouteHandler, type RouteOptions } from './routes.ts'
export {
  type CertificatePin,
  type ConnectTarget,
  gatherWrites,
  type SocketListener,
  type SocketPeer,
  type SocketRoute,
} from './socket.ts'
export { checkStoreKey, checkStoreValue, type ConnectorStore, storeIsFull, StoreLimitError } from './store.ts'
export { cronFault } from '@flow-service/protocol'
export type { ArtifactRef, Dtype, Health } from '@flow-service/protocol'
export type { Router } from 'express'
