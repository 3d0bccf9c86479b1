import type { WorkerToken } from '@flow-service/protocol'

import { CommandFailure } from '../failure.ts'
import { apiBase, type ClientFlags, connect } from '../session.ts'
import { table } from '../table.ts'
import { bold, printAnswer, shortTime, status } from '../terminal.ts'

/** `service workers tokens`. */
export async function listTokens(flags: ClientFlags): Promise<void> {
  const tokens = await connect(flags).workers.listTokens()
  const rows = tokens.map((token) => [
    token.name,
    status(stateOf(token)),
    token.labels.join(', ') || '-',
    shortTime(token.last_used_at),
    shortTime(token.expires_at),
    token.jti,
  ])
  printAnswer(tokens, flags.json, () =>
    table(['WORKER', 'STATE', 'LABELS', 'USED', 'EXPIRES', 'ID'], rows, 'There are no tokens of workers yet.'),
  )
}

type State = 'live' | 'revoked' | 'expired'

function stateOf({ revoked_at: revokedAt, expires_at: expiresAt }: WorkerToken): State {
  if (revokedAt !== null) return 'revoked'
  return Date.parse(expiresAt) > Date.now() ? 'live' : 'expired'
}

interface CreateFlags extends ClientFlags {
  readonly label?: readonly string[]
}

/** `service workers token create <name>`: the token alone goes to standard output, so that it can be piped on. */
export async function createToken(name: string, flags: CreateFlags): Promise<void> {
  const minted = await connect(flags).workers.mintToken({ name, labels: [...(flags.label ?? [])] })
  printAnswer(minted, flags.json, () => minted.token)
  if (flags.json) return
  const attach = `${apiBase(flags).replace(/^http/, 'ws')}/workers/attach`
  console.error(
    [
      `The token of ${name}: shown this once, good until ${shortTime(minted.expires_at)}. Start the worker on its machine:`,
      `  SERVICE_WORKER_TOKEN=... npx -p @flow-service/worker-agent service-worker --url ${attach}`,
    ].join('\n'),
  )
}

/** `service workers token revoke <token>`: by its id, or the live one of a name. */
export async function revokeToken(wanted: string, flags: ClientFlags): Promise<void> {
  const { workers } = connect(flags)
  const tokens = await workers.listTokens()
  const found =
    tokens.find(({ jti }) => jti === wanted) ??
    tokens.find((token) => token.name === wanted && stateOf(token) === 'live')
  if (!found) {
    throw new CommandFailure(
      1,
      `no live token has the name or id "${wanted}"\n  see what there is: service workers tokens`,
    )
  }
  const token = await workers.revokeToken(found.jti)
  printAnswer(token, flags.json, () => `Revoked the token of ${bold(token.name)}; its workers are disconnected.`)
}
