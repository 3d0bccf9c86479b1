/**
 * Who makes a request.
 * @module
 */
import { type ActorVia, covers, type Scope } from '@flow-service/protocol'

import { ProblemError } from './errors.ts'

/** What a user has signed in with, and what it lets them do of all that they may. */
export interface Grant {
  readonly via: ActorVia
  /** Of the key or token; null of a session. */
  readonly id: string | null
  /** Of the key or agent; null of a session. */
  readonly name: string | null
  /** Null is everything. */
  readonly scopes: ReadonlySet<Scope> | null
  /** Of a session: of the tokens of its user, as of which it was made. 0 for what ends by its own id. */
  readonly version: number
  /** When it ends by itself, in milliseconds since the Unix epoch; null is never. */
  readonly endsAtMs: number | null
}

/** A session of a user whose tokens are of the first version. */
export const sessionGrant: Grant = {
  via: 'session',
  id: null,
  name: null,
  scopes: null,
  version: 0,
  endsAtMs: null,
}

/** A signed-in user; the flags are read from the database for every request, never from the token. */
export interface UserPrincipal {
  readonly kind: 'user'
  readonly id: string
  readonly email: string
  readonly fullName: string | null
  readonly superuser: boolean
  readonly grant: Grant
}

/** Refuses with `forbidden`, and names the scope, what the key or token of a user does not cover. */
export function assertScope({ grant }: Pick<UserPrincipal, 'grant'>, needed: Scope): void {
  if (covers(grant.scopes, needed)) return
  const what = grant.via === 'mcp' ? 'the token of the agent' : 'the key'
  const name = grant.name === null ? '' : ` "${grant.name}"`
  throw new ProblemError('forbidden', `${what}${name} lacks the scope "${needed}": use one that has it`, {
    required_scope: needed,
  })
}

/** A worker, as its token says. */
export interface WorkerPrincipal {
  readonly kind: 'worker'
  /** Of the token. */
  readonly jti: string
  readonly name: string
  readonly labels: readonly string[]
}

/** A paired device, as its credential says. */
export interface DevicePrincipal {
  readonly kind: 'device'
  /** Of the device. */
  readonly id: string
  /** Id of the credential: pairing anew makes another one. */
  readonly credential: string
}

/** The caller of an endpoint, told apart by `kind`; every kind of credential adds its member here. */
export type Principal = UserPrincipal | WorkerPrincipal | DevicePrincipal

/** Refuses with `forbidden` who is no user, and a user whose key or token does not cover `needed`. */
export function assertUser(principal: Principal, needed: Scope): asserts principal is UserPrincipal {
  if (principal.kind !== 'user') throw new ProblemError('forbidden', 'this needs the credential of a user')
  assertScope(principal, needed)
}
