/**
 * A flow is published again and again while requests, messages and frames come: none is lost, none comes twice, none is
 * refused. What comes out is counted outside, by a server that the flow posts to.
 */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

import { expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'

import { publish, startService, type TestService } from './service.ts'

/** `node scripts/soak.mjs` sets SOAK. */
const PUBLISHES = process.env['SOAK'] === undefined ? 25 : 200
/** What a mailbox and a paused flow take without loss is 1,000. */
const MAX_UNDER_WAY = 300
const HELD = 200

const post = (url: string, body: unknown) =>
  fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })

/** Counts what is posted to it, by path; `/call` brings a request to where `called` says, as a stranger would. */
async function openLedger() {
  const seen = new Map<string, number[]>()
  const called = { url: '' }
  const server = createServer((request, response) => {
    let text = ''
    request.on('data', (chunk: Buffer) => (text += chunk.toString()))
    request.on('end', () => {
      const kind = (request.url ?? '').slice(1)
      if (kind === 'call') {
        void post(called.url, JSON.parse(text)).then(({ status }) => response.writeHead(status).end('{}'))
        return
      }
      const [value] = Object.values(JSON.parse(text) as Record<string, number>)
      seen.set(kind, [...(seen.get(kind) ?? []), value ?? -1])
      response.end('{}')
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  server.unref()
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { origin, called, of: (kind: string): readonly number[] => seen.get(kind) ?? [] }
}

/** Feeds one kind, one after the other, and no faster than the ledger sees them. */
async function feed(
  send: (value: number) => Promise<unknown>,
  { until, seen }: { readonly until: () => boolean; readonly seen: () => number },
): Promise<number> {
  let sent = 0
  while (!until()) {
    // oxlint-disable-next-line no-await-in-loop -- in order
    await (sent - seen() > MAX_UNDER_WAY ? new Promise(setImmediate) : send(sent++))
  }
  return sent
}

const port = (direction: 'input' | 'output', name: string) => ({ direction, name, dtype: 'any' })
const node = (id: string, type: string, settings: object, ...ports: object[]) => ({ id, type, settings, ports })

const KINDS = ['message', 'webhook', 'durable', 'frame', 'own'] as const

/** Every node of it is another one in each form. */
const plant = (form: number, ledger: string) => ({
  mode: 'live',
  inputs: [{ name: 'message', dtype: 'any' }],
  nodes: [
    node('in', 'http', { url: 'in', timeout: form }, port('output', 'webhook')),
    node('kept', 'http', { url: 'kept', timeout: form, durable: true }, port('output', 'durable')),
    node('socket', 'websocket', { url: 'socket', timeout: form }, port('output', 'frame')),
    node('called', 'http', { url: 'called', timeout: form }, port('output', 'own')),
    // a flow that calls its own webhook
    node('calls', 'http', { url: `${ledger}/call`, timeout: form }, { ...port('input', 'message'), port: 'own' }),
    ...KINDS.map((kind) =>
      node(`to_${kind}`, 'http', { url: `${ledger}/${kind}`, timeout: form }, port('input', kind)),
    ),
  ],
})

async function republish(at: TestService, name: string, document: object): Promise<void> {
  const { body } = await at.send('GET', `/flows/${name}`)
  const saved = await at.send('PUT', `/flows/${name}`, { ...document, version: body?.['version'] })
  const published = await at.send('POST', `/flows/${name}/publish`, { version: saved.body?.['version'] })
  expect(published.status).toBe(200)
}

test(
  `${PUBLISHES} publishes lose nothing that comes meanwhile, and show nothing of themselves`,
  { timeout: 600_000 },
  async () => {
    await using at = await startService()
    const ledger = await openLedger()
    ledger.called.url = `${at.origin}/hooks/plant/called`
    const form = (count: number) => plant(100 + count, ledger.origin)
    const reader = {
      mode: 'live',
      nodes: [node('to_reader', 'http', { url: `${ledger.origin}/reader` }, port('input', 'plant.webhook'))],
    }
    const still = (count: number) => ({
      mode: 'live',
      inputs: [{ name: 'm', dtype: 'any' }],
      nodes: [node('to_still', 'http', { url: `${ledger.origin}/still`, timeout: 100 + count }, port('input', 'm'))],
    })
    const flows = [
      ['plant', form(0)],
      ['reader', reader],
      ['still', still(0)],
    ] as const
    for (const [name, document] of flows) {
      // oxlint-disable-next-line no-await-in-loop -- readers after what they read
      await publish(at, name, document)
      await at.send('POST', `/flows/${name}/start`)
    }
    await at.send('POST', '/flows/still/pause')
    for (let value = 0; value < HELD; value++) {
      // oxlint-disable-next-line no-await-in-loop -- in order
      await at.send('POST', '/messages/still.m', { value })
    }

    const client = new WebSocket(`${at.origin.replace('http', 'ws')}/hooks/plant/socket`)
    await once(client, 'open')
    const closed: number[] = []
    client.on('close', (code) => closed.push(code))
    let isOver = false
    const refused: number[] = []
    const statuses = new Set<unknown>()
    const expecting = (status: number) => async (answer: Promise<{ readonly status: number }>) => {
      const got = (await answer).status
      if (got !== status) refused.push(got)
    }
    const senders: Record<Exclude<(typeof KINDS)[number], 'own'>, (value: number) => Promise<unknown>> = {
      message: (value) => expecting(200)(at.send('POST', '/messages/plant.message', { value })),
      webhook: (value) => expecting(202)(post(`${at.origin}/hooks/plant/in`, { webhook: value })),
      durable: (value) => expecting(202)(post(`${at.origin}/hooks/plant/kept`, { durable: value })),
      frame: (value) => new Promise((resolve) => client.send(JSON.stringify({ frame: value }), resolve)),
    }
    const feeds = Object.entries(senders).map(async ([kind, send]) => {
      const sent = await feed(send, { until: () => isOver, seen: () => ledger.of(kind).length })
      return [kind, sent] as const
    })
    const watch = (async () => {
      while (!isOver) {
        // oxlint-disable-next-line no-await-in-loop -- looks again and again
        statuses.add((await at.send('GET', '/flows/plant')).body?.['status'])
      }
    })()
    for (let count = 1; count <= PUBLISHES; count++) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      await Promise.all([republish(at, 'plant', form(count)), republish(at, 'still', still(count))])
    }
    isOver = true
    const sent = new Map(await Promise.all(feeds))
    await watch
    expect([refused, closed, [...statuses]]).toEqual([[], [], ['active']])
    expect((await at.send('GET', '/flows/still')).body).toMatchObject({ status: 'paused', held: HELD })
    await at.send('POST', '/flows/still/resume')

    const expected = new Map([
      ...sent,
      ['own', sent.get('message') ?? 0],
      ['reader', sent.get('webhook') ?? 0],
      ['still', HELD],
    ])
    console.log(`${PUBLISHES} publishes: ${[...expected].map(([kind, count]) => `${count} ${kind}`).join(', ')}`)
    for (const [kind, count] of expected) {
      // oxlint-disable-next-line no-await-in-loop -- each in its turn
      await expect.poll(() => ledger.of(kind).length).toBeGreaterThanOrEqual(count)
      expect([kind, ledger.of(kind)]).toEqual([kind, Array.from({ length: count }, (_, value) => value)])
      expect(count).toBeGreaterThanOrEqual(PUBLISHES)
    }
    expect((await at.send('GET', '/observability/dead-letter')).body).toEqual([])
  },
)

test(
  'renames lose nothing of the flows that name the renamed one, and nothing shows of them',
  { timeout: 600_000 },
  async () => {
    await using at = await startService()
    const ledger = await openLedger()
    const to = (kind: string, message = kind) =>
      node(`to_${kind}`, 'http', { url: `${ledger.origin}/${kind}` }, port('input', message))
    const shop = {
      mode: 'live',
      nodes: [
        node('named', 'http', { url: 'named' }, port('output', 'meter.named')),
        node('durable', 'http', { url: 'durable', durable: true }, port('output', 'meter.durable')),
        node('equal', 'http', { url: 'equal' }, port('output', 'equal')),
        to('equal'),
      ],
    }
    const meter = {
      mode: 'live',
      inputs: ['named', 'durable', 'message'].map((name) => ({ name, dtype: 'any' })),
      nodes: ['named', 'durable', 'message'].map((name) =>
        node(`of_${name}`, 'change', {}, port('input', name), port('output', `${name}_on`)),
      ),
    }
    const reader = {
      mode: 'live',
      nodes: ['named', 'durable', 'message'].map((name) => to(name, `meter.${name}_on`)),
    }
    for (const [name, document] of Object.entries({ meter, shop, reader })) {
      // oxlint-disable-next-line no-await-in-loop -- readers after what they read
      await publish(at, name, document)
    }
    for (const name of ['meter', 'shop', 'reader']) {
      // oxlint-disable-next-line no-await-in-loop -- readers after what they read
      await at.send('POST', `/flows/${name}/start`)
    }
    let [isOver, name] = [false, 'meter']
    const refused: number[] = []
    const shows = new Set<unknown>()
    const hook = (path: string) => async (value: number) => {
      const { status } = await post(`${at.origin}/hooks/shop/${path}`, { [path]: value })
      if (status !== 202) refused.push(status)
    }
    const senders: Record<string, (value: number) => Promise<unknown>> = {
      named: hook('named'),
      durable: hook('durable'),
      equal: hook('equal'),
      // who knows the earlier name alone is told so, and has sent nothing
      message: async (value) => {
        for (;;) {
          // oxlint-disable-next-line no-await-in-loop -- until it is taken
          const { status } = await at.send('POST', `/messages/${name}.message`, { value })
          if (status === 200) return
          if (status !== 404) refused.push(status)
        }
      },
    }
    const feeds = Object.entries(senders).map(
      async ([kind, send]) =>
        [kind, await feed(send, { until: () => isOver, seen: () => ledger.of(kind).length })] as const,
    )
    const watch = (async () => {
      while (!isOver) {
        for (const flow of ['shop', 'reader', name]) {
          // oxlint-disable-next-line no-await-in-loop -- looks again and again
          const { status, body } = await at.send('GET', `/flows/${flow}`)
          // the renamed one has another name when it is not found
          shows.add(status === 404 && flow.startsWith('meter') ? 'active' : body?.['status'])
        }
      }
    })()
    const renames = Math.ceil(PUBLISHES / 2)
    for (let count = 1; count <= renames; count++) {
      const next = `meter${count}`
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      expect((await at.send('POST', `/flows/${name}/rename`, { name: next })).status).toBe(200)
      name = next
    }
    isOver = true
    const sent = await Promise.all(feeds)
    await watch
    console.log(`${renames} renames: ${sent.map(([kind, count]) => `${count} ${kind}`).join(', ')}`)
    expect([refused, [...shows]]).toEqual([[], ['active']])
    for (const [kind, count] of sent) {
      // oxlint-disable-next-line no-await-in-loop -- each in its turn
      await expect.poll(() => ledger.of(kind).length).toBeGreaterThanOrEqual(count)
      expect([kind, ledger.of(kind)]).toEqual([kind, Array.from({ length: count }, (_, value) => value)])
    }
    expect((await at.send('GET', '/observability/dead-letter')).body).toEqual([])
  },
)
