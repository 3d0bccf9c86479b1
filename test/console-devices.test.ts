/** The area of devices of the console, in a real browser, with boards that pair through the API. */
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { hasChromium, startChromium } from './components/chromium.ts'
import { account, type ConsoleOptions, faultsAs, openConsole, overlapAs, signIn } from './components/console-page.ts'
import { DeviceClient, pairDevice, poll, startPairing } from './device-client.ts'
import { publish, startService, type TestService } from './service.ts'

const hostile = '<img src=x onerror=alert(1)>'
/** The bytes of a picture of one dot. */
const dot = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
)

describe.skipIf(!hasChromium())('devices in the console', () => {
  let at: TestService
  let browser: Browser
  beforeAll(async () => {
    // boards and people come from addresses of a network, by what the proxy says
    at = await startService({ ...account, trustProxy: 1 })
    browser = await startChromium()
  })
  afterAll(async () => {
    await browser.close()
    await at[Symbol.asyncDispose]()
  })

  const opened = async (hash: string, options: ConsoleOptions = {}) => {
    const opening = await openConsole(browser, at.origin, hash, options)
    await opening.page.setExtraHTTPHeaders({ 'x-forwarded-for': '10.1.0.200' })
    await signIn(opening.page)
    return opening
  }
  const dialog = (page: Page) => page.getByRole('dialog')
  const row = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text })

  test('a board that waits is adopted by the two characters that it shows, its values are seen, and it is unpaired', async () => {
    await using opening = await opened('#/devices')
    const { page, complaints } = opening
    await page.getByText('No devices yet').waitFor()
    const { code, secret, check } = await startPairing(at, { name: hostile, board: 'esp32-s3', firmware: '1.4.2' })
    // it is on the page without anybody asking for it
    await page.getByText(hostile).waitFor()
    expect(await page.locator('.waiting .check').textContent()).toBe(check)
    await page.getByRole('button', { name: 'Adopt' }).click()
    expect(await dialog(page).locator('.check').textContent()).toBe(check)
    await dialog(page).getByLabel('Id').fill('no such id!')
    await dialog(page)
      .getByRole('button', { name: /adopt it$/ })
      .click()
    await dialog(page).locator('.fault').first().waitFor()
    await dialog(page).getByLabel('Id').fill('hall')
    await dialog(page)
      .getByRole('button', { name: /adopt it$/ })
      .click()
    await page.getByRole('heading', { name: hostile, level: 1 }).waitFor()
    expect(new URL(page.url()).hash).toBe('#/devices/hall')

    const { device } = (await poll(at, code, secret)) as { device: { credential: string } }
    await publish(at, 'hall', {
      mode: 'live',
      inputs: [{ name: 'level', dtype: 'float' }],
      nodes: [
        {
          id: 'panel',
          type: 'device',
          settings: { device: 'hall' },
          ports: [
            { direction: 'output', name: 'lux', port: 'lux', dtype: 'float' },
            { direction: 'output', name: 'view', port: 'view', dtype: 'any' },
            { direction: 'input', name: 'level', port: 'dimmer', dtype: 'float' },
          ],
        },
      ],
    })
    await at.send('POST', '/flows/hall/start')
    const reported = await fetch(`${at.baseUrl}/devices/hall/report`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${device.credential}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        battery: 83,
        place: hostile,
        io: [
          { name: 'lux', direction: 'in', dtype: 'float', title: hostile },
          { name: 'view', direction: 'in', dtype: 'any' },
          { name: 'dimmer', direction: 'out', dtype: 'float' },
        ],
      }),
    })
    expect(reported.status).toBe(204)
    const board = await DeviceClient.connect(at, device.credential)
    await row(page, 'hall.lux').waitFor()
    await page.getByText('online').waitFor()
    await board.publish({ port: 'lux' }, 431.5)
    await row(page, 'hall.lux').getByText('431.5').waitFor()
    const stored = await at.client.artifacts.put(dot, { name: 'view.png', mediaType: 'image/png' })
    await board.publish({ port: 'view' }, stored)
    await page.getByRole('img', { name: 'view now' }).waitFor()

    // a value for the board: one of the wrong kind is refused at its field
    await page.getByRole('button', { name: 'Send a value to dimmer' }).click()
    await dialog(page).getByLabel('Value').fill('warm')
    await dialog(page).getByRole('button', { name: 'Send' }).click()
    await dialog(page).locator('.field .fault').waitFor()
    await dialog(page).getByLabel('Value').fill('0.4')
    await dialog(page).getByRole('button', { name: 'Send' }).click()
    await board.find((frame) => frame.type === 'value' && frame.value === 0.4)
    await row(page, 'hall.level').getByText('0.4').waitFor()

    await page.getByRole('button', { name: 'Unpair' }).click()
    await dialog(page).getByRole('button', { name: 'Unpair' }).click()
    await board.closed
    await page.locator('.head').getByText('not paired').waitFor()
    await page.locator('.crumb').click()
    await row(page, 'hall')
      .getByText(`3 ports · battery 83 · place ${hostile.slice(0, 23)}…`)
      .waitFor()
    expect(complaints).toEqual([])
  })

  test('a code is looked up, one that is none is said to be none, and a new board takes the place of the old', async () => {
    await pairDevice(at, 'attic')
    await using opening = await opened('#/devices')
    const { page, complaints } = opening
    await page.getByLabel('Pairing code').fill('ZZZZZZZZ')
    await page.getByRole('button', { name: 'Look up' }).click()
    await page.locator('.lookup .fault').waitFor()
    expect(await page.getByLabel('Pairing code').inputValue()).toBe('ZZZZZZZZ')
    const { code, secret, check } = await startPairing(at, {})
    await page.getByLabel('Pairing code').fill(`${code.slice(0, 4)}-${code.slice(4).toLowerCase()}`)
    await page.getByRole('button', { name: 'Look up' }).click()
    expect(await dialog(page).locator('.check').textContent()).toBe(check)
    await dialog(page).getByLabel('As').selectOption('attic')
    await dialog(page)
      .getByRole('button', { name: /adopt it$/ })
      .click()
    await page.getByRole('heading', { name: 'attic' }).waitFor()
    expect(await poll(at, code, secret)).toMatchObject({ device: { id: 'attic' } })
    expect(complaints).toEqual([])
  })

  test('the id of another device is not taken over, and what is adopted already says so', async () => {
    await pairDevice(at, 'porch')
    await using opening = await opened('#/devices')
    const { page, complaints } = opening
    await row(page, 'porch').waitFor()
    const { code } = await startPairing(at, { name: 'A new board' })
    await page.locator('.waiting li').filter({ hasText: 'A new board' }).getByRole('button', { name: 'Adopt' }).click()
    const adopt = dialog(page).getByRole('button', { name: /adopt it$/ })
    await dialog(page).getByLabel('Id').fill('porch')
    await adopt.click()
    await dialog(page).locator('.field .fault').getByText('porch').waitFor()
    // somebody else adopts it while it is being thought about
    await at.send('POST', '/devices/yard')
    expect((await at.send('POST', '/devices/yard/pair', { code })).status).toBe(200)
    await dialog(page).getByLabel('Id').fill('gate')
    await adopt.click()
    await dialog(page).getByRole('alert').getByText('has been adopted').waitFor()
    // its place is made by now: to try again is no fault of its own
    await adopt.click()
    await dialog(page).getByRole('alert').getByText('has been adopted').waitFor()
    await dialog(page).getByRole('button', { name: 'They differ' }).click()
    expect((await at.send('GET', '/devices/porch')).body).toMatchObject({ paired: true })
    expect((await at.send('GET', '/devices/gate')).body).toMatchObject({ paired: false })
    expect(complaints).toEqual([])
  })

  test('a name that somebody else changes meanwhile is not lost, and a device is deleted', async () => {
    await pairDevice(at, 'cellar')
    await using opening = await opened('#/devices/cellar')
    const { page, complaints } = opening
    await page.getByRole('button', { name: 'Rename' }).click()
    await dialog(page).getByLabel('Name').fill(hostile)
    const { version } = (await at.send('GET', '/devices/cellar')).body as { version: number }
    await at.send('PUT', '/devices/cellar', { version, name: 'of somebody else' })
    await dialog(page).getByRole('button', { name: 'Save' }).click()
    await dialog(page).locator('.field .fault').getByText('of somebody else').waitFor()
    expect(await dialog(page).getByLabel('Name').inputValue()).toBe(hostile)
    await dialog(page).getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: hostile, level: 1 }).waitFor()
    await page.getByRole('button', { name: 'Delete' }).click()
    await dialog(page).getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('heading', { name: 'Devices', exact: true }).waitFor()
    await row(page, hostile).filter({ hasText: 'cellar' }).waitFor({ state: 'detached' })
    expect(complaints).toEqual([])
  })

  test.each([{ theme: 'light' }, { theme: 'dark' }, { theme: 'light', width: 390 }] as const)(
    'nothing is in the way of anybody: $theme, $width',
    async (options) => {
      await pairDevice(at, 'garden').catch(() => undefined)
      await startPairing(at, { name: hostile })
      await using opening = await opened('#/devices', options)
      const { page, complaints } = opening
      for (const [place, title] of [
        ['#/devices', 'Devices'],
        ['#/devices/garden', 'garden'],
      ] as const) {
        await page.getByRole('heading', { name: 'Devices', exact: true }).waitFor()
        await page.evaluate(`location.hash = '${place}'`)
        await page.getByRole('heading', { name: title, level: 1, exact: true }).waitFor()
        await expect.poll(() => page.getByLabel('Loading').count()).toBe(0)
        const overlap = await overlapAs(page, options)
        expect([place, overlap, await faultsAs(page, options)]).toEqual([place, 0, []])
      }
      expect(complaints).toEqual([])
    },
  )
})
