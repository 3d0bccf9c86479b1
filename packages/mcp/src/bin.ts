#!/usr/bin/env node
/**
 * The `flow-service-mcp` command: the tools over standard input and output, for agents on this machine. On standard output
 * there is the protocol and nothing else. Exit codes: 0 the agent has left, 1 it failed, 2 wrong usage.
 * @module
 */
import { createClient } from '@flow-service/client-sdk'
import { serveStdio } from '@modelcontextprotocol/server/stdio'

import { createMcpServer } from './mcp-server.ts'
import { SettingError, surroundingsOf } from './surroundings.ts'

const help = `Usage: SERVICE_URL=http://127.0.0.1:8000 SERVICE_TOKEN=... npx @flow-service/mcp

The tools of a flow-service for an agent on this machine, over the Model Context Protocol on standard input and output. A
program that runs agents starts it; standard error tells what is wrong.

  SERVICE_URL     address of the service
  SERVICE_TOKEN   token of the agent, made by: service oauth token --client NAME --scope "flows:read runs:read"

The agent is shown the tools that its token covers.`

const [argument] = process.argv.slice(2)
if (argument === '--help' || argument === '-h') {
  console.log(help)
} else if (argument === undefined) {
  serve()
} else {
  console.error(`error: ${JSON.stringify(argument)} is not known: it takes no arguments (see --help)`)
  process.exitCode = 2
}

function serve(): void {
  try {
    const { scopes, ...reached } = surroundingsOf(process.env)
    const client = createClient(reached)
    serveStdio(() => createMcpServer({ client, scopes }), {
      onerror: (error) => console.error(`error: ${error.message}`),
    })
    // the agent is told by each tool; whoever reads its log sees it before
    client.users.me().catch((error: Error) => console.error(`error: ${reached.baseUrl}: ${error.message}`))
  } catch (error) {
    if (!(error instanceof SettingError)) throw error
    console.error(`error: ${error.message}`)
    process.exitCode = 2
  }
}
