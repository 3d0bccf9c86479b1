/**
 * The package `@flow-service/mcp`, which a host installs who lets agents in: it is loaded where that is switched on, and
 * nowhere else.
 * @module
 */
import type * as mcpPackage from '@flow-service/mcp'

import { ConfigError } from '../process/setting.ts'

/** What of it the engine uses. */
export type McpPackage = typeof mcpPackage

/** The package; null unless agents are let in. Rejects with a `ConfigError` when it is not installed. */
export async function loadMcpPackage({ mcp }: { readonly mcp: boolean }): Promise<McpPackage | null> {
  if (!mcp) return null
  try {
    return await import('@flow-service/mcp')
  } catch (error) {
    if (!isMissing(error)) throw error
    throw new ConfigError(
      'SERVICE_MCP is true, and the package @flow-service/mcp is not installed: npm install @flow-service/mcp',
    )
  }
}

/** Whether it is the package itself that is not there, and not a part of it. */
const isMissing = (error: unknown): boolean =>
  error instanceof Error &&
  'code' in error &&
  error.code === 'ERR_MODULE_NOT_FOUND' &&
  error.message.includes("'@flow-service/mcp'")
