import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { batchFlow, input, stage, t } from '@flow-service/flow-sdk'
import { type EventFrame, eventFrameSchema, type SnapshotFrame } from '@flow-service/protocol'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type ClientOptions, WebSocket } from 'ws'

import { openDatabase } from '../../src/db/database.ts'
import { createService, type Service } from '../../src/service.ts'
import { quiet } from '../use-database.ts'

const double = stage('double', {
  in: { n: t.float },
  out: { twice: t.float },
  run: ({ n }) => ({ twice: n * 2 }),
})
const doubling = batchFlow('doubling', { n: input(t.float, 1) }, (p, use) => use(double, p))

let dataDir: string
let service: Service
let baseUrl: string
let token: string
const sockets: WebSocket[] = []

async function start(): Promise<void> {
  service = await createService({
    dataDir,
    port: 0,
    environment: 'local',
    logLevel: 'silent',
    timeZone: 'UTC',
    corsOrigins: ['https://console.example'],
    flows: [doubling],
  })
  baseUrl = (await service.listen()).baseUrl
}
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'event-service-'))
  await start()
  token = await service.superuserToken()
})
afterAll(async () => {
  for (const socket of sockets) socket.terminate()
  await service.close()
  await rm(dataDir, { recursive: true, force: true })
})

async function send<T>(method: string, path: string, body?: unknown): Promise<T> {
  const answer = await fetch(`${baseUrl}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await answer.text()
  expect(answer.ok, `${method} ${path}: ${text}`).toBe(true)
  return JSON.parse(text) as T
}
async function publishFlow(name: string, document: object): Promise<void> {
  const { version } = await send<{ version: number }>('PUT', `/flows/${name}`, document)
  await send('POST', `/flows/${name}/publish`, { version })
  await send('POST', `/flows/${name}/start`)
}
/** What a page does: the HTTP status of the upgrade, 101 when it succeeds. */
function knock(query: string, options: ClientOptions = {}): Promise<number | undefined> {
  const socket = new WebSocket(`${baseUrl.replace('http', 'ws')}/flows/ws${query}`, options)
  sockets.push(socket)
  socket.on('error', () => undefined)
  return new Promise((resolve) => {
    socket.once('open', () => resolve(101))
    socket.once('unexpected-response', (request, { statusCode }) => {
      resolve(statusCode)
      request.destroy()
    })
  })
}

/** A change node that passes what it reads, for each pair of names. */
const relays = (pairs: readonly (readonly [string, string])[], port: object = {}) => ({
  mode: 'live',
  inputs: pairs.map(([name]) => ({ name })),
  nodes: pairs.map(([from, to]) => ({
    id: `to_${to}`,
    type: 'change',
    settings: {},
    ports: [
      { direction: 'input', name: from },
      { direction: 'output', name: to, ...port },
    ],
  })),
})

/** What a client knows of the engine: the snapshot, and what each later frame changes. */
class Model {
  readonly socket: WebSocket
  readonly frames: EventFrame[] = []
  readonly values = new Map<string, unknown>()
  /** Every value that was told of a message, the snapshot's first. */
  readonly told = new Map<string, unknown[]>()
  readonly flows = new Map<string, string>()
  readonly nodes = new Map<string, string>()
  readonly runs = new Map<string, string>()

  constructor(query = '') {
    const headers = { authorization: `Bearer ${token}` }
    this.socket = new WebSocket(`${baseUrl.replace('http', 'ws')}/flows/ws${query}`, { headers })
    sockets.push(this.socket)
    this.socket.on('message', (data) => this.#hear(eventFrameSchema.parse(JSON.parse((data as Buffer).toString()))))
  }

  #hear(frame: EventFrame): void {
    this.frames.push(frame)
    const before = this.frames.at(-2)
    if (before && frame.seq < before.seq) throw new Error(`${frame.seq} comes after ${before.seq}`)
    if ((frame.type === 'snapshot') !== !before) throw new Error(`frame ${this.frames.length} is a ${frame.type}`)
    if (frame.type === 'snapshot') this.#begin(frame)
    else if (frame.type === 'value' && frame.run === null) this.#value(frame.message, frame.value)
    else if (frame.type === 'flow') this.flows.set(frame.name, frame.status)
    else if (frame.type === 'run') this.runs.set(frame.run.id, frame.run.status)
    else if (frame.type === 'node' && frame.run === null) this.nodes.set(`${frame.flow} ${frame.node}`, frame.status)
  }
  #begin({ flows, nodes, runs, values }: SnapshotFrame): void {
    for (const { message, value } of values) this.#value(message, value)
    for (const { name, status } of flows) this.flows.set(name, status)
    for (const { flow, node, status } of nodes) this.nodes.set(`${flow} ${node}`, status)
    for (const { id, status } of runs) this.runs.set(id, status)
  }
  #value(message: string, value: unknown): void {
    this.values.set(message, value)
    this.told.set(message, [...(this.told.get(message) ?? []), value])
  }
}

test('sockets that open in the middle of a storm miss nothing, hear nothing twice, and agree with the API', async () => {
  const messages = ['m0', 'm1', 'm2', 'm3', 'm4']
  await publishFlow('storm', relays(messages.map((name) => [name, `${name}_out`] as const)))
  await publishFlow('toggled', relays([['on', 'off']]))
  let seed = 11
  const random = (below: number) => (seed = (seed * 48_271) % 2_147_483_647) % below
  const models: Model[] = [new Model()]
  await vi.waitFor(() => expect(models[0]?.frames).not.toEqual([]), 60_000)
  const submitted: string[] = []
  const writer = async (name: string): Promise<void> => {
    for (let n = 1; n <= 30; n++) {
      // oxlint-disable-next-line no-await-in-loop -- in order
      await send('POST', `/messages/storm.${name}`, { value: n })
      if (random(8) === 0) models.push(new Model(random(2) === 0 ? '' : '?flows=storm,doubling,toggled'))
    }
  }
  const toggler = async (): Promise<void> => {
    for (let n = 0; n < 10; n++) {
      // oxlint-disable-next-line no-await-in-loop -- in order
      await send('POST', `/flows/toggled/${n % 2 === 0 ? 'stop' : 'start'}`)
    }
  }
  const submitter = async (): Promise<void> => {
    for (let n = 0; n < 8; n++) {
      // oxlint-disable-next-line no-await-in-loop -- in order
      submitted.push((await send<{ id: string }>('POST', '/runs/flows/doubling', { params: { n } })).id)
    }
  }
  await Promise.all([...messages.map(writer), toggler(), submitter()])
  models.push(new Model())

  const finished = async (id: string) =>
    await vi.waitFor(async () => {
      const run = await send<{ status: string }>('GET', `/runs/${id}`)
      expect(run.status).toBe('ok')
    }, 60_000)
  await Promise.all(submitted.map(finished))
  const list = await send<{ name: string; value: unknown }[]>('GET', '/messages/')
  const stored = new Map(list.filter(({ value }) => value !== null).map(({ name, value }) => [name, value]))
  const flows = await send<{ name: string; status: string }[]>('GET', '/flows/')
  for (const model of models) {
    // oxlint-disable-next-line no-await-in-loop -- client by client
    await vi.waitFor(() => {
      for (const [message, value] of stored) {
        if (message.startsWith('storm.')) expect([message, model.values.get(message)]).toEqual([message, value])
      }
      for (const { name, status } of flows) expect([name, model.flows.get(name)]).toEqual([name, status])
      expect([...model.runs.values()].filter((status) => status !== 'ok')).toEqual([])
    }, 60_000)
    for (const [message, told] of model.told) {
      if (!message.startsWith('storm.')) continue
      const first = Number(told[0])
      expect([message, told]).toEqual([message, told.map((_, step) => first + step)])
    }
  }
  expect(models.length).toBeGreaterThan(10)
  expect(models.some(({ frames }) => frames[0]?.type === 'snapshot' && frames[0].values.length > 0)).toBe(true)
  // the one that was there from the beginning has seen every run and every value
  const [first] = models
  for (const id of submitted) expect(first?.runs.get(id)).toBe('ok')
  expect(first?.told.get('storm.m0_out')).toEqual(Array.from({ length: 30 }, (_, n) => n + 1))
  for (const { socket } of models) socket.terminate()
})

test('a port with an interval shows the first value of a window and the latest at its end [R072]', async () => {
  await publishFlow('gated', relays([['fast', 'slow']], { interval: 2 }))
  const model = new Model('?flows=gated')
  await once(model.socket, 'message')
  for (let n = 1; n <= 20; n++) {
    // oxlint-disable-next-line no-await-in-loop -- in order
    await send('POST', '/messages/gated.fast', { value: n })
  }
  await vi.waitFor(() => expect(model.values.get('gated.slow')).toBe(20), 60_000)
  expect(model.told.get('gated.fast')).toHaveLength(20)
  const shown = model.frames.filter((frame) => frame.type === 'value' && frame.message === 'gated.slow')
  expect(shown[0]).toMatchObject({ value: 1 })
  expect(shown.length).toBeLessThan(20)
  const times = shown.map(({ ts }) => Date.parse(ts))
  for (const [at, time] of times.slice(1).entries()) expect(time - times[at]!).toBeGreaterThan(1950)
  // the display is thinned, not the flow nor the history
  const history = await send<{ value: number }[]>('GET', '/messages/gated.slow/history')
  expect(history.map(({ value }) => value)).toEqual(Array.from({ length: 20 }, (_, n) => 20 - n))
  model.socket.terminate()
})

test('a media request takes the messages that published flows declare', async () => {
  await publishFlow('asked', relays([['seen', 'shown']]))
  const model = new Model('?flows=asked')
  await once(model.socket, 'open')
  model.socket.send(JSON.stringify({ type: 'media', names: ['asked.seen', 'asked.shown'] }))
  model.socket.send(JSON.stringify({ type: 'media', names: ['asked.seen', 'asked.nobody'] }))
  await vi.waitFor(() => expect(model.frames).toHaveLength(2), 60_000)
  expect(model.frames[1]).toMatchObject({ type: 'error', code: 'message_not_declared' })
  model.socket.terminate()
})

test('the configured origins may call the API and use tickets, others may not', async () => {
  const allowed = { origin: 'https://console.example' }
  const evil = { origin: 'https://evil.example' }
  const url = `${baseUrl}/flows/ws-ticket`
  const asked = await fetch(url, {
    method: 'OPTIONS',
    headers: { ...allowed, 'access-control-request-method': 'POST' },
  })
  expect([asked.status, asked.headers.get('access-control-allow-origin')]).toEqual([204, allowed.origin])
  const authorization = `Bearer ${token}`
  const answer = await fetch(url, { method: 'POST', headers: { ...evil, authorization } })
  expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([201, null])
  const { ticket } = (await answer.json()) as { ticket: string }
  expect(await knock(`?ticket=${ticket}`, { headers: evil })).toBe(403)
  expect(await knock(`?ticket=${ticket}`, { headers: allowed })).toBe(101)
  expect(await knock(`?ticket=${ticket}`, { headers: allowed })).toBe(401)
})

test('neither the ticket nor the token of a deactivated account opens the socket', async () => {
  const headers = { authorization: `Bearer ${token}` }
  const { ticket } = await send<{ ticket: string }>('POST', '/flows/ws-ticket')
  const edit = async (active: boolean): Promise<void> => {
    await service.close()
    const database = await openDatabase({ dataDir, log: quiet })
    await database.sql`update account set is_active = ${active}`
    // the restart takes a part of its 30 seconds
    await database.sql`update socket_ticket set expires_at = now() + interval '30 seconds'`
    await database.close()
    await start()
  }
  await edit(false)
  expect(await knock(`?ticket=${ticket}`)).toBe(401)
  expect(await knock('', { headers })).toBe(401)
  await edit(true)
  expect(await knock('', { headers })).toBe(101)
})
