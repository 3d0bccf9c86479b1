/**
 * What a page costs by Chromium's own count: the processor time of its main thread, how often it is laid out, and its heap.
 * None depends on how many frames a busy machine shows.
 * @module
 */
import type { Page } from 'playwright-core'

export interface PageCost {
  /** Processor time of the main thread while this is done on the page, in milliseconds. */
  cpuMs(work: () => Promise<unknown>): Promise<number>
  /** The same since the page was loaded for the last time. */
  loadMs(): Promise<number>
  /** How often the page is laid out while this is done on it. */
  layouts(work: () => Promise<unknown>): Promise<number>
  /** Megabytes of the heap after a collection. */
  heapMb(): Promise<number>
}

/** Counts from now on. */
export async function costOf(page: Page): Promise<PageCost> {
  const session = await page.context().newCDPSession(page)
  await session.send('Performance.enable', { timeDomain: 'threadTicks' })
  const metric = async (wanted: string): Promise<number> => {
    const { metrics } = await session.send('Performance.getMetrics')
    const found = metrics.find(({ name }) => name === wanted)
    if (!found) throw new Error(`Chromium counts no ${wanted}`)
    return found.value
  }
  const during = async (wanted: string, work: () => Promise<unknown>): Promise<number> => {
    const before = await metric(wanted)
    await work()
    return (await metric(wanted)) - before
  }
  return {
    cpuMs: async (work) => (await during('TaskDuration', work)) * 1000,
    layouts: (work) => during('LayoutCount', work),
    loadMs: async () => (await metric('TaskDuration')) * 1000,
    async heapMb() {
      await session.send('HeapProfiler.collectGarbage')
      return (await metric('JSHeapUsedSize')) / 1e6
    },
  }
}

/**
 * The same work on every machine, to hold what a page costs against: 40 tables of 100 rows with 10 cells, made, laid out and
 * removed.
 */
export const yardstick = (page: Page): Promise<unknown> =>
  page.evaluate(`for (let round = 0; round < 40; round += 1) {
    const table = document.createElement('div')
    for (let at = 0; at < 100; at += 1) {
      const row = table.appendChild(document.createElement('div'))
      for (let cell = 0; cell < 10; cell += 1) row.appendChild(document.createElement('span')).textContent = at + '.' + cell
    }
    document.body.append(table)
    table.offsetHeight
    table.remove()
  }`)

/** Scrolls an element by so many pixels a frame, for so many frames. */
export const scrollFrames = (page: Page, selector: string, { frames, by }: { frames: number; by: number }) =>
  page.evaluate(`new Promise((resolve) => {
    const box = document.querySelector(${JSON.stringify(selector)})
    let left = ${frames}
    const next = () => {
      if (left === 0) return resolve()
      left -= 1
      box.scrollTop += ${by}
      requestAnimationFrame(next)
    }
    next()
  })`)
