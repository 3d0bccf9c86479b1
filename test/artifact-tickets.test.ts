/** Artifacts that a page shows by a ticket: in a real browser, and in the log. */
import { join } from 'node:path'

import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { hasChromium, patient, startChromium } from './components/chromium.ts'
import { type KeyFrame, webm } from './components/webm.ts'
import { DataDirectory } from './engine-process.ts'
import { startService, type TestService } from './service.ts'

const script = join(import.meta.dirname, 'components', 'video-page.html')
/** Calls a function of that page. */
const ask = <T>(page: Page, name: string, given?: unknown): Promise<T> =>
  page.evaluate(`${name}(${JSON.stringify(given)})`)

describe.skipIf(!hasChromium())('a page', () => {
  let at: TestService
  let browser: Browser
  beforeAll(async () => {
    at = await startService()
    browser = await startChromium()
  })
  afterAll(async () => {
    await browser.close()
    await at[Symbol.asyncDispose]()
  })

  const open = async (place: string): Promise<Page> => {
    const page = patient(await browser.newPage())
    await page.route(`${place}/page`, (route) => route.fulfill({ path: script }))
    await page.goto(`${place}/page`)
    return page
  }

  test('of the service plays a video by a ticket and seeks in it, range by range; a page of another site does not', async () => {
    const page = await open(at.origin)
    const frames = (await ask<{ atMs: number; base64: string }[]>(page, 'draw')).map(({ atMs, base64 }): KeyFrame => ({
      atMs,
      data: Buffer.from(base64, 'base64'),
    }))
    const file = webm({ width: 64, height: 64, durationMs: 10_000, frames, gap: 24_000_000 })
    const { digest } = await at.client.upload(file, { name: 'two-colours.webm', mediaType: 'video/webm' })
    const { url } = await at.client.http.artifacts.ticket({ digest })
    const ranges: string[] = []
    page.on('request', (request) => {
      if (request.url() === url) ranges.push(request.headers()['range'] ?? '')
    })
    expect(await ask(page, 'seek', { url, second: 8.5 })).toEqual({ duration: 10, at: 8.5, colour: 'blue' })
    // the second half lies behind the gap, and was asked for by itself
    const starts = ranges.map((range) => Number(/^bytes=(\d+)-/.exec(range)?.[1]))
    expect(Math.max(...starts)).toBeGreaterThan(20_000_000)
    expect(await ask(page, 'seek', { url, second: 1.5 })).toMatchObject({ at: 1.5, colour: 'red' })
    const elsewhere = await open(at.origin.replace('127.0.0.1', 'localhost'))
    await expect(ask(elsewhere, 'seek', { url, second: 1.5 })).rejects.toThrow(/media|load|demux|source/i)
  })

  test('does not run what an SVG picture brings along', async () => {
    const page = await open(at.origin)
    const svg =
      '<svg xmlns="http://www.w3.org/2000/svg" width="7" height="7"><script>window.opener.ran = 1</script></svg>'
    const { digest } = await at.client.upload(svg, { name: 'a.svg', mediaType: 'image/svg+xml' })
    const { url } = await at.client.http.artifacts.ticket({ digest })
    expect(await ask(page, 'widthOf', url)).toBe(7)
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.evaluate(`void (location.href = ${JSON.stringify(url)})`),
    ])
    expect(download.suggestedFilename()).toBe('a.svg')
  })
})

test('no ticket of an artifact is ever written to the log, used, refused or sent to the wrong place [T47]', async () => {
  using directory = new DataDirectory()
  const engine = await directory.start({ SERVICE_LOG_LEVEL: 'trace' })
  let output = ''
  for (const stream of [engine.child.stdout, engine.child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => (output += text))
  const { digest } = await engine.client.upload('bytes', { name: 'a.txt', mediaType: 'text/plain' })
  const { url, ticket } = await engine.client.http.artifacts.ticket({ digest })
  const statusOf = async (place: string, init: RequestInit = {}): Promise<number> => (await fetch(place, init)).status
  const statuses = [
    await statusOf(url),
    await statusOf(url, { headers: { range: 'bytes=1-2' } }),
    await statusOf(url, { method: 'HEAD' }),
    await statusOf(url, { headers: { origin: 'https://evil.example' } }),
    await statusOf(url, { method: 'PUT', body: 'x' }),
    await statusOf(`${url}&other=1`),
    await statusOf(`${url}&ticket=${ticket}`),
    await statusOf(`${url}x`),
    await statusOf(url.replace('/artifacts/', '/elsewhere/')),
    await statusOf(url.replace(digest, `sha256:${'0'.repeat(64)}`)),
  ]
  expect(statuses).toEqual([200, 206, 200, 401, 405, 422, 422, 401, 404, 401])
  expect(await engine.end('SIGTERM')).toBe(0)
  for (const secret of [ticket, engine.token]) expect(output).not.toContain(secret)
})
