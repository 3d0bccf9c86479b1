/**
 * Sends the mails that are kept: up to 5 attempts within an hour, then an event tells that one was given up. Every engine
 * does; each mail is taken by one of them, with a lease, so that one that dies loses none. A mail whose engine dies between
 * sending it and noting so is sent twice, by no means lost.
 * @module
 */
import type { Clock } from '@flow-service/core'

import type { EventLog } from '../events/event-log.ts'
import type { Log } from '../process/log.ts'
import { MailError, type OpenMailer } from './mailer.ts'
import { SEND_WITHIN_MS } from './open-mailer.ts'
import type { MailStore, TakenMail } from './store.ts'

/** Seconds between attempts; with the last of them the hour is nearly over. */
const PAUSES_S = [60, 300, 900, 1_800]
/** Longer than an attempt can take. */
const LEASE_S = (2 * SEND_WITHIN_MS) / 1000
/** Sent at once by one engine. */
const MAX_SENDING = 4
/** How long a mail that is being sent keeps the engine from closing; a later one is taken again when its lease is over. */
const GRACE_MS = 2_000
/** Between two looks for mails that are due: those of other engines, and those that have failed. */
const LOOK_MS = 15_000

/** What sends mails. */
export interface MailDeliveryDeps {
  readonly store: Pick<MailStore, 'take' | 'remove' | 'giveBack'>
  readonly mailer: Pick<OpenMailer, 'send'>
  readonly clock: Pick<Clock, 'setTimer'>
  readonly eventLog: Pick<EventLog, 'report'>
  readonly log: Pick<Log, 'warn'>
}

/** Looks for mails when it opens, when one is added, and every 15 seconds. */
export class MailDelivery {
  readonly #deps: MailDeliveryDeps
  #cancel: () => void = () => {}
  #round: Promise<void> | null = null
  #isWanted = false
  #isFailing = false
  #isClosed = false

  constructor(deps: MailDeliveryDeps) {
    this.#deps = deps
  }

  /** Sends what is due, beside what is being sent. */
  look(): void {
    this.#isWanted = true
    if (this.#isClosed || this.#round) return
    this.#cancel()
    this.#round = this.#rounds().finally(() => {
      this.#round = null
      if (!this.#isClosed) this.#cancel = this.#deps.clock.setTimer(LOOK_MS, () => this.look())
    })
  }

  /** Resolves when nothing is being sent, or what is takes too long. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#cancel()
    if (!this.#round) return
    const late = Promise.withResolvers<void>()
    const cancel = this.#deps.clock.setTimer(GRACE_MS, late.resolve)
    await Promise.race([this.#round, late.promise])
    cancel()
  }

  async #rounds(): Promise<void> {
    while (this.#isWanted && !this.#isClosed) {
      this.#isWanted = false
      try {
        // oxlint-disable-next-line no-await-in-loop -- the next ones are taken when these are sent
        const taken = await this.#deps.store.take(MAX_SENDING, LEASE_S)
        if (taken.length === MAX_SENDING) this.#isWanted = true
        // oxlint-disable-next-line no-await-in-loop -- as above
        await Promise.all(taken.map((mail) => this.#send(mail)))
        this.#isFailing = false
      } catch (error) {
        if (!this.#isFailing && !this.#isClosed)
          this.#deps.log.warn({ err: error }, 'mails wait: the database does not answer')
        this.#isFailing = true
      }
    }
  }

  async #send(mail: TakenMail): Promise<void> {
    const { mailer, store } = this.#deps
    if (mail.isExpired) return this.#giveUp(mail, 'its hour was over before it could be sent')
    try {
      await mailer.send(mail)
    } catch (error) {
      const reason = error instanceof MailError ? error.message : 'the mailer has failed'
      const pauseS = PAUSES_S[mail.attempt - 1]
      return pauseS === undefined ? this.#giveUp(mail, reason) : store.giveBack(mail, pauseS)
    }
    await store.remove(mail)
  }

  async #giveUp(mail: TakenMail, reason: string): Promise<void> {
    const { eventLog, store } = this.#deps
    if (!(await store.remove(mail))) return
    const attempts = mail.isExpired ? mail.attempt - 1 : mail.attempt
    const detail = { subject: mail.subject, attempts, reason }
    eventLog.report({ kind: 'engine', level: 'error', action: 'mail.failed', detail })
  }
}
