import { once } from 'node:events'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'

import type { NodeType } from '@flow-service/protocol'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { WebSocket } from 'ws'

import { sendRaw } from './raw-http.ts'
import { problemOf, publish, startService, type TestService } from './service.ts'

const output = (name: string) => ({ direction: 'output', name, dtype: 'any' })
const input = (name: string) => ({ direction: 'input', name, dtype: 'any' })
const plant = {
  mode: 'live',
  inputs: [{ name: 'typed', dtype: 'any' }],
  nodes: [
    { id: 'hook', type: 'http', settings: { url: 'hook' }, ports: [output('posted')] },
    { id: 'heard', type: 'websocket', settings: { url: 'heard' }, ports: [output('said')] },
    {
      id: 'cmd',
      type: 'exec',
      settings: { command: 'head -c 50000000 /dev/zero | tr "\\0" x' },
      ports: [input('typed'), { ...output('stdout'), dtype: 'str' }],
    },
    {
      id: 'kept',
      type: 'file',
      settings: { path: 'out/of-the-command.txt', mode: 'write', newline: false },
      ports: [{ ...input('stdout'), dtype: 'str' }],
    },
  ],
}
const FIFTY_MB = 50_000_000
const nested = (levels: number): string => `${'['.repeat(levels)}${']'.repeat(levels)}`

let at: TestService
beforeAll(async () => {
  at = await startService()
  await publish(at, 'plant', plant)
  await at.send('POST', '/flows/plant/start')
})
afterAll(() => at[Symbol.asyncDispose]())

const valueOf = async (message: string): Promise<unknown> =>
  (await at.client.messages.list()).find(({ name }) => name === `plant.${message}`)?.value
const json = 'content-type: application/json'

test.each([
  ['50 MB', 'x'.repeat(FIFTY_MB), 413, 'payload_too_large'],
  ['100,000 levels', nested(100_000), 422, 'validation_failed'],
  ['65 levels', `{"posted":${nested(65)}}`, 422, 'validation_failed'],
])('a webhook refuses %s, and takes what comes next [F61]', async (_what, body, status, code) => {
  const answer = await sendRaw(at.origin, ['POST /hooks/plant/hook HTTP/1.1', json], body)
  expect([answer.status, JSON.parse(answer.body).code]).toEqual([status, code])
  expect((await sendRaw(at.origin, ['POST /hooks/plant/hook HTTP/1.1', json], '{"posted":1}')).status).toBe(202)
})

test('a served socket ends a client that sends 50 MB with 1009, and drops 100,000 levels [F61]', async () => {
  const address = `${at.origin.replace('http', 'ws')}/hooks/plant/heard`
  const [large, deep] = [new WebSocket(address), new WebSocket(address)]
  await Promise.all([once(large, 'open'), once(deep, 'open')])
  large.on('error', () => {})
  const closed = once(large, 'close')
  large.send('x'.repeat(FIFTY_MB))
  expect((await closed)[0]).toBe(1009)
  // no JSON of the engine's: a text like any other
  deep.send(nested(100_000))
  await expect.poll(() => valueOf('said')).toBe(nested(100_000))
  deep.send('{"said":2}')
  await expect.poll(() => valueOf('said')).toBe(2)
  deep.terminate()
})

test('a command that writes 50 MB gives its first MiB [T70] [F61]', async () => {
  await at.send('POST', '/messages/plant.typed', { value: 1 })
  const path = join(at.dataDir, 'files', 'out', 'of-the-command.txt')
  await expect.poll(async () => (await stat(path).catch(() => null))?.size).toBe(1024 * 1024)
})

test('the files directory holds nothing of the engine, and no flow names anything beside it [R293] [T66] [T68]', async () => {
  // but for what the flow of these tests has written
  const files = await readdir(join(at.dataDir, 'files'))
  expect(files.filter((name) => name !== 'out')).toEqual([])
  const beside = await readdir(at.dataDir)
  expect(beside).toEqual(expect.arrayContaining(['files', 'secret.key', 'session.key']))
  for (const path of [...beside.map((name) => `../${name}`), join(at.dataDir, 'secret.key')]) {
    const node = { id: 'thief', type: 'file', settings: { path }, ports: [{ ...output('stolen'), dtype: 'str' }] }
    await at.send('PUT', '/flows/thief', { mode: 'live', nodes: [node] })
    const answer = await at.send('POST', '/flows/thief/publish', { version: 1 })
    expect([path, answer.status, problemOf(answer).code]).toEqual([path, 422, 'flow_invalid'])
    expect(JSON.stringify(answer.body)).toContain('/nodes/0/settings/path')
    await at.send('DELETE', '/flows/thief')
  }
})

test('the catalogue lists every built-in type once with the JSON Schema of its settings, to any user [R158]', async () => {
  const types = (await at.send('GET', '/flows/node-types')).body as unknown as NodeType[]
  const names = types.map(({ type }) => type)
  expect(names).toEqual(
    expect.arrayContaining(
      'python code mqtt http websocket tsdb push inject delay debounce switch change rbe join exec file mlp'.split(' '),
    ),
  )
  expect(new Set(names).size).toBe(names.length)
  for (const { params, available, missing } of types) {
    expect(params).toMatchObject({ $schema: 'https://json-schema.org/draft/2020-12/schema', type: 'object' })
    expect([available, missing]).toEqual([true, null])
  }
})
