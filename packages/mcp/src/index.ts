/**
 * flow-service for agents: tools over the Model Context Protocol.
 * @module
 */
export { createMcpEndpoint, type McpCaller, type McpEndpoint } from './mcp-endpoint.ts'
export { createMcpServer, type McpServerDeps } from './mcp-server.ts'
