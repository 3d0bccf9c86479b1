/** An engine whose artifacts are in an S3-compatible store, as its clients and its operators see it (wire decision U24). */
import { createHash } from 'node:crypto'

import { afterAll, beforeAll, expect, test } from 'vitest'

import { LyingProxy } from './components/lying-proxy.ts'
import { credentials, type S3Server, s3Servers, urlOf } from './components/s3-servers.ts'
import { publish, startService, type TestService } from './service.ts'

let server: S3Server
let proxy: LyingProxy
let at: TestService
beforeAll(async () => {
  const [s3rver] = s3Servers
  if (!s3rver) throw new Error('there is no s3rver')
  server = await s3rver.start()
  proxy = await LyingProxy.before(server.port)
  at = await startService({ artifactsUrl: urlOf(proxy.port), ...credentials })
})
afterAll(async () => {
  await at[Symbol.asyncDispose]()
  await proxy[Symbol.asyncDispose]()
  await server[Symbol.asyncDispose]()
})

const code = `
def run(given):
    return {"out": save_artifact(load_artifact(given).upper(), "out.txt", "text/plain")}
`
const upper = {
  mode: 'batch',
  inputs: [{ name: 'given', dtype: 'artifact' }],
  outputs: [{ name: 'out' }],
  nodes: [
    {
      id: 'work',
      type: 'python',
      source: code,
      ports: [
        { direction: 'input', name: 'given', dtype: 'artifact' },
        { direction: 'output', name: 'out', dtype: 'artifact' },
      ],
    },
  ],
}

test('node code loads and saves artifacts as with a folder', async () => {
  await publish(at, 'upper', upper)
  const given = await at.client.upload(new Blob(['words']), { name: 'words.txt' })
  const { id } = await at.client.http.runs.submit({ name: 'upper', params: { given } })
  const run = await at.client.wait(id)
  expect([run.status, run.error]).toEqual(['ok', null])
  const made = run.artifacts.find(({ node }) => node === 'work')
  const answer = await fetch(`${at.baseUrl}/artifacts/${made?.digest}`, {
    headers: { authorization: `Bearer ${at.token}` },
  })
  expect(await answer.text()).toBe('WORDS')
})

test('a store that goes away impairs the engine, which says so and goes on', async () => {
  const health = async () => (await at.send('GET', '/observability/summary')).body as { status: string; checks: object }
  expect(await health()).toMatchObject({ checks: { artifacts: { status: 'ok', detail: null } } })
  proxy.lie = () => ({ status: 503 })
  expect(await health()).toMatchObject({
    status: 'degraded',
    checks: { artifacts: { status: 'down', detail: expect.stringContaining('the store of artifacts') } },
  })
  const digest = `sha256:${createHash('sha256').update('never stored').digest('hex')}`
  const put = await at.send('PUT', '/artifacts', 'never stored')
  expect([put.status, put.headers.get('retry-after')]).toEqual([503, '5'])
  const begun = await at.send('POST', '/artifacts/uploads', { digest, size: 12 })
  // signing asks nobody
  expect(begun.status).toBe(201)
  const complete = await at.send('POST', `/artifacts/uploads/${String(begun.body?.['upload'])}/complete`)
  expect(complete.status).toBe(503)
  expect((await at.send('GET', '/flows/')).status).toBe(200)
  proxy.lie = () => null
  expect((await at.send('PUT', '/artifacts', 'never stored')).status).toBe(201)
  expect(await health()).toMatchObject({ checks: { artifacts: { status: 'ok' } } })
})
