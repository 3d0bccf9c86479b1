/** The part of the engine that signs people in by OpenID Connect, on a real port, and browsers that come to it. */
import { createAccountNews } from '../../../src/auth/account-news.ts'
import { oidcEndpoints, oidcHandlers } from '../../../src/auth/oidc/oidc-routes.ts'
import { OidcSignIn } from '../../../src/auth/oidc/oidc-sign-in.ts'
import { OidcProvider } from '../../../src/auth/oidc/provider.ts'
import { authEndpoints, authHandlers } from '../../../src/auth/routes.ts'
import { createSessions } from '../../../src/auth/sessions.ts'
import { createSignInLimit } from '../../../src/auth/sign-in-limit.ts'
import { createAuthStore } from '../../../src/auth/store.ts'
import { createUsers } from '../../../src/auth/users.ts'
import { resolveConfig, type ServiceConfig } from '../../../src/config.ts'
import type { Database } from '../../../src/db/database.ts'
import { createEventLog } from '../../../src/events/event-log.ts'
import { createAuthenticator } from '../../../src/http/authenticate.ts'
import { bind } from '../../../src/http/mount.ts'
import { serve } from '../../http/server.ts'
import { quiet } from '../../use-database.ts'
import { Browser, fragmentOf } from './browser.ts'
import { client } from './real-provider.ts'

const sessionKey = Buffer.from('a session key of at least 32 bytes')

export type OidcService = Awaited<ReturnType<typeof startOidcService>>

/** Starts an engine on a database; `clock` is that of what is known of the provider. */
export async function startOidcService(database: Database, options: ServiceConfig, patienceMs = 10_000) {
  const config = resolveConfig({ ...client, ...options }, {})
  const clock = { nowMs: 0 }
  const warned: object[] = []
  const eventLog = createEventLog({ database, log: quiet })
  const accountNews = createAccountNews(database)
  const users = createUsers(createAuthStore(database.sql), accountNews)
  const sessions = createSessions({ key: sessionKey, days: 8, users })
  const { oidcIssuer, oidcClientId, oidcClientSecret } = config
  const provider = new OidcProvider({
    config: {
      ...config,
      oidcIssuer: oidcIssuer ?? '',
      oidcClientId: oidcClientId ?? '',
      oidcClientSecret: oidcClientSecret ?? '',
    },
    patienceMs,
    now: () => clock.nowMs,
  })
  const log = { warn: (fields: object) => void warned.push(fields) }
  const oidcSignIn = new OidcSignIn(
    { accountNews, config, database, eventLog, log, sessionKey, sessions, users },
    provider,
  )
  const limit = createSignInLimit(() => clock.nowMs)
  const api = await serve(
    [
      ...bind(authEndpoints, authHandlers({ config, consoleCodes: { take: () => false }, users, sessions, limit })),
      ...bind(oidcEndpoints, oidcHandlers({ oidcSignIn, recovery: { isOpen: false } })),
    ],
    { authenticate: createAuthenticator([sessions.verify]), baseUrl: config.baseUrl },
  )
  const isBack = (url: URL): boolean => url.hash !== ''
  const send = (path: string, init: RequestInit = {}) => fetch(`${api.url}${path}`, init)
  return {
    api,
    clock,
    eventLog,
    users,
    warned,
    callback: `${api.url}/login/oidc/callback`,
    /** A browser goes the whole way; where it ends, and what it was given there. */
    async signIn(browser = new Browser(), returnTo = '/console/') {
      const end = await browser.follow(`${api.url}/login/oidc?return_to=${encodeURIComponent(returnTo)}`, isBack)
      return { at: end.href.replace(/#.*/, ''), ...fragmentOf(end) } as { at: string; code?: string; error?: string }
    },
    redeem: (code: string) =>
      send('/login/oidc/token', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ code }),
      }),
    me: (token: string) => send('/users/me', { headers: { authorization: `Bearer ${token}` } }),
    [Symbol.asyncDispose]: () => api[Symbol.asyncDispose](),
  }
}
