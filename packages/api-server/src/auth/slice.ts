/**
 * Who may sign in: users, their sessions, and the event sockets that end with a session.
 * @module
 */
import { database, pins } from '../db/layer.ts'
import { eventLog, userGuests } from '../events/slice.ts'
import { routes } from '../http/slice-api.ts'
import { SocketGuests } from '../http/socket-guests.ts'
import { mail } from '../mail/slice.ts'
import { clock, config, log } from '../process/given.ts'
import { begins, inOrder, makes, noun } from '../process/layer.ts'
import { type AccountNews, createAccountNews } from './account-news.ts'
import { Accounts } from './accounts.ts'
import { Passwords } from './passwords.ts'
import { PublicUrl } from './public-url.ts'
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
import { openUsers, type Users } from './users.ts'

export const users = noun<Users>()('users')

const passwords = noun<Passwords>()('passwords')
const accountNews = noun<AccountNews>()('accountNews')
const signInLimit = noun<SignInLimit>()('signInLimit')

/** Where people open the service. */
export const publicUrl = noun<PublicUrl>()('publicUrl')

const passwordLinks = noun<PasswordLinks>()('passwordLinks')

const accounts = noun<Accounts>()('accounts')

/** Forgotten passwords. */
const recovery = noun<Recovery>()('recovery')

/** Users of the database; those of the last minute are remembered where it does not answer. */
const rememberedUsers = noun<ReturnType<typeof rememberUsers>>()('rememberedUsers')

const foundSessionKey = noun<FoundKey<Uint8Array> | null>()('foundSessionKey')
const sessionKey = noun<Uint8Array>()('sessionKey')

export const sessions = noun<Sessions>()('sessions')

/** Sessions of users who may not be found now because the database does not answer. */
export const knownSessions = noun<Sessions>()('knownSessions')

/** Signs what others carry away. */
export const signingKey = noun<SigningKey>()('signingKey')

/** Before the database: a start without a usable key leaves no trace. */
export const sessionKeyLayer = makes(foundSessionKey, { config }, ({ config }) => findSessionKey(config))

export const authLayer = inOrder(
  makes(sessionKey, { config, foundSessionKey, pins }, ({ config, foundSessionKey, pins }) =>
    settleSessionKey(config, foundSessionKey, pins),
  ),
  makes(signingKey, { config, pins }, ({ config, pins }) => loadSigningKey(config, pins)),
  makes(passwords, {}, () => new Passwords()),
  makes(signInLimit, {}, () => createSignInLimit()),
  makes(accountNews, { database }, ({ database }) => createAccountNews(database)),
  makes(users, { database, passwords }, ({ database, passwords }) => openUsers(database, passwords)),
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
  makes(knownSessions, { config, sessionKey, rememberedUsers }, ({ config, sessionKey, rememberedUsers }) =>
    createSessions({ key: sessionKey, days: config.sessionDays, users: rememberedUsers.known }),
  ),
  makes(
    userGuests,
    { log, users },
    ({ log, users }) =>
      new SocketGuests({
        versionsOf: (ids) => users.tokenVersions(ids),
        ending: { code: 1008, reason: 'the sign-in has ended; sign in again' },
        log,
      }),
  ),
)

/** Looks at open sockets again when an account has changed, at whichever engine. */
export const followAccounts = begins(
  { accountNews, userGuests },
  ({ accountNews, userGuests }) => accountNews.listen((id) => void userGuests.review(id === null ? undefined : [id])),
  (stop) => stop(),
)

export const authApi = {
  tags: { login: 'Sign in, and passwords that were forgotten.', users: 'Who is signed in, and who may be.' },
  routes: [
    routes(authEndpoints, { sessions, signInLimit, users }, ({ signInLimit: limit, ...deps }) =>
      authHandlers({ ...deps, limit }),
    ),
    routes(recoveryEndpoints, { recovery }, recoveryHandlers),
    routes(usersEndpoints, { accounts, sessions, signInLimit }, usersHandlers),
  ],
}
