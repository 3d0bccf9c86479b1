/** The sample of the guide follows values in a worker of a real browser. */
import { join } from 'node:path'

import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'

import { openWorker, servePage } from '../components/browser-worker.ts'
import { hasChromium, startChromium } from '../components/chromium.ts'
import { publishFlow } from '../documents.ts'
import { startService } from '../service.ts'
import { followValues, type Value } from './newest-values.ts'

const sample = join(import.meta.dirname, 'newest-values.ts')

describe.skipIf(!hasChromium())('values in a worker of a browser', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await startChromium()
  })
  afterAll(() => browser.close())

  test('a worker posts what messages carry, then what changes', async () => {
    await using pages = await servePage()
    await using at = await startService({ corsOrigins: [pages.origin] })
    await publishFlow(at.client, 'house', { mode: 'live', inputs: [{ name: 'temp', dtype: 'float', initial: 20 }] })
    const page = await openWorker(
      browser,
      pages.origin,
      sample,
      'self.onmessage = ({ data }) => followValues(data, postMessage, new AbortController().signal)',
    )
    const where = { api: at.baseUrl, token: at.token, flows: ['house'] }
    const posted = async (): Promise<unknown[]> =>
      (await page.evaluate<Value[][]>('heard')).flat().map(({ message, value }) => [message, value])
    await page.evaluate(`worker.postMessage(${JSON.stringify(where)})`)
    await vi.waitFor(async () => expect(await posted()).toEqual([['house.temp', 20]]), 60_000)
    await at.client.http.messages.publish({ message: 'house.temp', value: 21.5 })
    await vi.waitFor(async () => expect((await posted()).at(-1)).toEqual(['house.temp', 21.5]), 60_000)
    await page.close()
  })
})

test('the same code follows values in Node, and connects again', async () => {
  await using at = await startService()
  await publishFlow(at.client, 'house', { mode: 'live', inputs: [{ name: 'temp', dtype: 'float', initial: 20 }] })
  const opened: WebSocket[] = []
  vi.stubGlobal(
    'WebSocket',
    class extends WebSocket {
      constructor(url: string) {
        super(url)
        opened.push(this)
      }
    },
  )
  const end = new AbortController()
  const told: unknown[] = []
  const where = { api: at.baseUrl, token: at.token, flows: ['house'] }
  const followed = followValues(where, (values) => told.push(...values.map(({ value }) => value)), end.signal, 1)
  await vi.waitFor(() => expect(told).toEqual([20]), 60_000)
  opened.at(-1)?.close()
  await vi.waitFor(() => expect(told).toEqual([20, 20]), 60_000)
  end.abort()
  await followed
  vi.unstubAllGlobals()
})
