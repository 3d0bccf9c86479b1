/** The areas of workers and events of the console, in a real browser. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

import type { AlertConfig } from '@flow-service/protocol'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'

import { openSink } from '../packages/api-server/test/alerts/sink.ts'
import { StubSsh } from '../packages/api-server/test/provisioning/stub-ssh.ts'
import { hasChromium, startChromium } from './components/chromium.ts'
import {
  account,
  type ConsoleOptions,
  faultsAs,
  faultsOf,
  openConsole,
  overlapAs,
  signIn,
} from './components/console-page.ts'
import { nodeArguments } from './components/node-arguments.ts'
import { publishFlow, pythonFlow } from './documents.ts'
import { DataDirectory } from './engine-process.ts'
import { attachUrl } from './puppet-worker.ts'
import { startService, type TestService } from './service.ts'

const hostile = '<img src=x onerror=alert(1)>'

describe.skipIf(!hasChromium())('workers and events in the console', () => {
  let at: TestService
  let browser: Browser
  beforeAll(async () => {
    at = await startService(account)
    browser = await startChromium()
    await publishFlow(at.client, 'hall', {
      mode: 'live',
      inputs: [{ name: 'temp', dtype: 'any', initial: null }],
      nodes: [
        {
          id: 'same',
          type: 'rbe',
          ports: [
            { direction: 'input', name: 'temp' },
            { direction: 'output', name: 'changed' },
          ],
        },
      ],
    })
    await at.client.users.create({ email: 'ann@example.org', password: 'a password of ann' })
  })
  afterAll(async () => {
    await browser.close()
    await at[Symbol.asyncDispose]()
  })

  const opened = async (hash: string, options: ConsoleOptions = {}) => {
    const opening = await openConsole(browser, at.origin, hash, options)
    await signIn(opening.page)
    return opening
  }
  const dialog = (page: Page) => page.getByRole('dialog')
  const row = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text })
  /** Of this value: a time has such digits too. */
  const letter = (page: Page, value: string) =>
    page.getByRole('row').filter({ has: page.getByText(value, { exact: true }) })
  /** Says what it does, or how many it shows. */
  const look = (page: Page) => page.getByRole('button', { name: /^(?:Refresh|Show \d+ new)$/ })

  test('a token attaches a worker by the command that is shown once, and its end sends the worker away', async () => {
    await using opening = await opened('#/workers?tab=tokens')
    const { page, complaints } = opening
    await page.getByText('No tokens yet').waitFor()
    await page.getByRole('button', { name: 'New token' }).click()
    await dialog(page).getByLabel('Name').fill(hostile)
    await dialog(page).getByRole('button', { name: 'Make it' }).click()
    await dialog(page).locator('.field .fault').waitFor()
    await dialog(page).getByLabel('Name').fill('lab-3')
    await dialog(page).getByLabel('Labels').fill('gpu, lab')
    await dialog(page).getByRole('button', { name: 'Make it' }).click()
    const command = (await dialog(page).locator('.copied code').first().textContent()) ?? ''
    const [, token = '', url = ''] =
      /^SERVICE_WORKER_TOKEN=(\S+) npx -p \S+ service-worker --url (\S+)$/.exec(command) ?? []
    await dialog(page).getByRole('button', { name: 'I have it' }).click()
    expect(token).not.toBe('')
    expect(await page.content()).not.toContain(token)
    expect(page.url()).not.toContain(token)

    const worker = spawn(process.execPath, [...nodeArguments, 'packages/worker-agent/src/bin.ts', '--url', url], {
      env: { ...process.env, SERVICE_WORKER_TOKEN: token },
      stdio: 'ignore',
    })
    onTestFinished(() => void worker.kill('SIGKILL'))
    const end = once(worker, 'exit')
    await page.getByRole('tab', { name: 'Attached' }).click()
    await expect
      .poll(async () => {
        await page.getByRole('button', { name: 'Refresh' }).click()
        return await row(page, 'lab-3').count()
      })
      .toBe(1)
    await row(page, 'lab-3').getByText('gpu, lab').waitFor()
    await row(page, 'lab-3').getByText('0 of 1 busy').waitFor()
    await page.getByRole('tab', { name: 'Tokens' }).click()
    await row(page, 'lab-3').getByRole('button', { name: 'Revoke' }).click()
    await dialog(page).getByRole('button', { name: 'Revoke' }).click()
    await row(page, 'lab-3').getByText('revoked').waitFor()
    // its exit code for a token that does not count
    expect((await end)[0]).toBe(4)
    expect(complaints).toEqual([])
  })

  test('a size is made, changed and deleted; what is wrong stands at its field', async () => {
    await using opening = await opened('#/workers?tab=flavors')
    const { page, complaints } = opening
    await page.getByRole('button', { name: 'New size' }).click()
    await dialog(page).getByLabel('Name').fill('large')
    await dialog(page).getByLabel('Processors').fill('-1')
    await dialog(page).getByRole('button', { name: 'Make it' }).click()
    await dialog(page).locator('.field:has(.fault)').getByLabel('Processors').waitFor()
    await dialog(page).getByLabel('Processors').fill('8')
    await dialog(page).getByLabel('For').fill(hostile)
    await dialog(page).getByRole('button', { name: 'Make it' }).click()
    await row(page, hostile).getByRole('button', { name: 'Change' }).click()
    await dialog(page).getByLabel('GPUs').fill('2')
    await dialog(page).getByRole('button', { name: 'Change it' }).click()
    await row(page, 'large').getByRole('cell', { name: '2', exact: true }).waitFor()
    await row(page, 'large').getByRole('button', { name: 'Delete' }).click()
    await dialog(page).getByRole('button', { name: 'Delete' }).click()
    await page.getByText('No sizes yet').waitFor()
    expect(complaints).toEqual([])
  })

  test('a provisioner shows the job that it asks for, and a test of it says what is wrong', async () => {
    const stub = await StubSsh.open()
    const data = new DataDirectory()
    onTestFinished(async () => {
      data[Symbol.dispose]()
      await stub[Symbol.asyncDispose]()
    })
    const write = (url: string): void =>
      writeFileSync(
        join(data.path, 'provisioners.json'),
        JSON.stringify([
          {
            type: 'batch_scheduler',
            name: 'uni',
            login: 'ann@login',
            engine_url: url,
            profiles: [{ name: hostile.replaceAll(/[^a-z]/g, ''), cpus: 2, ram_mb: 512, labels: ['gpu'] }],
          },
        ]),
      )
    const { firstSuperuser, firstSuperuserPassword } = account
    const engine = await data.start({
      ...stub.env,
      SERVICE_FIRST_SUPERUSER: firstSuperuser,
      SERVICE_FIRST_SUPERUSER_PASSWORD: firstSuperuserPassword,
    })
    await using opening = await openConsole(browser, engine.origin, '#/workers?tab=provisioners')
    const { page, complaints } = opening
    await signIn(page)
    await page.getByText('No provisioners').waitFor()
    write('nowhere')
    await page.getByRole('button', { name: 'Read the file anew' }).click()
    await page.locator('.toast.bad').waitFor()
    write(attachUrl(engine.baseUrl))
    await page.getByRole('button', { name: 'Read the file anew' }).click()
    const profile = page.getByRole('region', { name: 'Profiles of uni' }).getByRole('row').nth(1)
    await profile.getByText('idle').waitFor()
    const flow = pythonFlow('def run(n):\n    return {"out": n}\n')
    await publishFlow(engine.client, 'far', {
      ...flow,
      nodes: flow.nodes.map((node) => ({ ...node, worker: 'gpu', cache: false })),
    })
    await engine.client.http.runs.submit({ name: 'far', params: { n: 2 } })
    await expect
      .poll(async () => {
        await page.getByRole('button', { name: 'Refresh' }).click()
        return await profile.textContent()
      })
      .toMatch(/pending.*101/)
    expect(await faultsOf(page)).toEqual([])
    await stub.behave('unreachable', 'Permission denied (publickey).')
    await profile.getByRole('button', { name: 'Test it' }).click()
    await dialog(page).getByText('Permission denied (publickey).').waitFor()
    await dialog(page).getByText('failed').first().waitFor()
    expect(complaints).toEqual([])
  })

  test('dead letters are replayed one by one and together, and dismissed', async () => {
    await using opening = await opened('#/events?tab=dead')
    const { page, complaints } = opening
    await page.getByText('No dead letters').waitFor()
    await at.client.flows.start('hall')
    await at.client.flows.pause('hall')
    for (const value of [hostile, 34, { deep: { part: 35 } }, 36]) {
      // oxlint-disable-next-line no-await-in-loop -- in this order
      await at.send('POST', '/messages/hall.temp', { value })
    }
    // what a flow holds when it is stopped is not done
    await at.client.flows.stop('hall')
    await expect
      .poll(async () => {
        await look(page).click()
        return await page.getByRole('button', { name: 'Replay', exact: true }).count()
      })
      .toBe(4)
    await row(page, hostile).getByText('the flow was stopped').waitFor()
    await letter(page, '34').getByRole('button', { name: 'Replay' }).click()
    // its flow is not active: nothing is lost
    await page.locator('.toast.bad').waitFor()
    await at.client.flows.start('hall')
    await letter(page, '34').getByRole('button', { name: 'Replay' }).click()
    await expect.poll(() => page.getByRole('button', { name: 'Replay', exact: true }).count()).toBe(3)
    await letter(page, '36').getByRole('button', { name: 'Dismiss' }).click()
    await dialog(page).getByRole('button', { name: 'Dismiss' }).click()
    await expect.poll(() => page.getByRole('button', { name: 'Replay', exact: true }).count()).toBe(2)
    await page.getByRole('button', { name: 'Replay all that fit' }).click()
    await page.getByText('No dead letters').waitFor()
    expect((await at.client.http.messages.list()).find(({ name }) => name === 'hall.changed')?.value).toEqual({
      deep: { part: 35 },
    })
    await page.getByRole('tab', { name: 'Cascades' }).click()
    await page.getByRole('row').filter({ hasText: 'hall' }).first().waitFor()
    expect(complaints).toEqual([])
  })

  test('the audit has who did what, and is narrowed by it', async () => {
    await at.send('PUT', '/secrets/door', { value: 'a value that nobody sees' })
    await using opening = await opened('#/events?tab=audit')
    const { page, complaints } = opening
    const made = page.getByRole('row').filter({ hasText: 'secret.' })
    await made.first().waitFor()
    expect(await made.first().textContent()).toContain('door')
    await page.getByLabel('Action begins with').fill('flow.')
    await page.keyboard.press('Enter')
    await made.first().waitFor({ state: 'detached' })
    await page.getByRole('row').filter({ hasText: 'flow.publish' }).first().waitFor()
    expect(new URL(page.url()).hash).toContain('action=flow.')
    await page.getByLabel('By whom').fill('nobody@example.org')
    await page.keyboard.press('Enter')
    await page.getByText('Nothing fits').waitFor()
    expect(complaints).toEqual([])
  })

  test('what happens meanwhile is counted, and moves no row before somebody asks for it', async () => {
    await at.client.flows.start('hall')
    await at.send('POST', '/messages/hall.temp', { value: 'the first of all' })
    await using opening = await opened('#/events?tab=cascades')
    const { page, complaints } = opening
    const rows = page.getByRole('region', { name: 'Cascades' }).locator('tbody tr')
    await rows.first().waitFor()
    const [before, first] = [await rows.count(), await rows.first().textContent()]
    await at.send('POST', '/messages/hall.temp', { value: 'one' })
    await at.send('POST', '/messages/hall.temp', { value: 'two' })
    await page.getByRole('button', { name: 'Show 2 new' }).waitFor()
    expect([await rows.count(), await rows.first().textContent()]).toEqual([before, first])
    await page.getByRole('button', { name: 'Show 2 new' }).click()
    await expect.poll(() => rows.count()).toBe(before + 2)
    await page.getByRole('button', { name: 'Refresh' }).waitFor()
    expect(complaints).toEqual([])
  })

  test('alerts are set by a form, and a test of a channel arrives', async () => {
    await using sink = await openSink()
    await using opening = await opened('#/events?tab=alerts')
    const { page, complaints } = opening
    const webhook = page.getByRole('group', { name: 'Webhook' })
    await page.getByLabel('At most every').fill('-3')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.locator('.field .fault').waitFor()
    await page.getByLabel('At most every').fill('60')
    await webhook.getByLabel('Send alerts by it').check()
    await webhook.getByLabel('Address').fill(sink.url)
    await at.send('PUT', '/secrets/siren', { value: 'a value that the sink knows' })
    await at.send('PUT', '/secrets/hall_key', { value: 'another that it knows' })
    for (const [name, secret] of [
      ['x-siren', 'siren'],
      ['x-wrong', 'siren'],
      ['x-hall', 'hall_key'],
    ] as const) {
      // oxlint-disable-next-line no-await-in-loop -- one below the other
      await webhook.getByRole('button', { name: 'Add a header' }).click()
      // oxlint-disable-next-line no-await-in-loop -- one below the other
      await webhook
        .getByLabel(/^Header \d/)
        .last()
        .fill(name)
      // oxlint-disable-next-line no-await-in-loop -- one below the other
      await webhook
        .getByLabel(/^Secret of header \d/)
        .last()
        .fill(secret)
    }
    await webhook.getByRole('button', { name: 'Remove header 2' }).click()
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Alerts are set').waitFor()
    await webhook.getByRole('button', { name: /^Send a test/ }).click()
    await webhook.getByText('It was taken.').waitFor()
    expect(sink.seen.map(({ headers }) => [headers['x-siren'], headers['x-wrong'], headers['x-hall']])).toEqual([
      ['a value that the sink knows', undefined, 'another that it knows'],
    ])
    expect(await page.content()).not.toContain('that the sink knows')
    await page
      .getByRole('group', { name: 'Push' })
      .getByRole('button', { name: /^Send a test/ })
      .click()
    await page.locator('.toast.bad').waitFor()
    // a value that is no secret goes with its header
    const { body } = await at.send('GET', '/alerts/config')
    const { channels, ...config } = body as unknown as AlertConfig
    const plain = { ...channels, webhook: { ...channels.webhook, headers: { 'x-plain': 'as it was written' } } }
    expect((await at.send('PUT', '/alerts/config', { ...config, channels: plain })).status).toBe(200)
    await page.reload()
    await webhook.getByLabel('Header 1', { exact: true }).fill('x-renamed')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Alerts are set').waitFor()
    expect(((await at.send('GET', '/alerts/config')).body as unknown as AlertConfig).channels.webhook.headers).toEqual({
      'x-renamed': 'as it was written',
    })
    expect(complaints).toEqual([])
  })

  test('who is no superuser is offered nothing that would be refused', async () => {
    await using opening = await openConsole(browser, at.origin, '#/workers')
    const { page, complaints } = opening
    await page.getByLabel('E-mail').fill('ann@example.org')
    await page.getByLabel('Password').fill('a password of ann')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('tab', { name: 'Sizes' }).click()
    expect(await page.getByRole('tab', { name: 'Tokens' }).count()).toBe(0)
    expect(await page.getByRole('button', { name: 'New size' }).isDisabled()).toBe(true)
    await page.getByRole('link', { name: 'Events' }).click()
    await page.getByRole('tab', { name: 'Alerts' }).click()
    await page.getByText('Superusers change alerts.').waitFor()
    expect(await page.getByRole('button', { name: 'Save', exact: true }).isDisabled()).toBe(true)
    expect(complaints).toEqual([])
  })

  const looks = [{ theme: 'light' }, { theme: 'dark' }, { theme: 'light', width: 390 }] as const
  const areas = [
    { area: 'workers', tabs: ['Attached', 'Tokens', 'Provisioners', 'Sizes'] },
    { area: 'events', tabs: ['Engine', 'Audit', 'Cascades', 'Dead letters', 'Health', 'Alerts'] },
  ]
  test.each(looks.flatMap((options) => areas.map((area) => ({ ...area, options }))))(
    'nothing is in the way of anybody: $area, $options',
    async ({ area, tabs, options }) => {
      await using opening = await opened(`#/${area}`, options)
      const { page, complaints } = opening
      for (const tab of tabs) {
        await page.getByRole('tab', { name: tab }).click()
        await expect.poll(() => page.getByLabel('Loading').count()).toBe(0)
        const overlap = await overlapAs(page, options)
        expect([tab, overlap, await faultsAs(page, options)]).toEqual([tab, 0, []])
      }
      expect(complaints).toEqual([])
    },
  )

  test('who has read far back stays there when they look again', async () => {
    for (let count = 0; count < 110; count += 1) {
      // oxlint-disable-next-line no-await-in-loop -- one event each
      await at.send('PUT', '/secrets/turned', { value: `the value number ${count}` })
    }
    await using opening = await opened('#/events?tab=audit&action=secret.')
    const { page, complaints } = opening
    const rows = page.getByRole('region', { name: 'Audit' }).locator('tbody tr')
    await expect.poll(() => rows.count()).toBe(100)
    await page.getByRole('button', { name: 'Older ones' }).click()
    await expect.poll(() => rows.count()).toBeGreaterThanOrEqual(110)
    const before = await rows.count()
    await at.send('PUT', '/secrets/turned', { value: 'the last of all values' })
    await look(page).click()
    await expect.poll(() => rows.count()).toBe(before + 1)
    expect(complaints).toEqual([])
  })
})
