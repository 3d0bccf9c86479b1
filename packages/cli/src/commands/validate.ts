import { checkFlowDocument } from '@flow-service/api-server'
import { ApiError, type Client } from '@flow-service/client-sdk'

import { nameOf, readDocument } from '../document-file.ts'
import { CommandFailure } from '../failure.ts'
import { issueLines, issueSummary } from '../issues.ts'
import { type ClientFlags, connect } from '../session.ts'
import { dim, printAnswer } from '../terminal.ts'

interface ValidateFlags extends ClientFlags {
  readonly name?: string
  readonly offline?: boolean
}

/**
 * `service validate <file>`: the checks of a save and of a publication, here. With an engine, its secrets, its flavors,
 * the node types of its packages and the messages of its other flows count too; without one, they are unknown.
 */
export async function validate(file: string, flags: ValidateFlags): Promise<void> {
  const document = readDocument(file)
  const name = nameOf(document, flags.name)
  const surroundings = flags.offline ? null : await surroundingsOf(flags)
  const issues = await checkFlowDocument(name, document, surroundings ?? {})
  const valid = !issues.some(({ severity }) => severity === 'error')
  printAnswer({ valid, issues, engine: surroundings !== null }, flags.json, () =>
    [
      `${name}: ${issueSummary(issues)}`,
      ...issueLines(issues),
      ...(surroundings === null
        ? [dim('checked without an engine: secrets, flavors and messages of other flows are not known')]
        : []),
    ].join('\n'),
  )
  if (!valid) process.exitCode = 1
}

/** What the engine knows; null when there is none, unless one was asked for by its address. */
async function surroundingsOf(flags: ValidateFlags) {
  const client = clientOf(flags)
  if (client === null) return null
  try {
    const [messages, secrets, flavors, types] = await Promise.all([
      client.messages.list(),
      client.secrets.list(),
      client.flavors.list(),
      client.flows.nodeTypes(),
    ])
    return {
      dtypes: new Map(messages.map(({ name, dtype }) => [name, dtype])),
      secrets: new Set(secrets),
      flavors: new Set(flavors.map(({ name }) => name)),
      installed: new Set(types.flatMap((each) => (each.package === null ? [] : [each.type]))),
    }
  } catch (error) {
    if (flags.url !== undefined || error instanceof ApiError) throw error
    return null
  }
}

function clientOf(flags: ValidateFlags): Client | null {
  try {
    return connect(flags)
  } catch (error) {
    if (flags.url === undefined && error instanceof CommandFailure && error.code === 3) return null
    throw error
  }
}
