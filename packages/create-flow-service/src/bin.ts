#!/usr/bin/env node
/**
 * `npm create flow-service`: makes a project with flows. On a terminal it asks for the folder when none is given.
 * Exit codes: 0 done, 1 it failed, 2 wrong usage, 130 interrupted.
 * @module
 */
import { createInterface } from 'node:readline/promises'
import { parseArgs } from 'node:util'

import type { ProjectOptions } from './create-project.ts'
import { UsageError } from './package-name.ts'

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
// npm warns only, in the middle of other lines
if (major < 22 || (major === 22 && minor < 19)) {
  console.error(`error: flow-service needs Node 22.19 or newer, and this is Node ${process.versions.node}`)
  process.exit(1)
}
// loads what an older Node does not have
const { createProject, nextSteps } = await import('./create-project.ts')

const help = `Usage: npm create flow-service@latest [folder] -- [options]

Makes a project with flows for flow-service: a live flow that answers a webhook, a batch flow with a cached stage and a
curve, and tests of both. It needs nothing but Node.

  [folder]         the folder to make, or an empty one, such as my-app or .
  --name <name>    of the npm package; that of the folder unless given
  --install        install its packages too
  --git            begin a git repository in it too
  --help           show this

Examples:
  npm create flow-service@latest my-app
  npm create flow-service@latest . -- --name @me/flows
  npm create flow-service@latest my-app -- --install --git

Then, in the folder:
  npm install
  npm run dev                        the engine with both flows
  npx service run fit_line --watch   a first run, in a second terminal`

/** What the command line says; asks for the folder when there is somebody to ask. */
async function wanted(): Promise<ProjectOptions | null> {
  const { values, positionals } = parsed()
  if (values.help === true) return null
  const [given, ...more] = positionals
  if (more.length > 0) throw new UsageError(`there is one folder, and "${more.join(' ')}" is too much; leave it out`)
  const dir = given ?? (process.stdin.isTTY ? await answer() : undefined)
  if (dir === undefined || dir === '') throw new UsageError('give the folder to make, such as my-app')
  const { name, install = false, git = false } = values
  return { dir, install, git, ...(name !== undefined && { name }) }
}

function parsed() {
  try {
    const yesOrNo = { type: 'boolean' } as const
    const options = { name: { type: 'string' }, install: yesOrNo, git: yesOrNo, help: yesOrNo } as const
    return parseArgs({ allowPositionals: true, options })
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error))
  }
}

async function answer(): Promise<string> {
  const lines = createInterface({ input: process.stdin, output: process.stderr })
  lines.once('SIGINT', () => process.exit(130))
  try {
    return (await lines.question('Folder to make (my-app): ')).trim() || 'my-app'
  } finally {
    lines.close()
  }
}

try {
  const options = await wanted()
  console.log(options === null ? help : nextSteps(createProject(options)))
} catch (error) {
  console.error(`error: ${error instanceof Error ? error.message : String(error)}`)
  if (error instanceof UsageError) console.error('(see --help)')
  process.exitCode = error instanceof UsageError ? 2 : 1
}
