#!/usr/bin/env node
/**
 * The `service-worker` command. Its exit codes are in its help.
 * @module
 */
import * as module from 'node:module'

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
// npm warns at the installation only, and what is missing later has no name that explains it
if (major < 22 || (major === 22 && minor < 19)) {
  console.error(`error: service-worker needs Node 22.19 or newer, and this is Node ${process.versions.node}`)
  process.exit(1)
}

module.enableCompileCache()
const { Command } = await import('commander')
const { defineWorker } = await import('./command.ts')
const { version } = module.createRequire(import.meta.url)('../package.json') as { version: string }

const command = new Command('service-worker')
  .version(version, '-V, --version')
  .showHelpAfterError('(see --help)')
  .exitOverride((exit) => process.exit(exit.exitCode === 0 ? 0 : 2))
await defineWorker(command, 'service-worker').parseAsync()
