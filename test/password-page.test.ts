/** The page of links, in a real browser. */
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { bodyOf, openSmtpSink, type SmtpSink } from '../packages/api-server/test/mail/smtp-sink.ts'
import { hasChromium, patient, startChromium } from './components/chromium.ts'
import { freePort } from './components/free-port.ts'
import { startService, type TestService } from './service.ts'

const email = 'ann@example.org'

describe.skipIf(!hasChromium())('the page of links', () => {
  let sink: SmtpSink
  let at: TestService
  let browser: Browser
  beforeAll(async () => {
    sink = await openSmtpSink()
    const port = await freePort()
    at = await startService({
      port,
      publicUrl: `http://127.0.0.1:${port}`,
      smtpUrl: sink.url,
      mailFrom: 'flows@example.org',
    })
    browser = await startChromium()
    await at.send('POST', '/users', { email, password: 'a long password' })
  })
  afterAll(async () => {
    await browser.close()
    await at[Symbol.asyncDispose]()
    await sink[Symbol.asyncDispose]()
  })

  const signIn = async (password: string): Promise<number> => {
    const body = new URLSearchParams({ username: email, password })
    return (await fetch(`${at.baseUrl}/login/access-token`, { method: 'POST', body })).status
  }
  /** The link of the mail that comes next. */
  const mailed = async (act: () => Promise<unknown>): Promise<string> => {
    const before = sink.arrived.length
    await act()
    await expect.poll(() => sink.arrived.length).toBeGreaterThan(before)
    const link = /http\S+#token=\S+/.exec(bodyOf(sink.arrived.at(-1) ?? { raw: '' }))?.[0]
    if (link === undefined) throw new Error('the mail has no link')
    return link
  }
  /** Opens an address; what the page has complained about stands in `complaints`. */
  const open = async (url: string) => {
    const context = patient(await browser.newContext())
    const page = await context.newPage()
    const complaints: string[] = []
    page.on('pageerror', ({ message }) => complaints.push(message))
    page.on('console', (message) => {
      if (/security policy/i.test(message.text())) complaints.push(message.text())
    })
    await page.goto(url)
    return { page, complaints, [Symbol.asyncDispose]: () => context.close() }
  }
  const choose = async (page: Page, password: string, again = password): Promise<void> => {
    await page.getByLabel('New password').fill(password)
    await page.getByLabel('The same once more').fill(again)
    await page.getByRole('button', { name: 'Set the password' }).click()
  }
  const told = (page: Page, role: 'alert' | 'status'): Promise<string | null> => {
    const place = page.getByRole(role)
    return place.waitFor().then(() => place.textContent())
  }

  test('asks for an address, and by the link of the mail sets a password that signs in [R449, R450, T17]', async () => {
    await using asked = await open(`${at.origin}/reset-password`)
    const link = await mailed(async () => {
      await asked.page.getByLabel('Your e-mail address').fill(email)
      await asked.page.getByRole('button', { name: 'Send me a link' }).click()
      expect(await told(asked.page, 'status')).toContain('a mail is on its way')
    })
    await using opened = await open(link)
    const { page } = opened
    // the token stands neither in the address nor in the history
    expect(page.url()).toBe(`${at.origin}/reset-password`)
    expect(await page.title()).toBe('Set your password')
    await choose(page, 'chosen by Ann', 'mistyped by Ann')
    expect(await told(page, 'alert')).toBe('The two passwords are not the same.')
    await choose(page, 'chosen by Ann')
    expect(await told(page, 'status')).toBe('The password is set. Sign in with it.')
    expect(await page.locator('form:visible').count()).toBe(0)
    expect([await signIn('a long password'), await signIn('chosen by Ann')]).toEqual([400, 200])
    expect([...asked.complaints, ...opened.complaints]).toEqual([])
  })

  test('says of a used link what is wrong with it, and offers another one [T17]', async () => {
    const link = await mailed(() => fetch(`${at.baseUrl}/password-recovery/${email}`, { method: 'POST' }))
    const token = link.split('#token=')[1]
    await at.send('POST', '/reset-password/', { token, new_password: 'the first use' })
    await using opened = await open(link)
    const { page } = opened
    await choose(page, 'the second use')
    expect(await told(page, 'alert')).toBe('This link was used, is too old, or was never made: ask for a new one.')
    expect(await page.title()).toBe('Get a link for a new password')
    expect(await page.getByLabel('New password').isVisible()).toBe(false)
    // whoever goes on by the keyboard is where the next thing is to be done
    expect(await page.getByLabel('Your e-mail address').evaluate((element) => element.matches(':focus'))).toBe(true)
    expect([await signIn('the second use'), await signIn('the first use')]).toEqual([400, 200])
    // the next link, in the same window
    await page.goto(await mailed(() => fetch(`${at.baseUrl}/password-recovery/${email}`, { method: 'POST' })))
    await choose(page, 'by the next link')
    expect(await told(page, 'status')).toBe('The password is set. Sign in with it.')
    expect([page.url(), await signIn('by the next link')]).toEqual([`${at.origin}/reset-password`, 200])
    expect(opened.complaints).toEqual([])
  })

  test('serves the link of an invite, and says when nobody answers', async () => {
    const link = await mailed(() => at.send('POST', '/users', { email: 'new@example.org' }))
    await using opened = await open(link)
    const { page } = opened
    await page.context().setOffline(true)
    await choose(page, 'chosen by somebody')
    expect(await told(page, 'alert')).toBe('The service cannot be reached: try again in a moment.')
    await page.context().setOffline(false)
    await page.getByRole('button', { name: 'Set the password' }).click()
    expect(await told(page, 'status')).toBe('The password is set. Sign in with it.')
  })
})
