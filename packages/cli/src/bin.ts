#!/usr/bin/env node
/**
 * The `service` command. Each subcommand is loaded when it is used, so that `--help` costs nothing of the engine.
 * Exit codes: 0 done, 1 it failed, 2 wrong usage, 3 no engine or no sign-in, 130 interrupted.
 * @module
 */
import * as module from 'node:module'
import { setFlagsFromString } from 'node:v8'

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
// npm warns at the installation only, and what is missing later has no name that explains it
if (major < 22 || (major === 22 && minor < 19)) {
  console.error(`error: service needs Node 22.19 or newer, and this is Node ${process.versions.node}`)
  process.exit(1)
}

/** Bytes that a function of WebAssembly works through before V8 optimizes it: 8 times as many as usual. */
const TIERING_BUDGET = 100_000_000

const args = process.argv.slice(2)
const isEngine = ['dev', 'serve'].includes(args[0] ?? '') && !args.some((arg) => ['-h', '--help'].includes(arg))
if (args[0] === 'serve') {
  const { beSmall } = await import('./engine-memory.ts')
  beSmall()
}

const hasDatabase = isEngine && !process.env['SERVICE_DATABASE_URL']
// PostgreSQL is optimized while it works, and not within its start, which has enough to do
if (hasDatabase) setFlagsFromString(`--wasm-tiering-budget=${TIERING_BUDGET}`)

// compiled code is kept between calls, in the system's temporary folder; each set of flags has a folder there
module.enableCompileCache()

if (hasDatabase) {
  // it compiles beside what follows, which has as much to load
  const { prepareDatabase } = await import('@flow-service/api-server/ahead')
  prepareDatabase()
}

// A reader that has seen enough (`service runs list | head`) closes the pipe.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  process.exit(error.code === 'EPIPE' ? 0 : 1)
})
if (args[0] === '__complete') {
  const { complete } = await import('./complete.ts')
  await complete(args.slice(1))
} else {
  const { program } = await import('./program.ts')
  const { arranged } = await import('./grammar/spelling.ts')
  const root = program()
  await root.parseAsync(arranged(root, args), { from: 'user' })
}
