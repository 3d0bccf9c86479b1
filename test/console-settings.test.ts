/** The settings of the console, in a real browser. */
import { Connector } from '@flow-service/connector-sdk'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { openSmtpSink } from '../packages/api-server/test/mail/smtp-sink.ts'
import { startIndex } from '../packages/api-server/test/modules/package-index.ts'
import { hasChromium, startChromium } from './components/chromium.ts'
import { account, type ConsoleOptions, faultsAs, openConsole, overlapAs, signIn } from './components/console-page.ts'
import { publishFlow } from './documents.ts'
import { startService, type TestService } from './service.ts'

/** An apply makes an environment and starts pip, each some seconds. */
const LONG_MS = 600_000
const hostile = '<img src=x onerror=alert(1)>'

/** Keys have no white space. */
const hostileKey = '<script>alert(1)'

/** A package of which each node keeps something. */
const pairing = {
  package: 'acme-pairing',
  version: '1.2.3',
  nodeTypes: {
    acme_pairing: class extends Connector {
      static readonly contract = 1
      override async start(): Promise<void> {
        await this.store.set('hub', 'a token')
        await this.store.set(hostileKey, 'another')
        await super.start()
      }
      override poll(): Promise<Record<string, never>> {
        return Promise.resolve({})
      }
    },
  },
}

describe.skipIf(!hasChromium())('settings in the console', () => {
  let at: TestService
  let browser: Browser
  beforeAll(async () => {
    at = await startService({ ...account, connectors: [pairing] })
    browser = await startChromium()
    await at.send('PUT', '/secrets/mail_token', { value: 'a secret that is used' })
    await publishFlow(at.client, 'alarm', {
      mode: 'live',
      nodes: [
        {
          id: 'tell',
          type: 'push',
          settings: { service: 'webhook', url: 'http://127.0.0.1:9/', token: { $secret: 'mail_token' } },
          ports: [{ direction: 'input', name: 'hot' }],
        },
      ],
    }).catch(() => undefined)
    await at.client.users.create({ email: 'ann@example.org', password: 'a password of ann', fullName: hostile })
  })
  afterAll(async () => {
    await browser.close()
    await at[Symbol.asyncDispose]()
  })

  const opened = async (hash: string, options: ConsoleOptions = {}) => {
    const opening = await openConsole(browser, at.origin, hash, options)
    await signIn(opening.page)
    await opening.page.getByRole('heading', { name: 'Settings', exact: true }).waitFor()
    return opening
  }
  const dialog = (page: Page) => page.getByRole('dialog')
  const row = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text })

  test('a secret is set, and is nowhere on the page nor in an address afterwards', async () => {
    await using opening = await opened('#/settings')
    const { page, complaints } = opening
    const value = 'swordfish and nothing else'
    const carriers: string[] = []
    page.on('request', (request) => {
      if (`${request.url()} ${request.postData()}`.includes(value))
        carriers.push(`${request.method()} ${request.url()}`)
    })
    await page.getByRole('button', { name: 'New secret' }).click()
    await dialog(page).getByLabel('Name').fill('no such name!')
    await dialog(page).getByLabel('Value').fill(value)
    await dialog(page).getByRole('button', { name: 'Set', exact: true }).click()
    await dialog(page).locator('.fault').first().waitFor()
    // what was refused is typed again: it has left the page
    expect(await dialog(page).getByLabel('Value').inputValue()).toBe('')
    await dialog(page).getByLabel('Name').fill('mqtt_password')
    await dialog(page).getByLabel('Value').fill(value)
    await dialog(page).getByRole('button', { name: 'Set', exact: true }).click()
    await row(page, 'mqtt_password').getByText('nothing').waitFor()
    expect(await page.content()).not.toContain(value)
    expect(page.url()).not.toContain('swordfish')
    expect(carriers.length).toBe(2)
    expect(carriers[1]).toBe(`PUT ${at.origin}/api/v1/secrets/mqtt_password`)
    await row(page, 'mqtt_password').getByRole('button', { name: 'Delete' }).click()
    await dialog(page).getByRole('button', { name: 'Delete' }).click()
    await row(page, 'mqtt_password').waitFor({ state: 'detached' })
    expect(complaints).toEqual([])
  })

  test('a secret that is in use stays, and says by what', async () => {
    await using opening = await opened('#/settings')
    const { page, complaints } = opening
    await row(page, 'mail_token').getByRole('link', { name: 'alarm.tell' }).waitFor()
    await row(page, 'mail_token').getByRole('button', { name: 'Delete' }).click()
    await dialog(page).getByRole('button', { name: 'Delete' }).click()
    await page.locator('.toast.bad').waitFor()
    await dialog(page).getByRole('button', { name: 'Keep' }).click()
    expect(await row(page, 'mail_token').count()).toBe(1)
    expect(complaints).toEqual([])
  })

  test('a key works until it is revoked, and is shown once', async () => {
    await using opening = await opened('#/settings?tab=keys')
    const { page, complaints } = opening
    await page.getByText('No keys yet').waitFor()
    await page.getByRole('button', { name: 'New key' }).click()
    await dialog(page).getByRole('textbox', { name: /^Name/ }).fill(hostile)
    await dialog(page).getByRole('button', { name: 'Make it' }).click()
    await dialog(page).locator('.field .fault').waitFor()
    await dialog(page).getByRole('textbox', { name: /^Name/ }).fill('robot_arm')
    await dialog(page).getByRole('button', { name: 'Make it' }).click()
    const key = await dialog(page).locator('.copied code').first().textContent()
    const read = (): Promise<number> =>
      fetch(`${at.origin}/api/v1/flows/`, { headers: { authorization: `Bearer ${key}` } }).then(({ status }) => status)
    expect(await read()).toBe(200)
    await dialog(page).getByRole('button', { name: 'I have it' }).click()
    await dialog(page).waitFor({ state: 'detached' })
    expect(await page.content()).not.toContain(key)
    await row(page, 'robot_arm').getByText('good until').waitFor()
    await row(page, 'robot_arm').getByRole('button', { name: 'Revoke' }).click()
    await dialog(page).getByRole('button', { name: 'Revoke' }).click()
    await row(page, 'robot_arm').getByText('revoked').waitFor()
    expect(await read()).toBe(401)
    expect(complaints).toEqual([])
  })

  test('somebody is invited by a link, made a superuser, disabled and deleted', async () => {
    await using opening = await opened('#/settings?tab=users')
    const { page, complaints } = opening
    await row(page, hostile).waitFor()
    await page.getByRole('button', { name: 'Invite somebody' }).click()
    await dialog(page).getByLabel('E-mail').fill('no address')
    await dialog(page).getByRole('button', { name: 'Invite', exact: true }).click()
    await dialog(page).locator('.field .fault').waitFor()
    await dialog(page).getByLabel('E-mail').fill('bob@example.org')
    await dialog(page).getByRole('button', { name: 'Invite', exact: true }).click()
    expect(await dialog(page).locator('.copied code').textContent()).toContain('http')
    await dialog(page).getByRole('button', { name: 'Done' }).click()
    const bob = row(page, 'bob@example.org')
    await bob.getByText('invited').waitFor()
    await bob.getByRole('button', { name: 'Make a superuser' }).click()
    await bob.getByText('everything').waitFor()
    await bob.getByRole('button', { name: 'Disable' }).click()
    await dialog(page).getByRole('button', { name: 'Disable' }).click()
    await bob.getByText('not sign in').waitFor()
    await bob.getByRole('button', { name: 'Delete' }).click()
    await dialog(page).getByRole('button', { name: 'Delete' }).click()
    await bob.waitFor({ state: 'detached' })
    // nobody takes away what they are themselves
    expect(await row(page, account.firstSuperuser).getByRole('button').count()).toBe(0)
    expect(complaints).toEqual([])
  })

  test('an agent gets a token, and a client is made known', async () => {
    await using opening = await opened('#/settings?tab=agents')
    const { page, complaints } = opening
    await page.getByRole('button', { name: 'New token' }).click()
    await dialog(page).getByLabel('Agent').fill('helper')
    await dialog(page).getByRole('button', { name: 'Make it' }).click()
    const token = await dialog(page).locator('.copied code').textContent()
    await dialog(page).getByRole('button', { name: 'I have it' }).click()
    await row(page, 'helper').getByRole('button', { name: 'Revoke' }).click()
    expect(await page.content()).not.toContain(token)
    await dialog(page).getByRole('button', { name: 'Revoke' }).click()
    await row(page, 'helper').getByText('revoked').waitFor()
    await page.getByRole('button', { name: 'New client' }).click()
    await dialog(page).getByLabel('Name').fill('editor')
    await dialog(page).getByLabel('Sends users back to').fill('ftp://nowhere')
    await dialog(page).getByRole('button', { name: 'Add' }).click()
    await dialog(page).locator('.field .fault').waitFor()
    await dialog(page).getByLabel('Sends users back to').fill('http://127.0.0.1/back')
    await dialog(page).getByRole('button', { name: 'Add' }).click()
    await row(page, 'editor').getByRole('button', { name: 'Remove' }).click()
    await dialog(page).getByRole('button', { name: 'Remove' }).click()
    await row(page, 'editor').waitFor({ state: 'detached' })
    expect(complaints).toEqual([])
  })

  test('what a package keeps is listed by its keys, and forgotten', async () => {
    await publishFlow(at.client, 'paired', {
      mode: 'live',
      nodes: [
        { id: 'hub', type: 'acme_pairing', ports: [{ direction: 'output', port: 'n', name: 'n', dtype: 'int' }] },
      ],
    })
    await at.send('POST', '/flows/paired/start')
    await expect.poll(async () => (await at.send('GET', '/connectors/acme_pairing/state')).body).toContain('hub')
    await using opening = await opened('#/settings?tab=connectors')
    const { page, complaints } = opening
    await row(page, 'acme-pairing').getByText('1.2.3').waitFor()
    await row(page, 'acme-pairing').getByRole('button', { name: 'What it keeps' }).click()
    expect(page.url()).toContain('connector=acme-pairing')
    const kept = page.getByRole('region', { name: 'What acme-pairing keeps' })
    await kept.getByText(hostileKey).waitFor()
    expect(await page.content()).not.toContain('a token')
    await kept.getByRole('row').filter({ hasText: 'hub' }).getByRole('button', { name: 'Forget' }).click()
    await dialog(page).getByRole('button', { name: 'Forget' }).click()
    await kept.getByText('hub', { exact: true }).waitFor({ state: 'detached' })
    expect((await at.send('GET', '/connectors/acme_pairing/state')).body).toEqual([hostileKey])
    await kept.getByRole('button', { name: 'Forget all' }).click()
    await dialog(page).getByRole('button', { name: 'Forget' }).click()
    await kept.getByText('Nothing.').waitFor()
    expect(complaints).toEqual([])
  })

  test('a superuser gives a name to themselves, which the rail says', async () => {
    await using opening = await opened('#/settings?tab=account')
    const { page, complaints } = opening
    await page.getByLabel('Name').fill(hostile)
    await page.getByRole('button', { name: 'Save the name' }).click()
    await page.getByRole('heading', { name: hostile, level: 2 }).waitFor()
    await page.getByRole('button', { name: `Sign out, ${hostile}` }).waitFor()
    await page.getByRole('tab', { name: 'About' }).click()
    expect(await page.locator('.copied code').textContent()).toBe(`${at.origin}/mcp`)
    expect(complaints).toEqual([])
  })

  test('an engine that sends mails mails a link for a new password', async () => {
    await using sink = await openSmtpSink()
    await using mailing = await startService({ ...account, smtpUrl: sink.url, mailFrom: 'flows@example.org' })
    await mailing.client.users.create({ email: 'eve@example.org', password: 'a password of eve' })
    await using opening = await openConsole(browser, mailing.origin, '#/settings?tab=users')
    const { page, complaints } = opening
    await signIn(page)
    await row(page, 'eve@example.org').getByRole('button', { name: 'Mail a link' }).click()
    await page.getByText('is on its way').waitFor()
    await expect.poll(() => sink.arrived.length).toBe(1)
    expect(complaints).toEqual([])
  })

  test('who is no superuser sees names and what is installed, and meets no button that would fail', async () => {
    await using opening = await openConsole(browser, at.origin)
    const { page, complaints } = opening
    await page.getByLabel('E-mail').fill('ann@example.org')
    await page.getByLabel('Password').fill('a password of ann')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('link', { name: 'Your account' }).click()
    await page.getByText('superusers manage users, secrets and code').waitFor()
    await page.getByRole('tab', { name: 'Secrets' }).click()
    await row(page, 'mail_token').waitFor()
    expect(await page.getByRole('button', { name: 'New secret' }).isDisabled()).toBe(true)
    expect(await row(page, 'mail_token').getByRole('button').count()).toBe(0)
    await page.getByRole('tab', { name: 'Modules' }).click()
    await page.getByText('Superusers apply requirements.').waitFor()
    expect(await page.getByRole('button', { name: 'Apply' }).isDisabled()).toBe(true)
    await page.getByRole('tab', { name: 'Connectors' }).click()
    await row(page, 'acme-pairing').waitFor()
    expect(await row(page, 'acme-pairing').getByRole('button').count()).toBe(0)
    expect(complaints).toEqual([])
  })

  test('a list of modules that cannot be read is refused at its field, and an empty one is applied', async () => {
    await using opening = await opened('#/settings?tab=modules')
    const { page, complaints } = opening
    await page.getByLabel('One a line').fill('numpy>>>2')
    await page.getByRole('button', { name: 'Apply' }).click()
    await page.locator('.field .fault').waitFor()
    await page.getByLabel('One a line').fill('# nothing')
    await page.getByRole('button', { name: 'Apply' }).click()
    await page.getByText(/applied (?:now|\d)/).waitFor()
    expect(complaints).toEqual([])
  })

  test('requirements are installed, with what is done said meanwhile and the lines of pip behind it', async () => {
    await using index = await startIndex([
      { name: 'colour', version: '2.0', requires: [], source: 'version = "2.0"\n' },
    ])
    await using own = await startService({ ...account, pipIndexUrl: index.pipIndexUrl, npmRegistry: index.npmRegistry })
    await using opening = await openConsole(browser, own.origin, '#/settings?tab=modules')
    const { page, complaints } = opening
    await signIn(page)
    await page.getByLabel('One a line').fill('colour>=1')
    const release = index.hold()
    await page.getByRole('button', { name: 'Apply' }).click()
    await page.getByRole('progressbar').waitFor({ timeout: LONG_MS })
    expect(await page.getByRole('button', { name: 'Apply' }).isDisabled()).toBe(true)
    release()
    await page.getByRole('region', { name: 'Installed packages' }).getByText('colour').waitFor({ timeout: LONG_MS })
    await page.getByRole('progressbar').waitFor({ state: 'detached' })
    await page.getByText(/lines? of the last apply/).click()
    expect(await page.getByLabel('What the last apply has said').textContent()).toContain('colour')
    // what cannot be had leaves what is in force
    await page.getByLabel('One a line').fill('nowhere-to-be-found>=3')
    await page.getByRole('button', { name: 'Apply' }).click()
    await page.getByRole('alert').filter({ hasText: 'nowhere-to-be-found' }).waitFor({ timeout: LONG_MS })
    await page.getByRole('region', { name: 'Installed packages' }).getByText('colour').waitFor()
    expect(complaints).toEqual([])
  })

  test('a new password ends the other sessions, and this tab goes on', async () => {
    const [old, next] = ['a password of ann', 'another one of ann']
    const enter = async (page: Page): Promise<void> => {
      await page.getByLabel('E-mail').fill('ann@example.org')
      await page.getByLabel('Password').fill(old)
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByRole('heading', { name: 'Settings', exact: true }).waitFor()
    }
    await using here = await openConsole(browser, at.origin, '#/settings?tab=account')
    await using there = await openConsole(browser, at.origin, '#/settings?tab=account')
    await enter(here.page)
    await enter(there.page)
    // she is no superuser: what she may not do is not offered
    expect(await here.page.getByRole('tab', { name: 'Users' }).count()).toBe(0)
    await here.page.getByLabel('The one of now').fill('wrong')
    await here.page.getByLabel('The new one').fill(next)
    await here.page.getByRole('button', { name: 'Change it' }).click()
    await here.page.locator('.fault').waitFor()
    await here.page.getByLabel('The one of now').fill(old)
    await here.page.getByLabel('The new one').fill(next)
    await here.page.getByRole('button', { name: 'Change it' }).click()
    await here.page.getByText('Your password is new').waitFor()
    await here.page.getByRole('tab', { name: 'Keys' }).click()
    await here.page.getByText('No keys yet').waitFor()
    await there.page.getByRole('tab', { name: 'Keys' }).click()
    await there.page.getByText('Your session has ended.').waitFor()
    expect(here.complaints).toEqual([])
  })

  test.each([{ theme: 'light' }, { theme: 'dark' }, { theme: 'light', width: 390 }] satisfies ConsoleOptions[])(
    'nothing is in the way of anybody: $theme, $width',
    async (options) => {
      await using opening = await opened('#/settings', options)
      const { page, complaints } = opening
      for (const tab of ['Secrets', 'Modules', 'Connectors', 'Users', 'Keys', 'Agents', 'Account', 'About']) {
        await page.getByRole('tab', { name: tab }).click()
        await expect.poll(() => page.getByLabel('Loading').count()).toBe(0)
        expect([tab, await faultsAs(page, options)]).toEqual([tab, []])
        expect([tab, await overlapAs(page, options)]).toEqual([tab, 0])
      }
      // the tab and the area that are shown are on a narrow page too
      await page.goto(`${at.origin}/console/#/settings?tab=about`)
      await page.reload()
      for (const shown of [
        page.getByRole('tab', { name: 'About' }),
        page.locator('.rail').getByRole('link', { name: 'Settings' }),
      ]) {
        await shown.waitFor()
        await expect
          .poll(async () => {
            const box = await shown.boundingBox()
            return box !== null && box.x >= 0 && box.x + box.width <= (options.width ?? 1440)
          })
          .toBe(true)
      }
      expect(complaints).toEqual([])
    },
  )
})
