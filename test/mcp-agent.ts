/** Agents of a service, for tests: the official client of the protocol, with a token of its own. */
import { join } from 'node:path'

import type { Scope } from '@flow-service/protocol'
import { Client as McpClient, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'

import { nodeArguments } from './components/node-arguments.ts'
import type { TestService } from './service.ts'

/** What a tool has answered. */
export interface ToolReply {
  readonly isError: boolean
  readonly text: string
  readonly value: Record<string, unknown>
}

export interface Agent extends AsyncDisposable {
  readonly token: string
  /** Names of the tools that it is shown. */
  tools(): Promise<string[]>
  call(name: string, input?: object): Promise<ToolReply>
}

/** A token of an agent of the first superuser. */
export async function tokenFor(at: TestService, scopes: readonly Scope[]): Promise<string> {
  return (await at.client.http.oauth.mintToken({ client: 'helper', scopes: [...scopes], expires_in_days: 1 })).token
}

/** An agent over HTTP. */
export async function agentAt(at: TestService, scopes: readonly Scope[]): Promise<Agent> {
  const token = await tokenFor(at, scopes)
  return agentOver(
    token,
    new StreamableHTTPClientTransport(new URL(`${at.baseUrl}/mcp`), {
      requestInit: { headers: { authorization: `Bearer ${token}` } },
    }),
  )
}

/** Arguments of Node for the command `flow-service-mcp` from source. */
export const mcpCommand = [...nodeArguments, join(import.meta.dirname, '..', 'packages', 'mcp', 'src', 'bin.ts')]

/** An agent that starts the command. */
export async function agentBeside(at: TestService, scopes: readonly Scope[]): Promise<Agent> {
  const token = await tokenFor(at, scopes)
  const env = { PATH: process.env['PATH'] ?? '', SERVICE_URL: at.origin, SERVICE_TOKEN: token }
  return agentOver(token, new StdioClientTransport({ command: process.execPath, args: mcpCommand, env }))
}

type Transport = Parameters<McpClient['connect']>[0]

/** An agent over a transport. */
export async function agentOver(token: string, transport: Transport): Promise<Agent> {
  const client = new McpClient({ name: 'test', version: '1' })
  await client.connect(transport)
  return {
    token,
    tools: async () => (await client.listTools()).tools.map(({ name }) => name),
    async call(name, input = {}) {
      const {
        isError = false,
        content,
        structuredContent,
      } = await client.callTool({
        name,
        arguments: input as Record<string, unknown>,
      })
      const text = content.map((part) => (part.type === 'text' ? part.text : '')).join('')
      return { isError, text, value: structuredContent as Record<string, unknown> }
    },
    [Symbol.asyncDispose]: () => client.close(),
  }
}
