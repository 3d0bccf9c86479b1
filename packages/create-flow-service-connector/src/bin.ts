#!/usr/bin/env node
/**
 * `npm create flow-service-connector`: makes a package with a connector. On a terminal it asks for what is missing.
 * Exit codes: 0 done, 1 it failed, 2 wrong usage, 130 interrupted.
 * @module
 */
import { createInterface } from 'node:readline/promises'
import { parseArgs } from 'node:util'

import { UsageError } from 'create-flow-service'

import { connectorKinds, createConnector, nextSteps } from './create-connector.ts'

const kinds = Object.entries(connectorKinds)
const help = `Usage: npm create flow-service-connector@latest <name> -- [options]

Makes an npm package with a connector for flow-service: a node type that stands for a device, a service or an account.
It builds, has the tests that every connector passes, a flow that uses it, and a made-up device to try it with.

  <name>           of the npm package, such as acme-meter or @me/acme-meter
  --kind <kind>    how its values come, poll unless given
${kinds.map(([kind, what]) => `                     ${kind.padEnd(8)}${what}`).join('\n')}
  --type <type>    name of the node type in flows; by that of the package unless given (acme-meter: acme_meter)
  --dir <folder>   where to make it; a folder of its name unless given
  --yes            ask nothing, take what is usual
  --help           show this

Examples:
  npm create flow-service-connector@latest acme-meter
  npm create flow-service-connector@latest @me/acme-meter -- --kind ${kinds.at(-1)?.[0] ?? ''} --dir meter`

/** What the command line says; asks for what is missing when there is somebody to ask. */
async function wanted(): Promise<Parameters<typeof createConnector>[0] | null> {
  const { values, positionals } = parsed()
  if (values.help === true) return null
  const [name, ...more] = positionals
  if (more.length > 0) throw new UsageError(`there is one name, and "${more.join(' ')}" is too much; leave it out`)
  const { kind, type, dir, yes } = values
  const isAsking = process.stdin.isTTY && yes !== true
  const given = isAsking && (name === undefined || kind === undefined) ? await answers(name, kind) : { name, kind }
  if (given.name === undefined) throw new UsageError('give the package a name, such as acme-meter')
  return {
    name: given.name,
    ...(given.kind !== undefined && { kind: given.kind }),
    ...(type !== undefined && { type }),
    ...(dir !== undefined && { dir }),
  }
}

function parsed() {
  try {
    const text = { type: 'string' } as const
    const yesOrNo = { type: 'boolean' } as const
    const options = { kind: text, type: text, dir: text, yes: yesOrNo, help: yesOrNo }
    return parseArgs({ allowPositionals: true, options })
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error))
  }
}

async function answers(name: string | undefined, kind: string | undefined) {
  const lines = createInterface({ input: process.stdin, output: process.stderr })
  lines.once('SIGINT', () => process.exit(130))
  const ask = async (question: string, usual: string): Promise<string> =>
    (await lines.question(`${question} (${usual}): `)).trim() || usual
  try {
    return {
      name: name ?? (await ask('Name of the package', 'acme-meter')),
      kind: kind ?? (await ask(`How its values come: ${kinds.map(([each]) => each).join(', ')}`, 'poll')),
    }
  } finally {
    lines.close()
  }
}

try {
  const options = await wanted()
  console.log(options === null ? help : nextSteps(createConnector(options)))
} catch (error) {
  console.error(`error: ${error instanceof Error ? error.message : String(error)}`)
  if (error instanceof UsageError) console.error('(see --help)')
  process.exitCode = error instanceof UsageError ? 2 : 1
}
