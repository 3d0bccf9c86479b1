/**
 * Options that are no settings, because only a host's own code can give them: `config.ts` has them checked here.
 * @module
 */
import { existsSync, realpathSync } from 'node:fs'
import { join } from 'node:path'

import { type CommandModel, nameSchema } from '@flow-service/protocol'
import * as z from 'zod'

import type { Mailer } from './mail/mailer.ts'
import { ConfigError } from './process/setting.ts'

/** Node types of the host's own code. */
const hostConnectorsSchema = z.array(
  z.strictObject({
    /** The package that they are shown under, and that their state belongs to. */
    package: z.string().min(1).max(214),
    version: z.string().min(1),
    /** Classes of connectors, or what `defineNode` gives, by the node type that each becomes. */
    nodeTypes: z.record(nameSchema, z.unknown()),
  }),
)
/** A package of node types that is a part of the host's own code. */
export type HostConnectors = z.infer<typeof hostConnectorsSchema>[number]

/** The option `connectors`; what its node types are is looked at when they are loaded. */
export function hostConnectors(given: unknown): readonly HostConnectors[] {
  const { success, error, data } = hostConnectorsSchema.safeParse(given)
  if (success) return data
  const { path = [], message } = error.issues[0] ?? {}
  throw new ConfigError(
    `the option connectors is not usable at "${path.join('.')}": ${message}; use [{ package, version, nodeTypes: { name: class } }]`,
  )
}

/** The option `mailer`. */
export function hostMailer(given: Mailer | null): Mailer | null {
  if (given === null || typeof given.send === 'function') return given
  throw new ConfigError('the option mailer has no function "send": use { send({ to, subject, text }) }')
}

/** The option `commandsModel`; what it answers is looked at by the nodes that ask it. */
export function hostCommandsModel(given: CommandModel | null): CommandModel | null {
  if (given === null || typeof given.interpret === 'function') return given
  throw new ConfigError(
    'the option commandsModel has no function "interpret": use { interpret(prompt, context, signal) }, or commandsModelName to name a model of commandsUrl',
  )
}

/** A folder of the option `developedConnectors`; what is wrong with the package in it is told when it is loaded. */
export function developedFolder(given: unknown): string {
  if (typeof given === 'string' && existsSync(join(given, 'package.json'))) return realpathSync(given)
  throw new ConfigError(
    `there is no package.json in ${JSON.stringify(given)}; name the folder of a connector package for development`,
  )
}
