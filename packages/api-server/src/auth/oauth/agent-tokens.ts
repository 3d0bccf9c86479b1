/**
 * Tokens of agents: JWTs (RFC 7519) signed with EdDSA that say whose agent it is and its scopes (wire decision G10). Whether
 * one still counts, and what its owner may do, is in the database.
 *
 * - oauth.A1 what a token lets its bearer do is allowed by the token, by the row that it belongs to, and to its owner now.
 * - oauth.A2 the key that has signed a token is the one in force: another key voids tokens, consents and refresh tokens.
 * @module
 */
import { hash } from 'node:crypto'

import {
  type AgentToken,
  type AgentTokenRequest,
  type MintedAgentToken,
  type Scope,
  scopes,
} from '@flow-service/protocol'
import { validate } from 'uuid'

import type { Database, Sql } from '../../db/database.ts'
import { ProblemError } from '../../http/errors.ts'
import { assertScope, type UserPrincipal } from '../../http/principal.ts'
import { newId } from '../../process/new-id.ts'
import type { AccountNews } from '../account-news.ts'
import { jose } from '../jose.ts'
import type { SigningKey } from '../signing-key.ts'
import { type AgentGrantStore, createAgentGrantStore } from './grant-store.ts'
import { createOAuthRecordStore } from './record-store.ts'

/** Who a token of an agent is for. */
const AGENT_AUDIENCE = 'mcp'
/** An explicit type (RFC 8725, section 3.11): a token of another kind never passes for that of an agent. */
const AGENT_TOKEN_TYPE = 'mcp+jwt'
const DAY_S = 86_400
/** Seconds that the clocks of two engines may differ. */
const LEEWAY_S = 5

/** Writes the entry of the audit trail in the transaction of the change. */
type Audit = (tx: Sql, token: AgentToken) => Promise<void>

/** What tokens are made of. */
export interface AgentTokensDeps {
  readonly key: SigningKey
  readonly database: Pick<Database, 'sql' | 'transaction'>
  readonly news: Pick<AccountNews, 'changed'>
}

/** The tokens of agents, those of another key being void (oauth.A2). */
export async function openAgentTokens(deps: AgentTokensDeps): Promise<AgentTokens> {
  await createAgentGrantStore(deps.database.sql).revokeOfOtherKeys(fingerprintOf(deps.key))
  return new AgentTokens(deps)
}

/** Which key signs. */
export const fingerprintOf = ({ publicKey }: Pick<SigningKey, 'publicKey'>): string =>
  hash('sha256', publicKey.export({ type: 'spki', format: 'der' }), 'hex').slice(0, 16)

/** The tokens of agents. */
export class AgentTokens {
  readonly #deps: AgentTokensDeps
  readonly #store: AgentGrantStore

  constructor(deps: AgentTokensDeps) {
    this.#deps = deps
    this.#store = createAgentGrantStore(deps.database.sql)
  }

  /** A new token of a user; refuses with `forbidden` what the user may not pass on. */
  async mint(request: AgentTokenRequest, owner: UserPrincipal, audit: Audit): Promise<MintedAgentToken> {
    assertMayPassOn(owner, request.scopes)
    const { key, database } = this.#deps
    const lifetimeS = request.expires_in_days * DAY_S
    const added = await database.transaction(async (tx) => {
      const row = await createAgentGrantStore(tx).add({
        id: newId(),
        account: owner.id,
        client: request.client,
        clientId: null,
        origin: 'minted',
        scopes: request.scopes,
        signedBy: fingerprintOf(key),
        lifetimeS,
      })
      await audit(tx, row)
      return row
    })
    const { SignJWT } = await jose()
    const token = await new SignJWT({ scope: added.scopes.join(' '), client: added.client, grant: added.id })
      .setProtectedHeader({ alg: 'EdDSA', typ: AGENT_TOKEN_TYPE })
      .setSubject(owner.id)
      .setAudience(AGENT_AUDIENCE)
      .setJti(added.id)
      .setIssuedAt(Math.floor(Date.parse(added.created_at) / 1000))
      .setExpirationTime(Math.floor(Date.parse(added.expires_at) / 1000))
      .sign(key.privateKey)
    return { ...added, token }
  }

  /** Agents that a user has let in, or all users where `owner` is null; the newest first. */
  list(owner: string | null): Promise<AgentToken[]> {
    return this.#store.list(owner)
  }

  /** Ends an agent of the user, anybody's for a superuser; one that is ended stays as it was. Refuses with `not_found`. */
  async revoke(id: string, by: UserPrincipal, audit: Audit): Promise<AgentToken> {
    const { database, news } = this.#deps
    const token = await database.transaction(async (tx) => {
      const revoked = await createAgentGrantStore(tx).revoke(id, by.superuser ? null : by.id)
      if (!revoked) throw new ProblemError('not_found', `you have let no agent "${id}" in: list them to see their ids`)
      await createOAuthRecordStore(tx).removeOfGrant(id)
      await audit(tx, revoked)
      return revoked
    })
    await news.changed(id)
    return token
  }

  /** Version 0 of those agents that are let in. */
  async versionsOf(ids: readonly string[]): Promise<Map<string, number>> {
    const live = await this.#store.liveOf(ids)
    return new Map([...live].map((id) => [id, 0]))
  }

  /** The user whose agent a token is of; null when it is forged, void, of another key, or no token of an agent. */
  readonly verify = async (token: string): Promise<UserPrincipal | null> => {
    const claims = await claimsOf(token, this.#deps.key)
    const grant = claims && (await this.#store.live(claims.grant))
    if (!grant || grant.account !== claims.subject) return null
    // the request does not wait for it, and a database that fails now fails elsewhere too
    if (grant.isUnnoted) this.#store.used(grant.id).catch(() => undefined)
    const allowed = new Set(grant.scopes)
    const granted = new Set(claims.scopes.filter((scope) => allowed.has(scope)))
    return {
      kind: 'user',
      id: grant.account,
      email: grant.email,
      fullName: grant.fullName,
      superuser: grant.superuser,
      grant: { via: 'mcp', id: grant.id, name: grant.client, scopes: granted, version: 0, endsAtMs: claims.endsAtMs },
    }
  }
}

/**
 * Refuses with `forbidden` an agent, which lets no other agents in, a scope that the key of the user lacks, and the one that
 * is for superusers where the user is none.
 */
function assertMayPassOn(owner: UserPrincipal, wanted: readonly Scope[]): void {
  if (owner.grant.via === 'mcp')
    throw new ProblemError('forbidden', 'an agent lets no other agents in: sign in yourself, or use a key')
  for (const scope of wanted) assertScope(owner, scope)
  if (wanted.some((scope) => !mayHave(owner, scope)))
    throw new ProblemError('forbidden', 'the scope "flows:code" is for superusers: leave it out')
}

/** Whether a scope could ever let an agent of the user do something. */
export const mayHave = ({ superuser }: Pick<UserPrincipal, 'superuser'>, scope: Scope): boolean =>
  superuser || scope !== 'flows:code'

interface Claims {
  readonly subject: string
  readonly grant: string
  readonly scopes: readonly Scope[]
  readonly endsAtMs: number
}

const known: ReadonlySet<string> = new Set(scopes)

async function claimsOf(token: string, { publicKey }: SigningKey): Promise<Claims | null> {
  const { errors, jwtVerify } = await jose()
  try {
    const { payload } = await jwtVerify(token, publicKey, {
      algorithms: ['EdDSA'],
      audience: AGENT_AUDIENCE,
      typ: AGENT_TOKEN_TYPE,
      requiredClaims: ['sub', 'jti', 'iat', 'exp', 'scope', 'grant'],
      clockTolerance: LEEWAY_S,
      // refuses a token from the future
      maxTokenAge: 366 * DAY_S,
    })
    const { sub: subject, grant, exp = 0 } = payload
    // what is no id is nobody's: no store is asked for it
    if (typeof grant !== 'string' || !validate(grant) || subject === undefined) return null
    const isKnown = (scope: string): scope is Scope => known.has(scope)
    return { subject, grant, scopes: String(payload['scope']).split(' ').filter(isKnown), endsAtMs: exp * 1000 }
  } catch (error) {
    if (error instanceof errors.JOSEError) return null
    throw error
  }
}
