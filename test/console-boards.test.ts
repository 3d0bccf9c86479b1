/** Dashboards in the console, in a real browser. */
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

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
import { publishFlow, scaleFlow } from './documents.ts'
import { startService, type TestService } from './service.ts'

const hostile = '<img src=x onerror=alert(1)>'
/** A picture of one dot. */
const dot = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
)

describe.skipIf(!hasChromium())('dashboards in the console', () => {
  let at: TestService
  let browser: Browser
  beforeAll(async () => {
    at = await startService(account)
    browser = await startChromium()
    const inputs = [
      { name: 'temp', dtype: 'float', initial: 20.5, title: '' },
      { name: 'lamp', dtype: 'bool', initial: false, title: '' },
      { name: 'word', dtype: 'str', initial: '', title: '' },
      { name: 'rows', dtype: 'any', initial: null, title: '' },
    ]
    await publishFlow(at.client, 'hall', { mode: 'live', title: hostile, inputs, nodes: [] })
    await at.client.flows.start('hall')
    await publishFlow(at.client, 'scale', scaleFlow)
    await at.client.runs.submit('scale', { params: { n: 4 } }).then((run) => run.wait())
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
  const widget = (page: Page, name: string) => page.locator('.board').getByRole('region', { name, exact: true })
  const valueOf = async (name: string): Promise<unknown> =>
    (await at.client.http.messages.list()).find((message) => message.name === name)?.value

  test('a board comes from a live flow, is changed by keys, published, and shows and sends values', async () => {
    await using opening = await opened('#/dashboards')
    const { page, complaints } = opening
    await page.getByText('No boards yet').waitFor()
    await page.getByRole('button', { name: 'From a flow' }).click()
    await dialog(page).getByLabel('Flow').selectOption('hall')
    await dialog(page).getByRole('button', { name: 'Make it' }).click()
    await widget(page, 'temp').getByText('20.5').waitFor()

    // a button, put and bound without a mouse
    await page.getByRole('button', { name: 'button', exact: true }).focus()
    await page.keyboard.press('Enter')
    await page.getByLabel('Message').fill('hall.word')
    await page.keyboard.press('Tab')
    await page.getByLabel('Label').fill(hostile)
    await page.getByLabel('Label').press('Enter')
    await page.getByLabel('Publishes').fill('"rung"')
    await page.getByLabel('Publishes').press('Enter')
    const handle = page.getByRole('button', { name: /^button_1: button/ })
    const [, column = '', row = ''] =
      /column (\d+), row (\d+)/.exec((await handle.getAttribute('aria-label')) ?? '') ?? []
    await handle.focus()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Shift+ArrowRight')
    await page
      .getByRole('button', { name: `button_1: button, column ${column}, row ${Number(row) + 1}, 3 wide, 2 high` })
      .waitFor()
    await page.getByText('Draft saved').waitFor()
    await page.getByRole('button', { name: 'Publish' }).click()
    await page.getByText('It is published').waitFor()

    await page.getByRole('button', { name: hostile }).click()
    await expect.poll(() => valueOf('hall.word')).toBe('rung')
    await at.send('POST', '/messages/hall.temp', { value: 31.25 })
    await widget(page, 'temp').getByText('31.25').waitFor()
    await widget(page, 'temp over time').getByText('one value so far: 31.25').waitFor()
    await at.send('POST', '/messages/hall.temp', { value: 32 })
    await widget(page, 'temp over time').locator('canvas').waitFor()
    // who comes later has the values of before
    await page.reload()
    await widget(page, 'temp over time').locator('canvas').waitFor()
    expect(complaints).toEqual([])
  })

  test('each kind of widget shows what it is for, and what is refused is said', async () => {
    const picture = await at.client.artifacts.put(dot, { name: 'view.png', mediaType: 'image/png' })
    const widgets = [
      {
        id: 'a',
        type: 'value',
        title: hostile,
        options: { unit: '°C', decimals: 2 },
        binding: { message: 'hall.temp' },
      },
      {
        id: 'b',
        type: 'gauge',
        title: 'warmth',
        options: { max: 50, thresholds: [{ from: 30, level: 'warning' }] },
        binding: { message: 'hall.temp' },
      },
      {
        id: 'c',
        type: 'chart',
        title: 'runs',
        source: { kind: 'runs', select: { latest: 3, flow: 'scale' }, metrics: ['scale.loss'] },
      },
      { id: 'd', type: 'table', title: 'rows', binding: { message: 'hall.rows' } },
      {
        id: 'e',
        type: 'table',
        title: 'results',
        source: { kind: 'runs', select: { latest: 3, flow: 'scale' }, metrics: [] },
      },
      { id: 'f', type: 'image', title: 'view', options: { artifact: picture } },
      {
        id: 'g',
        type: 'text',
        title: '',
        options: { markdown: `# Hall\n\n**${hostile}** and [a link](javascript:alert(1)), [runs](#/runs)\n\n- one` },
      },
      { id: 'h', type: 'switch', title: 'lamp', binding: { message: 'hall.lamp' } },
      { id: 'i', type: 'slider', title: 'wanted', options: { min: 0, max: 40 }, binding: { message: 'hall.temp' } },
      { id: 'j', type: 'input', title: 'say', binding: { message: 'hall.temp' } },
    ].map((one, index) => ({ ...one, x: (index % 4) * 3, y: Math.floor(index / 4) * 4, w: 3, h: 4 }))
    const made = await at.send('POST', '/dashboards/all', { content: { widgets } })
    expect(made.status).toBe(201)
    await at.send('POST', '/dashboards/all/publish', {})
    await at.send('POST', '/messages/hall.temp', { value: 31.254 })
    await at.send('POST', '/messages/hall.rows', { value: [{ name: hostile, size: 3 }] })
    await using opening = await opened('#/dashboards/all')
    const { page, complaints } = opening
    await widget(page, hostile).getByText('31.25').waitFor()
    await widget(page, 'warmth').getByText('warning').waitFor()
    await widget(page, 'runs').getByText('None of these runs has such a curve.').waitFor()
    await widget(page, 'rows').getByRole('row').filter({ hasText: hostile }).waitFor()
    await widget(page, 'results').getByRole('row').filter({ hasText: '40' }).waitFor()
    await widget(page, 'view').getByRole('img').waitFor()
    const text = widget(page, 'text g')
    await text.getByText(hostile).waitFor()
    expect(await text.getByRole('link').allTextContents()).toEqual(['runs'])
    const lamp = page.getByRole('switch', { name: 'lamp' })
    await lamp.click()
    await expect.poll(() => valueOf('hall.lamp')).toBe(true)
    expect(await lamp.getAttribute('aria-checked')).toBe('true')
    await page.getByRole('slider', { name: 'wanted' }).fill('12')
    await expect.poll(() => valueOf('hall.temp')).toBe(12)
    await widget(page, 'say').getByLabel('say').fill('warm')
    await widget(page, 'say').getByRole('button', { name: 'Send' }).click()
    await widget(page, 'say').getByRole('alert').waitFor()
    expect(await valueOf('hall.temp')).toBe(12)
    expect(complaints).toEqual([])
  })

  test('what is one row high is seen whole, and a table of chosen runs follows them', async () => {
    const run = String((await at.send('POST', '/runs/track', { flow: 'elsewhere', params: {} })).body?.['id'])
    const low = ['button', 'switch', 'slider', 'input', 'value'].map((type, index) => ({
      id: `low_${type}`,
      type,
      title: `the ${type}`,
      ...(type === 'button' ? { options: { label: 'Ring the bell', value: 'rung' } } : {}),
      ...(type === 'slider' ? { options: { min: 0, max: 40 } } : {}),
      binding: { message: type === 'switch' ? 'hall.lamp' : type === 'button' ? 'hall.word' : 'hall.temp' },
      x: (index % 4) * 3,
      y: Math.floor(index / 4),
      w: 3,
      h: 1,
    }))
    const table = {
      id: 'chosen',
      type: 'table',
      title: 'chosen',
      source: { kind: 'runs', select: { ids: [run] }, metrics: [] },
      x: 0,
      y: 2,
      w: 6,
      h: 4,
    }
    expect(await at.send('POST', '/dashboards/low', { content: { widgets: [...low, table] } })).toMatchObject({
      status: 201,
    })
    await at.send('POST', '/dashboards/low/publish', {})
    await using opening = await opened('#/dashboards/low')
    const { page, complaints } = opening
    await page.getByRole('button', { name: 'Ring the bell' }).click()
    await expect.poll(() => valueOf('hall.word')).toBe('rung')
    await widget(page, 'the value').locator('.big').waitFor()
    // in each of them nothing is behind an edge
    const cut = (): Promise<string[]> =>
      page.evaluate(`[...document.querySelectorAll('.is-low')].flatMap((one) => {
        const frame = one.getBoundingClientRect()
        return [...one.querySelectorAll('h2, button:not(.bare), input, .big')].filter((part) => {
          const box = part.getBoundingClientRect()
          return box.width > 0 && (box.top < frame.top || box.bottom > frame.bottom || box.right > frame.right)
        }).map((part) => part.outerHTML)
      })`)
    expect(await cut()).toEqual([])
    // the board names no flow of theirs, and hears of it all the same
    const chosen = widget(page, 'chosen').getByRole('row')
    await chosen.filter({ hasText: 'running' }).waitFor()
    await at.send('POST', `/runs/${run}/track`, { seq: 1, result: { best: 0.875 }, status: 'ok' })
    await chosen.filter({ hasText: '0.875' }).filter({ hasText: 'ok' }).waitFor()
    await page.getByRole('link', { name: 'Edit' }).click()
    await page.getByRole('button', { name: /^the switch: switch, column 4, row 1/ }).waitFor()
    expect(await cut()).toEqual([])
    expect(await faultsOf(page)).toEqual([])
    expect(complaints).toEqual([])
  })

  test('what somebody else saves meanwhile is not overwritten, and neither is lost', async () => {
    await at.send('POST', '/dashboards/shared', {})
    await using opening = await opened('#/dashboards/shared/edit')
    const { page, complaints } = opening
    await page.getByRole('button', { name: 'value', exact: true }).click()
    await page.getByText('Draft saved').waitFor()
    await at.send('PUT', '/dashboards/shared', { title: 'of somebody else' })
    await page.getByLabel('Title').fill(hostile)
    await page.getByLabel('Title').press('Enter')
    await page.getByText('Somebody else has saved this board.').waitFor()
    await widget(page, hostile).waitFor()
    await page.getByRole('button', { name: 'Show theirs' }).click()
    await page.getByRole('heading', { name: 'of somebody else' }).waitFor()
    // the way back to what stood here
    await page.getByRole('button', { name: 'Undo' }).click()
    await widget(page, hostile).waitFor()
    await page.getByText('Draft saved').waitFor()
    expect(complaints).toEqual([])
  })

  test('JSON stands beside the grid: what is wrong is said, and each follows the other', async () => {
    await at.send('POST', '/dashboards/text', {})
    await using opening = await opened('#/dashboards/text/edit?json=1')
    const { page, complaints } = opening
    const field = page.getByLabel('Content')
    await field.fill('{')
    await page.getByRole('button', { name: 'Take it' }).click()
    await page.getByText('It is not taken').waitFor()
    await field.fill(
      JSON.stringify({
        columns: 12,
        widgets: [
          { id: 'x', type: 'gauge', title: 'far', x: 11, y: 0, w: 3, h: 2, binding: null, source: null, options: {} },
        ],
      }),
    )
    await page.getByRole('button', { name: 'Take it' }).click()
    await page.getByText('/content/widgets/0/w').first().waitFor()
    await page.getByRole('button', { name: /^far: gauge/ }).press('ArrowLeft')
    await page.getByText('Draft saved').waitFor()
    expect(JSON.parse(await field.inputValue())).toMatchObject({ widgets: [{ x: 9, w: 3 }] })
    expect(complaints).toEqual([])
  })

  test('a board is copied, renamed and deleted; on the wall it stands alone', async () => {
    await at.send('POST', '/dashboards/wall', {
      content: {
        widgets: [{ id: 'a', type: 'value', title: 'temp', x: 0, y: 0, w: 3, h: 2, binding: { message: 'hall.temp' } }],
      },
    })
    await at.send('POST', '/dashboards/wall/publish', {})
    await using opening = await opened('#/dashboards/wall?kiosk=1')
    const { page, complaints } = opening
    await widget(page, 'temp').waitFor()
    expect(await page.getByRole('navigation', { name: 'Areas' }).isVisible()).toBe(false)
    await page.getByRole('button', { name: 'Leave full screen' }).click()
    await page.getByRole('link', { name: 'Boards' }).first().click()
    const row = (name: string) => page.getByRole('row').filter({ has: page.getByRole('link', { name, exact: true }) })
    await row('wall').getByRole('button', { name: 'Copy' }).click()
    await dialog(page).getByLabel('Name').fill('no name!')
    await dialog(page).getByRole('button', { name: 'Copy' }).click()
    await dialog(page).locator('.field .fault').waitFor()
    await dialog(page).getByLabel('Name').fill('porch')
    await dialog(page).getByRole('button', { name: 'Copy' }).click()
    await row('porch').getByRole('button', { name: 'Rename' }).click()
    await dialog(page).getByLabel('Name').fill('garden')
    await dialog(page).getByRole('button', { name: 'Rename' }).click()
    await row('garden').getByRole('button', { name: 'Delete' }).click()
    await dialog(page).getByRole('button', { name: 'Delete' }).click()
    await row('garden').waitFor({ state: 'detached' })
    expect(complaints).toEqual([])
  })

  test.each([{ theme: 'light' }, { theme: 'dark' }, { theme: 'light', width: 390 }] as const)(
    'nothing is in the way of anybody: $theme, $width',
    async (options) => {
      await using opening = await opened('#/dashboards', options)
      const { page, complaints } = opening
      for (const [place, title] of [
        ['#/dashboards', 'Boards'],
        ['#/dashboards/all', 'all'],
        ['#/dashboards/all/edit?widget=b', 'all'],
      ] as const) {
        await page.getByRole('heading', { level: 1 }).filter({ hasNotText: 'Sign in' }).waitFor()
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
