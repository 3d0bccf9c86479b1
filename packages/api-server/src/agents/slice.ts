/**
 * Agents: what they reach over the Model Context Protocol.
 * @module
 */
import { config, log } from '../process/given.ts'
import { inOrder, makes, noun } from '../process/layer.ts'
import { loadMcpPackage, type McpPackage } from './mcp-package.ts'

/** Null unless agents are let in. */
const mcpPackage = noun<McpPackage | null>()('mcpPackage')

/** The endpoint of tools; null unless agents are let in. */
export const mcpEndpoint = noun<ReturnType<McpPackage['createMcpEndpoint']> | null>()('mcpEndpoint')

export const agentsLayer = inOrder(
  makes(mcpPackage, { config }, ({ config }) => loadMcpPackage(config)),
  makes(
    mcpEndpoint,
    { log, mcpPackage },
    ({ log, mcpPackage }) =>
      mcpPackage &&
      mcpPackage.createMcpEndpoint({
        onError: (error) => log.debug({ err: error }, 'an agent sent no message of MCP'),
      }),
    (endpoint) => endpoint?.close(),
  ),
)
