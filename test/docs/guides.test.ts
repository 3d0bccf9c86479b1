/** What guides show beside the examples: each piece runs here against a real engine. */
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

import { createService, type Service } from '@flow-service/api-server'
import { createClient } from '@flow-service/client-sdk'
import type { EventFrame } from '@flow-service/protocol'
import { afterAll, beforeAll, expect, test } from 'vitest'

import { receiver } from './alert-receiver.ts'
import { frames } from './event-socket.ts'

const EMAIL = 'guide@example.com'
const PASSWORD = 'only for this test'
let dataDir: string
let service: Service
let api: string

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'guides-'))
  service = await createService({
    dataDir,
    port: 0,
    environment: 'local',
    logLevel: 'warn',
    firstSuperuser: EMAIL,
    firstSuperuserPassword: PASSWORD,
  })
  api = (await service.listen()).baseUrl
})

afterAll(async () => {
  await service.close()
  await rm(dataDir, { recursive: true, force: true })
})

test('the shell script of the HTTP guide signs in, saves, publishes, runs and reads the result', async () => {
  const script = join(import.meta.dirname, 'http-api.sh')
  const { stdout } = await promisify(execFile)('sh', [script, api], { env: { ...process.env, EMAIL, PASSWORD } })
  const run = JSON.parse(stdout) as { status: string; result: object }
  expect(run).toMatchObject({ status: 'ok', result: { fahrenheit: 88.7 } })
})

/** What a script says that it prints. */
const saidBy = async (script: string): Promise<string[]> =>
  [...(await readFile(script, 'utf8')).matchAll(/^#> (.*)$/gm)].map(([, line = '']) => line)

test('the shell script of the guide on tracked runs prints what the guide says', async () => {
  const script = join(import.meta.dirname, 'tracking.sh')
  const env = { ...process.env, TOKEN: await service.superuserToken() }
  const { stdout } = await promisify(execFile)('sh', [script, api], { env })
  const printed = stdout.replaceAll(/"lease_until":"[^"]+"/g, '"lease_until":"..."').trimEnd()
  expect(printed.split('\n')).toEqual(await saidBy(script))
})

test('the shell script of the live control guide prints what the guide says [R427, R428, R429, R430, R431, R473, R476]', async () => {
  const script = join(import.meta.dirname, 'live-control.sh')
  const env = { ...process.env, TOKEN: await service.superuserToken() }
  const { stdout } = await promisify(execFile)('sh', [script, api], { env })
  const said = await saidBy(script)
  expect(said.length).toBeGreaterThan(8)
  expect(
    stdout
      .replaceAll(/"(cascade|ts)":"[^"]+"/g, '"$1":"..."')
      .trimEnd()
      .split('\n'),
  ).toEqual(said)
})

test('the receiver of the guide to alerts hears a test', async () => {
  const said: string[] = []
  await using server = receiver((line) => said.push(line)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const client = createClient({ baseUrl: api, token: await service.superuserToken() })
  await client.alerts.put({ channels: { webhook: { url, headers: { 'x-from': 'engine' } } } })
  expect(await client.http.alerts.test({ channel: 'webhook' })).toEqual({ channel: 'webhook', ok: true, detail: null })
  expect(said).toEqual(['info test x1: a test of this channel (Alerts of the engine arrive here.)'])
})

test('the program of the event socket guide sees a snapshot and then what happens', async () => {
  const token = await service.superuserToken()
  const socket = frames(api, token, ['fahrenheit'])
  const next = async () => JSON.parse((await socket.next()).value ?? 'null') as EventFrame
  expect(await next()).toMatchObject({ type: 'snapshot', flows: [{ name: 'fahrenheit', status: 'ready' }] })
  await fetch(`${api}/runs/flows/fahrenheit`, { method: 'POST', headers: { authorization: `Bearer ${token}` } })
  expect(await next()).toMatchObject({ type: 'run', run: { flow: 'fahrenheit', status: 'queued' } })
  await socket.return()
})
