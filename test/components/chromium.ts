/**
 * A real browser for tests: the Chromium of the machine, without a window.
 * @module
 */
import fs from 'node:fs'
import path from 'node:path'

import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'

/** Path of the program; the one without any window of its own takes half the processor. */
const findChromium = (): string | undefined =>
  (process.env['PATH'] ?? '')
    .split(path.delimiter)
    .flatMap((directory) =>
      ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'].map((name) =>
        path.join(directory, name),
      ),
    )
    .find((file) => fs.existsSync(file))

/** Whether tests can use a browser; says so once for a whole run. Throws without one where `CI` is set. */
export function hasChromium(): boolean {
  if (findChromium() !== undefined) return true
  const text = 'no Chromium found (apt-get install chromium-headless-shell)'
  if (process.env['CI']) throw new Error(`${text}, and CI must not skip it`)
  console.log(`skipped: ${text}`)
  return false
}

/** Starts a browser; the caller closes it. */
export const startChromium = (): Promise<Browser> =>
  // a machine that tests as root, or in a container, has no sandbox and little shared memory
  chromium.launch({
    executablePath: findChromium() ?? 'chromium',
    args: ['--no-sandbox', '--disable-dev-shm-usage'],
    timeout: 120_000,
  })

/** Waits for what comes to a page as long as other tests wait: the machine may be a slow one. */
export function patient<T extends BrowserContext | Page>(what: T): T {
  what.setDefaultTimeout(120_000)
  return what
}
