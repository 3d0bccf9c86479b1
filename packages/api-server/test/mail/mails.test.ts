/** Mails over a real mail server. */
import { VirtualClock } from '@flow-service/core/testing'
import { afterEach, describe, expect, test } from 'vitest'

import { resolveConfig, type ServiceConfig } from '../../src/config.ts'
import type { Database } from '../../src/db/database.ts'
import type { NewsEntry } from '../../src/events/event-log.ts'
import { MailDelivery } from '../../src/mail/delivery.ts'
import type { Mail, Mailer } from '../../src/mail/mailer.ts'
import { Mails } from '../../src/mail/mails.ts'
import { openMailer } from '../../src/mail/open-mailer.ts'
import { createMailStore } from '../../src/mail/store.ts'
import { quiet, useDatabase } from '../use-database.ts'
import { bodyOf, openSmtpSink } from './smtp-sink.ts'

let database: Database
useDatabase((opened) => void (database = opened))

const opened: (() => unknown)[] = []
afterEach(async () => {
  for (const close of opened.splice(0).toReversed()) await close()
  await database.sql`delete from mail`
})

/** What sends mails on the database of the file. */
function engine(options: ServiceConfig) {
  const clock = new VirtualClock(0)
  const news: NewsEntry[] = []
  const lines: string[] = []
  const log = { ...quiet, info: (_fields: object, line: string) => void lines.push(line) }
  const mailer = openMailer({ config: resolveConfig(options, {}), clock, log })
  const mails = new Mails({ database, mailer })
  const store = createMailStore(database.sql)
  const eventLog = { report: (entry: NewsEntry) => void news.push(entry) }
  const delivery = mailer && new MailDelivery({ store, mailer, clock, eventLog, log })
  mails.onAdded(() => delivery?.look())
  opened.push(() => mailer?.close())
  opened.push(() => delivery?.close())
  return {
    clock,
    news,
    lines,
    mails,
    delivery,
    add: async (mail: Mail): Promise<void> => {
      await database.transaction((tx) => mails.add(tx, mail))
      mails.added()
    },
  }
}

/** An engine with a mailer of the host's code. */
const hosted = (send: Mailer['send']) => engine({ mailer: { send } })

const kept = async (): Promise<unknown[]> => [...(await database.sql`select attempts from mail`)]
const pass = (minutes: number) => database.sql`
  update mail set due_at = due_at - make_interval(secs => ${minutes * 60}), expires_at = expires_at - make_interval(secs => ${minutes * 60})`

const mail = {
  to: 'ann@example.org',
  subject: 'Größe',
  text: 'One line.\n\nhttps://flows.example/reset-password#token=x',
}

describe('a mail', () => {
  test('reaches the mail server as it is, and is not kept then', async () => {
    await using sink = await openSmtpSink()
    const { add } = engine({ smtpUrl: sink.url, mailFrom: 'Flows <flows@example.org>' })
    await add(mail)
    await expect.poll(() => sink.arrived).toHaveLength(1)
    const [arrived] = sink.arrived
    expect(arrived).toMatchObject({ from: 'flows@example.org', to: ['ann@example.org'] })
    expect(arrived?.raw).toMatch(/^From: Flows <flows@example\.org>\r$/m)
    expect(arrived?.raw).toMatch(/^Subject: =\?UTF-8\?/m)
    expect(bodyOf(arrived!)).toBe(mail.text)
    await expect.poll(kept).toEqual([])
  })

  test('is not sent when what causes it is not committed', async () => {
    await using sink = await openSmtpSink()
    const { mails, delivery } = engine({ smtpUrl: sink.url, mailFrom: 'flows@example.org' })
    const undone = database.transaction(async (tx) => {
      await mails.add(tx, mail)
      throw new Error('undo')
    })
    await expect(undone).rejects.toThrow('undo')
    delivery?.look()
    await delivery?.close()
    expect(sink.arrived).toEqual([])
  })

  test.each([
    'ann@example.org\r\nBcc: eve@example.org',
    'ann@example.org, eve@example.org',
    'Ann <ann@example.org>',
    'ann',
    '',
  ])('goes to one address alone, and not to %j [T18]', async (to) => {
    const { mails } = hosted(async () => {})
    await expect(database.transaction((tx) => mails.add(tx, { ...mail, to }))).rejects.toMatchObject({
      code: 'validation_failed',
    })
    await expect(mails.sendNow({ ...mail, to })).rejects.toMatchObject({ code: 'validation_failed' })
  })

  test('has no more headers than its own, whatever the subject holds [T18]', async () => {
    await using sink = await openSmtpSink()
    const { mails } = engine({ smtpUrl: sink.url, mailFrom: 'flows@example.org' })
    await mails.sendNow({ ...mail, subject: 'All\r\nBcc: eve@example.org\r\n\r\nwell' })
    expect(sink.arrived[0]?.to).toEqual(['ann@example.org'])
    expect(sink.arrived[0]?.raw).toContain('Subject: All Bcc: eve@example.org well\r\n')
    expect(sink.arrived[0]?.raw).not.toMatch(/^bcc:/im)
  })
})

describe('a mail server that is down', () => {
  test('holds nobody up; the mail arrives when it is back', async () => {
    const first = await openSmtpSink()
    await first[Symbol.asyncDispose]()
    const { add, clock, news } = engine({ smtpUrl: first.url, mailFrom: 'flows@example.org' })
    await add(mail)
    await expect.poll(kept).toEqual([{ attempts: 1 }])
    await using second = await openSmtpSink({}, first.port)
    await expect
      .poll(async () => {
        await pass(1)
        await clock.advance(15_000)
        return second.arrived.length
      })
      .toBe(1)
    expect(news).toEqual([])
  })

  test('is tried 5 times within an hour, and then an event tells, without address and text', async () => {
    let tried = 0
    const { add, clock, news } = hosted(async () => {
      tried += 1
      throw new TypeError('550 <ann@example.org> token=x')
    })
    await add(mail)
    for (const [at, minutes] of [1, 5, 15, 30].entries()) {
      await expect.poll(() => tried).toBe(at + 1)
      // given back: while it is being sent it is due at another time
      await expect
        .poll(
          async () =>
            await database.sql`
          select from mail where due_at between now() + make_interval(secs => ${minutes * 60 - 50})
            and now() + make_interval(secs => ${minutes * 60})`,
        )
        .toHaveLength(1)
      await pass(minutes - 0.5)
      await clock.advance(15_000)
      expect(tried).toBe(at + 1)
      await pass(0.5)
      // the look before this may still be at work, and the next one not yet planned
      await expect
        .poll(async () => {
          await clock.advance(15_000)
          return tried
        })
        .toBe(at + 2)
    }
    await expect
      .poll(() => news)
      .toEqual([
        {
          kind: 'engine',
          level: 'error',
          action: 'mail.failed',
          detail: { subject: 'Größe', attempts: 5, reason: 'the mailer of the host has failed with TypeError' },
        },
      ])
    expect(await kept()).toEqual([])
  })

  test('sends no mail when its hour is over: the link in it is dead', async () => {
    let tried = 0
    const { mails, delivery, news } = hosted(async () => void (tried += 1))
    await database.transaction((tx) => mails.add(tx, mail))
    await pass(61)
    delivery?.look()
    await expect.poll(() => news).toMatchObject([{ action: 'mail.failed', detail: { attempts: 0 } }])
    expect([tried, await kept()]).toEqual([0, []])
  })

  test('that hangs ends an attempt, and keeps no engine from closing', async () => {
    const hanging = Promise.withResolvers<void>()
    const { mails, add, clock, delivery } = hosted(() => hanging.promise)
    const [attempt] = await Promise.allSettled([mails.sendNow(mail), clock.advance(60_000)])
    expect(attempt).toMatchObject({ reason: { message: 'the mailer has not answered within 60 s' } })
    await add(mail)
    await expect.poll(kept).toEqual([{ attempts: 1 }])
    const closed = delivery?.close()
    await clock.advance(2_000)
    await closed
    hanging.resolve()
  })
})

describe('why a mail was not sent is told in words', () => {
  const reason = (url: string): Promise<unknown> => {
    const { mails } = engine({ smtpUrl: url, mailFrom: 'flows@example.org' })
    return mails.sendNow(mail).then(
      () => 'sent',
      (error: unknown) => (error instanceof Error ? error.message : error),
    )
  }

  test('when nobody listens', async () => {
    const sink = await openSmtpSink()
    await sink[Symbol.asyncDispose]()
    expect(await reason(sink.url)).toBe(`the mail server 127.0.0.1:${sink.port} cannot be reached`)
  })

  test('when the password is wrong, without the password', async () => {
    await using sink = await openSmtpSink({
      authOptional: false,
      allowInsecureAuth: true,
      onAuth: (_auth, _session, done) => done(new Error('no')),
    })
    expect(await reason(`smtp://ann:hunter22@127.0.0.1:${sink.port}`)).toBe(
      `the mail server 127.0.0.1:${sink.port} refuses the sign-in (535): look at SERVICE_SMTP_URL`,
    )
  })

  test('when the address is refused, without the address', async () => {
    await using sink = await openSmtpSink({
      onRcptTo: ({ address }, _session, done) => done(Object.assign(new Error(address), { responseCode: 550 })),
    })
    expect(await reason(sink.url)).toBe(
      `the mail server 127.0.0.1:${sink.port} refuses the sender or the address (550)`,
    )
  })

  test('when its certificate is not trusted', async () => {
    // that of the sink is signed by itself
    await using sink = await openSmtpSink({ secure: true })
    expect(await reason(`smtps://127.0.0.1:${sink.port}`)).toMatch(/gives no TLS that can be trusted|cannot be reached/)
    expect(sink.arrived).toEqual([])
  })
})

describe('without a mailer', () => {
  test('mails stand in the log outside production', async () => {
    const { add, lines, mails } = engine({ environment: 'staging' })
    expect([mails.isOpen, mails.isHeard]).toEqual([false, true])
    await add(mail)
    await expect.poll(() => lines.join('\n')).toContain(mail.text)
  })

  test('production takes none', async () => {
    const { mails } = engine({ environment: 'production' })
    expect([mails.isOpen, mails.isHeard]).toEqual([false, false])
    await expect(database.transaction((tx) => mails.add(tx, mail))).rejects.toMatchObject({ code: 'unavailable' })
    await expect(mails.sendNow(mail)).rejects.toThrow('no mailer is set')
  })
})

test('of two engines one sends a mail, once', async () => {
  const sent: string[] = []
  const send = async ({ subject }: Mail): Promise<void> => void sent.push(subject)
  const [one, two] = [hosted(send), hosted(send)]
  const subjects = Array.from({ length: 40 }, (_, number) => `mail ${number}`)
  await database.transaction(async (tx) => {
    for (const subject of subjects) await one.mails.add(tx, { ...mail, subject })
  })
  one.delivery?.look()
  two.delivery?.look()
  await expect.poll(kept).toEqual([])
  expect(sent.toSorted()).toEqual(subjects.toSorted())
})
