/**
 * Passwords that were forgotten, and those that invited people choose. Whoever asks for a link hears the same, in the same
 * time, for every address: what is to be done for one that is known is done behind the answer.
 * @module
 */
import { randomInt } from 'node:crypto'

import type { Clock } from '@flow-service/core'

import type { Database } from '../../db/database.ts'
import type { EventLog } from '../../events/event-log.ts'
import { networkOf } from '../../http/address.ts'
import { Attempts } from '../../http/attempts.ts'
import { ProblemError } from '../../http/errors.ts'
import type { Mails } from '../../mail/mails.ts'
import type { Log } from '../../process/log.ts'
import type { AccountNews } from '../account-news.ts'
import type { Passwords } from '../passwords.ts'
import { type Account, createAuthStore } from '../store.ts'
import { foldEmail } from '../users.ts'
import { deadLink, type PasswordLinks } from './links.ts'

/** What recovery is made of. */
export interface RecoveryDeps {
  readonly database: Pick<Database, 'sql' | 'transaction'>
  readonly eventLog: Pick<EventLog, 'audit'>
  readonly links: PasswordLinks
  readonly mail: Pick<Mails, 'add' | 'added' | 'isHeard'>
  readonly news: Pick<AccountNews, 'changed'>
  readonly passwords: Passwords
  readonly log: Pick<Log, 'error'>
  readonly clock: Clock
}

const HOUR_MS = 3_600_000
/** Requests for a link from one address within an hour. */
const ADDRESS_LIMIT = 20
/** Requests that wait behind their answers. */
const MAX_WAITING = 1_000
/** They wait that long, at least and at most: whoever asks the next thing at once must not feel what is done for the former. */
const PAUSE_MS = [200, 1_000] as const

/** Recovery over the accounts of a database. */
export class Recovery {
  readonly #deps: RecoveryDeps
  readonly #ofAddresses = new Attempts(HOUR_MS)
  /** E-mails that were asked for. */
  #waiting: string[] = []
  #cancel: (() => void) | null = null
  /** The latest of what is done; it follows each other. */
  #last: Promise<void> = Promise.resolve()

  constructor(deps: RecoveryDeps) {
    this.#deps = deps
  }

  /** Whether links can be sent: there is a mailer, or a log that shows them, and it is known where they lead. */
  get isOpen(): boolean {
    return this.#deps.mail.isHeard && this.#deps.links.isOpen
  }

  /**
   * Mails a link to the account of an e-mail, if there is one, once the caller is answered. Refuses with `unavailable` where
   * links cannot be sent or too many are asked for, and with `rate_limited` the 21st request of an hour from an address.
   */
  ask(email: string, address: string): void {
    if (!this.isOpen)
      throw new ProblemError(
        'unavailable',
        'this service cannot send mails: the operator sets SERVICE_SMTP_URL, SERVICE_MAIL_FROM and SERVICE_PUBLIC_URL; ask a superuser for a new password',
      )
    this.#count(networkOf(address))
    if (this.#waiting.length >= MAX_WAITING)
      throw new ProblemError('unavailable', 'too many people ask for a link at this moment: try again in a minute', {
        retry_after_s: 60,
      })
    this.#waiting.push(foldEmail(email))
    this.#cancel ??= this.#deps.clock.setTimer(randomInt(...PAUSE_MS), () => void this.#work())
  }

  /** Sets a password by the token of a link, and ends all sessions. Refuses with `invalid_token`. */
  async reset(token: string, password: string): Promise<void> {
    const { database, eventLog, links, news, passwords } = this.#deps
    // a hash costs much: only who has a link gets one computed
    const { account: id, kind } = await links.find(token)
    const passwordHash = await passwords.hash(password)
    const store = createAuthStore(database.sql)
    await database.transaction(async (tx) => {
      const account = await store.lock(tx, id)
      if (!account?.active) throw deadLink()
      await links.use(tx, token, account)
      await store.update(tx, id, { passwordHash })
      const { email } = account
      await eventLog.audit(tx, {
        action: 'user.password',
        actor: { id, email, via: 'session', name: null },
        detail: { user: email, by: kind },
      })
    })
    await news.changed(id)
  }

  /** Resolves when all requests are done. */
  close(): Promise<void> {
    this.#cancel?.()
    return this.#work()
  }

  #count(network: string): void {
    const at = this.#deps.clock.now()
    const asked = this.#ofAddresses.recent(network, at)
    const [oldest] = asked
    if (oldest !== undefined && asked.length >= ADDRESS_LIMIT) {
      const seconds = Math.ceil((oldest + HOUR_MS - at) / 1000)
      throw new ProblemError('rate_limited', `too many links were asked for from this address: wait ${seconds} s`, {
        retry_after_s: seconds,
      })
    }
    this.#ofAddresses.add(network, at)
  }

  #work(): Promise<void> {
    this.#cancel = null
    for (const email of this.#waiting.splice(0)) {
      this.#last = this.#last
        .then(() => this.#send(email))
        .catch((error: unknown) => this.#deps.log.error({ err: error }, 'a link for a new password was not mailed'))
    }
    return this.#last
  }

  async #send(email: string): Promise<void> {
    const { database, links, mail } = this.#deps
    const store = createAuthStore(database.sql)
    const known = await store.findByEmail(email)
    if (!known) return
    const isSent = await database.transaction(async (tx) => {
      const account = await store.lock(tx, known.id)
      if (!account || !mayRecover(account) || !(await links.mayAsk(tx, account.id))) return false
      const link = await links.make(tx, 'recovery', account)
      await mail.add(tx, { to: account.email, subject: 'A new password', text: recoveryText(account.email, link) })
      return true
    })
    if (isSent) mail.added()
  }
}

/** Who signs in by OpenID Connect alone gets no password by mail: it would stay when the provider lets them in no more. */
const mayRecover = ({ active, linked, passwordHash }: Account): boolean => active && (passwordHash !== null || !linked)

const recoveryText = (
  email: string,
  link: string,
): string => `Somebody, probably you, has asked for a new password for ${email}.

Choose one here, within an hour:
${link}

All sign-ins of yours end then. If you did not ask for it, do nothing: your password stays as it is.
`
