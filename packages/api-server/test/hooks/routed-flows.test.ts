/** Nodes with routes of their own in a whole service: flows that start, are paused, changed, renamed and stopped. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { defineNode } from '@flow-service/connector-sdk'
import type { Flow, FlowDocumentInput, Issue, Problem } from '@flow-service/protocol'
import express from 'express'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import * as z from 'zod'

import { createService, type Service } from '../../src/service.ts'

/** What the next node of a rebuild waits for before it has started. */
const gates = vi.hoisted(() => new Map<string, Promise<void>>())

vi.mock(import('@flow-service/node-types'), async (original) => {
  const actual = await original()
  const camera = defineNode({
    type: 'camera',
    title: 'Camera',
    description: '',
    category: 'connector',
    settings: z.strictObject({ name: z.string(), password: z.string().meta({ 'x-secret': true }).optional() }),
    modes: ['live'],
    ports: { inputs: 'none', outputs: 'any' },
    arrival: 'each',
    routes: true,
    async start(ctx) {
      await gates.get(ctx.settings.name)
      const router = express.Router()
      router.get('/name', (_request, response) => void response.json({ name: ctx.settings.name }))
      router.post('/publish', express.text(), (request, response) => {
        ctx.send('seen', request.body)
        response.sendStatus(202)
      })
      router.get('/broken', () => {
        throw new Error(`cannot sign in with ${ctx.settings.password}`)
      })
      router.get('/events', (_request, response) => void response.type('text/event-stream').write('data: 1\n\n'))
      ctx.routes(router, { open: ['/name'] })
      return {}
    },
  })
  return { ...actual, nodeTypes: [...actual.nodeTypes, camera] }
})

let dataDir: string
let service: Service
let base: string
let token: string
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'routed-'))
  const corsOrigins = ['https://plant.example']
  service = await createService({ dataDir, environment: 'local', port: 0, logLevel: 'silent', corsOrigins })
  base = (await service.listen()).baseUrl
  token = await service.superuserToken()
})
afterAll(async () => {
  await service?.close()
  await rm(dataDir, { recursive: true, force: true })
})

async function api<T = Flow>(method: string, path: string, body?: object): Promise<{ status: number; value: T }> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const answer = await fetch(`${base}${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) })
  const text = await answer.text()
  return { status: answer.status, value: (text === '' ? null : JSON.parse(text)) as T }
}
const ask = (flow: string, path: string, init: RequestInit = {}): Promise<Response> =>
  fetch(`${base}/connectors/camera/${flow}/gate${path}`, { headers: { authorization: `Bearer ${token}` }, ...init })
const anybody = (flow: string, path: string): Promise<Response> => ask(flow, path, { headers: {} })

const yard = (settings: object): FlowDocumentInput => ({
  nodes: [
    { id: 'gate', type: 'camera', settings, ports: [{ direction: 'output', name: 'seen', dtype: 'str' }] },
  ] as NonNullable<FlowDocumentInput['nodes']>,
})

/** Saves and publishes what comes next of a flow. */
async function publish(name: string, document: FlowDocumentInput): Promise<number> {
  const { status, value } = await api('GET', `/flows/${name}`)
  const saved = await api('PUT', `/flows/${name}`, { ...document, ...(status === 200 && { version: value.version }) })
  return (await api('POST', `/flows/${name}/publish`, { version: saved.value.version })).status
}
async function start(name: string, settings: object): Promise<void> {
  expect(await publish(name, yard(settings))).toBe(200)
  expect((await api('POST', `/flows/${name}/start`)).status).toBe(200)
}

test('a node answers while its flow is active or paused, and is an unknown path otherwise [R397]', async () => {
  expect(await publish('yard', yard({ name: 'one' }))).toBe(200)
  expect((await ask('yard', '/name')).status).toBe(404)
  await api('POST', '/flows/yard/start')
  expect(await (await anybody('yard', '/name')).json()).toEqual({ name: 'one' })
  expect((await anybody('yard', '/publish')).status).toBe(401)
  const posted = { method: 'POST', body: 'a cat', headers: { authorization: `Bearer ${token}` } }
  expect((await ask('yard', '/publish', posted)).status).toBe(202)
  const { value } = await api<{ name: string; value: unknown }[]>('GET', '/messages/')
  expect(value).toContainEqual(expect.objectContaining({ name: 'yard.seen', value: 'a cat' }))

  await api('POST', '/flows/yard/pause')
  expect((await ask('yard', '/name')).status).toBe(200)
  await api('POST', '/flows/yard/stop')
  const gone = await anybody('yard', '/name')
  expect([gone.status, ((await gone.json()) as Problem).detail]).toEqual([
    404,
    'there is nothing at GET /api/v1/connectors/camera/yard/gate/name',
  ])
})

test('requests wait while the node is made anew, and the new one reads them; events of the old one end', async () => {
  await start('hall', { name: 'old' })
  const events = await ask('hall', '/events')
  const ended = events.text().catch((error: Error) => error.message)
  const gate = Promise.withResolvers<void>()
  gates.set('new', gate.promise)
  const published = publish('hall', yard({ name: 'new' }))
  expect(await ended).toBe('terminated')
  const posted = { method: 'POST', body: 'while it starts', headers: { authorization: `Bearer ${token}` } }
  const waiting = [ask('hall', '/publish', posted), anybody('hall', '/name')] as const
  gate.resolve()
  expect(await published).toBe(200)
  expect((await waiting[0]).status).toBe(202)
  expect(await (await waiting[1]).json()).toEqual({ name: 'new' })

  expect((await api('POST', '/flows/hall/rename', { name: 'corridor' })).status).toBeLessThan(300)
  expect([(await ask('hall', '/name')).status, (await ask('corridor', '/name')).status]).toEqual([404, 200])
})

test('what a node throws is the failure of the node, and no secret is told', async () => {
  await api('PUT', '/secrets/camera', { value: 'hunter2-of-the-camera' })
  await start('door', { name: 'door', password: { $secret: 'camera' } })
  const answer = await ask('door', '/broken')
  const text = await answer.text()
  expect([answer.status, text]).toEqual([503, expect.stringContaining('failed to answer')])
  expect(text).not.toMatch(/hunter2|sign in/)
  const { value } = await api('GET', '/flows/door')
  const [state] = value.node_states
  expect(state).toMatchObject({ status: 'failed', error: { message: expect.stringContaining('cannot sign in with') } })
  expect(JSON.stringify(value)).not.toContain('hunter2')
  expect((await ask('door', '/name')).status).toBe(200)
})

test('pages of allowed origins are let in, and headers of the API stand on every answer', async () => {
  await start('roof', { name: 'roof' })
  const preflight = await ask('roof', '/publish', {
    method: 'OPTIONS',
    headers: { origin: 'https://plant.example', 'access-control-request-method': 'POST' },
  })
  expect(preflight.status).toBe(204)
  const headers = { authorization: `Bearer ${token}`, origin: 'https://plant.example' }
  const answer = await ask('roof', '/name', { headers })
  expect(answer.headers.get('access-control-allow-origin')).toBe('https://plant.example')
  expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'")
  expect(answer.headers.get('x-powered-by')).toBeNull()
})

test('a flow whose routes the state of the node type would hide is not published, and no active flow becomes one by its name', async () => {
  const saved = await api('PUT', '/flows/state', yard({ name: 'hidden' }))
  const shadowed = { severity: 'error', code: 'shadowed_route', node: 'gate', path: '/nodes/0/type' }
  expect(saved.value.issues).toEqual([expect.objectContaining<Partial<Issue>>(shadowed as Issue)])
  const refused = await api<Problem>('POST', '/flows/state/publish', { version: saved.value.version })
  expect([refused.status, refused.value.code]).toEqual([422, 'flow_invalid'])

  // one that runs goes on under the name that it has
  await start('lobby', { name: 'lobby' })
  await api('DELETE', '/flows/state')
  const renamed = await api<Problem>('POST', '/flows/lobby/rename', { name: 'state' })
  expect([renamed.status, renamed.value.code, renamed.value.errors]).toEqual([
    422,
    'flow_invalid',
    [expect.objectContaining({ code: 'shadowed_route', path: '/nodes/0/type' })],
  ])
  expect((await ask('lobby', '/name')).status).toBe(200)
})

test('the end of the service ends answers that go on', async () => {
  await start('tower', { name: 'tower' })
  const events = await ask('tower', '/events')
  const reader = events.body?.getReader()
  expect(new TextDecoder().decode((await reader?.read())?.value)).toBe('data: 1\n\n')
  const ended = reader?.read().catch((error: Error) => error.message)
  await service.close()
  expect(await ended).toBe('terminated')
})
