/**
 * Agents: what they reach over the Model Context Protocol.
 * @module
 */
import { authorizationHost } from '../auth/slice.ts'
import { config, log } from '../process/given.ts'
import { inOrder, makes, noun } from '../process/layer.ts'
import { loadMcpPackage, type McpPackage } from './mcp-package.ts'

/** Null unless agents are let in. */
const mcpPackage = noun<McpPackage | null>()('mcpPackage')

/** The endpoint of tools; null unless agents are let in. */
export const mcpEndpoint = noun<ReturnType<McpPackage['createMcpEndpoint']> | null>()('mcpEndpoint')

/** Lets agents ask their users to be let in; null unless agents are let in. */
export const authorizationServer = noun<ReturnType<McpPackage['createAuthorizationServer']> | null>()(
  'authorizationServer',
)

export const agentsLayer = inOrder(
  makes(mcpPackage, { config }, ({ config }) => loadMcpPackage(config)),
  makes(
    authorizationServer,
    { authorizationHost, mcpPackage },
    ({ authorizationHost, mcpPackage }) => mcpPackage && mcpPackage.createAuthorizationServer(authorizationHost),
  ),
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
