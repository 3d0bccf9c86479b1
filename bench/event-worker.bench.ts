/**
 * 10,000 values a second in a worker of a browser: the event socket with `kinds`, `batch` and `values=newest`, read by the sample of
 * the guide, against a bare `ws` server that sends the same events as arrays, and as a frame each, in alternating rounds.
 *
 * The CPU of the worker is that of the whole process in which Chromium has it: with the thread that brings the bytes, and
 * those that collect garbage. The CPU of the engine is what its main thread takes more than it does while nobody watches.
 */
import type { ChildProcess } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'

import { openWorker, servePage } from '../test/components/browser-worker.ts'
import { hasChromium, startChromium } from '../test/components/chromium.ts'
import { ask, useServers } from './child-servers.ts'

const SECONDS = 4
const ROUNDS = 3
/** The first values of a flow make work that later ones do not. */
const SETTLE_MS = 3000
const PER_SECOND = 10_000
const sample = join(import.meta.dirname, '../test/docs/newest-values.ts')
const { startAt } = useServers()

let browser: Browser
beforeAll(async () => {
  browser = await startChromium()
})
afterAll(() => browser.close())

interface Report {
  readonly perSecond: number
  /** CPU of the worker's process for an event, in microseconds. */
  readonly workerUs: number
  /** CPU of the server's main thread for an event, in microseconds. */
  readonly serverUs: number
}

/** CPU seconds that a server takes in the time of a round. */
async function cpuIn(server: ChildProcess): Promise<number> {
  const before = await ask<number>(server, 'cpu')
  await pause(SECONDS * 1000)
  return (await ask<number>(server, 'cpu')) - before
}

/** CPU seconds of the processes in which the browser has its pages, by their ids. */
async function pagesCpu(): Promise<Map<number, number>> {
  const session = await browser.newBrowserCDPSession()
  const { processInfo } = await session.send('SystemInfo.getProcessInfo')
  await session.detach()
  return new Map(processInfo.filter(({ type }) => type === 'renderer').map(({ id, cpuTime }) => [id, cpuTime]))
}

/** How many events the worker of a page has heard. */
const countIn = (page: Page): Promise<number> =>
  page.evaluate('worker.postMessage(null), new Promise((done) => (worker.onmessage = ({ data }) => done(data)))')

/** What a worker costs that runs this code, and the server of what it hears. */
async function measure(server: ChildProcess, origin: string, code: string, idle = 0): Promise<Report> {
  const more = `let count = 0\n${code}\nself.onmessage = () => postMessage(count)`
  const page = await openWorker(browser, origin, sample, more)
  while ((await countIn(page)) < PER_SECOND) await pause(100)
  const [count, pages, began] = [await countIn(page), await pagesCpu(), performance.now()]
  const serverCpu = (await cpuIn(server)) - idle
  const [events, ms] = [(await countIn(page)) - count, performance.now() - began]
  const workerCpu = [...(await pagesCpu())].reduce((sum, [id, cpu]) => sum + cpu - (pages.get(id) ?? cpu), 0)
  await page.close()
  return {
    perSecond: (events * 1000) / ms,
    workerUs: (workerCpu * 1e6) / events,
    serverUs: (serverCpu * 1e6) / events,
  }
}

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN
const show = (reports: readonly Report[]): string =>
  `${median(reports.map(({ perSecond }) => perSecond)).toFixed(0)} events a second, for each ` +
  `${median(reports.map(({ workerUs }) => workerUs)).toFixed(1)} µs of the worker and ` +
  `${median(reports.map(({ serverUs }) => serverUs)).toFixed(1)} µs of the server`

test.skipIf(!hasChromium())(
  'a worker of a browser hears 10,000 values a second for a few microseconds each',
  async () => {
    await using pages = await servePage()
    const { origin } = pages
    const [service, bare] = await Promise.all([
      startAt<{ api: string; token: string }>('window-service.ts', origin),
      startAt<{ url: string }>('bare-windows.ts'),
    ])
    const from = JSON.stringify({ ...service.at, flows: ['bench'] })
    const reads = `followValues(${from}, ({ length }) => (count += length), new AbortController().signal)`
    const hears = (query: string, counted: string): string =>
      `new WebSocket('${bare.at.url}${query}').onmessage = ({ data }) => (count += ${counted})`
    const rounds: { windows: Report; arrays: Report; each: Report }[] = []
    for (let round = 0; round < ROUNDS; round++) {
      await ask(service.child, 'start')
      await pause(SETTLE_MS)
      const windows = await measure(service.child, origin, reads, await cpuIn(service.child))
      await ask(service.child, 'stop')
      rounds.push({
        windows,
        arrays: await measure(bare.child, origin, hears('?batch', 'JSON.parse(data).length')),
        each: await measure(bare.child, origin, hears('', 'JSON.parse(data).seq > 0 ? 1 : 0')),
      })
    }
    const ratio = (of: (round: (typeof rounds)[number]) => number): number => median(rounds.map(of))
    const ofEach = ratio(({ windows, each }) => windows.workerUs / each.workerUs)
    const ofArrays = ratio(({ windows, arrays }) => windows.workerUs / arrays.workerUs)
    const ofServer = ratio(({ windows, each }) => windows.serverUs / each.serverUs)
    const ofSpeed = ratio(({ windows, arrays }) => windows.perSecond / arrays.perSecond)
    console.log(
      `windows of the event socket: ${show(rounds.map(({ windows }) => windows))}; arrays of a bare ws: ` +
        `${show(rounds.map(({ arrays }) => arrays))}; frames of a bare ws: ${show(rounds.map(({ each }) => each))}. ` +
        `Ratios: of the worker ${ofEach.toFixed(2)} to frames and ${ofArrays.toFixed(2)} to arrays, ` +
        `of the server ${ofServer.toFixed(2)} to frames, of the speed ${ofSpeed.toFixed(2)} to arrays`,
    )
    expect(ratio(({ windows }) => windows.workerUs)).toBeLessThan(10)
    expect(ofEach).toBeLessThan(0.5)
    expect(ofSpeed).toBeGreaterThan(0.8)
  },
  600_000,
)
