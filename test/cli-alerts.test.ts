import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import type { AlertConfig } from '@flow-service/protocol'
import { afterAll, beforeAll, expect, test } from 'vitest'

import { openSink } from '../packages/api-server/test/alerts/sink.ts'
import { type Ended, runService } from './cli-process.ts'
import { publishFlow, pythonFlow } from './documents.ts'
import { DataDirectory } from './engine-process.ts'
import { startService, type TestService } from './service.ts'

let at: TestService
const folder = mkdtempSync(join(tmpdir(), 'cli-alerts-'))
beforeAll(async () => {
  at = await startService()
  await at.send('PUT', '/secrets/hook_token', { value: 'Bearer a-value-that-nobody-sees' })
})
afterAll(async () => {
  await at[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true, force: true })
})

const alerts = (args: string[], input = ''): Promise<Ended> =>
  runService(['alerts', ...args], { cwd: folder, env: { SERVICE_DATA_DIR: at.dataDir }, input })
const config = async (): Promise<AlertConfig> => (await at.client.alerts.get()) as AlertConfig

test('options change what they name and keep the rest, naming a channel enables it, and the test of one arrives', async () => {
  await using sink = await openSink()
  const header = 'authorization=secret:hook_token'
  const set = await alerts([
    'set',
    '--webhook',
    sink.url,
    '--header',
    header,
    '--event',
    'run_error',
    '--interval',
    '5',
  ])
  expect([set.code, set.err]).toEqual([0, ''])
  expect(await config()).toMatchObject({
    enabled: false,
    min_interval_s: 5,
    events: ['run_error'],
    channels: { webhook: { enabled: true, url: sink.url, headers: { authorization: { $secret: 'hook_token' } } } },
  })
  expect((await alerts(['set', '--push', 'hall', '--push-token', 'hook_token', '--event', 'all'])).code).toBe(0)
  expect((await alerts(['set', '--webhook', 'off', '--email', 'ann@example.org'])).code).toBe(0)
  const on = await alerts(['on'])
  expect([on.code, on.out]).toEqual([0, 'Alerts are on: push, email.\n'])
  expect(await config()).toMatchObject({
    enabled: true,
    min_interval_s: 5,
    events: { length: 8 },
    channels: { webhook: { enabled: false, url: sink.url }, push: { enabled: true, topic: 'hall' } },
  })
  const tested = await alerts(['test', 'webhook'])
  expect([tested.code, tested.out]).toEqual([0, 'webhook took the message.\n'])
  expect(sink.seen).toMatchObject([{ headers: { authorization: 'Bearer a-value-that-nobody-sees' } }])

  const shown = await alerts(['show'])
  expect(shown.out).toMatch(/webhook +stopped +http:\/\/\S+, authorization: the secret hook_token\n/)
  expect(shown.out).toMatch(/push +active +hall at https:\/\/ntfy\.sh\n/)
  expect(shown.out).toMatch(/worker_lost +yes +a worker has disconnected/)
  expect(shown.out).not.toContain('nobody-sees')
  expect((await alerts(['off'])).code).toBe(0)
  expect((await config()).enabled).toBe(false)
  const listed = await runService(['secrets', 'list'], { cwd: folder, env: { SERVICE_DATA_DIR: at.dataDir } })
  expect(listed.out).toContain('the channel "push" of alerts')
})

test('a file, or standard input, replaces all of it; what is shown as JSON can be set again', async () => {
  const file = join(folder, 'alerts.json')
  writeFileSync(file, JSON.stringify({ enabled: true, channels: { push: { enabled: true, topic: 'garden' } } }))
  expect((await alerts(['set', '-f', file])).code).toBe(0)
  const first = await config()
  expect(first).toMatchObject({ enabled: true, min_interval_s: 300, channels: { webhook: { url: null } } })
  const shown = await alerts(['show', '--json'])
  expect((await alerts(['set', '-f', '-'], '{}')).code).toBe(0)
  expect((await config()).enabled).toBe(false)
  expect((await alerts(['set', '-f', '-'], shown.out)).code).toBe(0)
  expect(await config()).toEqual(first)
})

test('what cannot be set is told with its place', async () => {
  const cases: [string[], number, string][] = [
    [['set'], 2, 'nothing is given to set'],
    [['set', '--header', 'x'], 2, 'has no value; write name=value, or name=secret:NAME'],
    [['set', '-f', '-', '--interval', '5'], 2, 'a file replaces all'],
    [['set', '-f', '-'], 1, '/colour: this is not known here'],
    [['set', '--push-token', 'nothing'], 1, '/channels/push/token: there is no secret "nothing"'],
    [['set', '--event', 'rain'], 1, '"rain" is not one of flow_failed'],
    [['test', 'phone'], 1, 'there is no channel "phone"'],
    [['test', 'email'], 1, 'PUT /alerts/config first'],
  ]
  await alerts(['set', '-f', '-'], '{}')
  for (const [args, code, text] of cases) {
    const ended = await alerts(args, '{ "colour": "red" }')
    expect([args, ended.code, ended.err]).toEqual([args, code, expect.stringContaining(text)])
  }
})

test('a run whose engine is killed is told by the next life of the engine [R666]', async () => {
  await using sink = await openSink()
  using data = new DataDirectory()
  const killed = await data.start()
  await killed.client.alerts.put({ enabled: true, channels: { webhook: { enabled: true, url: sink.url } } })
  await publishFlow(killed.client, 'long', pythonFlow('import time\ndef run(n):\n    time.sleep(600)\n'))
  const { id } = await killed.client.http.runs.submit({ name: 'long' })
  await expect.poll(async () => (await killed.client.http.runs.get({ id })).status).toBe('running')
  await killed.end('SIGKILL')
  const next = await data.start()
  const [told, ...more] = await sink.told('run_abandoned')
  expect(told).toMatchObject({ flow: 'long', run: id, severity: 'error', count: 1 })
  expect(more).toEqual([])
  const sent = async () => (await next.client.observability.events({ kind: 'alert' })).map(({ action }) => action)
  await expect.poll(sent).toEqual(['alert.sent'])
  await next.end('SIGTERM')
})
