/**
 * flow-service for agents: tools over the Model Context Protocol.
 * @module
 */
export { createMcpEndpoint, type McpCaller, type McpEndpoint } from './mcp-endpoint.ts'
export { createMcpServer, type McpServerDeps } from './mcp-server.ts'
export { type AuthorizationServer, createAuthorizationServer } from './authorization/authorization-server.ts'
export type {
  AuthorizationClient,
  AuthorizationHost,
  AuthorizationUser,
  KeptRecord,
  LetIn,
  RegisterAnswer,
  SignInAnswer,
} from './authorization/host.ts'
export type { AuthorizationRequest, Place } from './authorization/place.ts'
