/**
 * What brings mails to people. A failure is told in words of the engine, never in those of the other side, which may hold
 * the address or the text.
 * @module
 */

/** A mail in plain text. */
export interface Mail {
  /** One address. */
  readonly to: string
  /** One line. */
  readonly subject: string
  readonly text: string
}

/** Brings mails to people; a rejection is an attempt that has failed. */
export interface Mailer {
  send(mail: Mail): Promise<unknown>
}

/** A mail was not sent; the message says why, without the mail and without credentials. */
export class MailError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'MailError'
  }
}

/** The mailer of an engine. */
export interface OpenMailer {
  /** Whether people get the mails; else the log has them. */
  readonly reachesPeople: boolean
  /** Rejects with {@link MailError}. */
  send(mail: Mail): Promise<void>
  close(): void
}
