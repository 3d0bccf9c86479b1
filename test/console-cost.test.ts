/**
 * What the console costs before 10,000 runs: the heap of its pages, and what each frame of scrolling lays out. What that takes
 * of the processor, and the figures of 100,000, are in `bench/console.bench.ts`.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { openManyRuns } from '../packages/api-server/test/runs/lists/many-runs.ts'
import { hasChromium, startChromium } from './components/chromium.ts'
import { account, openConsole, signIn } from './components/console-page.ts'
import { costOf, scrollFrames } from './components/page-cost.ts'
import { startService, type TestService } from './service.ts'

const RUNS = 10_000

describe.skipIf(!hasChromium())('the console before many runs', () => {
  let dataDir: string
  let at: TestService
  let browser: Browser
  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'console-cost-'))
    const { database } = await openManyRuns(dataDir, RUNS)
    await database.close()
    at = await startService({ ...account, dataDir })
    browser = await startChromium()
  })
  afterAll(async () => {
    await browser.close()
    await at.close()
    await rm(dataDir, { recursive: true, force: true })
  })

  test('home takes 8 MB', async () => {
    await using opened = await openConsole(browser, at.origin)
    const { page } = opened
    await signIn(page)
    await page.getByRole('region', { name: 'Newest runs' }).getByRole('listitem').last().waitFor()
    const cost = await costOf(page)
    expect(await cost.heapMb()).toBeLessThan(8)
  })

  test('scrolling through 10,000 rows lays out little, twice a frame, and takes at most 15 MB', async () => {
    await using opened = await openConsole(browser, at.origin, '#/runs')
    const { page } = opened
    await signIn(page)
    await page.getByText('10,000 runs').waitFor()
    await page.locator('[role=row] input').first().waitFor()
    const cost = await costOf(page)
    const frames = 60
    const layouts = await cost.layouts(() => scrollFrames(page, '[role=grid]', { frames, by: 3 * 34 }))
    // the rows, and what comes for them meanwhile
    expect(layouts / frames).toBeLessThan(3)
    // each box that clips is paid for in every frame
    const rows = await page.evaluate<
      { boxes: number; clipping: number }[]
    >(`[...document.querySelectorAll('[role=row]')]
      .slice(1)
      .map((row) => [...row.querySelectorAll('*')])
      .map((boxes) => ({
        boxes: boxes.length,
        clipping: boxes.filter((box) => getComputedStyle(box).overflowX !== 'visible').length,
      }))`)
    expect(rows.length).toBeGreaterThan(0)
    expect(rows.length).toBeLessThan(60)
    expect(Math.max(...rows.map(({ boxes }) => boxes))).toBeLessThan(30)
    expect(Math.max(...rows.map(({ clipping }) => clipping))).toBeLessThan(5)
    for (let place = 0; place < RUNS; place += 500) {
      // oxlint-disable no-await-in-loop -- one place after the other
      await page.evaluate(`document.querySelector('[role=grid]').scrollTop = ${place * 34}`)
      await page.locator(`[aria-rowindex="${place + 2}"] input`).waitFor()
      // oxlint-enable no-await-in-loop
    }
    expect(await cost.heapMb()).toBeLessThan(15)
  })
})
