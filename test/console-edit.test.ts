/** Flows edited in the console, in a real browser against an engine: by keys, by mouse, in two tabs, and by who may not. */
import type { Flow } from '@flow-service/protocol'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { hasChromium, startChromium } from './components/chromium.ts'
import { account, type ConsoleOptions, faultsOf, openConsole, overlapOf, signIn } from './components/console-page.ts'
import { startService, type TestService } from './service.ts'

/** A name that would be a picture, were it read as HTML. */
const hostile = '<img src=x onerror=alert(1)>'

describe.skipIf(!hasChromium())('the editor of flows', () => {
  let at: TestService
  let browser: Browser
  beforeAll(async () => {
    at = await startService(account)
    browser = await startChromium()
  })
  afterAll(async () => {
    await browser.close()
    await at[Symbol.asyncDispose]()
  })

  const open = async (flow: string, query = '', options: ConsoleOptions = {}) => {
    const opened = await openConsole(browser, at.origin, `#/flows/${flow}${query}`, options)
    await signIn(opened.page)
    await ready(opened.page)
    return opened
  }
  const ready = (page: Page) => page.getByRole('button', { name: 'Node', exact: true }).waitFor()
  const stored = async (flow: string): Promise<Flow> => (await at.send('GET', `/flows/${flow}`)).body as unknown as Flow
  const save = async (name: string, document: object): Promise<void> => {
    const { status, body } = await at.send('PUT', `/flows/${name}`, document)
    if (status > 201) throw new Error(JSON.stringify(body))
  }
  const publish = async (name: string): Promise<void> => {
    const { version } = await stored(name)
    const { status, body } = await at.send('POST', `/flows/${name}/publish`, { version })
    if (status !== 200) throw new Error(JSON.stringify(body))
  }
  const settingsOf = async (flow: string, node: string) =>
    (await stored(flow)).nodes.find(({ id }) => id === node)?.settings
  const libraryCode = async (name: string): Promise<string> =>
    (await at.client.http.library.list()).find((source) => source.name === name)?.code ?? ''
  /** Goes on by Tab until that has the focus. */
  const tabTo = async (page: Page, name: RegExp): Promise<void> => {
    for (let steps = 0; steps < 90; steps += 1) {
      await page.keyboard.press('Tab')
      const here = String(
        await page.evaluate(
          `(() => { const it = document.activeElement; return it?.labels?.[0]?.textContent ?? it?.getAttribute('aria-label') ?? it?.textContent ?? '' })()`,
        ),
      )
      if (name.test(here.trim())) return
    }
    throw new Error(`no way by Tab to ${name}`)
  }
  const add = async (page: Page, type: string): Promise<void> => {
    await page.keyboard.press('a')
    await page.getByRole('combobox', { name: 'Find a node to add' }).waitFor()
    await page.keyboard.type(type)
    await page.keyboard.press('Enter')
  }
  const focused = (page: Page, node: string) => page.locator(`.react-flow__node[data-id="${node}"]:focus`).waitFor()

  test('with keys alone: build, wire, publish, start, and see a value on the wire', async () => {
    await save('keys', { mode: 'live', nodes: [] })
    await using opened = await open('keys')
    const { page, complaints } = opened
    await add(page, 'inject')
    await focused(page, 'inject')
    await tabTo(page, /^Payload/)
    await page.keyboard.type('21.5')
    await tabTo(page, /^At start/)
    await page.keyboard.press('Space')
    await page.keyboard.press('Escape')
    await focused(page, 'inject')
    await add(page, 'scales')
    await focused(page, 'change')
    await tabTo(page, /^Scale/)
    await page.keyboard.type('2')
    await page.keyboard.press('Escape')
    await focused(page, 'change')
    await page.keyboard.press('ArrowLeft')
    await page.keyboard.press('Shift+Tab')
    await focused(page, 'inject')
    await page.keyboard.press('Enter')
    await page.keyboard.press('c')
    await page.getByRole('dialog', { name: /From inject/ }).waitFor()
    await page.keyboard.type('change')
    await page.keyboard.press('Enter')
    await page.getByLabel('keys.output, from inject to change').waitFor({ state: 'attached' })
    await page.keyboard.press('Control+Enter')
    const dialog = page.getByRole('dialog', { name: 'Publish keys' })
    await dialog.getByText('2 nodes added, 0 nodes changed, 0 nodes removed.').waitFor()
    await tabTo(page, /^Publish$/)
    await page.keyboard.press('Enter')
    await page
      .getByText('Version 2 is published')
      .or(page.getByText(/^Version \d+ is published/))
      .first()
      .waitFor()
    await dialog.waitFor({ state: 'detached' })
    await tabTo(page, /^Start$/)
    await page.keyboard.press('Enter')
    await page.locator('.wire-label').getByText('21.5').waitFor()
    await page.locator('.react-flow__node[data-id="change"]').getByText('43').waitFor()
    expect(complaints).toEqual([])
  })

  // n8n#11638: the tab that saves last wins, and the work of the other one is gone
  test('a second tab that saves first costs no work, and what both have changed is told without being in the way', async () => {
    await save('two', {
      nodes: [
        { id: 'a', type: 'inject', settings: { interval: 1 }, ports: [{ direction: 'output', name: 'x' }] },
        {
          id: 'b',
          type: 'change',
          ports: [
            { direction: 'input', name: 'x' },
            { direction: 'output', name: 'y' },
          ],
        },
      ],
    })
    await using one = await open('two', '?node=a')
    await using other = await open('two', '?node=a')
    const { promise: held, resolve: letGo } = Promise.withResolvers<void>()
    await other.page.route('**/api/v1/flows/two', async (route) => {
      if (route.request().method() === 'PUT') await held
      await route.continue()
    })
    const sent = other.page.waitForRequest((request) => request.method() === 'PUT')
    await other.page.getByLabel('Interval').fill('9')
    await other.page.getByLabel('Start delay').fill('3')
    await sent
    await one.page.getByLabel('Interval').fill('5')
    await one.page.getByLabel('Title').fill('First')
    await expect.poll(() => settingsOf('two', 'a')).toEqual({ interval: 5 })
    letGo()
    await expect.poll(() => settingsOf('two', 'a')).toEqual({ interval: 9, start_delay: 3 })
    expect((await stored('two')).nodes[0]?.title).toBe('First')
    const notes = other.page.getByRole('region', { name: 'Notes on your work' })
    expect(await notes.getByRole('listitem').textContent()).toContain('node a: settings intervalyours 9, theirs 5')
    expect(await other.page.getByRole('dialog').count()).toBe(0)
    expect(await faultsOf(other.page)).toEqual([])
    // the first tab has it without having done anything
    await expect.poll(() => one.page.getByLabel('Interval').inputValue()).toBe('9')
    await notes.getByRole('button', { name: 'Take theirs' }).click()
    await notes.waitFor({ state: 'detached' })
    await expect.poll(() => settingsOf('two', 'a')).toEqual({ interval: 5, start_delay: 3 })
    expect([...one.complaints, ...other.complaints]).toEqual([])
  })

  // n8n#18595, windmill#3646: a tab that closes, or a page that is left, takes its unsaved work along
  test('work of a tab that was closed while the engine was away is offered again', async () => {
    await save('closed', { nodes: [{ id: 'a', type: 'inject', ports: [{ direction: 'output', name: 'x' }] }] })
    await using opened = await open('closed', '?node=a')
    const { page, complaints } = opened
    await page.route('**/api/v1/flows/closed', (route) =>
      route.request().method() === 'PUT' ? route.abort() : route.continue(),
    )
    await page.getByLabel('Interval').fill('7')
    await page.getByText('Kept in this browser').waitFor()
    const next = await page.context().newPage()
    await next.goto(`${at.origin}/console/#/flows/closed?node=a`)
    await signIn(next)
    await ready(next)
    // the first tab is open: its work is its own
    expect(await next.getByText('A tab was closed').count()).toBe(0)
    await page.close()
    await next.reload()
    await next.getByText('with work that was not saved').waitFor()
    expect(await faultsOf(next)).toEqual([])
    await next.getByRole('button', { name: 'Take it up' }).click()
    await expect.poll(() => settingsOf('closed', 'a')).toEqual({ interval: 7 })
    await next.reload()
    await ready(next)
    await next.getByText('Saved', { exact: true }).waitFor()
    expect(await next.getByText('A tab was closed').count()).toBe(0)
    expect(complaints).toEqual([])
  })

  test('who leaves or reloads the page at once loses nothing', async () => {
    await save('left', { nodes: [{ id: 'a', type: 'inject', ports: [{ direction: 'output', name: 'x' }] }] })
    await using opened = await open('left', '?node=a')
    const { page, complaints } = opened
    await page.getByLabel('Interval').fill('4')
    await page.getByRole('link', { name: 'Home', exact: true }).click()
    await expect.poll(() => settingsOf('left', 'a')).toEqual({ interval: 4 })
    await page.goBack()
    // whoever types sooner types into what is still to come
    await expect.poll(() => page.getByLabel('Interval').inputValue()).toBe('4')
    await page.getByLabel('Interval').fill('6')
    await page.reload()
    await expect.poll(() => settingsOf('left', 'a')).toEqual({ interval: 6 })
    expect(await page.getByLabel('Interval').inputValue()).toBe('6')
    // a browser whose database is too slow to take the last edit before the page is gone
    await page.evaluate(`IDBObjectStore.prototype.put = function () {
      const again = () => void (this.count().onsuccess = again)
      again()
      return this.count()
    }`)
    await page.getByLabel('Interval').fill('8')
    await page.reload()
    await expect.poll(() => settingsOf('left', 'a')).toEqual({ interval: 8 })
    expect(await page.evaluate('Object.keys(localStorage).filter((key) => key.includes("work"))')).toEqual([])
    expect(complaints).toEqual([])
  })

  test('what is typed on coming back is newer than the work that the tab had logged before', async () => {
    await save('back', { nodes: [{ id: 'a', type: 'inject', ports: [{ direction: 'output', name: 'x' }] }] })
    await using opened = await open('back', '?node=a')
    const { page, complaints } = opened
    // the save is not answered before the end
    const { promise: answered, resolve: answer } = Promise.withResolvers<void>()
    await page.route('**/api/v1/flows/back', async (route) => {
      if (route.request().method() !== 'PUT') return route.continue()
      const saved = await route.fetch()
      await answered
      await route.fulfill({ response: saved })
    })
    await page.getByLabel('Interval').fill('4')
    await page.getByRole('link', { name: 'Home', exact: true }).click()
    await expect.poll(() => settingsOf('back', 'a')).toEqual({ interval: 4 })
    // and the browser's database takes its time
    await page.evaluate(`{
      const { getAll } = IDBIndex.prototype
      window.read = new Promise((resolve) => {
        IDBIndex.prototype.getAll = function (...of) {
          const again = (left) => left > 0 && (this.count().onsuccess = () => again(left - 1))
          again(3000)
          this.objectStore.transaction.addEventListener('complete', resolve)
          return getAll.apply(this, of)
        }
      })
      undefined
    }`)
    await page.goBack()
    await page.getByLabel('Interval').fill('6')
    await page.evaluate('window.read')
    expect(await page.getByLabel('Interval').inputValue()).toBe('6')
    answer()
    await page.unrouteAll({ behavior: 'wait' })
    await expect.poll(() => settingsOf('back', 'a')).toEqual({ interval: 6 })
    expect(complaints).toEqual([])
  })

  test('wires by mouse, cut and undone; nodes dragged in, copied and pasted', async () => {
    await save('mouse', {
      nodes: [
        { id: 'a', type: 'inject', ports: [{ direction: 'output', name: 'x' }] },
        {
          id: 'b',
          type: 'change',
          ports: [
            { direction: 'input', name: 'in' },
            { direction: 'output', name: 'y' },
          ],
        },
      ],
      layout: { nodes: { a: { x: 0, y: 0 }, b: { x: 320, y: 0 } } },
    })
    await using opened = await open('mouse')
    const { page, complaints } = opened
    const handle = (node: string, port: string) =>
      page.locator(`.react-flow__node[data-id="${node}"] .react-flow__handle[data-handleid="${port}"]`)
    await handle('a', 'x').dragTo(handle('b', 'in'))
    const wire = page.locator('.react-flow__edge')
    await wire.waitFor({ state: 'attached' })
    await expect.poll(async () => (await stored('mouse')).nodes[1]?.ports[0]).toMatchObject({ name: 'x', port: 'in' })
    await wire.focus()
    await page.keyboard.press('Delete')
    await wire.waitFor({ state: 'detached' })
    await page.keyboard.press('Control+z')
    await wire.waitFor({ state: 'attached' })
    // a drop on the canvas
    await page.getByRole('button', { name: 'Node', exact: true }).click()
    await page.getByRole('option', { name: /^Join/ }).dragTo(page.locator('.react-flow__pane'), {
      targetPosition: { x: 300, y: 500 },
    })
    await page.locator('.react-flow__node[data-id="join"]').waitFor()
    await page.locator('.react-flow__node[data-id="a"]').click()
    await page.locator('.react-flow__node[data-id="b"]').click({ modifiers: ['Control'] })
    await page.evaluate(`(() => {
      const given = { clipboardData: new DataTransfer(), bubbles: true }
      for (const what of ['copy', 'paste']) document.dispatchEvent(new ClipboardEvent(what, given))
    })()`)
    await page.locator('.react-flow__node[data-id="b_2"]').waitFor()
    await expect
      .poll(async () => (await stored('mouse')).nodes.map(({ id, ports }) => [id, ...ports.map(({ name }) => name)]))
      .toEqual([
        ['a', 'x'],
        ['b', 'x', 'y'],
        ['join', 'input', 'output'],
        ['a_2', 'x_2'],
        ['b_2', 'x_2', 'y_2'],
      ])
    await page.keyboard.press('Delete')
    await page.locator('.react-flow__node[data-id="b_2"]').waitFor({ state: 'detached' })
    expect(await page.locator('.react-flow__node').count()).toBe(3)
    expect(complaints).toEqual([])
  })

  test('settings are checked where they are typed, and a credential is shown nowhere', async () => {
    await at.send('PUT', '/secrets/hook-key', { value: 'the stored value' })
    await save('secret', {
      nodes: [
        {
          id: 'hook',
          type: 'http',
          settings: { url: 'temp', secret: 'plain-in-the-flow' },
          ports: [{ direction: 'output', name: 'temp' }],
        },
        {
          id: 'sw',
          type: 'switch',
          settings: { rules: [] },
          ports: [
            { direction: 'input', name: 'temp' },
            { direction: 'output', name: 'hot' },
          ],
        },
      ],
    })
    await using opened = await open('secret', '?node=hook')
    const { page, complaints } = opened
    const secret = page.getByLabel(/^Secret/)
    expect(await secret.locator('option:checked').textContent()).toBe('A text in the flow itself, not shown')
    await page.getByRole('button', { name: 'Watch' }).click()
    await page.getByRole('cell', { name: 'a text that is not shown' }).waitFor()
    expect(await page.content()).not.toContain('plain-in-the-flow')
    await page.getByRole('button', { name: 'Edit', exact: true }).click()
    await secret.selectOption('hook-key')
    await page
      .getByLabel(/^Timeout/)
      .first()
      .fill('-1')
    await page.getByText('More than 0.').waitFor()
    await page
      .getByLabel(/^Timeout/)
      .first()
      .fill('12')
    await expect
      .poll(() => settingsOf('secret', 'hook'))
      .toEqual({ url: 'temp', secret: { $secret: 'hook-key' }, timeout: 12 })
    await page.keyboard.press('Control+Enter')
    await page.getByRole('dialog').getByRole('button', { name: 'Not yet' }).click()
    await page.locator('.react-flow__node[data-id="sw"]').click()
    await page.getByRole('button', { name: 'Add rule' }).click()
    // the engine finds it, and it stands at the field
    await page
      .getByLabel(/^Operator/)
      .locator('xpath=../p[@class="fault"]')
      .waitFor()
    await page.getByLabel(/^Operator/).selectOption({ label: 'gt' })
    await page.getByLabel(/^Value/).fill('28')
    await page
      .getByRole('region', { name: 'Settings' })
      .getByLabel(/^Output/)
      .fill('hot')
    await expect
      .poll(() => settingsOf('secret', 'sw'))
      .toEqual({ rules: [{ operator: 'gt', value: 28, output: 'hot' }] })
    const html = await page.content()
    for (const value of ['plain-in-the-flow', 'the stored value']) expect(html).not.toContain(value)
    expect(page.url()).not.toContain('plain')
    expect(complaints).toEqual([])
  })

  test('publishing shows what changes: settings, lines of code, who reads it; and versions lead back', async () => {
    const python = (source: string, scale: number) => ({
      nodes: [
        {
          id: 'p',
          type: 'python',
          source,
          ports: [
            { direction: 'input', name: 'n' },
            { direction: 'output', name: 'out' },
          ],
        },
        {
          id: 'c',
          type: 'change',
          settings: { scale },
          ports: [
            { direction: 'input', name: 'out' },
            { direction: 'output', name: 'far' },
          ],
        },
      ],
    })
    await save('pub', python('def run(n):\n    return {"out": n}\n', 1))
    await publish('pub')
    await save('reader', {
      nodes: [
        {
          id: 'r',
          type: 'change',
          ports: [
            { direction: 'input', name: 'pub.far' },
            { direction: 'output', name: 'z' },
          ],
        },
      ],
    })
    await publish('reader')
    const { version } = await stored('pub')
    await save('pub', { ...python('def run(n):\n    return {"out": 2 * n}\n', 3), version })
    await using opened = await open('pub')
    const { page, complaints } = opened
    await page.keyboard.press('Control+Enter')
    const dialog = page.getByRole('dialog')
    await dialog.getByText('0 nodes added, 2 nodes changed, 0 nodes removed.').waitFor()
    expect(await dialog.getByRole('row', { name: /settings · scale/ }).textContent()).toBe('settings · scale13')
    expect(await dialog.getByRole('region', { name: 'Code of p' }).locator('.added code').textContent()).toContain(
      '2 * n',
    )
    expect(await dialog.getByRole('region', { name: 'Readers' }).textContent()).toContain('reader reads pub.far')
    expect(await faultsOf(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Publish' }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Versions' }).click()
    const rows = dialog.getByRole('region', { name: 'Versions' }).getByRole('row')
    expect(await rows.nth(1).textContent()).toContain('root@example.org')
    await dialog.getByRole('button', { name: 'Restore version 1' }).click()
    await page
      .getByRole('dialog', { name: /Make version 1/ })
      .getByRole('button', { name: 'Restore' })
      .click()
    await expect.poll(() => settingsOf('pub', 'c')).toEqual({ scale: 1 })
    await dialog.getByRole('button', { name: 'Close' }).last().click()
    await page.keyboard.press('Control+z')
    await expect.poll(() => settingsOf('pub', 'c')).toEqual({ scale: 3 })
    expect(complaints).toEqual([])
  })

  test('who publishes while a flow is paused is told of what it holds', async () => {
    await save('waits', {
      inputs: [{ name: 'n', initial: null }],
      nodes: [
        {
          id: 'c',
          type: 'change',
          settings: { scale: 2 },
          ports: [
            { direction: 'input', name: 'n' },
            { direction: 'output', name: 'out' },
          ],
        },
      ],
    })
    await publish('waits')
    await at.client.flows.start('waits')
    await at.client.flows.pause('waits')
    await at.send('POST', '/messages/waits.n', { value: 1 })
    await at.send('POST', '/messages/waits.n', { value: 2 })
    const now = await stored('waits')
    await save('waits', { ...now, nodes: now.nodes.map((node) => ({ ...node, settings: { scale: 3 } })) })
    await using opened = await open('waits')
    const { page, complaints } = opened
    await page.keyboard.press('Control+Enter')
    const dialog = page.getByRole('dialog')
    await dialog.getByText('2 deliveries wait while the flow is paused').waitFor()
    await dialog.getByRole('button', { name: 'Publish' }).click()
    await dialog.waitFor({ state: 'detached' })
    await at.client.flows.resume('waits')
    await expect
      .poll(async () => (await at.client.http.messages.list()).find(({ name }) => name === 'waits.out')?.value)
      .toBe(6)
    expect(complaints).toEqual([])
  })

  test("code is shared in the library, changed for all its users, and made a node's own again", async () => {
    const ports = (out: string) => [
      { direction: 'input', name: 'n' },
      { direction: 'output', name: out, port: 'out' },
    ]
    await save('lib', {
      inputs: [{ name: 'n', initial: 1 }],
      nodes: [{ id: 'double', type: 'python', source: 'def run(n):\n    return {"out": 2 * n}\n', ports: ports('a') }],
    })
    await using opened = await open('lib', '?node=double')
    const { page, complaints } = opened
    await page.getByRole('button', { name: 'Share it in the library' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Share' }).click()
    await page.getByText('"double" is in the library now.').waitFor()
    const shared = page.getByRole('textbox', { name: 'Shared code double' })
    await page.getByText('Shared as "double" by 1 node').waitFor()
    // another flow uses it, from the palette
    await save('other', { nodes: [] })
    await using beside = await open('other')
    await beside.page.keyboard.press('a')
    await beside.page.getByRole('option', { name: /double/ }).click()
    await expect.poll(async () => (await stored('other')).nodes[0]?.library).toBe('double')
    await page.reload()
    await page.getByText('Shared as "double" by 2 nodes').waitFor()
    await shared.click()
    await page.keyboard.press('Control+End')
    await page.keyboard.type('# for all')
    await page.getByRole('button', { name: 'Change for all 2 users' }).click()
    await page.getByText('"double" is changed for all its users.').waitFor()
    expect(await libraryCode('double')).toContain('# for all')
    await page.getByRole('button', { name: 'Make it its own' }).click()
    await page.getByRole('textbox', { name: 'Code of double' }).waitFor()
    await expect
      .poll(async () => (await stored('lib')).nodes[0])
      .toMatchObject({ library: null, source: expect.stringContaining('# for all') as string })
    expect(complaints).toEqual([])
    expect(beside.complaints).toEqual([])
  })

  test('a flow goes out and comes in as JSON, and the draft can be let go', async () => {
    await save('files', {
      title: 'Files',
      nodes: [{ id: 'a', type: 'inject', ports: [{ direction: 'output', name: 'x' }] }],
    })
    await publish('files')
    await using opened = await open('files')
    const { page, complaints } = opened
    const more = async (name: string): Promise<void> => {
      await page.getByRole('button', { name: 'More' }).click()
      await page.getByRole('button', { name }).click()
    }
    const download = page.waitForEvent('download')
    await more('Export JSON')
    expect((await download).suggestedFilename()).toBe('files.json')
    const file = (text: string) => ({ name: 'in.json', mimeType: 'application/json', buffer: Buffer.from(text) })
    await page.getByLabel('File to import').setInputFiles(file('{"x": 1}'))
    await page.getByText('"in.json" is no flow').waitFor()
    await page.getByLabel('File to import').setInputFiles(
      file(
        JSON.stringify({
          title: hostile,
          nodes: [{ id: 'z', type: 'inject', title: hostile, ports: [{ direction: 'output', name: 'q' }] }],
        }),
      ),
    )
    await page.getByRole('button', { name: 'Import', exact: true }).click()
    await page.locator('.react-flow__node[data-id="z"]').waitFor()
    expect((await stored('files')).nodes.map(({ id }) => id)).toEqual(['z'])
    await more('Discard draft')
    await page.getByRole('dialog').getByRole('button', { name: 'Discard' }).click()
    await page.locator('.react-flow__node[data-id="a"]').waitFor()
    expect((await stored('files')).has_draft).toBe(false)
    await page.keyboard.press('Control+z')
    await page.locator('.react-flow__node[data-id="z"]').waitFor()
    expect(complaints).toEqual([])
  })

  test('the draft is run once, apart from the flow', async () => {
    await save('once', {
      inputs: [{ name: 'n', dtype: 'float', initial: 1 }],
      nodes: [
        {
          id: 'c',
          type: 'change',
          settings: { scale: 10 },
          ports: [
            { direction: 'input', name: 'n', dtype: 'float' },
            { direction: 'output', name: 'm', dtype: 'float' },
          ],
        },
      ],
    })
    await using opened = await open('once')
    const { page, complaints } = opened
    await page.getByRole('button', { name: 'More' }).click()
    await page.getByRole('button', { name: 'Run once' }).click()
    await page.getByRole('dialog').getByLabel('n float').fill('4.5')
    await page.getByRole('dialog').getByRole('button', { name: 'Run once' }).click()
    await page.getByRole('region', { name: 'Result' }).getByText('once.m: 45').waitFor()
    expect(complaints).toEqual([])
  })

  test('code: superusers write it with the ports at hand, others read it', async () => {
    await save('code', {
      nodes: [
        {
          id: 'p',
          type: 'python',
          source: 'def run(temperature):\n    return {}\n',
          ports: [
            { direction: 'input', name: 'temperature' },
            { direction: 'output', name: 'out' },
          ],
        },
      ],
    })
    await using opened = await open('code', '?node=p')
    const { page, complaints } = opened
    const editor = page.getByRole('textbox', { name: 'Code of p' })
    await editor.click()
    await page.keyboard.press('Control+End')
    await page.keyboard.type('gr = temper')
    await page.getByRole('option', { name: 'temperature' }).click()
    await expect
      .poll(async () => (await stored('code')).nodes[0]?.source)
      .toBe('def run(temperature):\n    return {}\ngr = temperature')
    expect(new URL(page.url()).hash).toContain('flows/code')
    expect(await faultsOf(page)).toEqual([])
    expect(complaints).toEqual([])
    const password = 'a password of ann'
    await at.client.users.create({ email: 'ann@example.org', password })
    await using hers = await openConsole(browser, at.origin, '#/flows/code?node=p')
    await hers.page.getByLabel('E-mail').fill('ann@example.org')
    await hers.page.getByLabel('Password').fill(password)
    await hers.page.getByRole('button', { name: 'Sign in' }).click()
    await hers.page.getByText('Only superusers change code.').waitFor()
    await hers.page.getByRole('textbox', { name: 'Code of p' }).click()
    await hers.page.keyboard.type('x')
    expect(await hers.page.getByRole('textbox', { name: 'Code of p' }).textContent()).not.toContain('x')
    await hers.page.getByRole('button', { name: 'Node', exact: true }).click()
    const python = hers.page.getByRole('option', { name: /^Function \(Python\)/ })
    expect(await python.getAttribute('aria-disabled')).toBe('true')
    await hers.page.getByLabel('Title').fill('Hers')
    await expect.poll(async () => (await stored('code')).nodes[0]?.title).toBe('Hers')
    expect(hers.complaints).toEqual([])
  })

  test.each([
    { theme: 'light', width: 1440 },
    { theme: 'dark', width: 1440 },
    { theme: 'light', width: 1024 },
    { theme: 'light', width: 390 },
  ] as const)('nothing is in the way of anybody, nor is a name HTML: $theme, $width px', async ({ theme, width }) => {
    const name = `odd${theme}${width}`
    await save(name, {
      title: hostile,
      description: hostile,
      inputs: [{ name: 'n', title: hostile, initial: hostile }],
      nodes: [
        {
          id: 'p',
          type: 'python',
          title: hostile,
          settings: { [hostile]: hostile },
          source: `def run(value):\n    return {"a": "${hostile}"}\n`,
          ports: [
            { direction: 'input', name: 'n', port: hostile },
            { direction: 'output', name: 'a' },
          ],
        },
      ],
    })
    await using opened = await open(name, '?node=p', { theme, width })
    const { page, complaints } = opened
    // all of it at full width, the longest page on a phone
    const look = async (isLong = false): Promise<void> => {
      if (width === 1440 || (width === 390 && isLong)) expect(await faultsOf(page)).toEqual([])
      expect(await overlapOf(page)).toBe(0)
    }
    await page.getByRole('textbox', { name: 'Code of p' }).waitFor()
    await look(true)
    await page.keyboard.press('a')
    await page.getByRole('option').first().waitFor()
    await look()
    await page.keyboard.press('Escape')
    await page.keyboard.press('Control+Enter')
    await page.getByRole('dialog').getByText('It was never published before.').waitFor()
    await look()
    await page.getByRole('button', { name: 'Not yet' }).click()
    await page.evaluate(
      'history.replaceState(null, "", location.hash.split("?")[0]); dispatchEvent(new HashChangeEvent("hashchange"))',
    )
    await page.getByRole('heading', { name: 'The flow' }).waitFor()
    await look()
    expect(complaints).toEqual([])
  })
})
