/**
 * The package for agents, which is loaded only where agents are let in: an engine works without it.
 * @module
 */
import type * as mcp from '@flow-service/mcp'

import { ConfigError } from './process/setting.ts'

/** What the package exports. */
export type McpPackage = typeof mcp

/** Loads the package; throws `ConfigError` where it is not installed. */
export async function loadMcp(
  load: () => Promise<McpPackage> = () => import('@flow-service/mcp'),
): Promise<McpPackage> {
  try {
    return await load()
  } catch (error) {
    if (!isMissing(error)) throw error
    throw new ConfigError(
      'SERVICE_MCP is true, but the package @flow-service/mcp is not installed: install it, as by "npm install @flow-service/mcp"',
    )
  }
}

const isMissing = (error: unknown): boolean =>
  error instanceof Error &&
  'code' in error &&
  error.code === 'ERR_MODULE_NOT_FOUND' &&
  error.message.includes('@flow-service/mcp')
