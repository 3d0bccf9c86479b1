/**
 * Who may sign in: users, their sessions and keys, and the event sockets that end with these.
 * @module
 */
import { database, pins } from '../db/layer.ts'
import { eventLog, userGuests } from '../events/slice.ts'
import { firstOf, type TokenVerifier } from '../http/authenticate.ts'
import { routes } from '../http/slice-api.ts'
import { SocketGuests } from '../http/socket-guests.ts'
import { mail } from '../mail/slice.ts'
import { clock, config, log } from '../process/given.ts'
import { begins, inOrder, makes, noun } from '../process/layer.ts'
import { type AccountNews, createAccountNews } from './account-news.ts'
import { Accounts } from './accounts.ts'
import { ConsoleCodes } from './console-codes.ts'
import { type ApiKeys, createApiKeys } from './keys/api-keys.ts'
import { createKeyCheck, type KeyHolder, keyHolderOf } from './keys/key-check.ts'
import { keysEndpoints, keysHandlers } from './keys/key-routes.ts'
import { createKeyStore } from './keys/key-store.ts'
import { createKeyUses, type KeyUses } from './keys/key-uses.ts'
import { type AgentTokens, openAgentTokens } from './oauth/agent-tokens.ts'
import { createAuthorizationHost } from './oauth/authorization-host.ts'
import { createOAuthClients, type OAuthClients } from './oauth/oauth-clients.ts'
import { oauthEndpoints, oauthHandlers } from './oauth/oauth-routes.ts'
import { oidcEndpoints, oidcHandlers } from './oidc/oidc-routes.ts'
import type { OidcSignIn } from './oidc/oidc-sign-in.ts'
import { Passwords } from './passwords.ts'
import { PublicUrl } from './public-url.ts'
import { createRecentCallers, type RecentCallers } from './recent-callers.ts'
import { PasswordLinks } from './recovery/links.ts'
import { Recovery } from './recovery/recovery.ts'
import { recoveryEndpoints, recoveryHandlers } from './recovery/routes.ts'
import { rememberUsers } from './remembered-users.ts'
import { authEndpoints, authHandlers } from './routes.ts'
import { createSessions, findSessionKey, settleSessionKey, type Sessions } from './sessions.ts'
import type { FoundKey } from './shared-key.ts'
import { createSignInLimit, type SignInLimit } from './sign-in-limit.ts'
import { loadSigningKey, type SigningKey } from './signing-key.ts'
import { usersEndpoints, usersHandlers } from './user-routes.ts'
import { openUsers, type TokenHolder, type Users } from './users.ts'

/** Hears of changed accounts and keys. */
export const accountNews = noun<AccountNews>()('accountNews')

export const users = noun<Users>()('users')

const passwords = noun<Passwords>()('passwords')
/** Where people open the service. */
export const publicUrl = noun<PublicUrl>()('publicUrl')

const passwordLinks = noun<PasswordLinks>()('passwordLinks')

const accounts = noun<Accounts>()('accounts')

/** Forgotten passwords. */
const recovery = noun<Recovery>()('recovery')

/** Users of the database; those of the last minute are remembered where it does not answer. */
const rememberedUsers = noun<ReturnType<typeof rememberUsers<TokenHolder>>>()('rememberedUsers')

const foundSessionKey = noun<FoundKey<Uint8Array> | null>()('foundSessionKey')
const sessionKey = noun<Uint8Array>()('sessionKey')

export const sessions = noun<Sessions>()('sessions')

const apiKeys = noun<ApiKeys>()('apiKeys')
const keyUses = noun<KeyUses>()('keyUses')
const rememberedKeys = noun<ReturnType<typeof rememberUsers<KeyHolder>>>()('rememberedKeys')

/** Users by what they have signed in with. */
export const recentCallers = noun<RecentCallers>()('recentCallers')

/** The same, also of users who cannot be found now because the database does not answer. */
export const knownCallers = noun<TokenVerifier>()('knownCallers')

/** Signs what others carry away. */
export const signingKey = noun<SigningKey>()('signingKey')

/** Null while OpenID Connect is not configured. */
const oidcSignIn = noun<OidcSignIn | null>()('oidcSignIn')
/** Agents that users have let in. */
const agentTokens = noun<AgentTokens>()('agentTokens')

const oauthClients = noun<OAuthClients>()('oauthClients')

/** By which the console is signed in that `service dev` opens. */
export const consoleCodes = noun<ConsoleCodes>()('consoleCodes')

const signInLimit = noun<SignInLimit>()('signInLimit')

/** The engine as the authorization server sees it. */
export const authorizationHost = noun<ReturnType<typeof createAuthorizationHost>>()('authorizationHost')

/** Before the database: a start without a usable key leaves no trace. */
export const sessionKeyLayer = makes(foundSessionKey, { config }, ({ config }) => findSessionKey(config))

const keysLayer = inOrder(
  makes(apiKeys, { accountNews, database }, ({ accountNews, database }) =>
    createApiKeys({ database, news: accountNews }),
  ),
  makes(
    keyUses,
    { database, log },
    ({ database, log }) => createKeyUses({ store: createKeyStore(database.sql), log }),
    (opened) => opened.flush(),
  ),
  makes(rememberedKeys, { database }, ({ database }) => {
    const store = createKeyStore(database.sql)
    return rememberUsers({
      async find(prefix) {
        const row = await store.find(prefix)
        return row && keyHolderOf(row)
      },
    })
  }),
)

export const authLayer = inOrder(
  makes(sessionKey, { config, foundSessionKey, pins }, ({ config, foundSessionKey, pins }) =>
    settleSessionKey(config, foundSessionKey, pins),
  ),
  makes(signingKey, { config, pins }, ({ config, pins }) => loadSigningKey(config, pins)),
  makes(passwords, {}, () => new Passwords()),
  makes(signInLimit, {}, () => createSignInLimit()),
  makes(consoleCodes, { clock }, (deps) => new ConsoleCodes(deps)),
  makes(accountNews, { database }, ({ database }) => createAccountNews(database)),
  makes(agentTokens, { accountNews, database, signingKey }, ({ accountNews, database, signingKey }) =>
    openAgentTokens({ key: signingKey, database, news: accountNews }),
  ),
  makes(oauthClients, { accountNews, database }, ({ accountNews, database }) =>
    createOAuthClients({ database, news: accountNews }),
  ),
  makes(users, { accountNews, database, passwords }, ({ accountNews, database, passwords }) =>
    openUsers(database, accountNews, passwords),
  ),
  makes(
    authorizationHost,
    { accountNews, config, database, eventLog, log, oauthClients, signInLimit, signingKey, users },
    ({ accountNews, ...deps }) => createAuthorizationHost({ ...deps, news: accountNews }),
  ),
  makes(publicUrl, { config }, ({ config }) => new PublicUrl(config)),
  makes(
    passwordLinks,
    { database, publicUrl },
    ({ database: { sql }, publicUrl }) => new PasswordLinks({ sql, publicUrl }),
  ),
  makes(
    accounts,
    { accountNews, database, eventLog, mail, passwordLinks, passwords },
    ({ accountNews: news, passwordLinks: links, ...deps }) => new Accounts({ ...deps, links, news }),
  ),
  makes(
    recovery,
    { accountNews, clock, database, eventLog, log, mail, passwordLinks, passwords },
    ({ accountNews: news, passwordLinks: links, ...deps }) => new Recovery({ ...deps, links, news }),
    (opened) => opened.close(),
  ),
  makes(rememberedUsers, { users }, ({ users }) => rememberUsers(users)),
  makes(sessions, { config, sessionKey, rememberedUsers }, ({ config, sessionKey, rememberedUsers }) =>
    createSessions({ key: sessionKey, days: config.sessionDays, users: rememberedUsers.users }),
  ),
  keysLayer,
  makes(
    recentCallers,
    { agentTokens, keyUses, rememberedKeys, sessions },
    ({ agentTokens, keyUses, rememberedKeys, sessions }) =>
      createRecentCallers([
        createKeyCheck({ keys: rememberedKeys.users, uses: keyUses }),
        sessions.verify,
        (token) => agentTokens.verify(token),
      ]),
  ),
  makes(
    knownCallers,
    { agentTokens, config, keyUses, rememberedKeys, rememberedUsers, sessionKey },
    ({ agentTokens, config, keyUses, rememberedKeys, rememberedUsers, sessionKey }) =>
      firstOf([
        createKeyCheck({ keys: rememberedKeys.known, uses: keyUses }),
        createSessions({ key: sessionKey, days: config.sessionDays, users: rememberedUsers.known }).verify,
        (token) => agentTokens.verify(token),
      ]),
  ),
  makes(oidcSignIn, { accountNews, config, database, eventLog, log, sessionKey, sessions, users }, async (deps) => {
    if (deps.config.oidcIssuer === null) return null
    const { createOidcSignIn } = await import('./oidc/oidc-sign-in.ts')
    return createOidcSignIn(deps)
  }),
  makes(
    userGuests,
    { agentTokens, apiKeys, log, users },
    ({ agentTokens, apiKeys, log, users }) =>
      new SocketGuests({
        // a guest is a user by a session, a key, or an agent
        async versionsOf(ids) {
          const versions = [users.tokenVersions(ids), apiKeys.versionsOf(ids), agentTokens.versionsOf(ids)]
          return new Map((await Promise.all(versions)).flatMap((of) => [...of]))
        },
        ending: { code: 1008, reason: 'the sign-in has ended; sign in again' },
        log,
      }),
  ),
)

/** Forgets callers and looks at open sockets again when an account or a key has changed, at whichever engine. */
export const followAccounts = begins(
  { accountNews, recentCallers, userGuests },
  ({ accountNews, recentCallers, userGuests }) =>
    accountNews.listen(() => {
      recentCallers.forget()
      // all of them: a guest by a key is not known by the id of its owner
      void userGuests.review()
    }),
  (stop) => stop(),
)

export const authApi = {
  tags: {
    login: 'Sign in, and passwords that were forgotten.',
    users: 'Who is signed in, and who may be.',
    keys: 'Keys by which programs are signed in as a user, within scopes.',
    oauth: 'Agents that people have let in.',
  },
  routes: [
    routes(authEndpoints, { config, consoleCodes, limit: signInLimit, sessions, users }, authHandlers),
    routes(recoveryEndpoints, { recovery }, recoveryHandlers),
    routes(usersEndpoints, { accounts, sessions, signInLimit }, usersHandlers),
    routes(keysEndpoints, { apiKeys, eventLog }, keysHandlers),
    routes(oidcEndpoints, { oidcSignIn, recovery }, oidcHandlers),
    routes(oauthEndpoints, { agentTokens, oauthClients, eventLog }, oauthHandlers),
  ],
}
