/** The console in a real browser, against an engine. Any complaint of the page, or of its policy, fails the test. */
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { client, openProvider } from '../packages/api-server/test/auth/oidc/real-provider.ts'
import { begin, ended } from './cli-process.ts'
import { hasChromium, startChromium } from './components/chromium.ts'
import { account, type ConsoleOptions, faultsOf, openConsole, overlapOf, signIn } from './components/console-page.ts'
import { freePort } from './components/free-port.ts'
import { alarmFlow, publishFlow, scaleFlow } from './documents.ts'
import { DataDirectory } from './engine-process.ts'
import { startService, type TestService } from './service.ts'

/** A name that would be a picture, were it read as HTML. */
const hostile = '<img src=x onerror=alert(1)>"&amp;'

describe.skipIf(!hasChromium())('the console', () => {
  let at: TestService
  let browser: Browser
  beforeAll(async () => {
    at = await startService(account)
    browser = await startChromium()
    await publishFlow(at.client, 'alarm', { ...alarmFlow, title: hostile })
    await publishFlow(at.client, 'scale', scaleFlow)
    await at.client.runs.submit('scale').then((run) => run.wait())
  })
  afterAll(async () => {
    await browser.close()
    await at[Symbol.asyncDispose]()
  })

  const open = (hash = '', { origin = at.origin, ...options }: ConsoleOptions & { origin?: string } = {}) =>
    openConsole(browser, origin, hash, options)
  const home = (page: Page) => page.getByRole('heading', { name: 'Home', exact: true })
  /** By keys: the second one counts for a moment after the first one, which a busy machine may miss. */
  const goHome = async (page: Page): Promise<void> => {
    const shown = async () => {
      await page.keyboard.press('g')
      await page.keyboard.press('h')
      return home(page).count()
    }
    await expect.poll(shown).toBe(1)
  }

  test('who signs in sees the engine at a glance, and is told what was wrong before', async () => {
    await using opened = await open()
    const { page, complaints } = opened
    await signIn(page, 'another password')
    await page.getByRole('alert').getByText('The user name or the password is wrong.').waitFor()
    await signIn(page)
    await home(page).waitFor()
    const flows = page.getByRole('region', { name: 'Flows' })
    expect(await flows.getByRole('listitem').allTextContents()).toEqual([
      expect.stringContaining(hostile),
      expect.stringContaining('scale'),
    ])
    expect(await page.getByRole('region', { name: 'Newest runs' }).getByRole('listitem').count()).toBe(1)
    expect(await page.title()).toBe('Home · flow-service')
    expect(complaints).toEqual([])
    // for this tab alone, and in no address
    expect(page.url()).not.toContain('token')
    expect(await page.evaluate('[localStorage.length, document.cookie]')).toEqual([0, ''])
  })

  test('what changes in the engine changes on the page by itself', async () => {
    await using opened = await open()
    const { page, complaints } = opened
    await signIn(page)
    const tile = page.locator('.tile', { hasText: 'Live flows' })
    await tile.getByText('0', { exact: true }).waitFor()
    await at.client.flows.start('alarm')
    await tile.getByText('1', { exact: true }).waitFor()
    await at.client.flows.stop('alarm')
    await tile.getByText('0', { exact: true }).waitFor()
    expect(complaints).toEqual([])
  })

  test('a session that ends leads to the sign-in, and from there back to where it was', async () => {
    const password = 'a password that is changed'
    await at.client.users.create({ email: 'ann@example.org', password })
    await using opened = await open('#/nowhere?filter=x')
    const { page } = opened
    await page.getByLabel('E-mail').fill('ann@example.org')
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('There is nothing here').waitFor()
    const ann = (await at.client.users.list()).find(({ email }) => email === 'ann@example.org')
    await at.client.users.update(ann?.id ?? '', { isActive: false })
    await page.getByRole('link', { name: 'Home', exact: true }).click()
    await page.getByText('Your session has ended.').waitFor()
    expect(new URL(page.url()).hash).toBe('#/')
    expect(await page.evaluate('sessionStorage.length')).toBe(0)
  })

  test('who signs out has nothing left in the tab', async () => {
    await using opened = await open()
    const { page } = opened
    await signIn(page)
    await page.getByRole('button', { name: /^Sign out/ }).click()
    await page.getByLabel('Password').waitFor()
    expect(await page.evaluate('sessionStorage.length')).toBe(0)
    await page.reload()
    await page.getByLabel('Password').waitFor()
  })

  test('a code of a development engine signs in once, and stands in no history', async () => {
    const code = at.service.consoleCode()
    await using opened = await open(`#dev=${code}`)
    await home(opened.page).waitFor()
    expect(new URL(opened.page.url()).hash).toBe('#/')
    await using again = await open(`#dev=${code}`)
    await again.page.getByText('The code does not count').waitFor()
    await using failed = await open('#error=inactive')
    await failed.page.getByText('Your account may not sign in: ask a superuser.').waitFor()
  })

  test('whoever an OpenID provider vouches for is signed in; who is refused there is told so', async () => {
    await using provider = await openProvider()
    const config = { ...account, ...client, oidcIssuer: provider.issuer, oidcName: 'the example' }
    await using service = await startService({ ...config, oidcAllowedDomains: ['example.org'] })
    provider.register(`${service.baseUrl}/login/oidc/callback`)
    provider.people.set('ann', { email: 'ann@example.org', email_verified: true, name: hostile })
    await using opened = await open('', service)
    const { page, complaints } = opened
    const link = page.getByRole('link', { name: 'Sign in with the example' })
    await link.click()
    await page
      .getByRole('status')
      .getByText(/refused|denied|said no|not/i)
      .waitFor()
    provider.user = 'ann'
    await link.click()
    await home(page).waitFor()
    expect(await page.getByRole('button', { name: /^Sign out/ }).textContent()).toContain(hostile)
    // the code stands in no history
    expect(new URL(page.url()).hash).toBe('#/')
    await page.goBack()
    expect(page.url()).not.toContain('code=')
    expect(complaints).toEqual([])
  })

  test('flows and runs are found by name and by a part of an id; home leads to them', async () => {
    const [run] = await at.client.runs.list({ flow: 'scale', limit: 1 })
    await using opened = await open()
    const { page, complaints } = opened
    await signIn(page)
    await home(page).waitFor()
    const asked: string[] = []
    page.on('request', (request) => asked.push(request.url()))
    const find = async (text: string, entry: string): Promise<void> => {
      await page.keyboard.press('Control+k')
      await page.keyboard.type(text)
      await page.getByRole('option', { name: entry }).click()
    }
    await find('onerror', `${hostile} (alarm) live flow`)
    await expect.poll(() => new URL(page.url()).hash).toBe('#/flows/alarm')
    asked.length = 0
    await find('scale', `scale ${run?.id.slice(-6)} run, ok`)
    await expect.poll(() => new URL(page.url()).hash).toBe(`#/runs/${run?.id}`)
    // once after a pause, not for each letter
    expect(asked.filter((url) => url.includes('/runs?') && url.includes('limit=5'))).toHaveLength(1)
    await page.goto(`${at.origin}/console/#/`)
    await find(run?.id.slice(-8, -1) ?? '', `scale ${run?.id.slice(-6)} run, ok`)
    await expect.poll(() => new URL(page.url()).hash).toBe(`#/runs/${run?.id}`)
    await page.goto(`${at.origin}/console/#/`)
    await page.getByRole('region', { name: 'Flows' }).getByRole('link', { name: 'scale' }).click()
    expect(new URL(page.url()).hash).toBe('#/flows/scale')
    expect(complaints).toEqual([])
  })

  test('a question mark lists the keys, of the console and of the page', async () => {
    await using opened = await open('#/runs')
    const { page, complaints } = opened
    await signIn(page)
    await page.getByRole('heading', { name: 'Runs' }).waitFor()
    await page.getByRole('searchbox').fill('?')
    expect(await page.getByRole('dialog').count()).toBe(0)
    await page.getByRole('searchbox').press('Tab')
    await page.keyboard.press('?')
    const dialog = page.getByRole('dialog', { name: 'Keys' })
    await dialog.getByText('choose it, or not').waitFor()
    await dialog.getByText('go to Runs').waitFor()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await goHome(page)
    await page.keyboard.press('?')
    await dialog.getByText('go to Runs').waitFor()
    expect(await dialog.getByText('choose it, or not').count()).toBe(0)
    expect(complaints).toEqual([])
  })

  test('keys lead everywhere: the palette by Ctrl+K, areas by g, the page past the areas', async () => {
    await using opened = await open('#/nowhere')
    const { page, complaints } = opened
    await signIn(page)
    await page.getByText('There is nothing here').waitFor()
    await goHome(page)
    const theme = () => page.evaluate('document.documentElement.dataset.theme')
    expect(await theme()).toBe('light')
    await page.keyboard.press('Control+k')
    await page.keyboard.type('dark')
    await page.keyboard.press('Enter')
    expect(await theme()).toBe('dark')
    await page.keyboard.press('Control+k')
    await page.keyboard.type('zzz')
    await page.getByText('Nothing has that name.').waitFor()
    // at once, as the field of the palette has the focus until the page is drawn again
    await page.evaluate(`{
      document.querySelector('dialog').close()
      document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key: '?', bubbles: true, composed: true }))
    }`)
    await page.getByRole('dialog', { name: 'Keys' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.reload()
    await home(page).waitFor()
    expect(await theme()).toBe('dark')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    expect(await page.evaluate('document.activeElement?.id')).toBe('main')
    expect(complaints).toEqual([])
  })

  test('while the engine is away the page keeps what it shows and says so, and goes on with it', async () => {
    const port = await freePort()
    const first = await startService({ ...account, port })
    await using opened = await open('', { origin: first.origin })
    const { page, complaints } = opened
    await signIn(page)
    await home(page).waitFor()
    await page.getByText('No flows yet').waitFor()
    await using list = await open('#/runs', { origin: first.origin })
    await signIn(list.page)
    await list.page.getByText('No runs yet').waitFor()
    await first.close()
    await page.getByText('No connection to the engine.').waitFor()
    expect(await page.getByText('No flows yet').count()).toBe(1)
    // at another address, so that it is over when the page is connected again
    const elsewhere = await startService({ ...account, dataDir: first.dataDir })
    await publishFlow(elsewhere.client, 'scale', scaleFlow)
    await elsewhere.client.runs.submit('scale').then((run) => run.wait())
    await elsewhere.close()
    const second = await startService({ ...account, port, dataDir: first.dataDir })
    await page.getByText('No connection to the engine.').waitFor({ state: 'detached', timeout: 60_000 })
    await page.getByRole('region', { name: 'Flows' }).getByText('scale').first().waitFor()
    // what came about meanwhile is there
    await list.page.getByRole('row', { name: 'scale' }).waitFor({ timeout: 60_000 })
    expect([...complaints, ...list.complaints]).toEqual([])
    await second[Symbol.asyncDispose]()
  })

  test('a page whose engine goes away while it is still loading goes on with the engine too', async () => {
    await using opened = await open()
    const { page, complaints } = opened
    await page.getByLabel('Password').waitFor()
    // what opens the event socket is a script of its own
    let isAway = true
    const asked = Promise.withResolvers<void>()
    await page.context().route('**/events-worker-*.js', (route) => {
      asked.resolve()
      return isAway ? route.abort('connectionrefused') : route.continue()
    })
    await signIn(page)
    await home(page).waitFor()
    await asked.promise
    await page.getByText('No connection to the engine.').waitFor()
    isAway = false
    await page.getByText('No connection to the engine.').waitFor({ state: 'detached' })
    const run = await at.client.runs.submit('scale')
    await page.locator(`a[href*="${run.id}"]`).first().waitFor()
    await run.wait()
    await at.client.http.runs.delete({ id: run.id })
    expect(complaints).toEqual([])
  })

  test('what a page shows is asked for until an engine that begins, or is away, answers', async () => {
    await using opened = await open()
    const { page } = opened
    await page.getByLabel('Password').waitFor()
    const answers = [503, 'connectionrefused', 502] as const
    let asked = 0
    await page.context().route(/\/api\/v1\/runs\?/, (route) => {
      const answer = answers[asked++]
      if (answer === undefined) return route.continue()
      return typeof answer === 'string' ? route.abort(answer) : route.fulfill({ status: answer, body: 'not yet' })
    })
    await signIn(page)
    // the event socket is there all the time: nothing else asks again
    await page.getByRole('region', { name: 'Newest runs' }).getByRole('listitem').waitFor()
    expect(asked).toBeGreaterThan(answers.length)
  })

  test.each([
    { theme: 'light', width: 1440 },
    { theme: 'dark', width: 1440 },
    { theme: 'light', width: 390 },
  ] as const)('nothing is in the way of anybody: $theme, $width px', async ({ theme, width }) => {
    await using opened = await open('', { theme, width })
    const { page, complaints } = opened
    await page.getByLabel('Password').waitFor()
    expect(await faultsOf(page)).toEqual([])
    await signIn(page)
    await home(page).waitFor()
    await page.getByRole('region', { name: 'Newest runs' }).getByRole('listitem').waitFor()
    expect(await faultsOf(page)).toEqual([])
    await page.keyboard.press('Control+k')
    await page.getByRole('dialog').waitFor()
    expect(await faultsOf(page)).toEqual([])
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.keyboard.press('?')
    await page.getByRole('dialog').waitFor()
    expect(await faultsOf(page)).toEqual([])
    expect(complaints).toEqual([])
  })

  test.each([1440, 1024, 390])('nothing is cut off at the side of %d px', async (width) => {
    await using opened = await open('', { width })
    const { page } = opened
    const overlap = () => overlapOf(page)
    await page.getByLabel('Password').waitFor()
    expect(await overlap()).toBe(0)
    await signIn(page)
    await page.getByRole('region', { name: 'Newest runs' }).getByRole('listitem').waitFor()
    expect(await overlap()).toBe(0)
  })

  test('an idle page asks for nothing', async () => {
    await using opened = await open()
    const { page } = opened
    await page.clock.install()
    await signIn(page)
    await home(page).waitFor()
    await page.getByRole('region', { name: 'Newest runs' }).getByRole('listitem').waitFor()
    await page.waitForLoadState('networkidle')
    const asked: string[] = []
    page.on('request', (request) => asked.push(request.url()))
    await page.clock.runFor(60_000)
    expect(asked).toEqual([])
  })

  test('home tells of a flow whose newest run has failed, until one of it is well again', async () => {
    const track = async (flow: string, status: string): Promise<string> => {
      const id = String((await at.send('POST', '/runs/track', { flow, params: {} })).body?.['id'])
      await at.send('POST', `/runs/${id}/track`, { seq: 1, status })
      return id
    }
    await track('gone', 'error')
    const failed = await track('scale', 'error')
    await using opened = await open()
    const { page, complaints } = opened
    await signIn(page)
    const matters = page.getByRole('region', { name: 'Needs attention' }).getByRole('listitem')
    await matters.filter({ hasText: 'has failed in its newest run' }).getByRole('link', { name: 'scale' }).waitFor()
    expect(await matters.filter({ hasText: 'newest run' }).count()).toBe(1)
    expect(
      await page
        .getByRole('region', { name: 'Needs attention' })
        .getByRole('link', { name: 'scale' })
        .getAttribute('href'),
    ).toBe(`#/runs/${failed}`)
    await track('scale', 'ok')
    await matters.filter({ hasText: 'newest run' }).waitFor({ state: 'detached' })
    expect(complaints).toEqual([])
  })

  test('service dev tells where it is', async () => {
    using data = new DataDirectory()
    const dev = begin(['dev', '--port', '0', '--data', data.path], { cwd: data.path })
    const { out } = await ended(dev, async (child) => {
      let said = ''
      child.stdout.on('data', (text: string) => (said += text))
      await expect.poll(() => said).toContain('Ctrl-C stops the engine.')
      const [address = ''] = /http\S+\/console\//.exec(said) ?? []
      expect((await fetch(address)).status).toBe(200)
      child.kill('SIGTERM')
    })
    expect(out).toMatch(/flow-service is up\.\n {2}Console {2}http:\/\/127\.0\.0\.1:\d+\/console\/\n/)
    // nobody sits before it: no code is given away
    expect(out).not.toContain('#dev=')
  })

  test('a service without it leaves the address to others', async () => {
    const without = await startService({ console: false })
    expect((await fetch(`${without.origin}/console/`)).status).toBe(404)
    await without[Symbol.asyncDispose]()
  })
})
