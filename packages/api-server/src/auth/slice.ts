/**
 * Who may sign in: users, their sessions, and the event sockets that end with a session.
 * @module
 */
import { database, pins } from '../db/layer.ts'
import { eventLog, userGuests } from '../events/slice.ts'
import { routes } from '../http/slice-api.ts'
import { SocketGuests } from '../http/socket-guests.ts'
import { config, log } from '../process/given.ts'
import { begins, inOrder, makes, noun } from '../process/layer.ts'
import { type AccountNews, createAccountNews } from './account-news.ts'
import { type AgentTokens, openAgentTokens } from './oauth/agent-tokens.ts'
import { createAuthorizationHost } from './oauth/authorization-host.ts'
import { createOAuthClients, type OAuthClients } from './oauth/oauth-clients.ts'
import { oauthEndpoints, oauthHandlers } from './oauth/oauth-routes.ts'
import { rememberUsers } from './remembered-users.ts'
import { authEndpoints, authHandlers } from './routes.ts'
import { createSessions, findSessionKey, settleSessionKey, type Sessions } from './sessions.ts'
import type { FoundKey } from './shared-key.ts'
import { createSignInLimit, type SignInLimit } from './sign-in-limit.ts'
import { loadSigningKey, type SigningKey } from './signing-key.ts'
import { openUsers, type Users } from './users.ts'

const accountNews = noun<AccountNews>()('accountNews')

export const users = noun<Users>()('users')

/** Users of the database; those of the last minute are remembered where it does not answer. */
const rememberedUsers = noun<ReturnType<typeof rememberUsers>>()('rememberedUsers')

const foundSessionKey = noun<FoundKey<Uint8Array> | null>()('foundSessionKey')
const sessionKey = noun<Uint8Array>()('sessionKey')

export const sessions = noun<Sessions>()('sessions')

/** Sessions of users who may not be found now because the database does not answer. */
export const knownSessions = noun<Sessions>()('knownSessions')

/** Signs what others carry away. */
export const signingKey = noun<SigningKey>()('signingKey')

/** Agents that users have let in. */
export const agentTokens = noun<AgentTokens>()('agentTokens')

const oauthClients = noun<OAuthClients>()('oauthClients')

const signInLimit = noun<SignInLimit>()('signInLimit')

/** The engine as the authorization server sees it. */
export const authorizationHost = noun<ReturnType<typeof createAuthorizationHost>>()('authorizationHost')

/** Before the database: a start without a usable key leaves no trace. */
export const sessionKeyLayer = makes(foundSessionKey, { config }, ({ config }) => findSessionKey(config))

export const authLayer = inOrder(
  makes(sessionKey, { config, foundSessionKey, pins }, ({ config, foundSessionKey, pins }) =>
    settleSessionKey(config, foundSessionKey, pins),
  ),
  makes(signingKey, { config, pins }, ({ config, pins }) => loadSigningKey(config, pins)),
  makes(accountNews, { database }, ({ database }) => createAccountNews(database)),
  makes(agentTokens, { accountNews, database, signingKey }, ({ accountNews, database, signingKey }) =>
    openAgentTokens({ key: signingKey, database, news: accountNews }),
  ),
  makes(oauthClients, { accountNews, database }, ({ accountNews, database }) =>
    createOAuthClients({ database, news: accountNews }),
  ),
  makes(users, { accountNews, database }, ({ accountNews, database }) => openUsers(database, accountNews)),
  makes(signInLimit, {}, () => createSignInLimit()),
  makes(
    authorizationHost,
    { accountNews, config, database, eventLog, log, oauthClients, signInLimit, signingKey, users },
    ({ accountNews, ...deps }) => createAuthorizationHost({ ...deps, news: accountNews }),
  ),
  makes(rememberedUsers, { users }, ({ users }) => rememberUsers(users)),
  makes(sessions, { config, sessionKey, rememberedUsers }, ({ config, sessionKey, rememberedUsers }) =>
    createSessions({ key: sessionKey, days: config.sessionDays, users: rememberedUsers.users }),
  ),
  makes(knownSessions, { config, sessionKey, rememberedUsers }, ({ config, sessionKey, rememberedUsers }) =>
    createSessions({ key: sessionKey, days: config.sessionDays, users: rememberedUsers.known }),
  ),
  makes(
    userGuests,
    { agentTokens, log, users },
    ({ agentTokens, log, users }) =>
      new SocketGuests({
        async versionsOf(ids) {
          const [ofUsers, ofAgents] = await Promise.all([users.tokenVersions(ids), agentTokens.versionsOf(ids)])
          return new Map([...ofUsers, ...ofAgents])
        },
        ending: { code: 1008, reason: 'the sign-in has ended; sign in again' },
        log,
      }),
  ),
)

/** Looks at open sockets again when an account or a key has changed, at whichever engine. */
export const followAccounts = begins(
  { accountNews, userGuests },
  // all of them: a guest by a key is not known by the id of its owner
  ({ accountNews, userGuests }) => accountNews.listen(() => void userGuests.review()),
  (stop) => stop(),
)

export const authApi = {
  tags: { login: 'Sign in.', users: 'Who is signed in.', oauth: 'Agents that people have let in.' },
  routes: [
    routes(authEndpoints, { limit: signInLimit, sessions, users }, authHandlers),
    routes(oauthEndpoints, { agentTokens, oauthClients, eventLog }, oauthHandlers),
  ],
}
