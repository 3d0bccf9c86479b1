/** The area of runs of the console, in a real browser. */
import { writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { hasChromium, startChromium } from './components/chromium.ts'
import { account, type ConsoleOptions, faultsOf, openConsole, overlapOf, signIn } from './components/console-page.ts'
import { publishFlow, pythonFlow, pythonNode } from './documents.ts'
import { startService, type TestService } from './service.ts'

const hostile = '<img src=x onerror=alert(1)>'
const RUNS = 450

/** Draws a curve and prints, goes on when the file is there, then stores bytes. */
const training = (file: string): string => `import os, time
def run(n):
    print("begins with", n, flush=True)
    emit(loss=1.0)
    while not os.path.exists(${JSON.stringify(file)}): time.sleep(0.02)
    emit(loss=0.25)
    print(${JSON.stringify(hostile)})
    return {"best": 0.25, "table": save_artifact(b"x,y\\n1,2\\n", "table.csv", "text/csv")}
`

describe.skipIf(!hasChromium())('runs in the console', () => {
  let at: TestService
  let browser: Browser
  beforeAll(async () => {
    at = await startService(account)
    browser = await startChromium()
    const inputs = ['lr', 'name'].map((name) => ({ name, dtype: 'any', initial: 0 }))
    await publishFlow(at.client, 'fit', { mode: 'batch', inputs, nodes: [] })
    const runs = Array.from({ length: RUNS }, (_, index) => ({
      flow: 'fit',
      external_id: `${index}`,
      status: index % 10 === 9 ? 'error' : 'ok',
      created_at: new Date(Date.UTC(2026, 0, 1) - index * 60_000).toISOString(),
      params: { lr: index / 1000, name: index === 0 ? hostile : `trial ${index}` },
      metrics: [{ name: 'loss', step: 0, value: 1 / (index + 1) }],
    }))
    for (let from = 0; from < RUNS; from += 150) {
      // oxlint-disable-next-line no-await-in-loop -- a request takes 200 at most
      await at.send('POST', '/runs/import', { runs: runs.slice(from, from + 150) })
    }
    const source = 'def run(n, way):\n    return {"out": n}\n'
    await publishFlow(at.client, 'search', {
      mode: 'batch',
      inputs: [
        { name: 'n', dtype: 'int', initial: 3 },
        { name: 'way', dtype: 'str', initial: 'slow' },
      ],
      outputs: [{ name: 'out' }],
      nodes: [
        pythonNode('work', source, {
          ports: [
            { direction: 'input', name: 'n', dtype: 'int' },
            { direction: 'input', name: 'way', dtype: 'str' },
            { direction: 'output', name: 'out', dtype: 'any' },
          ],
        }),
      ],
    })
  })
  afterAll(async () => {
    await browser.close()
    await at[Symbol.asyncDispose]()
  })

  const rows = (page: Page) => page.getByRole('grid', { name: 'Runs' }).getByRole('row')
  const opened = async (hash: string, options: ConsoleOptions = {}) => {
    const opening = await openConsole(browser, at.origin, hash, options)
    await signIn(opening.page)
    return opening
  }

  test('the table has rows for what is on the screen, and all of them by scrolling', async () => {
    await using shown = await opened('#/runs')
    const { page, complaints } = shown
    await page.getByText('450 runs').waitFor()
    await rows(page).nth(1).getByText(hostile).waitFor()
    expect(await rows(page).count()).toBeLessThan(80)
    expect(await page.getByRole('grid').getAttribute('aria-rowcount')).toBe('451')
    const asked: string[] = []
    page.on('request', (request) => asked.push(new URL(request.url()).searchParams.get('at') ?? request.url()))
    await page.getByRole('grid').evaluate((grid) => grid.scrollTo(0, grid.scrollHeight))
    await page.getByText('trial 449').waitFor()
    expect(await rows(page).count()).toBeLessThan(80)
    // only the page that is looked at, counted from the newest run
    expect(asked).toEqual(['399'])
    await page.getByRole('grid').focus()
    await page.keyboard.press('Home')
    await page.getByRole('row').getByText(hostile).waitFor()
    expect(complaints).toEqual([])
  })

  test('the engine filters and sorts, and the address has what is shown', async () => {
    await using shown = await opened('#/runs')
    const { page, complaints } = shown
    const filter = async (text: string): Promise<void> => {
      await page.getByRole('searchbox').fill(text)
      await page.keyboard.press('Enter')
    }
    await filter('params.lr<0.1 metrics.loss>0.02')
    await page.getByText('49 runs').waitFor()
    await page.getByRole('button', { name: 'error', exact: true }).click()
    await page.getByText('4 runs').waitFor()
    await page.getByRole('button', { name: 'lr', exact: true }).click()
    await expect.poll(() => rows(page).nth(1).textContent()).toContain('0.039')
    await page.getByRole('button', { name: 'lr ↓' }).click()
    await expect.poll(() => rows(page).nth(1).textContent()).toContain('0.009')
    const address = new URLSearchParams(new URL(page.url()).hash.split('?')[1])
    expect(Object.fromEntries(address)).toEqual({
      filter: 'params.lr<0.1 metrics.loss>0.02',
      status: 'error',
      sort: 'params.lr',
    })
    await filter('lr<1')
    await page.getByRole('alert').getByText('params.lr').waitFor()
    await filter('params.lr=7')
    await page.getByText('No run fits').waitFor()
    expect(complaints).toEqual([])
  })

  test('columns are found by their names, chosen and put in order', async () => {
    await using shown = await opened('#/runs?flow=fit')
    const { page, complaints } = shown
    const heads = async () => (await page.getByRole('columnheader').allTextContents()).slice(4, -2)
    await expect.poll(heads).toEqual(['lr', 'name', 'loss'])
    await page.getByText('Columns', { exact: true }).click()
    await page.getByLabel('Move metrics.loss to the left').click()
    await expect.poll(heads).toEqual(['lr', 'loss', 'name'])
    await page.getByLabel('Find a column').fill('NAME')
    await page.getByLabel('params.name', { exact: true }).uncheck()
    await expect.poll(heads).toEqual(['lr', 'loss'])
    await page.getByLabel('Find a column').fill('')
    await page.getByRole('button', { name: 'None', exact: true }).click()
    await expect.poll(heads).toEqual([])
    await page.reload()
    await rows(page).nth(1).waitFor()
    expect(await heads()).toEqual([])
    await page.getByText('Columns', { exact: true }).click()
    await page.getByRole('button', { name: 'As usual' }).click()
    await expect.poll(heads).toEqual(['lr', 'name', 'loss'])
    await page.keyboard.press('Escape')
    await page.getByLabel('Find a column').waitFor({ state: 'hidden' })
    expect(complaints).toEqual([])
  })

  test('keys go through the rows, choose some and open one; the archive is shown by itself', async () => {
    await using shown = await opened('#/runs?flow=fit')
    const { page, complaints } = shown
    await rows(page).nth(1).waitFor()
    const press = async (...keys: string[]): Promise<void> => {
      await page.getByRole('grid').focus()
      // oxlint-disable-next-line no-await-in-loop -- one key after the other
      for (const key of keys) await page.keyboard.press(key)
    }
    await press('j', 'j', 'x', 'j', 'j', 'Shift+X')
    await page.getByText('3 chosen').waitFor()
    const compare = new URLSearchParams(
      (await page.getByRole('link', { name: 'Compare' }).getAttribute('href'))?.split('?')[1],
    )
    expect(compare.get('ids')?.split(',')).toHaveLength(3)
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: 'CSV', exact: true }).click()
    const rowsOfFile = (await readFile((await (await download).path()) ?? '', 'utf8')).trim().split(/\r?\n/)
    expect(rowsOfFile).toHaveLength(4)
    for (const id of compare.get('ids')?.split(',') ?? []) expect(rowsOfFile.join()).toContain(id)
    await page.getByRole('checkbox', { name: 'Choose the first 100' }).click()
    await page.getByText('3 chosen').waitFor({ state: 'detached' })
    await page.getByRole('checkbox', { name: 'Choose the first 100' }).click()
    await page.getByText('100 chosen').waitFor()
    await page.getByRole('checkbox', { name: 'Choose the first 100' }).click()
    await page.getByText('100 chosen').waitFor({ state: 'detached' })
    await press('k', 'k', 'x')
    await page.getByText('1 chosen').waitFor()
    expect(await page.getByRole('button', { name: 'Compare' }).isDisabled()).toBe(true)
    await page.getByRole('button', { name: 'Archive', exact: true }).click()
    await page.getByText('449 runs').waitFor()
    await page.getByRole('button', { name: 'archived', exact: true }).click()
    await rows(page).nth(1).getByText('trial 2').waitFor()
    await press('x')
    await page.getByRole('button', { name: 'Take back' }).click()
    await page.getByText('No run fits').waitFor()
    await page.getByRole('button', { name: 'archived', exact: true }).click()
    await page.getByText('450 runs').waitFor()
    await press('Enter')
    await page.getByText('What ran elsewhere and was imported has none.').waitFor()
    expect(complaints).toEqual([])
  })

  test('chosen runs are deleted once that is confirmed; what is refused is told, and the others are gone', async () => {
    await publishFlow(at.client, 'waits', pythonFlow('import time\ndef run(n):\n    time.sleep(600)\n'))
    const { id } = await at.client.runs.submit('waits')
    await at.send('POST', '/runs/import', {
      runs: [{ flow: 'waits', external_id: 'over', status: 'ok', created_at: '2026-01-01T00:00:00Z', params: {} }],
    })
    await using shown = await opened('#/runs?flow=waits')
    const { page, complaints } = shown
    await page.getByText('2 runs', { exact: true }).waitFor()
    for (const box of await page.getByLabel(/^Choose run/).all()) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      await box.check()
    }
    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Keep' }).click()
    await page.getByText('2 chosen').waitFor()
    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByText('1 run deleted.').waitFor()
    await page.getByText(new RegExp(`1 run not deleted. ${id.slice(-6)}: `)).waitFor()
    await page.getByText('1 run', { exact: true }).waitFor()
    expect((await at.client.runs.list({ flow: 'waits' })).map((run) => run.id)).toEqual([id])
    await at.client.runs.cancel(id)
    expect(complaints).toEqual([])
  })

  test('a view has a name: it is kept for who made it, shared as a link, and deleted', async () => {
    await using shown = await opened('#/runs?flow=fit&status=error&sort=params.lr')
    const { page, complaints } = shown
    const menu = (name: string) => page.locator('summary', { hasText: name })
    await page.getByText('45 runs').waitFor()
    await menu('Views').click()
    await page.getByRole('button', { name: 'Keep this view' }).click()
    await page.getByLabel(/^Name/).fill(`failed ${hostile}`)
    await page.getByRole('dialog').getByRole('button', { name: 'Keep', exact: true }).click()
    await menu(`View: failed ${hostile}`).waitFor()
    await page.goto(`${at.origin}/console/#/runs`)
    await page.reload()
    await page.getByText(/^\d+ runs$/).waitFor()
    await menu('Views').click()
    await page.getByRole('link', { name: `failed ${hostile}` }).click()
    await page.getByText('45 runs').waitFor()
    await page.getByRole('button', { name: 'Share the view' }).click()
    await page
      .getByRole('dialog')
      .getByText(`${at.origin}/console/#/runs?flow=fit&status=error&sort=params.lr`)
      .waitFor()
    await page.getByRole('button', { name: 'Close', exact: true }).click()
    const kept = () => page.evaluate('Object.entries(localStorage).flat().join()')
    expect(await kept()).not.toContain(at.token)
    await page.getByRole('button', { name: 'Delete the view' }).click()
    await menu('Views').waitFor()
    expect(await kept()).toBe('')
    expect(complaints).toEqual([])
  })

  test('a run is followed while it goes on: curve and log; then it has its result, its bytes and a note', async () => {
    const file = join(at.dataDir, 'go')
    const ports = [
      { direction: 'input', name: 'n', dtype: 'int' },
      { direction: 'output', name: 'loss', dtype: 'float', stream: true },
      { direction: 'output', name: 'best', dtype: 'float' },
      { direction: 'output', name: 'table', dtype: 'artifact' },
    ]
    await publishFlow(at.client, 'train', {
      mode: 'batch',
      inputs: [{ name: 'n', dtype: 'int', initial: 3 }],
      outputs: [{ name: 'best' }],
      nodes: [pythonNode('train', training(file), { ports, cache: false })],
    })
    await using shown = await opened('#/runs?flow=train')
    const { page, complaints } = shown
    await page.getByText('No run fits').waitFor()
    const { id } = await at.client.runs.submit('train')
    await page.getByRole('button', { name: '1 newer run: show them' }).click()
    await rows(page).nth(1).getByRole('link').click()
    await page.getByRole('tab', { name: 'Logs' }).click()
    await page.getByText('begins with 3').waitFor()
    await page.getByRole('tab', { name: 'Metrics' }).click()
    await page.getByText('1 point ·').waitFor()
    writeFileSync(file, '')
    await page.getByText('2 points').waitFor()
    await page.getByRole('button', { name: 'Run again' }).waitFor()
    await page.getByRole('tab', { name: 'Logs' }).click()
    await page.getByText(hostile).waitFor()
    await page.getByRole('tab', { name: 'Artifacts' }).click()
    await page.getByRole('button', { name: 'Look' }).click()
    await page.getByRole('columnheader', { name: 'x' }).waitFor()
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: /Download/ }).click()
    expect((await download).suggestedFilename()).toBe('table.csv')
    expect(await page.getByRole('row', { name: 'best' }).textContent()).toContain('0.25')
    await page.getByLabel('Note').fill(`good ${hostile}`)
    await page.getByLabel(/^Tags/).fill('best baseline')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved.').waitFor()
    expect(await at.client.runs.get(id)).toMatchObject({ note: `good ${hostile}`, tags: ['baseline', 'best'] })
    await page.getByRole('button', { name: 'Run again' }).click()
    await expect.poll(() => page.url()).not.toContain(id)
    expect(complaints).toEqual([])
  })

  test('a stage that was retried shows its attempts, and a run what it repeats and what repeats it', async () => {
    const file = join(at.dataDir, 'tried')
    const source = `import os
def run(n):
    if not os.path.exists(${JSON.stringify(file)}):
        open(${JSON.stringify(file)}, "w").close()
        raise ValueError(${JSON.stringify(hostile)})
    return {"out": n}
`
    await publishFlow(at.client, 'shaky', pythonFlow(source, { retry: { attempts: 2, delay_s: 0 }, cache: false }))
    const first = await at.client.runs.submit('shaky')
    await first.wait()
    await using shown = await opened(`#/runs/${first.id}`)
    const { page, complaints } = shown
    const attempts = page.getByRole('list', { name: 'Attempts of work' }).getByRole('listitem')
    await attempts.first().waitFor()
    expect(await attempts.allTextContents()).toEqual([
      expect.stringMatching(/^errorattempt 1, .*ValueError: <img src=x onerror=alert\(1\)>$/),
      expect.stringMatching(/^okattempt 2, [^:]*$/),
    ])
    await page.getByRole('tab', { name: 'Graph' }).click()
    const graph = page.getByRole('group', { name: 'Nodes of the run of shaky' })
    await graph.getByRole('button', { name: /Parameters.*to work/ }).waitFor()
    await graph.getByRole('button', { name: /^ok\s*work/ }).click()
    await page.getByRole('tab', { name: 'Logs', selected: true }).waitFor()
    await page.getByLabel('What work prints').waitFor()
    await page.getByRole('button', { name: 'Run again' }).click()
    await page.getByText('It repeats').getByRole('link').click()
    await page.getByText('It was run again as').getByRole('link').click()
    await page.getByText('It repeats').waitFor()
    expect(complaints).toEqual([])
  })

  test('bytes are shown as what they are; what could run as a program is downloaded only', async () => {
    const source = `import io, wave
def run(n):
    sound = io.BytesIO()
    with wave.open(sound, "wb") as out:
        out.setnchannels(1); out.setsampwidth(1); out.setframerate(8000); out.writeframes(bytes(16000))
    svg = b'<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'
    return {"out": [
        save_artifact(sound.getvalue(), "beep.wav", "audio/wav"),
        save_artifact(b'name,at\\n"${hostile}, or not",7\\n', "table.csv", "text/csv"),
        save_artifact(b'{"deep": {"list": [1, "${hostile}"]}}', "facts.json", "application/json"),
        save_artifact(svg, "drawing.svg", "image/svg+xml"),
        save_artifact(b"<script>alert(1)</script>", "page.html", "text/html"),
    ]}
`
    await publishFlow(at.client, 'bytes', pythonFlow(source))
    const run = await at.client.runs.submit('bytes')
    await run.wait()
    await using shown = await opened(`#/runs/${run.id}?tab=artifacts`)
    const { page, complaints } = shown
    const line = (name: string) => page.getByRole('listitem').filter({ hasText: name })
    const look = (name: string) => line(name).getByRole('button', { name: 'Look' }).click()
    await look('beep.wav')
    const sound = page.locator('audio')
    await expect.poll(() => page.evaluate("document.querySelector('audio').duration")).toBe(2)
    expect(await sound.getAttribute('src')).toMatch(/^\/api\/v1\/artifacts\/.*ticket=/)
    await look('table.csv')
    const table = page.getByRole('region', { name: 'table.csv' }).getByRole('row')
    await table.first().waitFor()
    expect(await table.allTextContents()).toEqual(['nameat', `${hostile}, or not7`])
    await look('facts.json')
    await page.getByText(`1: "${hostile}"`).waitFor()
    for (const name of ['drawing.svg', 'page.html']) {
      // oxlint-disable no-await-in-loop -- one after the other
      expect(await line(name).getByRole('button', { name: 'Look' }).count()).toBe(0)
      const download = page.waitForEvent('download')
      await line(name)
        .getByRole('button', { name: /Download/ })
        .click()
      expect((await download).suggestedFilename()).toBe(name)
      // oxlint-enable no-await-in-loop
    }
    expect(complaints).toEqual([])
  })

  test('a new run is planned before it is submitted; several values are a sweep', async () => {
    await using shown = await opened('#/runs?flow=search')
    const { page, complaints } = shown
    await page.getByRole('link', { name: 'New run' }).click()
    await page.getByLabel(/^n /).fill('half')
    await page.getByText('Numbers, with commas').waitFor()
    expect(await page.getByRole('button', { name: /^Plan/ }).isDisabled()).toBe(true)
    await page.getByLabel(/^n /).fill('4')
    await page.getByRole('button', { name: 'Plan 1 run' }).click()
    const work = page.getByRole('region', { name: 'Plan' }).getByRole('row', { name: 'work' })
    const cells = () => work.getByRole('cell').allTextContents()
    await expect.poll(cells).toEqual(['1', '0', '0', expect.any(String)])
    await page.getByRole('button', { name: 'Submit 1 run' }).click()
    await page.getByRole('button', { name: 'Run again' }).waitFor()
    expect(await page.getByRole('row', { name: 'out' }).textContent()).toContain('4')

    await page.goto(`${at.origin}/console/#/runs/new?flow=search`)
    await page.getByLabel(/^n /).fill('4, 5')
    await page.getByLabel(/^Seeds/).fill('1..3')
    await page.getByRole('button', { name: 'Plan 6 runs' }).click()
    // what the seed does not change is in the cache for each of them
    await expect.poll(cells).toEqual(['3', '3', '0', 'input n: 4 -> 5'])
    await page.getByRole('button', { name: 'Submit 6 runs' }).click()
    await expect.poll(() => new URL(page.url()).hash).toMatch(/^#\/runs\?group=/)
    await expect.poll(() => rows(page).count()).toBe(7)

    await page.getByRole('button', { name: 'By sweep' }).click()
    const sweeps = page.getByRole('region', { name: 'Sweeps' })
    await sweeps.getByText('6 ok').waitFor()
    expect(await sweeps.getByRole('row').nth(1).textContent()).toMatch(/search6.*6 okn/)
    await sweeps.getByRole('button', { name: /Runs of the sweep/ }).click()
    await expect.poll(() => sweeps.getByRole('row').count()).toBe(8)
    expect(await sweeps.getByRole('row').nth(2).textContent()).toMatch(/okseed 3n 5/)
    await sweeps.getByRole('link', { name: /All runs/ }).click()
    await expect.poll(() => rows(page).count()).toBe(7)
    expect(complaints).toEqual([])
  })

  test('what the engine refuses stands at its field; a run is changed from its page; many flows are searched', async () => {
    const inputs = [
      { name: 'n', dtype: 'int', initial: 3 },
      { name: 'table', dtype: 'artifact' },
    ]
    for (let index = 0; index < 14; index += 1) {
      // oxlint-disable-next-line no-await-in-loop -- one flow after the other
      await publishFlow(at.client, `many_${index}`, { mode: 'batch', inputs: index === 7 ? inputs : [], nodes: [] })
    }
    await using shown = await opened('#/runs/new')
    const { page, complaints } = shown
    await page.getByLabel('Flow', { exact: true }).fill('many_7')
    await page.getByLabel('Flow', { exact: true }).press('Tab')
    await page.getByLabel(/^n /).fill('1')
    await page.getByText('default 3').waitFor()
    await page.getByLabel(/^table /).fill(`{"digest": "${hostile}"}`)
    await page.getByRole('button', { name: 'Plan 1 run' }).click()
    await expect.poll(() => page.getByLabel(/^table /).getAttribute('aria-invalid')).toBe('true')
    expect(await page.locator('.field', { hasText: 'table' }).locator('.fault').textContent()).toMatch(/\w{3}/)
    expect(await page.getByRole('alert').count()).toBe(0)

    const run = await at.client.runs.submit('search', { params: { n: 8, way: 'fast, "far"' }, seed: 5 } as never)
    await run.wait()
    await page.goto(`${at.origin}/console/#/runs/${run.id}`)
    await page.getByRole('link', { name: 'Run with changes' }).click()
    expect(await page.getByLabel(/^n /).inputValue()).toBe('8')
    expect(await page.getByLabel(/^way /).inputValue()).toBe('fast, "far"')
    expect(await page.getByLabel(/^Seeds/).inputValue()).toBe('5')
    await page.getByLabel(/^n /).fill('9')
    await page.getByRole('button', { name: 'Plan 1 run' }).click()
    await page.getByRole('button', { name: 'Submit 1 run' }).click()
    await page.getByRole('row', { name: 'out' }).getByText('9').waitFor()
    await page.goto(`${at.origin}/console/#/runs/new?flow=gone`)
    await page.getByText('The flow gone cannot be run').waitFor()
    expect(complaints).toEqual([])
  })

  test('a run is cancelled, and one that is not there is said to be missing', async () => {
    await publishFlow(at.client, 'endless', pythonFlow('import time\ndef run(n):\n    time.sleep(600)\n'))
    const { id } = await at.client.runs.submit('endless')
    await using shown = await opened(`#/runs/${id}`)
    const { page } = shown
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('button', { name: 'Run again' }).waitFor()
    expect(await at.client.runs.get(id)).toMatchObject({ status: 'cancelled' })
    await page.goto(`${at.origin}/console/#/runs/01900000-0000-7000-8000-0000000000aa`)
    await page.getByRole('alert').getByText('There is no run').waitFor()
  })

  test.each([
    { theme: 'light', width: 1440 },
    { theme: 'dark', width: 1440 },
    { theme: 'light', width: 390 },
  ] as const)('nothing is in the way of anybody: $theme, $width px', async ({ theme, width }) => {
    const [run] = await at.client.runs.list({ flow: 'fit', limit: 1 })
    await using shown = await opened('#/runs', { theme, width })
    const { page, complaints } = shown
    await rows(page).nth(1).waitFor()
    await page.getByText('Columns', { exact: true }).click()
    expect(await faultsOf(page)).toEqual([])
    await page.goto(`${at.origin}/console/#/runs?by=sweep`)
    await page.getByRole('region', { name: 'Sweeps' }).waitFor()
    expect(await faultsOf(page)).toEqual([])
    await page.goto(`${at.origin}/console/#/runs/new?flow=fit&p.lr=x`)
    await page.getByLabel(/^lr /).waitFor()
    expect(await faultsOf(page)).toEqual([])
    for (const tab of ['stages', 'metrics', 'logs', 'artifacts']) {
      // oxlint-disable no-await-in-loop -- one view after the other
      await page.goto(`${at.origin}/console/#/runs/${run?.id}?tab=${tab}`)
      await page.getByRole('tabpanel').waitFor()
      if (tab === 'stages') expect(await faultsOf(page)).toEqual([])
      // oxlint-enable no-await-in-loop
    }
    expect(complaints).toEqual([])
  })

  test.each([1440, 1024, 390])('nothing is cut off at the side of %d px', async (width) => {
    const [run] = await at.client.runs.list({ flow: 'fit', limit: 1 })
    await using shown = await opened('#/runs', { width })
    const { page } = shown
    const overlap = () => overlapOf(page)
    for (const hash of ['#/runs', '#/runs?by=sweep', '#/runs/new?flow=fit', `#/runs/${run?.id}`]) {
      // oxlint-disable no-await-in-loop -- one view after the other
      await page.goto(`${at.origin}/console/${hash}`)
      await page.locator('main h1').waitFor()
      await page.waitForLoadState('networkidle')
      expect([hash, await overlap()]).toEqual([hash, 0])
      // oxlint-enable no-await-in-loop
    }
  })
})
