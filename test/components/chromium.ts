/**
 * A real browser for tests: the Chromium of the machine, without a window.
 * @module
 */
import fs from 'node:fs'
import path from 'node:path'

import { type Browser, chromium } from 'playwright-core'

/** Path of the program. */
const findChromium = (): string | undefined =>
  (process.env['PATH'] ?? '')
    .split(path.delimiter)
    .flatMap((directory) => ['chromium', 'chromium-browser', 'google-chrome'].map((name) => path.join(directory, name)))
    .find((file) => fs.existsSync(file))

/** Whether tests can use a browser; says so once for a whole run. Throws without one where `CI` is set. */
export function hasChromium(): boolean {
  if (findChromium() !== undefined) return true
  if (process.env['CI']) throw new Error('chromium not found (apt-get install chromium), and CI must not skip it')
  console.log('skipped: chromium not found (apt-get install chromium)')
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
