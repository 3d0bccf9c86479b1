import type { AgentToken, OAuthClient, Scope } from '@flow-service/protocol'

import { CommandFailure } from '../failure.ts'
import { type ClientFlags, connect } from '../session.ts'
import { table } from '../table.ts'
import { bold, printAnswer, shortTime, status } from '../terminal.ts'

interface TokenFlags extends ClientFlags {
  readonly client: string
  readonly scope: readonly string[]
  readonly days?: number
}

/** `service oauth token`: the token alone goes to standard output, so that it can be piped on. */
export async function createToken(flags: TokenFlags): Promise<void> {
  // the engine says which words are no scopes
  const scopes = flags.scope.flatMap((words) => words.split(/[\s,]+/).filter((word) => word !== '')) as Scope[]
  const minted = await connect(flags).oauth.mintToken({
    client: flags.client,
    scopes,
    ...(flags.days === undefined ? {} : { expiresInDays: flags.days }),
  })
  printAnswer(minted, flags.json, () => minted.token)
  if (flags.json) return
  console.error(
    [
      `The token of ${minted.client}: shown this once, good until ${shortTime(minted.expires_at)}. Give it to the agent as`,
      '  SERVICE_TOKEN=...',
    ].join('\n'),
  )
}

/** `service oauth tokens`. */
export async function listTokens(flags: ClientFlags & { readonly all?: boolean }): Promise<void> {
  const tokens = await connect(flags).oauth.listTokens({ all: flags.all ?? false })
  const rows = tokens.map((token) => [
    token.client,
    status(stateOf(token)),
    token.scopes.join(' '),
    token.owner.email,
    shortTime(token.last_used_at),
    shortTime(token.expires_at),
    token.id,
  ])
  printAnswer(tokens, flags.json, () =>
    table(['AGENT', 'STATE', 'SCOPES', 'OWNER', 'USED', 'EXPIRES', 'ID'], rows, 'You have let no agents in yet.'),
  )
}

type State = 'live' | 'revoked' | 'expired'

function stateOf({ revoked_at: revokedAt, expires_at: expiresAt }: AgentToken): State {
  if (revokedAt !== null) return 'revoked'
  return Date.parse(expiresAt) > Date.now() ? 'live' : 'expired'
}

/** `service oauth revoke <agent>`: by its id, or the live one of a name. */
export async function revokeToken(wanted: string, flags: ClientFlags): Promise<void> {
  const { oauth } = connect(flags)
  const live = (await oauth.listTokens()).filter((token) => stateOf(token) === 'live')
  const named = live.filter(({ client }) => client === wanted)
  const token = await oauth.revokeToken(theOne(wanted, named, 'service oauth tokens'))
  printAnswer(token, flags.json, () => `Ended the agent ${bold(token.client)}; its tokens are void.`)
}

/** `service oauth client list`. */
export async function listClients(flags: ClientFlags): Promise<void> {
  const clients = await connect(flags).oauth.listClients()
  const rows = clients.map((client) => [
    client.name,
    client.registered ? 'itself' : 'a superuser',
    shortTime(client.created_at),
    client.redirect_uris.join(' '),
    client.id,
  ])
  printAnswer(clients, flags.json, () =>
    table(['PROGRAM', 'ADDED BY', 'ADDED', 'SENDS BACK TO', 'ID'], rows, 'No program may ask to be let in yet.'),
  )
}

/** `service oauth client add <name>`: the id alone goes to standard output. */
export async function addClient(
  name: string,
  flags: ClientFlags & { readonly redirect: readonly string[] },
): Promise<void> {
  const client: OAuthClient = await connect(flags).oauth.addClient({ name, redirectUris: [...flags.redirect] })
  printAnswer(client, flags.json, () => client.id)
  if (!flags.json) console.error(`${client.name} may ask users to let it in, by this client id; it has no secret.`)
}

/** `service oauth client remove <client>`: by its id, or the one of a name. */
export async function removeClient(wanted: string, flags: ClientFlags): Promise<void> {
  const { oauth } = connect(flags)
  const named = (await oauth.listClients()).filter(({ name }) => name === wanted)
  const id = theOne(wanted, named, 'service oauth client list')
  await oauth.removeClient(id)
  printAnswer({ id }, flags.json, () => `Forgot the program ${bold(wanted)}; what users have let it do is revoked.`)
}

/** The id of the only one of a name; without any, what was wanted is the id itself. */
function theOne(wanted: string, named: readonly { readonly id: string }[], list: string): string {
  if (named.length > 1)
    throw new CommandFailure(1, `${named.length} have the name "${wanted}": use an id\n  see what there is: ${list}`)
  if (named[0]) return named[0].id
  if (/^[0-9a-f-]{36}$/i.test(wanted)) return wanted
  throw new CommandFailure(1, `nothing has the name or id "${wanted}"\n  see what there is: ${list}`)
}
