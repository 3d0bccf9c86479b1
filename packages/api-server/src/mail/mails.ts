/**
 * Mails as other slices see them: added with what causes them, or sent at once for a trial.
 * @module
 */
import { emailSchema } from '@flow-service/protocol'

import type { Database, Sql } from '../db/database.ts'
import { ProblemError } from '../http/errors.ts'
import { newId } from '../process/new-id.ts'
import { type Mail, MailError, type OpenMailer } from './mailer.ts'
import { createMailStore } from './store.ts'

/** What mails are made of. */
export interface MailsDeps {
  readonly database: Pick<Database, 'sql'>
  readonly mailer: OpenMailer | null
}

/** How long a mail is worth sending: a link in it does not live longer. */
const WORTH_S = 3_600
const MAX_SUBJECT = 200

/** The mails of an engine. */
export class Mails {
  readonly #deps: MailsDeps
  #onAdded: () => void = () => {}

  constructor(deps: MailsDeps) {
    this.#deps = deps
  }

  /** Whether a mailer is set, so that people get mails. */
  get isOpen(): boolean {
    return this.#deps.mailer?.reachesPeople ?? false
  }

  /** Whether a mail gets anywhere: to people, or outside production to the log. */
  get isHeard(): boolean {
    return this.#deps.mailer !== null
  }

  /**
   * Adds a mail in the caller's transaction: it is sent when that is committed, within an hour or not at all. Call
   * {@link added} then. Refuses an address that is none with `validation_failed`, and with `unavailable` what nobody would get.
   */
  async add(tx: Sql, mail: Mail): Promise<void> {
    if (!this.isHeard) throw new ProblemError('unavailable', noMailer)
    await createMailStore(this.#deps.database.sql).add(tx, newId(), checked(mail), WORTH_S)
  }

  /** A mail is committed: it is sent now rather than at the next look. */
  added(): void {
    this.#onAdded()
  }

  /** Calls back when a mail is committed here. */
  onAdded(listener: () => void): void {
    this.#onAdded = listener
  }

  /** One attempt, now. Rejects with {@link MailError}, and refuses an address that is none with `validation_failed`. */
  async sendNow(mail: Mail): Promise<void> {
    const { mailer } = this.#deps
    if (!mailer) throw new MailError(noMailer)
    await mailer.send(checked(mail))
  }
}

const noMailer = 'no mailer is set: the operator sets SERVICE_SMTP_URL and SERVICE_MAIL_FROM'

/** A mail whose address and subject are one line each: what stands in a header cannot begin another one. */
function checked({ to, subject, text }: Mail): Mail {
  const address = emailSchema.safeParse(to)
  if (!address.success)
    throw new ProblemError(
      'validation_failed',
      `${JSON.stringify(to)} is no e-mail address: use one like ann@example.org`,
    )
  // oxlint-disable-next-line no-control-regex -- these are what ends a line
  const line = subject.replaceAll(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ').slice(0, MAX_SUBJECT)
  return { to: address.data, subject: line, text }
}
