/**
 * The list of 1,000 flows of 100 nodes, and the first frame of an event socket beside them, against a bare server that
 * sends the same columns of one SELECT over HTTP and over `ws`. Each flow names a message of another one, so that none
 * of them could be judged by its own content alone. The judged figures are ratios; the first list of an engine, which
 * reads every content once, is only shown.
 */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

import type { FlowDocumentInput } from '@flow-service/protocol'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'

import { relay } from '../packages/api-server/test/flows/engine.ts'
import { startService, type TestService } from '../packages/api-server/test/observability/service.ts'

const FLOWS = 1000
const NODES = 100
const ROUNDS = 15
const LIMIT = 4
let at: TestService
let bare: ReturnType<typeof createServer>

const model: FlowDocumentInput = {
  nodes: Array.from({ length: NODES }, (_, index) => ({
    id: `node${index}`,
    type: 'change',
    title: `Step ${index} of the line`,
    settings: { scale: 1 + index, offset: index },
    ports: [
      { direction: 'input', name: index === 0 ? 'hub.off' : `m${index}`, dtype: 'float' },
      { direction: 'output', name: `m${index + 1}`, dtype: 'float' },
    ],
  })),
}

beforeAll(async () => {
  at = await startService()
  await at.publish('hub', relay)
  await at.publish('many', model)
  const { database } = at.engine
  await database.sql`
    insert into flow (id, name, version, published, published_version, origin)
    select gen_random_uuid(), 'many' || n, 1, replace(published::text, '"many.', '"many' || n || '.')::jsonb, 1, 'api'
    from flow, generate_series(1, ${FLOWS}::int) n where name = 'many'`
  const heads = async (): Promise<string> =>
    JSON.stringify(
      await database.sql`
        select name, version, published_version, draft is not null as has_draft, origin, updated_at
        from flow order by name collate "C"`,
    )
  bare = createServer((_request, response) => void heads().then((text) => response.end(text))).listen(0, '127.0.0.1')
  new WebSocketServer({ server: bare }).on('connection', (socket) => void heads().then((text) => socket.send(text)))
  await once(bare, 'listening')
}, 120_000)
afterAll(async () => {
  bare.closeAllConnections()
  bare.close()
  await at[Symbol.asyncDispose]()
})

async function timed(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now()
  await work()
  return performance.now() - begun
}

const median = (values: number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN

/** Medians of alternating rounds. */
async function compare(service: () => Promise<unknown>, plain: () => Promise<unknown>) {
  const times: Record<'service' | 'plain', number[]> = { service: [], plain: [] }
  for (let round = 0; round < ROUNDS; round += 1) {
    times.plain.push(await timed(plain))
    times.service.push(await timed(service))
  }
  return { service: median(times.service), plain: median(times.plain) }
}

const address = (): string => `127.0.0.1:${(bare.address() as AddressInfo).port}`

async function list(): Promise<void> {
  const { value } = await at.ann<unknown[]>('GET', '/flows/')
  expect(value.length).toBeGreaterThan(FLOWS)
}

/** Resolves when a socket has got its first frame. */
async function firstFrame(url: string): Promise<void> {
  const socket = new WebSocket(url)
  const [data] = (await once(socket, 'message')) as [Buffer]
  socket.terminate()
  expect(data.toString().match(/"name"/g)?.length).toBeGreaterThan(FLOWS)
}

/** What opens as many sockets, one a call. */
async function sockets(count: number): Promise<() => Promise<void>> {
  const tickets = await Promise.all(
    Array.from({ length: count }, () => at.root<{ ticket: string }>('POST', '/flows/ws-ticket')),
  )
  return () =>
    firstFrame(`${at.origin.replace('http', 'ws')}/api/v1/flows/ws?ticket=${tickets.pop()?.value.ticket ?? ''}`)
}

test('a list of 1,000 flows and the first frame of a socket cost a few times one SELECT of their heads', async () => {
  const first = await timed(list)
  const lists = await compare(list, async () => void (await (await fetch(`http://${address()}/`)).text()))
  const frames = await compare(await sockets(ROUNDS), () => firstFrame(`ws://${address()}/`))
  const show = ({ service, plain }: typeof lists): string =>
    `${service.toFixed(1)} ms, bare ${plain.toFixed(1)} ms: ratio ${(service / plain).toFixed(2)}`
  console.log(
    `${FLOWS} flows of ${NODES} nodes: first list ${first.toFixed(0)} ms; list ${show(lists)}; first frame ${show(frames)}`,
  )
  expect(lists.service / lists.plain).toBeLessThan(LIMIT)
  expect(frames.service / frames.plain).toBeLessThan(LIMIT)
})
