/**
 * Mails to people, kept until they are sent.
 * @module
 */
import { database } from '../db/layer.ts'
import { eventLog } from '../events/slice.ts'
import { clock, config, log } from '../process/given.ts'
import { begins, inOrder, makes, noun } from '../process/layer.ts'
import { MailDelivery } from './delivery.ts'
import type { OpenMailer } from './mailer.ts'
import { Mails } from './mails.ts'
import { openMailer } from './open-mailer.ts'
import { createMailStore } from './store.ts'

/** Null in production without one. */
const mailer = noun<OpenMailer | null>()('mailer')

export const mail = noun<Mails>()('mail')

export const mailLayer = inOrder(
  makes(mailer, { clock, config, log }, openMailer, (opened) => opened?.close()),
  makes(mail, { database, mailer }, (deps) => new Mails(deps)),
)

/** Sends what is kept. */
export const deliverMail = begins(
  { clock, database, eventLog, log, mail, mailer },
  ({ database, mail, mailer, ...deps }) => {
    if (mailer === null) return null
    const delivery = new MailDelivery({ ...deps, mailer, store: createMailStore(database.sql) })
    mail.onAdded(() => delivery.look())
    delivery.look()
    return delivery
  },
  (delivery) => delivery?.close(),
)
