/**
 * The server of the Model Context Protocol for one agent: its tools, as far as its token goes.
 * @module
 */
import type { Client } from '@flow-service/client-sdk'
import { covers, type Scope } from '@flow-service/protocol'
import { McpServer } from '@modelcontextprotocol/server'

import { listFlows } from './tools/flows.ts'

const tools = [listFlows]

/** Who asks. */
export interface McpServerDeps {
  /** Signed in with the token of the agent. */
  readonly client: Client
  /** Of that token; null is everything. */
  readonly scopes: ReadonlySet<Scope> | null
}

/** A server for an agent; it has no state of its own. */
export function createMcpServer({ client, scopes }: McpServerDeps): McpServer {
  const server = new McpServer({ name: 'flow-service', version: '0.0.0' })
  for (const { name, title, description, scope, input, output, run } of tools) {
    if (!covers(scopes, scope)) continue
    server.registerTool(
      name,
      { title, description, inputSchema: input, outputSchema: output },
      async (given, context) => {
        const { text, value } = await run({ input: given, client, signal: context.mcpReq.signal })
        return { content: [{ type: 'text', text }], structuredContent: value }
      },
    )
  }
  return server
}
