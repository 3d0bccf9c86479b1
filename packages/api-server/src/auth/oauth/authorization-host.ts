/**
 * The engine as the authorization server of the package for agents sees it.
 * @module
 */
import type { AuthorizationClient, AuthorizationHost, RegisterAnswer, SignInAnswer } from '@flow-service/mcp'
import type { OAuthClient } from '@flow-service/protocol'
import { validate } from 'uuid'

import type { Database } from '../../db/database.ts'
import { actorOf, type EventLog } from '../../events/event-log.ts'
import { networkOf } from '../../http/address.ts'
import { Attempts } from '../../http/attempts.ts'
import { ProblemError } from '../../http/errors.ts'
import type { Log } from '../../process/log.ts'
import { newId } from '../../process/new-id.ts'
import type { AccountNews } from '../account-news.ts'
import type { SignInLimit } from '../sign-in-limit.ts'
import type { SigningKey } from '../signing-key.ts'
import { foldEmail, type Users } from '../users.ts'
import { fingerprintOf, mayHave } from './agent-tokens.ts'
import { createAgentGrantStore } from './grant-store.ts'
import type { OAuthClients } from './oauth-clients.ts'
import { createOAuthRecordStore } from './record-store.ts'

/** An agent is let in for this long, and again as long at each refresh of its tokens. */
const LET_IN_S = 30 * 86_400
/** Programs that may make themselves known in an hour from one address. */
const MAX_REGISTRATIONS = 20
const HOUR_MS = 3_600_000

/** What it is made of. */
export interface AuthorizationHostDeps {
  readonly config: { readonly mcpRegistration: boolean }
  readonly database: Pick<Database, 'sql' | 'transaction'>
  readonly eventLog: Pick<EventLog, 'audit' | 'report'>
  readonly log: Pick<Log, 'error'>
  readonly news: Pick<AccountNews, 'changed'>
  readonly oauthClients: Pick<OAuthClients, 'add' | 'find'>
  readonly signInLimit: SignInLimit
  readonly signingKey: SigningKey
  readonly users: Pick<Users, 'find' | 'signIn'>
}

/** The engine as the authorization server sees it. */
export function createAuthorizationHost(deps: AuthorizationHostDeps): AuthorizationHost {
  const { config, database, eventLog, log, news, oauthClients, signingKey, users } = deps
  const grants = createAgentGrantStore(database.sql)
  const register = registrationOf(deps)
  return {
    privateKey: signingKey.privateKey,
    registration: config.mcpRegistration,
    log,
    records: createOAuthRecordStore(database.sql),
    register,
    signIn: (given) => signInOf(deps, given),

    async findClient(id) {
      const client = await oauthClients.find(id)
      return client && shown(client)
    },

    async findUser(id) {
      const holder = validate(id) ? await users.find(id) : null
      return holder && { id: holder.principal.id, email: holder.principal.email }
    },

    async scopesFor(userId, wanted) {
      const holder = await users.find(userId)
      return holder ? wanted.filter((scope) => mayHave(holder.principal, scope)) : []
    },

    async letIn({ userId, client, scopes }) {
      const holder = await users.find(userId)
      if (!holder) throw new ProblemError('unauthenticated', 'the account may not sign in any more')
      const id = newId()
      await database.transaction(async (tx) => {
        await createAgentGrantStore(tx).add({
          id,
          account: userId,
          client: client.name,
          clientId: client.id,
          origin: 'consent',
          scopes: [...scopes],
          signedBy: fingerprintOf(signingKey),
          lifetimeS: LET_IN_S,
        })
        const detail = { id, client: client.name, client_id: client.id, scopes }
        await eventLog.audit(tx, { action: 'oauth.consent', actor: actorOf(holder.principal), detail })
      })
      return id
    },

    findLetIn: async (id) => (validate(id) ? grants.live(id) : null),
    extendLetIn: (id, lifetimeS) => grants.extend(id, lifetimeS),

    async endLetIn(id) {
      const ended = await database.transaction(async (tx) => {
        await createOAuthRecordStore(tx).removeOfGrant(id)
        return createAgentGrantStore(tx).end(id)
      })
      if (!ended) return
      eventLog.report({ kind: 'engine', level: 'info', action: 'oauth.end', detail: ended })
      await news.changed(id)
    },
  }
}

const shown = ({ id, name, redirect_uris: redirectUris, registered }: OAuthClient): AuthorizationClient => ({
  id,
  name,
  redirectUris,
  registered,
})

async function signInOf(
  { signInLimit, users }: AuthorizationHostDeps,
  { address, email, password }: Parameters<AuthorizationHost['signIn']>[0],
): Promise<SignInAnswer> {
  try {
    const succeeded = signInLimit.begin(address, foldEmail(email))
    const holder = await users.signIn(email, password)
    if (!holder) return { kind: 'wrong' }
    succeeded()
    return { kind: 'user', user: { id: holder.principal.id, email: holder.principal.email } }
  } catch (error) {
    if (error instanceof ProblemError && error.code === 'rate_limited')
      return { kind: 'slow', waitS: Number(error.extensions['retry_after_s']) }
    throw error
  }
}

function registrationOf({ eventLog, oauthClients }: AuthorizationHostDeps): AuthorizationHost['register'] {
  const attempts = new Attempts(HOUR_MS)
  return async ({ name, redirectUris }, address): Promise<RegisterAnswer> => {
    const now = Date.now()
    const network = networkOf(address)
    const [oldest] = attempts.recent(network, now)
    if (oldest !== undefined && attempts.recent(network, now).length >= MAX_REGISTRATIONS)
      return { kind: 'slow', waitS: Math.ceil((oldest + HOUR_MS - now) / 1000) }
    attempts.add(network, now)
    try {
      const client = await oauthClients.add({ name, redirect_uris: [...redirectUris] }, true, async () => {})
      const detail = { id: client.id, name, redirect_uris: client.redirect_uris }
      eventLog.report({ kind: 'engine', level: 'info', action: 'oauth.register', detail })
      return { kind: 'client', client: shown(client) }
    } catch (error) {
      if (error instanceof ProblemError && error.code === 'validation_failed')
        return { kind: 'fault', fault: error.message }
      throw error
    }
  }
}
