/**
 * The canvas of the console in a real browser, on a flow of 275 nodes: 11,000 values a second while a part of it can be read and
 * while all of it is in sight, and the work of moving it and a node of it while nothing happens.
 *
 * The CPU of the page is that of the whole process in which Chromium has it: with its worker, the garbage collector and the
 * threads that compose what is seen. That of a drag is the main thread's alone.
 */
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'

import type { Browser, CDPSession, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'

import { hasChromium, startChromium } from '../test/components/chromium.ts'
import { useServers } from './child-servers.ts'

const SECONDS = 4
const MOVES = 120
const ROUNDS = 3
/** The first values of a flow make work that later ones do not. */
const SETTLE_MS = 3000
const { startAt } = useServers()

let browser: Browser
beforeAll(async () => {
  browser = await startChromium()
})
afterAll(() => browser.close())

/** CPU seconds of the processes in which the browser has its pages. */
async function pagesCpu(): Promise<number> {
  const session = await browser.newBrowserCDPSession()
  const { processInfo } = await session.send('SystemInfo.getProcessInfo')
  await session.detach()
  return processInfo.filter(({ type }) => type === 'renderer').reduce((sum, { cpuTime }) => sum + cpuTime, 0)
}

/** CPU seconds of the page's main thread until now. */
async function mainCpu(cdp: CDPSession): Promise<number> {
  const { metrics } = await cdp.send('Performance.getMetrics')
  return metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN
}

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN
const scaleOf = (page: Page): Promise<number> =>
  page.locator('.react-flow__viewport').evaluate(({ style }) => Number(/scale\((.*)\)/.exec(style.transform)?.[1]))

interface Share {
  /** Of a core. */
  readonly page: number
  readonly main: number
  readonly perSecond: number
}

async function shareIn(page: Page, cdp: CDPSession): Promise<Share> {
  const [before, main, began] = [await pagesCpu(), await mainCpu(cdp), performance.now()]
  await pause(SECONDS * 1000)
  const seconds = (performance.now() - began) / 1000
  return {
    page: ((await pagesCpu()) - before) / seconds,
    main: ((await mainCpu(cdp)) - main) / seconds,
    perSecond: Number(await page.locator('.panel-head small .num').textContent()),
  }
}

/** CPU milliseconds of the main thread for each move of a mouse that drags from there; each is drawn at once. */
async function dragCpu(page: Page, cdp: CDPSession, [x, y]: readonly [number, number]): Promise<number> {
  await page.mouse.move(x, y)
  await page.mouse.down()
  const main = await mainCpu(cdp)
  for (let step = 1; step <= MOVES; step++) await page.mouse.move(x + step, y + step / 2)
  const cpu = (await mainCpu(cdp)) - main
  await page.mouse.up()
  return (cpu * 1000) / MOVES
}

/** A point on such an element, near the middle of the canvas: at its edges what is dragged moves the canvas too. */
const pointOn = (page: Page, what: string): Promise<readonly [number, number]> =>
  page.evaluate((selector) => {
    const box = document.querySelector('.canvas')?.getBoundingClientRect() ?? new DOMRect()
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2]
    const steps = Array.from(
      { length: 400 },
      (_, at) => [x - 150 + 15 * (at % 20), y - 150 + 15 * Math.floor(at / 20)] as const,
    )
    const found = steps.find(([left, top]) =>
      document.elementFromPoint(left, top)?.closest(`${selector}, .node`)?.matches(selector),
    )
    if (!found) throw new Error(`there is no ${selector} in the middle`)
    return found
  }, what)

test.skipIf(!hasChromium())(
  'the canvas shows 11,000 values a second with a part of a core',
  async () => {
    const { child, at } = await startAt<{ origin: string; token: string }>('canvas-service.ts')
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
    const page = await context.newPage()
    await page.addInitScript(`sessionStorage.setItem('flow-service.session', '${JSON.stringify({ token: at.token })}')`)
    await page.goto(`${at.origin}/console/#/flows/bench?side=watch`)
    await page.locator('.react-flow__node').first().waitFor()
    const cdp = await context.newCDPSession(page)
    await cdp.send('Performance.enable', { timeDomain: 'threadTicks' })
    const order = async (what: 'start' | 'stop'): Promise<void> => {
      const done = once(child, 'message')
      child.send(what)
      await done
    }
    const measure = async (): Promise<Share[]> => {
      await order('start')
      await pause(SETTLE_MS)
      const shares: Share[] = []
      for (let round = 0; round < ROUNDS; round++) shares.push(await shareIn(page, cdp))
      await order('stop')
      await pause(SETTLE_MS)
      return shares
    }
    const all = await measure()
    while ((await scaleOf(page)) < 0.8) {
      await page.getByRole('button', { name: 'Zoom In' }).click()
      await pause(300)
    }
    const inSight = await page.locator('.react-flow__node').count()
    const read = await measure()
    const moved = await dragCpu(page, cdp, await pointOn(page, '.react-flow__pane'))
    const dragged = await dragCpu(page, cdp, await pointOn(page, '.node-head'))
    const show = (shares: readonly Share[]): string =>
      `${median(shares.map(({ perSecond }) => perSecond))} events a second take ` +
      `${(100 * median(shares.map(({ page: cpu }) => cpu))).toFixed(0)} % of a core for the page, ` +
      `${(100 * median(shares.map(({ main }) => main))).toFixed(0)} % for its main thread`
    console.log(
      `${inSight} nodes that can be read: ${show(read)}; all from far away: ${show(all)}. ` +
        `A move of the mouse takes ${moved.toFixed(1)} ms of the main thread while it drags the canvas, ${dragged.toFixed(1)} ms while it drags a node`,
    )
    expect(median(read.map(({ perSecond }) => perSecond))).toBeGreaterThan(5000)
    expect(median(read.map(({ page: cpu }) => cpu))).toBeLessThan(0.6)
    // on a busy machine the same work takes several times as long
    expect(moved).toBeLessThan(25)
    expect(dragged).toBeLessThan(25)
    await context.close()
  },
  600_000,
)
