/**
 * The console in a browser of its own context, for the tests of it: what a page or its policy complains about is kept, and
 * fails the test that looks at it.
 */
import AxeBuilder from '@axe-core/playwright'
import type { Browser, Page } from 'playwright-core'

import { patient } from './chromium.ts'

/** Who signs in. */
export const account = { firstSuperuser: 'root@example.org', firstSuperuserPassword: 'a long password' }

export interface OpenedConsole extends AsyncDisposable {
  readonly page: Page
  readonly complaints: readonly string[]
}

export interface ConsoleOptions {
  readonly theme?: 'light' | 'dark'
  readonly width?: number
}

/** Opens an address of the console of a service, such as `#/runs`. */
export async function openConsole(
  browser: Browser,
  origin: string,
  hash = '',
  { theme = 'light', width = 1440 }: ConsoleOptions = {},
): Promise<OpenedConsole> {
  const context = patient(await browser.newContext({ colorScheme: theme, viewport: { width, height: 900 } }))
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('pageerror', ({ message }) => complaints.push(message))
  page.on('dialog', (dialog) => {
    complaints.push(`a dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  page.on('console', (message) => {
    // the browser tells of every answer that is no success, which the page shows
    if (message.type() === 'error' && !/Failed to load resource|WebSocket connection/.test(message.text()))
      complaints.push(message.text())
  })
  await page.goto(`${origin}/console/${hash}`)
  return { page, complaints, [Symbol.asyncDispose]: () => context.close() }
}

export async function signIn(page: Page, password = account.firstSuperuserPassword): Promise<void> {
  await page.getByLabel('E-mail').fill(account.firstSuperuser)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

/** What is in the way of people: by the rules of axe. */
export const faultsOf = async (page: Page): Promise<string[]> =>
  (await new AxeBuilder({ page }).analyze()).violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)

/** By how many pixels something reaches out of the page at its side; pages scroll within `main`. */
export const overlapOf = (page: Page): Promise<number> =>
  page.evaluate(
    "Math.max(...['html', 'main'].map((name) => document.querySelector(name)).map((box) => (box ? box.scrollWidth - box.clientWidth : 0)))",
  )

/**
 * What is in the way of people, as far as a look of the page can differ: all rules where it is light and wide, and the
 * contrast of its colours where it is dark. A narrow page is measured by `overlapOf`.
 */
export async function faultsAs(page: Page, { theme = 'light', width }: ConsoleOptions): Promise<string[]> {
  if (width !== undefined) return []
  if (theme === 'light') return faultsOf(page)
  const { violations } = await new AxeBuilder({ page }).withRules(['color-contrast']).analyze()
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`))
}

/** The same as `overlapOf` in the width of a page; one that is looked at on a phone is measured on a tablet too. */
export async function overlapAs(page: Page, { width }: ConsoleOptions): Promise<number> {
  const here = await overlapOf(page)
  if (width === undefined) return here
  await page.setViewportSize({ width: 1024, height: 900 })
  const there = await overlapOf(page)
  await page.setViewportSize({ width, height: 900 })
  return Math.max(here, there)
}
