/** The elements of the console in pages of others, and the console itself where a host has mounted the engine. */
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { createService } from '@flow-service/api-server'
import { createClient } from '@flow-service/client-sdk'
import express from 'express'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { hasChromium, patient, startChromium } from './components/chromium.ts'
import { account, faultsOf, openConsole, signIn } from './components/console-page.ts'
import { freePort } from './components/free-port.ts'
import { elementsFile, type HostPage, startHostPage } from './components/host-page.ts'
import { alarmFlow, publishFlow, scaleFlow } from './documents.ts'
import { startService, type TestService } from './service.ts'

const hostile = '<img src=x onerror=alert(1)>"&amp;'
const scopes = ['flows:read', 'runs:read', 'messages:read'] as const
/** A soak keeps a page open for ten minutes. */
const VALUES = process.env['SOAK'] ? 6000 : 200
const PACE_MS = process.env['SOAK'] ? 100 : 0
const SOAK_TIMEOUT_MS = 1_200_000

const hotFlow = {
  ...alarmFlow,
  title: hostile,
  nodes: alarmFlow.nodes.map((node) => (node.id === 'route' ? { ...node, title: hostile } : node)),
}
/** A flow of one node that reads messages of others. */
const readerOf = (...messages: string[]) => ({
  mode: 'live',
  nodes: [
    {
      id: 'twice',
      type: 'change',
      settings: { scale: 2 },
      ports: [
        ...messages.map((name) => ({ direction: 'input', name, dtype: 'float' })),
        ...messages.map((_, index) => ({ direction: 'output', name: `doubled${index}`, dtype: 'float' })),
      ],
    },
  ],
})

const hook = (at: TestService, temp: number) =>
  fetch(`${at.baseUrl}/hooks/alarm/temp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ temp }),
  })

/** A page with everything that it asked for and complained about. */
async function visit(browser: Browser, host: HostPage, colorScheme: 'light' | 'dark' = 'light') {
  const context = patient(await browser.newContext({ colorScheme, viewport: { width: 1024, height: 800 } }))
  const page = await context.newPage()
  const complaints: string[] = []
  const urls: string[] = []
  page.on('pageerror', ({ message }) => complaints.push(message))
  page.on('dialog', (dialog) => void dialog.dismiss().then(() => complaints.push(dialog.message())))
  page.on('console', (message) => {
    if (message.type() === 'error' && !/Failed to load resource|WebSocket connection/.test(message.text()))
      complaints.push(message.text())
  })
  page.on('request', (request) => urls.push(request.url()))
  page.on('websocket', (socket) => urls.push(socket.url()))
  await page.goto(host.origin)
  const add = (
    name: string,
    attributes: Readonly<Record<string, string>>,
    token = "() => fetch('/token').then((answer) => answer.text())",
  ) => page.evaluate(`void add(${JSON.stringify(name)}, ${JSON.stringify(attributes)}, ${token})`)
  return { page, complaints, urls, add, [Symbol.asyncDispose]: () => context.close() }
}

const told = (page: Page): Promise<[string, Record<string, unknown>][]> => page.evaluate('told')

/** A tracked run, and what puts points behind its curve. */
async function track(at: TestService, params: object = {}) {
  const run = await at.send('POST', '/runs/track', { flow: 'fit', params })
  const id = String(run.body?.['id'])
  let seq = 0
  return {
    id,
    async points(...values: readonly (readonly [step: number, value: number])[]) {
      seq += 1
      const answer = await at.send('POST', `/runs/${id}/track`, {
        seq,
        metrics: [{ name: 'loss', steps: values.map(([step]) => step), values: values.map(([, value]) => value) }],
      })
      expect(answer.status).toBe(200)
    },
  }
}

describe.skipIf(!hasChromium())('the elements', () => {
  let at: TestService
  let host: HostPage
  let browser: Browser
  beforeAll(async () => {
    host = await startHostPage()
    at = await startService({ ...account, corsOrigins: [host.origin] })
    host.connect = [at.origin, at.origin.replace('http', 'ws')]
    host.token = (await at.client.keys.create({ name: 'page', scopes: [...scopes] })).key
    browser = await startChromium()
    await publishFlow(at.client, 'alarm', hotFlow)
    await publishFlow(at.client, 'twice', readerOf('alarm.hot'))
    await at.client.flows.start('alarm')
    await at.client.flows.start('twice')
  })
  afterAll(async () => {
    await browser.close()
    await at[Symbol.asyncDispose]()
    await host[Symbol.asyncDispose]()
  })

  test('a page of another origin, whose policy is strict, shows a live flow and its values as they come', async () => {
    await using visited = await visit(browser, host)
    const { page, complaints, urls, add } = visited
    await add('flow-graph', { src: at.baseUrl, flow: 'alarm' })
    const graph = page.getByRole('group', { name: `The flow ${hostile}` })
    await graph.waitFor()
    await hook(at, 31)
    await expect.poll(() => graph.locator('.wire-value').allTextContents()).toEqual(['31', '31'])
    await hook(at, 29.5)
    await expect.poll(() => graph.locator('.wire-value').allTextContents()).toEqual(['29.5', '29.5'])
    // by keys
    await graph.getByRole('button', { name: /^idle <img/ }).focus()
    await page.keyboard.press('Enter')
    expect(await told(page)).toEqual([['node-select', { flow: 'alarm', node: 'route' }]])
    expect(await faultsOf(page)).toEqual([])
    expect(complaints).toEqual([])
    expect(urls.some((url) => url.startsWith('ws:'))).toBe(true)
    expect(urls.join()).not.toContain(host.token)
    expect(await page.evaluate("document.querySelector('flow-graph').outerHTML")).not.toContain('token')
  })

  test('what a flow reads of another one comes from there, and new nodes are there when it is published', async () => {
    await using visited = await visit(browser, host)
    const { page, add } = visited
    await add('flow-graph', { src: at.baseUrl, flow: 'twice' })
    await page.getByRole('button', { name: 'another flow' }).waitFor()
    await hook(at, 40)
    await expect.poll(() => page.locator('.wire-value').allTextContents()).toEqual(expect.arrayContaining(['40', '80']))
    // a draft is read as well, and is no reason to stop there
    const read = page.waitForResponse((answer) => answer.url().includes('/flows/twice?published'))
    const draft = await at.send('PUT', '/flows/twice', { ...readerOf('alarm.hot', 'alarm.temp'), version: 1 })
    await read
    expect((await at.send('POST', '/flows/twice/publish', { version: draft.body?.['version'] })).status).toBe(200)
    await expect.poll(() => page.locator('.wire-name').allTextContents()).toContain('alarm.temp')
    await page.evaluate("document.querySelector('flow-graph').setAttribute('values', 'off')")
    await expect.poll(() => page.locator('.wire-value').count()).toBe(0)
    await page.evaluate("document.querySelector('flow-graph').setAttribute('flow', 'alarm')")
    await page.getByRole('group', { name: `The flow ${hostile}` }).waitFor()
  })

  test('curves of runs grow while they execute, and a point of one is told of', async () => {
    await using visited = await visit(browser, host, 'dark')
    const { page, complaints, add } = visited
    const [one, two] = [await track(at, { lr: 0.1, name: hostile }), await track(at, { lr: 0.2, name: 'two' })]
    await one.points([0, 0.5], [1, 0.5])
    await two.points([0, 0.25], [1, 0.75])
    const attributes = {
      src: at.baseUrl,
      runs: `${one.id},${two.id}`,
      metric: 'loss',
      live: '',
      smoothing: '0.5',
      log: 'y',
    }
    await add('run-chart', attributes)
    const last = (name: string) => page.getByRole('row', { name }).getByRole('cell').last().textContent()
    await expect.poll(() => last('lr 0.1')).toBe('0.5')
    for (let step = 2; step < 40; step += 1) await one.points([step, 0.5])
    await one.points([40, 0.625])
    await expect.poll(() => last('lr 0.1')).toBe('0.625')
    expect(await last('lr 0.2')).toBe('0.75')
    await page.evaluate("document.querySelector('run-chart').removeAttribute('smoothing')")
    await page.evaluate(`document.querySelector('run-chart').setAttribute('runs', '${one.id}')`)
    await page.getByRole('row').nth(2).waitFor({ state: 'detached' })
    const box = await page.locator('run-chart canvas').boundingBox()
    // a level curve lies at the foot of the picture
    await page.mouse.move((box?.x ?? 0) + (box?.width ?? 0) / 2, (box?.y ?? 0) + (box?.height ?? 0) / 2)
    const tip = page.locator('.chart-tip')
    for (let y = 0; y < (box?.height ?? 0) && (await tip.count()) === 0; y += 8)
      await page.mouse.move((box?.x ?? 0) + (box?.width ?? 0) / 2, (box?.y ?? 0) + y)
    await page.mouse.down()
    await page.mouse.up()
    const [, detail] = (await told(page)).at(-1) ?? []
    expect(detail).toMatchObject({ run: one.id, metric: 'loss', y: 0.5 })
    expect(await faultsOf(page)).toEqual([])
    expect(complaints).toEqual([])
  })

  test('a wrong token, a wrong address and what is not there are told to the page, once, and nothing goes on in vain', async () => {
    await using visited = await visit(browser, host)
    const { page, urls, add } = visited
    await add('flow-graph', { src: at.baseUrl, flow: 'alarm' }, "'no token'")
    await expect.poll(() => told(page)).toEqual([['service-error', expect.objectContaining({ status: 401 })]])
    await page.getByRole('status').waitFor()
    expect(urls.filter((url) => url.startsWith('ws:'))).toEqual([])
    expect(await page.evaluate("document.querySelector('flow-graph').shadowRoot.innerHTML")).not.toContain('no token')
    await page.evaluate(`document.querySelector('flow-graph').token = ${JSON.stringify(host.token)}`)
    await page.getByRole('group', { name: /^The flow/ }).waitFor()
    await page.evaluate("document.querySelector('flow-graph').setAttribute('flow', 'nothing')")
    await expect.poll(() => told(page)).toContainEqual(['service-error', expect.objectContaining({ status: 404 })])
    await page.evaluate("document.querySelector('flow-graph').setAttribute('src', '/nowhere')")
    await expect.poll(() => page.getByRole('status').textContent()).toMatch('is no engine.')
    await page.evaluate("document.querySelector('flow-graph').removeAttribute('src')")
    await page.getByText('Set the attribute "src".').waitFor()
    // of a key that may not read flows
    const { key } = await at.client.keys.create({ name: 'runs-alone', scopes: ['runs:read'] })
    await add('flow-graph', { src: at.baseUrl, flow: 'alarm' }, JSON.stringify(key))
    await expect.poll(() => told(page)).toContainEqual(['service-error', expect.objectContaining({ status: 403 })])
  })

  test('a function is asked for a token again when the last one does not count any more', async () => {
    await using visited = await visit(browser, host)
    const { page, add } = visited
    await add(
      'flow-graph',
      { src: at.baseUrl, flow: 'alarm' },
      `async () => (globalThis.asked = (globalThis.asked ?? 0) + 1) === 1 ? 'old' : ${JSON.stringify(host.token)}`,
    )
    await page.getByRole('group', { name: /^The flow/ }).waitFor()
    expect(await page.evaluate('asked')).toBe(2)
    expect(await told(page)).toEqual([])
  })

  test('an engine that goes and comes back is told of, and the values go on', async () => {
    const port = await freePort()
    const first = await startService({ ...account, port, corsOrigins: [host.origin] })
    await using other = await startHostPage()
    other.connect = [first.origin, first.origin.replace('http', 'ws')]
    const open = { ...account, port, corsOrigins: [other.origin], dataDir: first.dataDir }
    await first.close()
    const second = await startService(open)
    other.token = (await second.client.keys.create({ name: 'page', scopes: [...scopes] })).key
    await publishFlow(second.client, 'alarm', alarmFlow)
    await second.client.flows.start('alarm')
    await using visited = await visit(browser, other)
    const { page, add } = visited
    await add('flow-graph', { src: second.baseUrl, flow: 'alarm' })
    await hook(second, 30)
    await expect.poll(() => page.locator('.wire-value').allTextContents()).toEqual(['30', '30'])
    await second.close()
    await page.getByRole('status').getByText('Trying again.').waitFor()
    const third = await startService(open)
    await page.getByRole('status').waitFor({ state: 'detached', timeout: 60_000 })
    await hook(third, 35)
    await expect.poll(() => page.locator('.wire-value').allTextContents()).toEqual(['35', '35'])
    expect((await told(page)).length).toBeGreaterThan(0)
    await third[Symbol.asyncDispose]()
  })

  test('removed and added a hundred times, they leave no socket, no element and no memory behind', async () => {
    await using visited = await visit(browser, host)
    const { page, complaints } = visited
    const run = await track(at)
    await run.points([0, 1], [1, 2])
    const devtools = await page.context().newCDPSession(page)
    await devtools.send('Network.enable')
    let [opened, closed] = [0, 0]
    devtools.on('Network.webSocketCreated', () => (opened += 1))
    devtools.on('Network.webSocketClosed', () => (closed += 1))
    const cycles = (count: number) =>
      page.evaluate(`(async () => {
        const token = ${JSON.stringify(host.token)}
        const until = async (what) => { while (!what()) await new Promise((resolve) => setTimeout(resolve, 5)) }
        for (let at = 0; at < ${count}; at += 1) {
          const graph = add('flow-graph', { src: '${at.baseUrl}', flow: 'alarm' }, token)
          const chart = add('run-chart', { src: '${at.baseUrl}', runs: '${run.id}', metric: 'loss', live: '' }, token)
          // every other time in the middle of whatever it does
          if (at % 2 === 0) await until(() => graph.shadowRoot.querySelector('.wire-value')?.textContent && chart.shadowRoot.querySelector('canvas'))
          graph.remove()
          chart.remove()
        }
        told.length = 0
      })()`)
    /** What is alive of a class, once everything that can go has gone. */
    const alive = async (name: string): Promise<number> => {
      const { result } = await devtools.send('Runtime.evaluate', { expression: `${name}.prototype` })
      const { objects } = await devtools.send('Runtime.queryObjects', { prototypeObjectId: result.objectId ?? '' })
      const counted = await devtools.send('Runtime.callFunctionOn', {
        objectId: objects.objectId ?? '',
        functionDeclaration: 'function () { return this.length }',
        returnByValue: true,
      })
      await devtools.send('Runtime.releaseObject', { objectId: objects.objectId ?? '' })
      return Number(counted.result.value)
    }
    const heap = async (): Promise<number> => {
      await devtools.send('HeapProfiler.collectGarbage')
      return (await devtools.send('Runtime.getHeapUsage')).usedSize
    }
    await cycles(20)
    const before = await heap()
    await cycles(100)
    await expect.poll(() => opened - closed).toBe(0)
    expect(opened).toBeGreaterThanOrEqual(60)
    for (const name of [
      'WebSocket',
      'HTMLCanvasElement',
      "customElements.get('flow-graph')",
      "customElements.get('run-chart')",
    ])
      await expect.poll(() => alive(name), { message: name }).toBe(0)
    // those of one graph at most, which the browser or the library looks at last
    expect(await alive('SVGElement')).toBeLessThan(20)
    const more = (await heap()) - before
    console.log(`after 100 more times the heap of the page is ${(more / 1024).toFixed(0)} kB larger`)
    expect(more).toBeLessThan(512 * 1024)
    expect(complaints).toEqual([])
  })

  test(
    'a page that stays open shows the newest value, and its memory does not grow',
    { timeout: process.env['SOAK'] ? SOAK_TIMEOUT_MS : 60_000 },
    async () => {
      await using visited = await visit(browser, host)
      const { page, complaints, add } = visited
      const run = await track(at)
      await run.points([0, 0])
      await add('flow-graph', { src: at.baseUrl, flow: 'alarm' })
      await add('run-chart', { src: at.baseUrl, runs: run.id, metric: 'loss', live: '' })
      const devtools = await page.context().newCDPSession(page)
      const heap = async (): Promise<number> => {
        await devtools.send('HeapProfiler.collectGarbage')
        return (await devtools.send('Runtime.getHeapUsage')).usedSize
      }
      const [value, last] = [page.locator('.wire-value').first(), page.getByRole('row').last().getByRole('cell').last()]
      // what the test itself puts into the page is there before it is measured
      await last.waitFor()
      await value.waitFor({ state: 'attached' })
      let early = 0
      for (let count = 1; count <= VALUES; count += 1) {
        await hook(at, 100 + count)
        await run.points([count, count])
        if (count === VALUES / 2) early = await heap()
        await new Promise((resolve) => setTimeout(resolve, PACE_MS))
      }
      await expect.poll(() => value.textContent()).toBe((100 + VALUES).toLocaleString('en'))
      await expect.poll(() => last.textContent()).toBe(VALUES.toLocaleString('en'))
      const late = await heap()
      console.log(
        `the heap is ${(early / 1024).toFixed(0)} kB after half of ${VALUES} values, ${(late / 1024).toFixed(0)} kB at the end`,
      )
      expect(late).toBeLessThan(early * 1.1 + 256 * 1024)
      expect(await told(page)).toEqual([])
      expect(complaints).toEqual([])
    },
  )

  test.each(['light', 'dark'] as const)(
    'a page in %s colours has them in these colours, unless it says otherwise',
    async (scheme) => {
      await using visited = await visit(browser, host, scheme)
      const { page, add } = visited
      await add('flow-graph', { src: at.baseUrl, flow: 'alarm' })
      const theme = () => page.locator('.flow-service').getAttribute('data-theme')
      await expect.poll(theme).toBe(scheme)
      expect(await faultsOf(page)).toEqual([])
      const other = scheme === 'light' ? 'dark' : 'light'
      await page.emulateMedia({ colorScheme: other })
      await expect.poll(theme).toBe(other)
      await page.evaluate(`document.querySelector('flow-graph').setAttribute('theme', '${scheme}')`)
      await expect.poll(theme).toBe(scheme)
      await page.evaluate("document.querySelector('flow-graph').removeAttribute('theme')")
      await page.evaluate("document.documentElement.style.colorScheme = 'dark'")
      await expect.poll(theme).toBe('dark')
    },
  )

  test('Home draws which flows read messages of which, and a node leads to its flow', async () => {
    await using opened = await openConsole(browser, at.origin)
    const { page, complaints } = opened
    await signIn(page)
    const graph = page.getByRole('region', { name: 'What reads what' })
    await graph.locator('.wire-name', { hasText: 'hot' }).waitFor()
    expect(await graph.getByRole('listitem').count()).toBe(2)
    await graph.getByRole('button', { name: /^active twice/ }).focus()
    await page.keyboard.press('Enter')
    expect(new URL(page.url()).hash).toBe('#/flows/twice')
    expect(complaints).toEqual([])
  })
})

test('a server that renders pages can import the elements: there it does nothing', async () => {
  const { FlowGraphElement } = (await import(elementsFile.href)) as {
    FlowGraphElement: { observedAttributes: string[] }
  }
  expect(FlowGraphElement.observedAttributes).toEqual(['src', 'flow', 'values', 'theme'])
})

describe.skipIf(!hasChromium())('an engine that a host has mounted', () => {
  test('has its console there, and its elements, for a page that may load and reach nothing else', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'mounted-'))
    const service = await createService({ ...account, dataDir, environment: 'local', logLevel: 'silent' })
    const app = express()
    app.get('/', (_request, response) => {
      response.set('content-security-policy', "default-src 'self'").type('html')
        .send(`<!doctype html><title>Host</title>
        <script type="module" src="/engine/console/elements/elements.js"></script><flow-graph src="/engine/api/v1" flow="scale"></flow-graph>`)
    })
    app.use('/engine', service.router)
    const server = createServer(app).listen(0, '127.0.0.1')
    await once(server, 'listening')
    service.attach(server, '/engine')
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    await using browser = await startChromium()
    const client = createClient({ baseUrl: `${origin}/engine/api/v1`, token: await service.superuserToken() })
    await publishFlow(client, 'scale', scaleFlow)
    {
      await using opened = await openConsole(browser, `${origin}/engine`)
      const { page, complaints } = opened
      await signIn(page)
      await page.getByRole('region', { name: 'Flows' }).getByText('scale').waitFor()
      await client.runs.submit('scale').then((run) => run.wait())
      // told by the socket
      await page.getByRole('region', { name: 'Newest runs' }).getByRole('listitem').waitFor()
      await page.getByRole('link', { name: 'Runs', exact: true }).click()
      await page.getByRole('heading', { name: 'Runs', exact: true }).waitFor()
      expect(new URL(page.url()).pathname).toBe('/engine/console/')
      expect(complaints).toEqual([])
    }
    const { key } = await client.keys.create({ name: 'page', scopes: [...scopes] })
    const page = patient(await browser.newPage())
    const complaints: string[] = []
    page.on('console', (message) => {
      if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
        complaints.push(message.text())
    })
    await page.goto(origin)
    await page.evaluate(`document.querySelector('flow-graph').token = ${JSON.stringify(key)}`)
    await page.getByRole('group', { name: 'The flow scale' }).waitFor()
    expect(complaints).toEqual([])
    await service.close()
    server.closeAllConnections()
    server.close()
    await rm(dataDir, { recursive: true, force: true })
  })
})
