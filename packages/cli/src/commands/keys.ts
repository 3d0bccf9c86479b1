import type { ApiKey, Scope } from '@flow-service/protocol'

import { CommandFailure } from '../failure.ts'
import { apiBase, type ClientFlags, connect } from '../session.ts'
import { table } from '../table.ts'
import { bold, printAnswer, shortTime, status } from '../terminal.ts'

interface ListFlags extends ClientFlags {
  readonly all?: boolean
}

/** `service keys list`. */
export async function listKeys(flags: ListFlags): Promise<void> {
  const all = flags.all ?? false
  const keys = await connect(flags).keys.list({ all })
  const rows = keys.map((key) => [
    ...(all ? [key.owner.email] : []),
    key.name,
    status(stateOf(key)),
    key.scopes.join(', '),
    shortTime(key.last_used_at),
    key.expires_at === null ? 'never' : shortTime(key.expires_at),
    key.prefix,
    key.id,
  ])
  const header = [...(all ? ['OWNER'] : []), 'KEY', 'STATE', 'SCOPES', 'USED', 'EXPIRES', 'BEGINS', 'ID']
  printAnswer(keys, flags.json, () => table(header, rows, 'There are no keys yet.'))
}

type State = 'live' | 'revoked' | 'expired'

function stateOf({ revoked_at: revokedAt, expires_at: expiresAt }: ApiKey): State {
  if (revokedAt !== null) return 'revoked'
  return expiresAt === null || Date.parse(expiresAt) > Date.now() ? 'live' : 'expired'
}

interface CreateFlags extends ClientFlags {
  readonly scope: Scope[]
  readonly days?: number
  readonly never?: boolean
}

/** `service keys create <name>`: the key alone goes to standard output, so that it can be piped on. */
export async function createKey(name: string, flags: CreateFlags): Promise<void> {
  const { scope: scopes, days, never } = flags
  const life = never ? { expiresInDays: null } : days === undefined ? {} : { expiresInDays: days }
  const made = await connect(flags).keys.create({ name, scopes, ...life })
  printAnswer(made, flags.json, () => made.key)
  if (flags.json) return
  const until = made.expires_at === null ? 'until it is revoked' : `until ${shortTime(made.expires_at)}`
  console.error(
    [
      `The key ${name} of ${made.owner.email}: shown this once, good ${until} for ${scopes.join(', ')}. Use it:`,
      `  SERVICE_URL=${apiBase(flags)} SERVICE_TOKEN=... service flows list`,
    ].join('\n'),
  )
}

const id = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** `service keys revoke <key>`: by its id, or the live one of yours that has the name. */
export async function revokeKey(wanted: string, flags: ClientFlags): Promise<void> {
  const { keys } = connect(flags)
  const found = id.test(wanted) ? wanted : (await keys.list()).find((key) => isMeant(key, wanted))?.id
  if (found === undefined) {
    throw new CommandFailure(1, `no live key of yours has the name "${wanted}"\n  see what there is: service keys list`)
  }
  const key = await keys.revoke(found)
  printAnswer(key, flags.json, () => `Revoked the key ${bold(key.name)} of ${key.owner.email}.`)
}

const isMeant = (key: ApiKey, name: string): boolean => key.name === name && stateOf(key) === 'live'
