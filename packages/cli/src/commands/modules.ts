import { readFileSync } from 'node:fs'

import type { Modules } from '@flow-service/protocol'

import { CommandFailure } from '../failure.ts'
import { watchModules } from '../module-progress.ts'
import { type ClientFlags, connect } from '../session.ts'
import { oneLine, printable, table } from '../table.ts'
import { bold, counted, dim, printAnswer, red, shortTime, status } from '../terminal.ts'

interface ListFlags extends ClientFlags {
  readonly requirements?: boolean
  readonly log?: boolean
}

/** `service modules list`. */
export async function listModules(flags: ListFlags): Promise<void> {
  const modules = await connect(flags).modules.get()
  if (flags.requirements && !flags.json) process.stdout.write(ended(modules.requirements))
  else printAnswer(modules, flags.json, () => describeModules(modules, flags.log === true))
}

/** Modules for people: the environment, what is the matter, packages, connectors, the manifest. */
export function describeModules(modules: Modules, withLog = false): string {
  const { environment, state, error, applied_at: at, requirements, packages, connectors, log } = modules
  const head = `${bold(environmentText(environment))}  ${status(state)}${at === null ? '' : dim(`  applied ${shortTime(at)}`)}`
  const rows = packages.map((each) => [each.name, each.version, each.ecosystem])
  const found = connectors.map((each) => [
    each.package,
    each.version,
    status(each.status),
    each.reason === null ? each.node_types.join(', ') || '-' : oneLine(each.reason, 200),
  ])
  const parts = [
    head,
    error === null ? '' : red(printable(error)),
    modules.pending_restart ? 'npm packages have changed: start the engine again to use them' : '',
    withLog && log.length > 0 ? `\n${log.map(printable).join('\n')}` : '',
    `\n${table(['PACKAGE', 'VERSION', 'FROM'], rows, 'No packages are installed.')}`,
    found.length === 0 ? '' : `\n${table(['CONNECTOR', 'VERSION', 'STATUS', 'NODE TYPES'], found, '')}`,
    requirements === '' ? '' : `\n${dim('requirements')}\n${printable(requirements.trimEnd())}`,
  ]
  return parts.filter((part) => part !== '').join('\n')
}

function environmentText({ kind, python, path }: Modules['environment']): string {
  if (kind === 'none') return 'no Python'
  return `${kind} Python ${python ?? 'unknown'}${path === null ? '' : ` at ${printable(path)}`}`
}

interface ApplyFlags extends ClientFlags {
  readonly requirements: string
  readonly watch?: boolean
}

/** `service modules apply -r <file>`. */
export async function applyModules(flags: ApplyFlags): Promise<void> {
  const { json, requirements: file, watch } = flags
  const requirements = readFileSync(file === '-' ? 0 : file, 'utf8')
  const client = connect(flags)
  const begun = await client.modules.apply({ requirements })
  const modules =
    begun.state === 'applying' && watch
      ? await watchModules(client, json ? () => {} : (line) => console.log(line))
      : begun
  if (modules.state === 'failed') throw new CommandFailure(1, modules.error ?? 'the modules could not be applied')
  printAnswer(modules, json, () => appliedText(modules, begun))
}

function appliedText(modules: Modules, begun: Modules): string {
  if (modules.state === 'applying') return `Applying; see how far it is: ${bold('service modules list')}`
  if (begun.state !== 'applying') return 'Nothing has changed: these requirements are in force already.'
  const restart = modules.pending_restart ? '; start the engine again to use the npm packages' : ''
  return `${bold('Applied')}; ${counted(modules.packages.length, 'package')} installed${restart}.`
}

const ended = (text: string): string => (text === '' || text.endsWith('\n') ? text : `${text}\n`)
