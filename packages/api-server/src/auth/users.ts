/**
 * The people who may sign in, by their passwords.
 * @module
 */
import { randomBytes } from 'node:crypto'

import type { ResolvedConfig } from '../config.ts'
import type { Database } from '../db/database.ts'
import { ProblemError } from '../http/errors.ts'
import { sessionGrant, type UserPrincipal } from '../http/principal.ts'
import { newId } from '../process/new-id.ts'
import { type AccountNews, createAccountNews } from './account-news.ts'
import { checkPassword, Passwords } from './passwords.ts'
import { type Account, type AuthStore, createAuthStore } from './store.ts'

/** A user who was made at the first start; `password` only when it was made up, to be shown once. */
export interface FirstUser {
  readonly email: string
  readonly password: string | null
}

/** What a new user needs; the password has 8 to 128 characters. */
export interface NewUser {
  readonly email: string
  readonly password: string
  readonly fullName?: string | null
  readonly superuser: boolean
}

/** A user with the version that a token of theirs must carry. */
export interface TokenHolder {
  readonly principal: UserPrincipal
  readonly tokenVersion: number
}

export type Users = ReturnType<typeof createUsers>

/** The users of a database; `news` and `passwords` are those of its engine, where it has some. */
export const openUsers = (
  database: Pick<Database, 'sql' | 'listen' | 'notify'>,
  news: Pick<AccountNews, 'changed'> = createAccountNews(database),
  passwords: Passwords = new Passwords(),
): Users => createUsers(createAuthStore(database.sql), news, passwords)

/** Users in a store; what ends the sign-ins of one is told to `news`. */
export function createUsers(
  store: AuthStore,
  news: Pick<AccountNews, 'changed'>,
  passwords: Passwords = new Passwords(),
) {
  /** `null` when the e-mail is taken. */
  const add = async ({ email, password, fullName = null, superuser }: NewUser): Promise<UserPrincipal | null> => {
    checkPassword(password)
    const account = { id: newId(), email: foldEmail(email), fullName, superuser }
    const isNew = await store.insert({ ...account, passwordHash: await passwords.hash(password) })
    return isNew ? { kind: 'user', ...account, grant: sessionGrant } : null
  }
  return {
    /** The user of an e-mail and password, `null` when either is wrong or the user is not active. */
    async signIn(email: string, password: string): Promise<TokenHolder | null> {
      const account = await store.findByEmail(foldEmail(email))
      const stored = account?.passwordHash ?? null
      const fits = await passwords.fits(stored, password)
      if (!account || stored === null || !fits || !account.active) return null
      if (passwords.isOutdated(stored)) await store.rehash(account.id, stored, await passwords.hash(password))
      await store.signedIn(account.id)
      return holderOf(account)
    },

    /** Somebody has signed in now, in whichever way. */
    signedIn: (id: string): Promise<void> => store.signedIn(id),

    /** The active user of an id. */
    async find(id: string): Promise<TokenHolder | null> {
      const account = await store.find(id)
      return account?.active ? holderOf(account) : null
    },

    /** The superuser whom the local sign-in file signs in. */
    async firstSuperuser(): Promise<TokenHolder | null> {
      const account = await store.firstSuperuser()
      return account && holderOf(account)
    },

    /** Adds a user. Refuses with `already_exists` or `validation_failed`. */
    async create(user: NewUser): Promise<UserPrincipal> {
      const created = await add(user)
      if (!created) throw new ProblemError('already_exists', `a user "${foldEmail(user.email)}" exists already`)
      return created
    },

    /** Sets a password and signs the user out everywhere. Refuses with `not_found` or `validation_failed`. */
    async changePassword(email: string, password: string): Promise<void> {
      checkPassword(password)
      const id = await store.changePassword(foldEmail(email), await passwords.hash(password))
      if (id === null) throw new ProblemError('not_found', `there is no user "${foldEmail(email)}"`)
      await news.changed(id)
    },

    /** The versions that tokens must have now, by user; who may not sign in is left out. */
    tokenVersions: (ids: readonly string[]): Promise<ReadonlyMap<string, number>> => store.tokenVersions(ids),

    /**
     * Creates the first superuser of an empty database: the configured one, or in environment `local`
     * `admin@localhost` with a random password. `null` when there are users, one of them made by another engine at
     * this moment, or nobody to create.
     */
    async createFirst(config: FirstUserConfig): Promise<FirstUser | null> {
      const first = firstOf(config)
      if (!first || !(await store.isEmpty())) return null
      const created = await add({ email: first.email, password: first.password, superuser: true })
      return created && { email: created.email, password: first.random ? first.password : null }
    },
  }
}

type FirstUserConfig = Pick<ResolvedConfig, 'environment' | 'firstSuperuser' | 'firstSuperuserPassword'>

function firstOf(config: FirstUserConfig): { email: string; password: string; random: boolean } | null {
  const { environment, firstSuperuser: email, firstSuperuserPassword: password } = config
  if (email !== null && password !== null) return { email, password, random: false }
  if (environment !== 'local') return null
  return { email: 'admin@localhost', password: randomBytes(18).toString('base64url'), random: true }
}

/** Who may have tokens for an account. */
export const holderOf = ({ id, email, fullName, superuser, tokenVersion }: Account): TokenHolder => ({
  principal: { kind: 'user', id, email, fullName, superuser, grant: sessionGrant },
  tokenVersion,
})

/** An e-mail as accounts have it. Only A to Z is folded: other letters have look-alikes that fold into them. */
export const foldEmail = (email: string): string => email.trim().replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())
