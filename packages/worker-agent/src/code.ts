/**
 * Node processes for bundles of TypeScript. Starting one takes tens of milliseconds, so a spare is kept (pool.ts).
 * @module
 */
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'

import type { Process } from './process.ts'
import { startSpawned } from './spawned.ts'
import type { Workspace } from './workspace.ts'

const runner = fileURLToPath(new URL(`./node-runner${extname(import.meta.url)}`, import.meta.url))

/** A process that has run nothing but what does nothing. Rejects when Node cannot be started. */
export const startCodeProcess = (env: Record<string, string>, workspace: Workspace): Promise<Process> =>
  startSpawned(
    {
      path: process.execPath,
      args: ['--enable-source-maps', '--disable-warning=ExperimentalWarning', runner],
      env,
      first: { type: 'prepare' },
    },
    workspace,
  )
