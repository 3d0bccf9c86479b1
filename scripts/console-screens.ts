/**
 * Takes the pictures of the console for the documentation: each page in both themes, and the frames of a walk from `npm start`
 * to a compared sweep. Run `npm run console:screens` after the console has changed, and look at what it made, in
 * docs-site/src/assets/console. Names as arguments take only those: `npm run console:screens home compare`.
 */
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import type { Browser, Page } from 'playwright-core'

import { startChromium } from '../test/components/chromium.ts'
import { account, openConsole, signIn } from '../test/components/console-page.ts'
import { startService } from '../test/service.ts'
import { type Demo, fillDemo } from './console-demo.ts'

const folder = new URL('../docs-site/src/assets/console/', import.meta.url).pathname
/** Of WebP; text stays sharp. */
const QUALITY = 86

interface Screen {
  readonly name: string
  /** Behind the `#` of the address. */
  readonly at: string | ((demo: Demo) => string)
  /** What has to be seen before the picture is taken, as a selector; the heading of the page unless given. */
  readonly shows?: string
  /** What values that come make it show, as a selector. */
  readonly tells?: string
  /** What somebody does there first. */
  readonly act?: (page: Page) => Promise<void>
}

/** Fills in a sweep, and asks what it would cost. */
async function planSweep(page: Page): Promise<void> {
  await page.getByLabel(/^lr/).fill('0.001, 0.004, 0.02, 0.1')
  await page.getByLabel(/^depth/).fill('3, 5, 7, 9')
  await page.getByRole('button', { name: /^Plan/ }).click()
  await page.getByRole('region', { name: 'Plan' }).waitFor()
}

/** A page of the console each; another one is a line. */
const screens: readonly Screen[] = [
  { name: 'home', at: '/', shows: '.mini-graph' },
  { name: 'flows', at: '/flows' },
  { name: 'flow', at: '/flows/climate', shows: '.react-flow__node', tells: '.events li' },
  { name: 'runs', at: '/runs', shows: '.rows .cell' },
  { name: 'new-run', at: '/runs/new?flow=train', act: planSweep },
  { name: 'run', at: ({ run }) => `/runs/${run}` },
  { name: 'compare', at: ({ sweep }) => `/compare?ids=${sweep.join()}&metric=train.loss`, shows: '.chart canvas' },
  { name: 'boards', at: '/dashboards' },
  { name: 'board', at: '/dashboards/living_room', shows: '.chart canvas' },
  { name: 'board-edit', at: '/dashboards/living_room/edit?widget=damp', shows: '.chart canvas' },
  { name: 'devices', at: '/devices', shows: '.check' },
  { name: 'workers', at: '/workers?tab=tokens', shows: '.sheet' },
  { name: 'events', at: '/events?tab=audit', shows: '.sheet' },
  { name: 'health', at: '/events?tab=health', shows: '.sheet' },
  { name: 'settings', at: '/settings', shows: '.sheet' },
]

/** The walk: what somebody sees in the first two minutes, in this order. */
const walk: readonly Screen[] = [
  { name: 'walk-2-home', at: '/', shows: '.mini-graph' },
  { name: 'walk-3-value-on-a-wire', at: '/flows/climate', shows: '.react-flow__node', tells: '.events li' },
  { name: 'walk-4-sweep', at: '/runs/new?flow=train', act: planSweep },
  { name: 'walk-5-runs', at: '/runs?flow=train', shows: '.rows .cell' },
  {
    name: 'walk-6-compared',
    at: ({ sweep }) => `/compare?ids=${sweep.join()}&metric=train.loss`,
    shows: '.chart canvas',
  },
]

async function picture(page: Page, name: string): Promise<void> {
  const devtools = await page.context().newCDPSession(page)
  const { data } = await devtools.send('Page.captureScreenshot', { format: 'webp', quality: QUALITY })
  const file = Buffer.from(data, 'base64')
  writeFileSync(join(folder, `${name}.webp`), file)
  console.log(`${name}.webp: ${Math.round(file.length / 1024)} kB`)
}

/** Leads to a page and waits until nothing more comes; false where the console has no such page. */
async function show(page: Page, { at, shows = 'h1', tells, act }: Screen, demo: Demo): Promise<boolean> {
  const hash = typeof at === 'string' ? at : at(demo)
  await page.evaluate(`location.hash = ${JSON.stringify(hash)}`)
  const nothing = page.getByText('There is nothing here')
  const there = page.locator(shows).first()
  await there.or(nothing).first().waitFor()
  if (await nothing.isVisible()) return false
  await act?.(page)
  await demo.feel(18.4, 64)
  await demo.feel(18.2, 66)
  if (tells) await page.locator(tells).first().waitFor()
  await page.waitForLoadState('networkidle')
  while ((await page.locator('.skeleton').count()) > 0) await page.waitForTimeout(50)
  // whatever moves has come to rest
  await page.evaluate(`Promise.all(document.getAnimations().flatMap((one) =>
    one.effect.getComputedTiming().iterations === Infinity ? [] : one.finished.catch(() => null)))`)
  return true
}

/** What `npm start` prints, as a terminal shows it. */
async function started(browser: Browser): Promise<void> {
  const data = mkdtempSync(join(tmpdir(), 'console-walk-'))
  const engine = spawn(
    process.execPath,
    ['--conditions=@flow-service/source', 'packages/cli/src/bin.ts', 'dev', '--port', '0', '--data', data],
    { cwd: new URL('..', import.meta.url).pathname },
  )
  let said = '$ npm start\n'
  await new Promise<void>((resolve, reject) => {
    engine.on('exit', () => reject(new Error(`npm start ended: ${said}`)))
    engine.stdout.setEncoding('utf8').on('data', (text: string) => {
      said += text
      if (said.includes('Ctrl-C stops the engine.')) resolve()
    })
  })
  engine.stdout.removeAllListeners('data').resume()
  engine.removeAllListeners('exit').kill('SIGTERM')
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
  await page.setContent(
    '<style>body { background: #101318; color: #e8ebf0; padding: 40px; font: 20px/32px monospace }</style><pre></pre>',
  )
  // the port is another one each time, the usual one is known
  const shown = said.replaceAll(/127\.0\.0\.1:\d+/g, '127.0.0.1:8000').replaceAll(data, '.service')
  await page.evaluate(`document.querySelector('pre').textContent = ${JSON.stringify(shown)}`)
  await picture(page, 'walk-1-start')
  await page.close()
  rmSync(data, { recursive: true, force: true })
}

const wanted = process.argv.slice(2)
const isWanted = ({ name }: Screen): boolean => wanted.length === 0 || wanted.includes(name)
mkdirSync(folder, { recursive: true })
await using browser = await startChromium()
await using at = await startService(account)
const demo = await fillDemo(at.client, at.baseUrl, (method, path, body) => at.send(method, path, body))
for (const theme of ['light', 'dark'] as const) {
  await using opened = await openConsole(browser, at.origin, '', { theme })
  const { page, complaints } = opened
  await signIn(page)
  await page.locator('.rail').waitFor()
  for (const screen of [...screens, ...(theme === 'light' ? walk : [])].filter(isWanted)) {
    const name = screen.name.startsWith('walk') ? screen.name : `${screen.name}-${theme}`
    if (await show(page, screen, demo)) await picture(page, name)
    else console.log(`${name}: the console has no such page`)
  }
  if (complaints.length > 0) throw new Error(`the console complains: ${complaints.join('\n')}`)
}
if (wanted.length === 0 || wanted.includes('walk-1-start')) await started(browser)
