import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import type { MessageHistoryEntry, PublishedMessage } from '@flow-service/protocol'
import { afterAll, beforeAll, expect, test } from 'vitest'

import { type Database, openDatabase } from '../../src/db/database.ts'
import { bind } from '../../src/http/mount.ts'
import { type LastValues, openLastValues } from '../../src/messages/last-values.ts'
import { createMessages, type DeclaredMessage } from '../../src/messages/messages.ts'
import { messagesEndpoints, messagesHandlers } from '../../src/messages/routes.ts'
import { databaseAt } from '../backend.ts'
import { type Running, serve } from '../http/server.ts'
import { quiet } from '../use-database.ts'

const declare = (name: string, more: Partial<DeclaredMessage> = {}): DeclaredMessage => {
  const [flow = '', message = ''] = name.split('.')
  return { name, flow, message, dtype: 'any', stream: false, mode: 'live', sources: [], readers: [], ...more }
}
const declared = new Map(
  [
    declare('climate.temp', {
      dtype: 'float',
      sources: [{ node: 'meter', port: 'temp' }],
      readers: [{ flow: 'alarm', node: 'switch', port: 'in' }],
    }),
    declare('climate.any'),
    declare('alarm.level', { dtype: 'int' }),
    declare('heating.level', { dtype: 'int' }),
    declare('train.loss', { mode: 'batch', dtype: 'float', stream: true }),
  ].map((message) => [message.name, message] as const),
)

const initials = new Map<string, unknown>([
  ['heating.level', 18],
  ['climate.temp', 0],
])

let directory: string
let database: Database
let lastValues: LastValues
let server: Running
/** What paused flows hold, until it is committed. */
let held = Promise.resolve()
const changes = new Map<string, Promise<unknown>>()
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'messages-'))
  database = await openDatabase({ ...(await databaseAt(directory)), log: quiet })
  lastValues = await openLastValues({
    database,
    artifacts: { addRefs: async () => undefined, dropRefs: async () => undefined, moveRefs: async () => undefined },
    log: quiet,
  })
  const messages = createMessages({
    lastValues,
    catalogue: {
      declared: () => declared.values(),
      find: (name) => declared.get(name),
      initials: () => initials,
      dtypeOf: (name) => declared.get(name)?.dtype,
      changing: (flow) => changes.get(flow),
    },
    committed: () => held,
    publish(message, value) {
      const cascade = '01900000-0000-7000-8000-000000000000'
      lastValues.record({ message, flow: 'f', node: null, port: null }, value, Date.now(), { id: cascade })
      return { cascade: message === 'climate.temp' ? cascade : null }
    },
  })
  const ofDevices = { publish: () => Promise.reject(new Error('no device publishes here')) }
  server = await serve(bind(messagesEndpoints, messagesHandlers({ messages, ofDevices })))
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  await lastValues.close()
  await database.close()
  await rm(directory, { recursive: true, force: true })
})

const publish = (message: string, body: unknown): Promise<Response> =>
  fetch(`${server.url}/messages/${message}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
const history = async (message: string, query = ''): Promise<MessageHistoryEntry[]> =>
  (await (await fetch(`${server.url}/messages/${message}/history${query}`)).json()) as MessageHistoryEntry[]

test('a published value is committed as last value and history before the answer [R478] [R479]', async () => {
  const answer = await publish('climate.temp', { value: 21.5 })
  expect(answer.status).toBe(200)
  const body = (await answer.json()) as PublishedMessage
  expect(body).toEqual({ name: 'climate.temp', value: 21.5, ts: expect.any(String), cascade: expect.any(String) })
  const rows =
    await database.sql`select v.value, v.at, h.value as past from message_value v join message_history h using (message, seq) where message = 'climate.temp'`
  expect([...rows]).toEqual([{ value: '21.5', at: body.ts, past: '21.5' }])
  expect(await history('climate.temp')).toEqual([
    { ts: body.ts, value: 21.5, truncated: false, source: null, run: null, cascade: body.cascade },
  ])
})

test('the catalogue lists what is declared by name, with last values [R068] [R077]', async () => {
  await publish('climate.temp', { value: 20 })
  const list = (await (await fetch(`${server.url}/messages/`)).json()) as { name: string; ts: string | null }[]
  expect(list.map(({ name }) => name)).toEqual([
    'alarm.level',
    'climate.any',
    'climate.temp',
    'heating.level',
    'train.loss',
  ])
  expect(list[2]).toEqual({
    name: 'climate.temp',
    flow: 'climate',
    message: 'temp',
    dtype: 'float',
    stream: false,
    value: 20,
    ts: expect.any(String),
    sources: [{ node: 'meter', port: 'temp' }],
    readers: [{ flow: 'alarm', node: 'switch', port: 'in' }],
  })
  // until somebody publishes, an input has its initial value, and nothing else has any (G15, G17)
  expect(list.slice(3)).toMatchObject([
    { value: 18, ts: null },
    { value: null, ts: null },
  ])
  expect(list[0]).toMatchObject({ value: null, ts: null })
})

test('the catalogue is narrowed to a flow, or to names that begin alike', async () => {
  const names = async (query: string) =>
    ((await (await fetch(`${server.url}/messages/?${query}`)).json()) as { name: string }[]).map(({ name }) => name)
  expect(await names('flow=climate')).toEqual(['climate.any', 'climate.temp'])
  expect(await names('prefix=climate.t')).toEqual(['climate.temp'])
  expect(await names('flow=alarm&prefix=climate')).toEqual([])
})

test('values for a flow that gets another name wait until it has it', async () => {
  const renaming = Promise.withResolvers<void>()
  changes.set('climate', renaming.promise)
  const answer = publish('climate.any', { value: 'late' })
  // another message is published meanwhile
  expect((await publish('heating.level', { value: 18 })).status).toBe(200)
  expect(await history('climate.any')).toEqual([])
  const message = declared.get('climate.any')!
  declared.delete('climate.any')
  changes.clear()
  renaming.resolve()
  expect((await answer).status).toBe(404)
  expect(await lastValues.history('climate.any', { limit: 1 })).toEqual([])
  declared.set('climate.any', message)
})

test('a message that nobody declares is 404 and stores nothing [R079]', async () => {
  for (const name of ['nope.x', 'climate.nope', 'nope', 'climate.', 'a%2fb']) {
    // oxlint-disable-next-line no-await-in-loop -- each on its own
    const answer = await publish(name, { value: 1 })
    expect([name, answer.status]).toEqual([name, 404])
    expect(await answer.json()).toMatchObject({ code: 'message_not_declared' })
  }
  expect((await fetch(`${server.url}/messages/nope.x/history`)).status).toBe(404)
  expect([...(await database.sql`select message from message_value where message like 'nope%'`)]).toEqual([])
})

test('a bare name is taken when one flow declares it, and refused with the choices when several do', async () => {
  const answer = await publish('temp', { value: 1 })
  expect([answer.status, await answer.json()]).toMatchObject([200, { name: 'climate.temp' }])
  expect((await history('temp'))[0]?.value).toBe(1)
  const ambiguous = await publish('level', { value: 1 })
  expect(ambiguous.status).toBe(404)
  expect(await ambiguous.json()).toMatchObject({ detail: expect.stringContaining('alarm.level, heating.level') })
})

test('a value off its dtype is 422 and stores nothing', async () => {
  const before = (await history('climate.temp')).length
  for (const value of ['warm', true, null, [1]]) {
    // oxlint-disable-next-line no-await-in-loop -- each on its own
    const answer = await publish('climate.temp', { value })
    expect(answer.status).toBe(422)
    expect(await answer.json()).toMatchObject({ errors: [{ path: '/value', code: 'off_dtype' }] })
  }
  expect((await history('climate.temp')).length).toBe(before)
  expect((await publish('climate.temp', {})).status).toBe(422)
  expect((await publish('climate.temp', { value: 1, more: 2 })).status).toBe(422)
  expect((await publish('climate.temp', { value: 'NaN' })).status).toBe(200)
})

test('a message of a batch flow cannot be published, its history can be read', async () => {
  const answer = await publish('train.loss', { value: 1 })
  expect([answer.status, await answer.json()]).toMatchObject([400, { code: 'wrong_mode' }])
  expect(await history('train.loss')).toEqual([])
})

test('cascade is null when nothing reads the message', async () => {
  expect(await (await publish('climate.any', { value: null })).json()).toMatchObject({ value: null, cascade: null })
})

test('history comes in pages, newest first, that the Link header leads through [R078]', async () => {
  const source = { message: 'alarm.level', flow: 'alarm', node: 'n', port: 'p' }
  for (let i = 0; i < 7; i++) lastValues.record(source, i, Date.now())
  const read: MessageHistoryEntry[] = []
  let url: string | undefined = `${server.url}/messages/alarm.level/history?limit=3`
  while (url !== undefined) {
    // oxlint-disable-next-line no-await-in-loop -- page after page
    const page = await fetch(url)
    // oxlint-disable-next-line no-await-in-loop -- page after page
    read.push(...((await page.json()) as MessageHistoryEntry[]))
    url = /<(.+)>; rel="next"/.exec(page.headers.get('link') ?? '')?.[1]
  }
  expect(read.map(({ value }) => value)).toEqual([6, 5, 4, 3, 2, 1, 0])
  expect(read[0]?.source).toEqual({ flow: 'alarm', node: 'n', port: 'p' })
  expect(await history('alarm.level', `?since=${encodeURIComponent(read[2]?.ts ?? '')}`)).toHaveLength(3)
  for (const query of ['?limit=0', '?limit=501', '?before=yesterday', '?since=2026-01-01T00:00:00']) {
    // oxlint-disable-next-line no-await-in-loop -- each on its own
    expect([query, (await fetch(`${server.url}/messages/alarm.level/history${query}`)).status]).toEqual([query, 422])
  }
})

test('a publication is answered once the deliveries that paused flows hold of it are committed', async () => {
  const commit = Promise.withResolvers<void>()
  held = commit.promise
  let isAnswered = false
  const answer = publish('climate.temp', { value: 3 }).finally(() => (isAnswered = true))
  await expect.poll(() => lastValues.get('climate.temp')?.value).toBe(3)
  await lastValues.commit('climate.temp')
  expect(isAnswered).toBe(false)
  commit.resolve()
  expect((await answer).status).toBe(200)
})
