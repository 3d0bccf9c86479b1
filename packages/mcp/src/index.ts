/**
 * flow-service for agents: tools over the Model Context Protocol.
 * @module
 */
export { createMcpServer, type McpServerDeps } from './mcp-server.ts'
