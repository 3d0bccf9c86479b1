/**
 * Which account somebody has who comes from an OpenID provider: that of their identity, else that of their e-mail address,
 * else a new one. An address is believed only when the provider vouches for it: else whoever may write one into their profile
 * would get the account of somebody else.
 * @module
 */
import type { SignInError } from '@flow-service/protocol'

import type { ResolvedConfig } from '../../config.ts'
import type { Database, Sql } from '../../db/database.ts'
import { actorOf, type EventLog } from '../../events/event-log.ts'
import { sessionGrant } from '../../http/principal.ts'
import { newId } from '../../process/new-id.ts'
import type { AccountNews } from '../account-news.ts'
import { foldEmail } from '../users.ts'
import { createOidcStore, type KnownAccount } from './oidc-store.ts'
import type { Person } from './provider.ts'

export interface IdentitiesDeps {
  readonly config: Pick<ResolvedConfig, 'oidcAllowedDomains' | 'oidcSuperuserGroup'>
  readonly database: Pick<Database, 'transaction'>
  readonly eventLog: Pick<EventLog, 'audit'>
  readonly news: Pick<AccountNews, 'changed'>
}

/** Somebody's account, or why there is none. */
type Admission = { readonly account: string } | { readonly refused: SignInError }

/** What a transaction has found out. */
type Found = { readonly account: KnownAccount } | { readonly refused: SignInError } | 'again'

/** The people of a provider. */
export class Identities {
  readonly #deps: IdentitiesDeps

  constructor(deps: IdentitiesDeps) {
    this.#deps = deps
  }

  /** Finds, links or makes the account of a person, and gives it the role of their groups. */
  async admit(person: Person): Promise<Admission> {
    const { database, news } = this.#deps
    for (let attempt = 0; attempt < 3; attempt += 1) {
      const outcome = await database.transaction(async (tx) => {
        const found = await this.#find(tx, person)
        if (found === 'again' || 'refused' in found) return found
        if (!found.account.active) return { refused: 'inactive' as const }
        return { account: found.account.id, isNewRole: await this.#settleRole(tx, found.account, person) }
      })
      // somebody has taken the e-mail address at this moment: now there is an account of it
      if (outcome === 'again') continue
      if ('isNewRole' in outcome && outcome.isNewRole) await news.changed(outcome.account)
      return outcome
    }
    throw new Error(`the account of "${person.email}" is made and removed by turns`)
  }

  async #find(tx: Sql, person: Person): Promise<Found> {
    const store = createOidcStore(tx)
    await store.lockIdentity(tx, person)
    const known = await store.findByIdentity(person)
    if (known) return { account: known }
    if (person.email === null) return { refused: 'no_email' }
    const email = foldEmail(person.email)
    const same = await store.findByEmail(email)
    return same ? this.#link(tx, same, person) : this.#signUp(tx, email, person)
  }

  async #link(tx: Sql, account: KnownAccount, person: Person): Promise<Found> {
    if (!account.active) return { refused: 'inactive' }
    if (!person.isVerified) return { refused: 'unverified' }
    await createOidcStore(tx).addIdentity(person, account.id)
    await this.#audit(tx, 'user.link', account, person)
    return { account }
  }

  async #signUp(tx: Sql, email: string, person: Person): Promise<Found> {
    const { oidcAllowedDomains: domains } = this.#deps.config
    const domain = email.slice(email.lastIndexOf('@') + 1)
    const isOurs = person.isVerified && domains.some((allowed) => allowed.toLowerCase() === domain)
    if (!isOurs && !domains.includes('*')) return { refused: 'domain' }
    const store = createOidcStore(tx)
    const account = { id: newId(), email, active: true, superuser: false }
    if (!(await store.addAccount({ ...account, fullName: person.name }))) return 'again'
    await store.addIdentity(person, account.id)
    await this.#audit(tx, 'user.sign_up', account, person)
    return { account }
  }

  /** Whether the groups have made a superuser, or an ordinary user, of somebody. The last superuser stays one. */
  async #settleRole(tx: Sql, { id, email, superuser }: KnownAccount, { groups }: Person): Promise<boolean> {
    const { config, eventLog } = this.#deps
    const { oidcSuperuserGroup: group } = config
    if (group === null) return false
    const isMember = groups.includes(group)
    if (isMember === superuser) return false
    const store = createOidcStore(tx)
    if (!isMember && (await store.lockSuperusers(tx)).every((other) => other === id)) return false
    if (!(await store.setSuperuser(id, isMember))) return false
    await eventLog.audit(tx, {
      action: 'user.update',
      actor: null,
      detail: { user: email, is_superuser: isMember, group },
    })
    return true
  }

  #audit(tx: Sql, action: string, { id, email }: KnownAccount, { issuer }: Person): Promise<void> {
    const actor = actorOf({ id, email, grant: sessionGrant })
    return this.#deps.eventLog.audit(tx, { action, actor, detail: { user: email, issuer } })
  }
}
