/**
 * The mailer that is configured: an SMTP server, the host's own code, or, outside production, the log.
 * @module
 */
import type { Clock } from '@flow-service/core'

import type { ResolvedConfig } from '../config.ts'
import type { Log } from '../process/log.ts'
import { type Mailer, MailError, type OpenMailer } from './mailer.ts'
import { createSmtpMailer } from './smtp-mailer.ts'

/** What a mailer is made of. */
export interface MailerDeps {
  readonly config: Pick<ResolvedConfig, 'environment' | 'mailer' | 'mailFrom' | 'smtpUrl'>
  readonly clock: Pick<Clock, 'setTimer'>
  readonly log: Pick<Log, 'info'>
}

/** How long one attempt may take. */
export const SEND_WITHIN_MS = 60_000

/** The mailer that is configured; null in production without one. */
export function openMailer({ config, clock, log }: MailerDeps): OpenMailer | null {
  const { environment, mailer, mailFrom, smtpUrl } = config
  if (mailer !== null) return { ...bounded(ofHost(mailer), clock), reachesPeople: true, close() {} }
  if (smtpUrl !== null && mailFrom !== null) {
    const smtp = createSmtpMailer(new URL(smtpUrl), mailFrom)
    return { ...bounded(smtp, clock), reachesPeople: true, close: () => smtp.close() }
  }
  if (environment === 'production') return null
  return {
    reachesPeople: false,
    async send(mail) {
      log.info({ mail }, `no mailer is set, so this mail is not sent: "${mail.subject}" to ${mail.to}\n${mail.text}`)
    },
    close() {},
  }
}

/** The mailer of the host's code, which may fail with anything. */
const ofHost = (mailer: Mailer): Mailer => ({
  async send(mail) {
    try {
      await mailer.send(mail)
    } catch (error) {
      throw new MailError(
        `the mailer of the host has failed with ${error instanceof Error ? error.name : typeof error}`,
      )
    }
  },
})

/** A mailer whose attempts end. */
const bounded = (mailer: Mailer, clock: MailerDeps['clock']): Pick<OpenMailer, 'send'> => ({
  async send(mail) {
    const late = Promise.withResolvers<never>()
    const cancel = clock.setTimer(SEND_WITHIN_MS, () =>
      late.reject(new MailError(`the mailer has not answered within ${SEND_WITHIN_MS / 1000} s`)),
    )
    try {
      await Promise.race([mailer.send(mail), late.promise])
    } finally {
      cancel()
    }
  },
})
