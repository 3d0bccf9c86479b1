/**
 * Accounts as superusers manage them, and a user's own password (wire decision U2). Every change is committed with its entry
 * of the audit trail, and told to all engines afterwards.
 *
 * - accounts.A1 one active superuser remains: who takes one away holds all of them until the commit.
 * @module
 */
import type { Actor, UserAdmin, UserCreate, UserCreated, UserUpdate } from '@flow-service/protocol'

import type { Database, Sql } from '../db/database.ts'
import type { EventLog } from '../events/event-log.ts'
import { ProblemError } from '../http/errors.ts'
import type { Mails } from '../mail/mails.ts'
import { newId } from '../process/new-id.ts'
import type { AccountNews } from './account-news.ts'
import type { Passwords } from './passwords.ts'
import type { PasswordLinks } from './recovery/links.ts'
import { type Account, type AuthStore, createAuthStore } from './store.ts'
import { foldEmail, holderOf, type TokenHolder } from './users.ts'

/** What accounts are made of. */
export interface AccountsDeps {
  readonly database: Pick<Database, 'sql' | 'transaction'>
  readonly eventLog: Pick<EventLog, 'audit'>
  readonly links: PasswordLinks
  readonly mail: Pick<Mails, 'add' | 'added' | 'isOpen'>
  readonly news: Pick<AccountNews, 'changed'>
  readonly passwords: Passwords
}

/** The accounts of a database. */
export class Accounts {
  readonly #deps: AccountsDeps
  readonly #store: AuthStore

  constructor(deps: AccountsDeps) {
    this.#deps = deps
    this.#store = createAuthStore(deps.database.sql)
  }

  /** By e-mail. */
  async list(): Promise<UserAdmin[]> {
    return (await this.#store.list()).map(shown)
  }

  /**
   * Adds a user; one without a password gets an invite, by mail or as a link in the answer. Refuses with `already_exists`, and
   * with `unavailable` an invite whose link would lead nowhere.
   */
  async create(user: UserCreate, by: Actor): Promise<UserCreated> {
    const { database, links, mail, passwords } = this.#deps
    const email = foldEmail(user.email)
    const id = newId()
    const passwordHash = user.password === undefined ? null : await passwords.hash(user.password)
    const created = await database.transaction(async (tx) => {
      const store = createAuthStore(tx)
      const isNew = await store.insert({
        id,
        email,
        fullName: user.full_name ?? null,
        passwordHash,
        superuser: user.is_superuser,
      })
      if (!isNew) throw new ProblemError('already_exists', `a user "${email}" exists already`)
      await this.#audit(tx, 'user.create', by, { user: email, is_superuser: user.is_superuser })
      if (passwordHash !== null) return null
      const link = await links.make(tx, 'invite', { id, tokenVersion: 0 })
      if (!mail.isOpen) return link
      await mail.add(tx, { to: email, subject: 'Your account', text: inviteText(by.email, email, link) })
      return null
    })
    if (passwordHash === null && created === null) mail.added()
    return { ...shown(await this.#find(id)), invite_url: created }
  }

  /** Changes an account. Refuses with `not_found` and `last_superuser`. */
  async update(id: string, change: UserUpdate, by: Actor): Promise<UserAdmin> {
    const { database, news, passwords } = this.#deps
    const { full_name: fullName, is_active: active, is_superuser: superuser, password } = change
    await this.#find(id)
    const passwordHash = password === undefined ? undefined : await passwords.hash(password)
    await database.transaction(async (tx) => {
      if (active === false || superuser === false) await this.#assertOther(tx, id)
      const account = await this.#hold(tx, id)
      await this.#store.update(tx, id, { fullName, active, superuser, passwordHash })
      const { password: _password, ...told } = change
      if (Object.keys(told).length > 0) await this.#audit(tx, 'user.update', by, { user: account.email, ...told })
      if (passwordHash !== undefined)
        await this.#audit(tx, 'user.password', by, { user: account.email, by: 'superuser' })
    })
    await news.changed(id)
    return shown(await this.#find(id))
  }

  /** Takes an account away; what its user has made stays. Refuses with `not_found` and `last_superuser`. */
  async remove(id: string, by: Actor): Promise<void> {
    const { database, news } = this.#deps
    await database.transaction(async (tx) => {
      await this.#assertOther(tx, id)
      const { email } = await this.#hold(tx, id)
      await this.#store.remove(tx, id)
      await this.#audit(tx, 'user.delete', by, { user: email })
    })
    await news.changed(id)
  }

  /**
   * A user's own new password: all sessions end, and the holder is for a new one. Refuses with `invalid_credentials` a
   * current password that is wrong.
   */
  async changeOwn(
    by: Actor,
    passwordsOfUser: { readonly current: string; readonly next: string },
  ): Promise<TokenHolder> {
    const { database, news, passwords } = this.#deps
    const { passwordHash: stored } = await this.#find(by.id)
    if (!(await passwords.fits(stored, passwordsOfUser.current)))
      throw new ProblemError('invalid_credentials', 'the current password is wrong')
    const passwordHash = await passwords.hash(passwordsOfUser.next)
    const holder = await database.transaction(async (tx) => {
      const account = await this.#hold(tx, by.id)
      if (account.passwordHash !== stored || !account.active)
        throw new ProblemError('invalid_credentials', 'the password was changed at this moment: sign in again')
      await this.#store.update(tx, by.id, { passwordHash })
      await this.#audit(tx, 'user.password', by, { user: account.email, by: 'self' })
      return holderOf({ ...account, tokenVersion: account.tokenVersion + 1 })
    })
    await news.changed(by.id)
    return holder
  }

  async #find(id: string): Promise<Account> {
    const account = await this.#store.find(id)
    if (!account) throw noUser(id)
    return account
  }

  async #hold(tx: Sql, id: string): Promise<Account> {
    const account = await this.#store.lock(tx, id)
    if (!account) throw noUser(id)
    return account
  }

  /** Refuses to take the last superuser away (accounts.A1). */
  async #assertOther(tx: Sql, id: string): Promise<void> {
    const superusers = await this.#store.lockSuperusers(tx)
    if (superusers.length === 1 && superusers[0] === id)
      throw new ProblemError('last_superuser', 'nobody else is an active superuser: make another one first')
  }

  #audit(tx: Sql, action: string, actor: Actor, detail: Readonly<Record<string, unknown>>): Promise<void> {
    return this.#deps.eventLog.audit(tx, { action, actor, detail })
  }
}

const noUser = (id: string): ProblemError => new ProblemError('not_found', `there is no user "${id}"`)

const shown = (account: Account): UserAdmin => ({
  id: account.id,
  email: account.email,
  full_name: account.fullName,
  is_active: account.active,
  is_superuser: account.superuser,
  created_at: account.createdAt,
  last_sign_in_at: account.lastSignInAt,
  sign_in: [
    ...(account.passwordHash === null ? [] : (['password'] as const)),
    ...(account.linked ? (['oidc'] as const) : []),
  ],
})

const inviteText = (by: string, email: string, link: string): string => `${by} has made an account for you: ${email}.

Choose a password here, within 24 hours:
${link}

Nobody can sign in with this account before that.
`
