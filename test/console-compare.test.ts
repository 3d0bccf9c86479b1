/** Runs side by side in the console, in a real browser. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { hasChromium, startChromium } from './components/chromium.ts'
import { account, type ConsoleOptions, faultsAs, openConsole, overlapOf, signIn } from './components/console-page.ts'
import { publishFlow, pythonNode } from './documents.ts'
import { startService, type TestService } from './service.ts'

const hostile = '<img src=x onerror=alert(1)>'
const RUNS = 100
const POINTS = 20
const LONG = 6000
const metrics = ['loss', ...Array.from({ length: 11 }, (_, index) => `other_${index}`)]

/** As a node of a flow: emits as many points of a curve as a file says, up to forty. */
const growing = (file: string): string => `import time
def run(n):
    done = 0
    while done < 40:
        while done < int(open(${JSON.stringify(file)}).read() or 0):
            done += 1
            emit(loss=1.0 / done)
        time.sleep(0.02)
    return {"best": 1.0 / done}
`

describe.skipIf(!hasChromium())('comparing in the console', () => {
  let at: TestService
  let browser: Browser
  /** The hundred runs, and two with long curves. */
  let ids: readonly string[]
  let long: readonly string[]
  beforeAll(async () => {
    at = await startService(account)
    browser = await startChromium()
    const inputs = ['lr', 'size', 'way', 'same'].map((name) => ({ name, dtype: 'any', initial: 0 }))
    await publishFlow(at.client, 'train', { mode: 'batch', inputs, nodes: [] })
    await publishFlow(at.client, 'long', { mode: 'batch', inputs: inputs.slice(0, 1), nodes: [] })
    const one = (flow: string, index: number) => ({
      flow,
      external_id: `${flow} ${index}`,
      status: 'ok',
      created_at: new Date(Date.UTC(2026, 0, 1) - index * 60_000).toISOString(),
    })
    ids = await imported(
      Array.from({ length: RUNS }, (_, index) => ({
        ...one('train', index),
        seed: index % 2,
        params: {
          lr: 10 ** (-4 + index / 25),
          size: index % 5,
          way: index === 0 ? hostile : `way ${index % 2}`,
          same: 7,
        },
        metrics: metrics.flatMap((name) =>
          Array.from({ length: POINTS }, (__, step) => ({ name, step, value: (index + 1) / (step + 1) })),
        ),
      })),
    )
    long = await imported(
      [7, 11].map((every, index) => ({
        ...one('long', index),
        params: { lr: 1 },
        metrics: Array.from({ length: LONG }, (_, step) => ({
          name: 'loss',
          step,
          value: index === 0 && step === 4321 ? 1e6 : step % every,
        })),
      })),
    )
  })
  afterAll(async () => {
    await browser.close()
    await at[Symbol.asyncDispose]()
  })

  async function imported(runs: readonly object[]): Promise<string[]> {
    const found: string[] = []
    for (let from = 0; from < runs.length; from += 25) {
      // oxlint-disable-next-line no-await-in-loop -- a request takes some MB at most
      const { status, body } = await at.send('POST', '/runs/import', { runs: runs.slice(from, from + 25) })
      expect(status).toBe(200)
      found.push(...((body?.['runs'] ?? []) as { readonly id: string }[]).map(({ id }) => id))
    }
    return found
  }

  const opened = async (hash: string, options: ConsoleOptions & { readonly origin?: string } = {}) => {
    const opening = await openConsole(browser, options.origin ?? at.origin, hash, options)
    const { page } = opening
    const asked: Record<string, unknown>[] = []
    page.on('request', (request) => {
      if (request.url().endsWith('/runs/series/compare')) asked.push(request.postDataJSON() as Record<string, unknown>)
    })
    await signIn(page)
    return { ...opening, asked, [Symbol.asyncDispose]: () => opening[Symbol.asyncDispose]() }
  }
  const legend = (page: Page) => page.getByRole('complementary', { name: 'Runs by their last value' })
  const table = (page: Page) => page.getByRole('region', { name: 'Runs and what differs between them' })
  const chart = (page: Page, name = 'train.loss') => page.getByRole('group', { name: new RegExp(`^${name}: `) })
  const rowsOf = (page: Page) => table(page).locator('tbody tr')
  const addressOf = (page: Page) => Object.fromEntries(new URLSearchParams(new URL(page.url()).hash.split('?')[1]))
  const taken = async (page: Page, what: string): Promise<{ readonly name: string; readonly bytes: Buffer }> => {
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: what, exact: true }).click()
    const file = await download
    return { name: file.suggestedFilename(), bytes: await readFile(await file.path()) }
  }

  test('a hundred runs of a filter: one picture at once, the other metrics when they are scrolled to', async () => {
    await using shown = await opened('#/compare?filter=params.same%3D7&metric=loss')
    const { page, asked, complaints } = shown
    await chart(page).locator('canvas').waitFor()
    await page.getByRole('heading', { name: 'Compare 100 runs' }).waitFor()
    expect(await legend(page).getByRole('listitem').count()).toBe(RUNS)
    const first = asked.length
    expect(asked[0]).toMatchObject({ metrics: ['train.loss'], points: 1000 })
    expect(first).toBeLessThan(metrics.length / 2)
    expect(await page.locator('canvas').count()).toBeLessThan(metrics.length / 2)
    await page.getByRole('button', { name: 'train.other_9', exact: true }).scrollIntoViewIfNeeded()
    await chart(page, 'train.other_9').locator('canvas').waitFor()
    expect(asked.length).toBeGreaterThan(first)
    const wanted = asked.map((one) => String(one['metrics']))
    expect(wanted).toEqual([...new Set(wanted)])
    expect(complaints).toEqual([])
  })

  test('a pointer tells the nearest curve and its value, zooms by a drag, and shows all by a double click', async () => {
    await using shown = await opened(`#/compare?ids=${ids.slice(0, 3).join()}&metric=loss`)
    const { page, complaints } = shown
    const over = chart(page).locator('.u-over')
    await over.waitFor()
    // the value of the third run is the greatest, at the upper left
    await over.hover({ position: { x: 2, y: 16 } })
    const tip = chart(page).locator('.chart-tip')
    await tip.getByText('0: 3').waitFor()
    expect(await tip.textContent()).toContain(ids[2]?.slice(-6))
    await expect.poll(() => legend(page).locator('.hot').textContent()).toContain(ids[2]?.slice(-6))
    await over.hover({ position: { x: 200, y: 100 } })
    await page.mouse.down()
    const box = await over.boundingBox()
    await page.mouse.move((box?.x ?? 0) + 500, (box?.y ?? 0) + 300, { steps: 4 })
    await page.mouse.up()
    await page.getByRole('button', { name: 'Show all' }).waitFor()
    await over.dblclick()
    await page.getByRole('button', { name: 'Show all' }).waitFor({ state: 'detached' })
    expect(complaints).toEqual([])
  })

  test('a brush narrows curves, table and means; by keys and by a pointer, and so do order and scale of the axes', async () => {
    await using shown = await opened(`#/compare?ids=${ids.slice(0, 10).join()}&metric=loss`)
    const { page, asked, complaints } = shown
    const parameters = page.getByRole('group', { name: 'Parameters' })
    const size = parameters.getByRole('button', { name: /^size: / })
    await size.focus()
    for (let times = 0; times < 10; times += 1) {
      // oxlint-disable-next-line no-await-in-loop -- one key after the other
      await page.keyboard.press('ArrowUp')
    }
    await page.getByRole('button', { name: '6 runs kept: let all in' }).waitFor()
    expect(await legend(page).locator('.out').count()).toBe(4)
    await expect.poll(() => rowsOf(page).count()).toBe(6)
    await expect.poll(() => addressOf(page)['brush']).toBe('size:0.5:1')
    await page.getByLabel('Average by').selectOption('way')
    const means = page.getByRole('complementary', { name: /^Means/ })
    await means.getByText('way 0 (3 runs)').waitFor()
    expect(asked.at(-1)?.['ids']).toHaveLength(6)
    await page.getByLabel('Average by').selectOption('no means')
    await page.keyboard.press('Tab')
    await size.focus()
    await page.keyboard.press('Delete')
    await expect.poll(() => rowsOf(page).count()).toBe(10)

    const names = () => parameters.locator('.axis').allTextContents()
    expect(await names()).toEqual(['lr', 'size', 'way', 'train.loss'])
    await size.focus()
    await page.keyboard.press('ArrowLeft')
    await expect.poll(names).toEqual(['size', 'lr', 'way', 'train.loss'])
    const scale = parameters.getByRole('button', { name: /^lr: (?:log|linear)$/ })
    expect(await scale.getAttribute('aria-pressed')).toBe('false')
    await scale.click()
    await expect.poll(() => addressOf(page)).toMatchObject({ axes: 'size,lr,way,train.loss', log: 'lr' })

    const canvas = parameters.locator('canvas')
    await canvas.scrollIntoViewIfNeeded()
    const box = (await canvas.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 }
    const last = box.x + box.width - 72
    await page.mouse.move(last, box.y + 40)
    await page.mouse.down()
    await page.mouse.move(last, box.y + 130, { steps: 8 })
    await page.mouse.up()
    // the upper half of the last values
    await page.getByRole('button', { name: '5 runs kept: let all in' }).click()
    await expect.poll(() => rowsOf(page).count()).toBe(10)
    expect(complaints).toEqual([])
  })

  test('means are those of all points, and what is thinned keeps its spike', async () => {
    await using shown = await opened(`#/compare?ids=${[...long, ...ids.slice(0, 60)].join()}&metric=long.loss`)
    const { page, asked, complaints } = shown
    await chart(page, 'long.loss').locator('canvas').waitFor()
    expect(asked[0]?.['points']).toBeLessThan(LONG)
    const lines = (await taken(page, 'CSV')).bytes.toString().split('\r\n')
    expect(lines.length).toBeLessThan(2 * LONG)
    expect(lines.filter((line) => line.endsWith(',4321,1000000'))).toHaveLength(1)

    await page.goto(`${at.origin}/console/#/compare?ids=${long.join()}&metric=long.loss&by=params.lr`)
    // one value in both is no axis, and a mean of them all is asked for by hand
    await page.getByText('1 (2 runs)').waitFor()
    const means = (await taken(page, 'CSV')).bytes.toString().split('\r\n').slice(1)
    expect(means.length).toBeGreaterThan(100)
    for (const line of means) {
      const [, , step, mean] = line.split(',').map(Number)
      const first = step === 4321 ? 1e6 : (step ?? 0) % 7
      expect([step, mean]).toEqual([step, (first + ((step ?? 0) % 11)) / 2])
    }
    expect(complaints).toEqual([])
  })

  test('pictures are for paper: white, with title, axes and names, whatever the theme', async () => {
    await using shown = await opened(`#/compare?ids=${ids.slice(0, 3).join()}&metric=loss`, { theme: 'dark' })
    const { page, complaints } = shown
    await chart(page).locator('canvas').waitFor()
    const svg = await taken(page, 'SVG')
    expect(svg.name).toBe('train.loss.svg')
    const text = svg.bytes.toString()
    for (const part of ['fill="#fff"', '>train.loss<', '>step<', `>${ids[1]?.slice(-6)}<`, 'stroke="#0067b9"'])
      expect(text).toContain(part)
    const png = await taken(page, 'PNG')
    expect(png.bytes.subarray(1, 4).toString()).toBe('PNG')
    expect([png.bytes.readUInt32BE(16), png.bytes.readUInt32BE(20)]).toEqual([1920, 1080])
    expect(complaints).toEqual([])
  })

  test('the table is sorted by its heads, and what is the same in all is folded away', async () => {
    await using shown = await opened(`#/compare?ids=${ids.slice(0, 4).join()}&metric=loss`)
    const { page, complaints } = shown
    const heads = table(page).getByRole('columnheader')
    await expect
      .poll(() => heads.allTextContents())
      .toEqual(['Run', 'Status', 'lr', 'size', 'way', 'seed', 'duration', 'train.loss ↑'])
    await heads.getByRole('button', { name: 'lr' }).click()
    await heads.getByRole('button', { name: 'lr ↑' }).click()
    await expect.poll(() => addressOf(page)['order']).toBe('-lr')
    expect(await rowsOf(page).first().textContent()).toContain(ids[3]?.slice(-6))
    expect(await table(page).getByRole('columnheader', { name: 'lr' }).getAttribute('aria-sort')).toBe('descending')
    const same = page.getByText('The same in all: same')
    await same.click()
    await page.getByRole('row', { name: 'same' }).getByText('7').waitFor()
    await table(page).getByText(hostile).waitFor()
    await rowsOf(page).first().getByRole('link').click()
    await page.getByRole('heading', { name: /train/ }).waitFor()
    expect(complaints).toEqual([])
  })

  test('nothing to compare, what is not there and what is refused are said', async () => {
    await using shown = await opened('#/compare')
    const { page } = shown
    await page.getByText('No runs to compare').waitFor()
    await page.goto(`${at.origin}/console/#/compare?filter=lr`)
    await page.getByRole('alert').getByRole('button', { name: 'Try again' }).waitFor()
    await page.goto(`${at.origin}/console/#/compare?ids=${ids[0]},01900000-0000-7000-8000-0000000000aa`)
    await page.getByText('1 run of the link: not there any more.').waitFor()
    await chart(page, 'train.loss').waitFor()
    expect(await chart(page, 'train.loss').count()).toBe(1)
  })

  test('a million points on the page are at most 40 MB', async () => {
    await using shown = await opened('#/')
    const { page, complaints } = shown
    const session = await page.context().newCDPSession(page)
    await page.route('**/runs/series/compare', (route) =>
      route.fulfill({
        contentType: 'application/json',
        body: JSON.stringify({
          x: 'step',
          series: ids.map((run, index) => ({
            run,
            flow: 'train',
            status: 'ok',
            metric: 'train.loss',
            count: 10_000,
            x: Array.from({ length: 10_000 }, (_, step) => step),
            y: Array.from({ length: 10_000 }, (_, step) => index + Math.sin(step / 99)),
          })),
          params: {},
          groups: null,
        }),
      }),
    )
    await page.goto(`${at.origin}/console/#/compare?ids=${ids.join()}&metric=loss`)
    await chart(page).locator('canvas').waitFor()
    await session.send('HeapProfiler.enable')
    await session.send('HeapProfiler.collectGarbage')
    const heap: Record<string, number> = { ...(await session.send('Runtime.getHeapUsage')) }
    const mb = ((heap['usedSize'] ?? Number.NaN) + (heap['backingStorageSize'] ?? Number.NaN)) / 1e6
    console.log(`the page holds ${mb.toFixed(1)} MB with 1,000,000 points`)
    // the numbers alone
    expect(mb).toBeGreaterThan(16)
    expect(mb).toBeLessThanOrEqual(40)
    expect(complaints).toEqual([])
  })

  test('nothing reaches out of the page at 1024 px', async () => {
    const some = ids.slice(0, 12).join()
    await using shown = await opened('#/compare', { width: 1024 })
    const { page, complaints } = shown
    await page.getByText('No runs to compare').waitFor()
    for (const view of [`ids=${some}&metric=loss&zoom=2:9:1:4`, `ids=${some}&by=params.way`]) {
      // oxlint-disable no-await-in-loop -- one view after the other
      await page.goto(`${at.origin}/console/#/compare?${view}`)
      await page.locator('.plot canvas').waitFor()
      await table(page).getByText(hostile).waitFor()
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(1024)
      expect(await page.evaluate("document.querySelector('main').scrollWidth")).toBeLessThanOrEqual(1024)
      // oxlint-enable no-await-in-loop
    }
    expect(complaints).toEqual([])
  })

  test('a curve grows by what its run emits, without being asked for again, and the run ends on the page', async () => {
    const file = join(at.dataDir, 'points')
    const ports = [
      { direction: 'input', name: 'n', dtype: 'int' },
      { direction: 'output', name: 'loss', dtype: 'float', stream: true },
      { direction: 'output', name: 'best', dtype: 'float' },
    ]
    await publishFlow(at.client, 'grow', {
      mode: 'batch',
      inputs: [{ name: 'n', dtype: 'int', initial: 3 }],
      outputs: [{ name: 'best' }],
      nodes: [pythonNode('grow', growing(file), { ports, cache: false })],
    })
    await writeFile(file, '2')
    const { id } = await at.client.runs.submit('grow')
    await expect
      .poll(async () => (await at.send('GET', `/runs/metrics/names?ids=${id}`)).body)
      .toMatchObject([{ name: 'grow.loss' }])
    await using shown = await opened(`#/compare?ids=${id}`)
    const { page, asked, complaints } = shown
    const last = () => legend(page).getByRole('listitem').first().textContent()
    await expect.poll(last).toContain('0.5')
    // the socket is there when it has told a value
    await writeFile(file, '4')
    await expect.poll(last).toContain('0.25')
    const before = asked.length
    await writeFile(file, '10')
    await expect.poll(last).toContain('0.1')
    expect(asked.length).toBe(before)
    await writeFile(file, '40')
    await expect.poll(last).toContain('0.025')
    await page
      .getByRole('row')
      .filter({ hasText: id.slice(-6) })
      .getByText('ok')
      .waitFor()
    expect(complaints).toEqual([])
  })

  test.each([{ theme: 'light' }, { theme: 'dark' }, { theme: 'light', width: 390 }] as const)(
    'nothing is in the way of anybody: $theme, $width',
    async (options) => {
      await using shown = await opened(`#/compare?ids=${ids.slice(0, 10).join()}`, options)
      const { page, complaints } = shown
      await chart(page).locator('canvas').waitFor()
      expect([await overlapOf(page), await faultsAs(page, options)]).toEqual([0, []])
      expect(complaints).toEqual([])
    },
  )
})
