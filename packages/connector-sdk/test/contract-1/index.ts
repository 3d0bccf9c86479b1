/**
 * Contract 1 of node types, as `tsc` declares it. Nothing here is ever changed or taken away; a compatible addition of a
 * later version is added.
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
  type SaveOptions,
} from './context.ts'
export { CONTRACT } from './contract.ts'
export { cronFault } from './cron-pattern.ts'
export { FileError, filePathFault, type Files, MAX_FILE_BYTES, MAX_FILE_READ_BYTES } from './files.ts'
export { gatherWrites } from './gather-writes.ts'
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
export { PinError, pinnedAgent, pinnedTls } from './pinned-tls.ts'
export { type RouteHandler, type RouteOptions } from './routes.ts'
export {
  type CertificatePin,
  type ConnectTarget,
  type SocketListener,
  type SocketPeer,
  type SocketRoute,
} from './socket.ts'
export { type ConnectorStore, StoreLimitError } from './store.ts'
