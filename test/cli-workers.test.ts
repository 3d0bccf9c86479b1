import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'

import { type Ended, runService } from './cli-process.ts'
import { startService, type TestService } from './service.ts'

let at: TestService
const folder = mkdtempSync(join(tmpdir(), 'cli-workers-'))
beforeAll(async () => {
  at = await startService({ python: 'no-such-python' })
})
afterAll(async () => {
  await at[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true, force: true })
})

const workers = (...args: string[]): Promise<Ended> =>
  runService(['workers', ...args], { cwd: folder, env: { SERVICE_DATA_DIR: at.dataDir } })
const socketUrl = (): string => `${at.baseUrl.replace('http', 'ws')}/workers/attach`

/** Attaches with a token, and waits for the answer. */
async function attach(token: string, more: object = {}): Promise<WebSocket> {
  const socket = new WebSocket(socketUrl(), { headers: { authorization: `Bearer ${token}` } })
  onTestFinished(() => socket.terminate())
  await once(socket, 'open')
  const hello = { type: 'hello', protocol: 1, version: '1.2.3', name: 'x', labels: ['gpu', 'west'], parallel: 2 }
  const machine = { resources: { cpus: 4, gpus: 1, ram_mb: 2000 }, python: '3.12.1', platform: 'linux-x64' }
  socket.send(JSON.stringify({ ...hello, ...machine, ...more }))
  await once(socket, 'message')
  return socket
}

test('a token is printed once and alone, attaches a worker, and ends with its revocation [R133]', async () => {
  const created = await workers('token', 'create', 'lab-3', '--label', 'gpu', '--label', 'west')
  expect([created.code, created.out]).toEqual([0, expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+\n$/)])
  expect(created.err).toContain(`SERVICE_WORKER_TOKEN=... npx -p @flow-service/worker-agent service-worker`)
  expect(created.err).toContain(` --url ${socketUrl()}\n`)
  expect(created.err).not.toContain(created.out.trim())
  const again = await workers('token', 'create', 'lab-3')
  expect([again.code, again.out, again.err]).toEqual([1, '', expect.stringContaining('"lab-3"')])

  const socket = await attach(created.out.trim())
  const list = await workers()
  expect(list.out.split('\n')).toEqual([
    expect.stringMatching(/^NAME +STATUS +LABELS +CALLS +FREE CPUS +FREE GPUS +FREE MB +VERSION +HEARD OF$/),
    expect.stringMatching(/^lab-3 +attached +gpu, west +0 of 2 +4 of 4 +1 of 1 +2000 of 2000 +1\.2\.3 +\S+/),
    '',
  ])
  const show = await workers('show', 'lab-3')
  expect(show.out).toMatch(
    /^lab-3 +attached +version 1\.2\.3, protocol 1, linux-x64, Python 3\.12\.1\nlabels: gpu, west\n/,
  )
  expect(show.out).toMatch(/\n {2}CPUS +4 +4\n {2}GPUS +1 +1\n {2}MB +2000 +2000\n {2}calls +2 +2\nno calls\n$/)
  expect(JSON.parse((await workers('show', 'lab-3', '--json')).out)).toMatchObject([{ name: 'lab-3', calls: [] }])

  const closed = once(socket, 'close')
  const revoked = await workers('token', 'revoke', 'lab-3')
  expect([revoked.code, revoked.out]).toEqual([0, 'Revoked the token of lab-3; its workers are disconnected.\n'])
  expect((await closed)[0]).toBe(4003)
  const tokens = await workers('tokens')
  expect(tokens.out).toMatch(
    /^WORKER +STATE +LABELS +USED +EXPIRES +ID\nlab-3 +revoked +gpu, west +\S+.* +[0-9a-f-]{36}\n$/,
  )
  const gone = await workers('token', 'revoke', 'lab-3')
  expect([gone.code, gone.err]).toEqual([1, expect.stringContaining('service workers tokens')])
})

test('for programs, a token comes with its id, by which it is revoked', async () => {
  const created = await workers('token', 'create', 'scripted', '--json')
  const { jti, token, labels } = JSON.parse(created.out) as Record<string, unknown>
  expect([created.err, labels, typeof token]).toEqual(['', [], 'string'])
  const revoked = JSON.parse((await workers('token', 'revoke', String(jti), '--json')).out)
  expect(revoked).toMatchObject({ jti, name: 'scripted', revoked_at: expect.any(String) })
  expect(JSON.parse((await workers('tokens', '--json')).out)).toContainEqual(revoked)
})

test('a worker that speaks another protocol is shown as refused', async () => {
  const { token } = await at.client.workers.mintToken({ name: 'old' })
  await attach(token, { protocol: 0, version: '0.9.0' })
  expect((await workers('list')).out).toMatch(/^old +needs_upgrade +/m)
  const { out } = await workers('show', 'old')
  expect(out).toMatch(/^old +needs_upgrade +version 0\.9\.0, protocol 0\nrefused .*another protocol than the engine\n$/)
})

test('a word that is no command, and a name that is none, are told as such', async () => {
  const bogus = await workers('tokns')
  expect([bogus.code, bogus.err]).toEqual([2, expect.stringContaining("error: unknown command 'tokns'")])
  const flavor = await workers('flavors', 'add')
  expect([flavor.code, flavor.err]).toEqual([2, expect.stringContaining("error: unknown command 'add'")])
  const nobody = await workers('show', 'nobody')
  expect([nobody.code, nobody.err]).toEqual([1, expect.stringContaining('service workers list')])
})

test('a flavor is created, and changed in what is given [R580, R581]', async () => {
  expect((await workers('flavors')).out).toBe('There are no flavors yet.\n')
  const created = await workers(
    'flavors',
    'set',
    'large',
    '--cpus',
    '8',
    '--ram-mb',
    '32000',
    '--description',
    'Training',
  )
  expect([created.code, created.out]).toEqual([0, 'large: 8 CPUs, 0 GPUs, 32000 MB a call.\n'])
  const changed = await workers('flavors', 'set', 'large', '--cpus', '0.5', '--json')
  const large = { name: 'large', cpus: 0.5, gpus: 0, ram_mb: 32_000, description: 'Training' }
  expect(JSON.parse(changed.out)).toEqual(large)
  expect((await workers('flavors', 'list')).out).toMatch(/^FLAVOR +CPUS +GPUS +MB\nlarge +0\.5 +0 +32000 +Training\n$/)
})

test('a flavor is kept while a flow names it [R581]', async () => {
  await at.client.http.flavors.create({ name: 'held', cpus: 1, gpus: 0, ram_mb: 0 })
  await at.send('PUT', '/flows/trained', { mode: 'batch', resources: { flavor: 'held' } })
  const used = await workers('flavors', 'delete', 'held')
  expect([used.code, used.err]).toEqual([1, expect.stringContaining('"trained"')])
  await at.send('DELETE', '/flows/trained')
  expect((await workers('flavors', 'delete', 'held')).out).toBe('Deleted held.\n')
  const gone = await workers('flavors', 'delete', 'held')
  expect([gone.code, gone.err]).toEqual([1, expect.stringContaining('service workers flavors')])
})

test.each([
  [['set', 'x'], 'name --cpus'],
  [['set', 'x', '--cpus', 'many'], 'Give a number from 0.'],
  [['set', 'x', '--gpus', '1.5'], 'Give a whole number.'],
])('flavors %j is wrong usage', async (args, told) => {
  const { code, err } = await workers('flavors', ...args)
  expect([code, err]).toEqual([2, expect.stringContaining(told)])
})

test('a document that is checked beside an engine may name its flavors', async () => {
  const file = join(folder, 'flow.json')
  writeFileSync(file, JSON.stringify({ mode: 'batch', resources: { flavor: 'small' } }))
  const validate = (...more: string[]): Promise<Ended> =>
    runService(['validate', file, '--name', 'f', ...more], { cwd: folder, env: { SERVICE_DATA_DIR: at.dataDir } })
  const unknown = await validate()
  expect([unknown.code, unknown.out]).toEqual([1, expect.stringContaining('there is no flavor "small"')])
  await at.client.http.flavors.create({ name: 'small', cpus: 1, gpus: 0, ram_mb: 0 })
  expect((await validate()).code).toBe(0)
  await at.client.http.flavors.delete({ name: 'small' })
  expect((await validate('--offline')).code).toBe(0)
})
