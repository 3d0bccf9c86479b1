/** The auth slice on a real database and a real port. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { createAccountNews } from '../../src/auth/account-news.ts'
import { ConsoleCodes } from '../../src/auth/console-codes.ts'
import { authEndpoints, authHandlers } from '../../src/auth/routes.ts'
import { createSessions } from '../../src/auth/sessions.ts'
import { createSignInLimit } from '../../src/auth/sign-in-limit.ts'
import { createAuthStore } from '../../src/auth/store.ts'
import { createUsers } from '../../src/auth/users.ts'
import { openDatabase } from '../../src/db/database.ts'
import { createAuthenticator } from '../../src/http/authenticate.ts'
import { bind } from '../../src/http/mount.ts'
import { databaseAt } from '../backend.ts'
import { serve } from '../http/server.ts'

const log = { info: () => undefined, warn: () => undefined, error: () => undefined }
export const sessionKey = Buffer.from('a session key of at least 32 bytes')

/** A directory of its own, removed by `close`. */
export async function temporaryDirectory() {
  const path = await mkdtemp(join(tmpdir(), 'service-auth-'))
  return { path, remove: () => rm(path, { recursive: true, force: true }) }
}

export type AuthService = Awaited<ReturnType<typeof startAuthService>>

/** Starts everything; `limit` keeps failures apart from other tests by its clock. */
export async function startAuthService() {
  const directory = await temporaryDirectory()
  const database = await openDatabase({ ...(await databaseAt(directory.path)), log })
  const clock = { nowMs: 0 }
  const store = createAuthStore(database.sql)
  const users = createUsers(store, createAccountNews(database))
  const sessions = createSessions({ key: sessionKey, days: 8, users })
  const limit = createSignInLimit(() => clock.nowMs)
  const consoleCodes = new ConsoleCodes({ clock: { now: () => clock.nowMs } })
  const config: { environment: 'local' | 'staging' | 'production' } = { environment: 'local' }
  const api = await serve(bind(authEndpoints, authHandlers({ config, consoleCodes, users, sessions, limit })), {
    authenticate: createAuthenticator([sessions.verify]),
    trustProxy: 1,
  })
  return {
    api,
    clock,
    config,
    consoleCodes,
    database,
    sessions,
    store,
    users,
    async close() {
      await api[Symbol.asyncDispose]()
      await database.close()
      await directory.remove()
    },
    /** Signs in by the form; `from` is the client's address. */
    signIn: (username: string, password: string, from = '203.0.113.1') =>
      fetch(`${api.url}/login/access-token`, {
        method: 'POST',
        body: new URLSearchParams({ username, password }),
        headers: { 'x-forwarded-for': from },
      }),
    /** Exchanges a code of the console. */
    byCode: (code: string, headers: Record<string, string> = {}) =>
      fetch(`${api.url}/login/code`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ code }),
      }),
    me: (token: string) => fetch(`${api.url}/users/me`, { headers: { authorization: `Bearer ${token}` } }),
  }
}
