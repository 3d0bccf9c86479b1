/** What an engine with an S3-compatible store makes sure of when it starts (wire decisions T9, U24). */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { S3mini } from 's3mini'
import { afterAll, beforeAll, expect, test } from 'vitest'

import { LyingProxy } from '../../../../test/components/lying-proxy.ts'
import { bucket, credentials, type S3Server, s3Servers, urlOf } from '../../../../test/components/s3-servers.ts'
import { placeOf } from '../../src/artifacts/s3/s3-place.ts'
import { resolveConfig } from '../../src/config.ts'
import { startService } from '../observability/service.ts'
import { digestOf } from './stores.ts'

let server: S3Server
let directory: string
let client: S3mini
beforeAll(async () => {
  const [s3rver] = s3Servers
  if (!s3rver) throw new Error('there is no s3rver')
  server = await s3rver.start()
  directory = await mkdtemp(join(tmpdir(), 's3-start-'))
  const endpoint = `http://127.0.0.1:${server.port}/${bucket}`
  const { awsAccessKeyId: accessKeyId, awsSecretAccessKey: secretAccessKey } = credentials
  client = new S3mini({ endpoint, region: 'eu-central-1', accessKeyId, secretAccessKey })
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  await rm(directory, { recursive: true, force: true })
})

/** An engine with a data directory of this name, on a database of its own, which stays. */
async function engine(name: string, artifactsUrl: string | undefined) {
  const at = await startService({ dataDir: join(directory, name), artifactsUrl, ...credentials })
  return { ...at, [Symbol.asyncDispose]: at.close }
}
const refusal = async (starting: Promise<AsyncDisposable>): Promise<string> => {
  try {
    await (await starting)[Symbol.asyncDispose]()
    return 'it started'
  } catch (error) {
    return String(error)
  }
}
const put = (origin: string, token: string, data: string): Promise<Response> =>
  fetch(`${origin}/api/v1/artifacts`, { method: 'PUT', headers: { authorization: `Bearer ${token}` }, body: data })

test('a store belongs to one database: that of another one does not start with it, and changes nothing [T9]', async () => {
  const url = urlOf(server.port, 'mine')
  let id = ''
  {
    await using first = await engine('first', url)
    id = (await client.getObject('mine/store-id')) ?? ''
    expect(id).toMatch(/^[0-9a-f-]{36}\n$/)
    expect((await first.ann('GET', `/artifacts/${digestOf(Buffer.from('none'))}`)).status).toBe(404)
    expect(await refusal(engine('second', url))).toContain(`that of another database, by its store-id ${id.trim()}`)
  }
  expect(await client.getObject('mine/store-id')).toBe(id)
  await using again = await engine('first', url)
  expect((await again.ann('GET', '/users/me')).status).toBe(200)
  await using beside = await engine('second', urlOf(server.port, 'yours'))
  expect((await beside.ann('GET', '/users/me')).status).toBe(200)
})

test('a database whose store lost its id, or is named otherwise, does not start', async () => {
  await (await engine('moved', urlOf(server.port, 'here')))[Symbol.asyncDispose]()
  expect(await refusal(engine('moved', urlOf(server.port, 'there')))).toMatch(/whose store-id is .* has none/)
  expect(await refusal(engine('moved', undefined))).toMatch(/there is no .*store-id/)
})

test('artifacts move from a folder to a store by copying it', async () => {
  const dataDir = join(directory, 'moving')
  const data = 'kept in a folder first'
  {
    await using at = await engine('moving', undefined)
    expect((await put(at.origin, at.annToken, data)).status).toBe(201)
  }
  const url = urlOf(server.port, 'moving')
  expect(await refusal(engine('moving', url))).toContain('copy the folder of artifacts there first')
  const root = join(dataDir, 'artifacts', 'sha256')
  for (const path of await readdir(root, { recursive: true })) {
    const content = await readFile(join(root, path)).catch(() => null)
    if (content) await client.putObject(`moving/sha256/${path}`, content)
  }
  await using at = await engine('moving', url)
  const answer = await fetch(`${at.origin}/api/v1/artifacts/${digestOf(Buffer.from(data))}`, {
    headers: { authorization: `Bearer ${at.annToken}` },
  })
  expect(await answer.text()).toBe(data)
})

test('a store that does not answer, has no such bucket or refuses the keys keeps the engine from starting, and says why', async () => {
  await using proxy = await LyingProxy.before(server.port)
  const refused = 'the engine does not start without it'
  proxy.lie = () => ({ status: 503 })
  const down = await refusal(engine('waiting', urlOf(proxy.port)))
  expect([down.includes('answer 503'), down.includes(refused)]).toEqual([true, true])
  const { port } = proxy
  await proxy[Symbol.asyncDispose]()
  expect(await refusal(engine('waiting', urlOf(port)))).toContain('ECONNREFUSED')
  const elsewhere = urlOf(server.port).replace(`//${bucket}`, '//elsewhere')
  expect(await refusal(engine('waiting', elsewhere))).toContain('make the bucket')
  const keys = { ...credentials, awsSecretAccessKey: 'not-the-secret' }
  const wrong = await refusal(
    startService({ dataDir: join(directory, 'waiting'), artifactsUrl: urlOf(server.port), ...keys }),
  )
  expect(wrong).toContain('AWS_SECRET_ACCESS_KEY is another one')
  expect(wrong).not.toContain('not-the-secret')
})

const env = { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'hidden-key' }

test.each([
  ['a folder too', { SERVICE_ARTIFACTS_URL: 's3://bucket', SERVICE_ARTIFACTS_DIR: '/x' }, 'are both set'],
  ['no credentials', { SERVICE_ARTIFACTS_URL: 's3://bucket', AWS_SECRET_ACCESS_KEY: '' }, 'AWS_SECRET_ACCESS_KEY'],
  ['credentials that end', { SERVICE_ARTIFACTS_URL: 's3://bucket', AWS_SESSION_TOKEN: 'x' }, 'AWS_SESSION_TOKEN'],
  ['another scheme', { SERVICE_ARTIFACTS_URL: 'https://id:hidden@host/bucket' }, 'begins with s3://'],
  ['a password in it', { SERVICE_ARTIFACTS_URL: 's3://id:hidden@bucket' }, 'credentials stand in'],
  ['no bucket', { SERVICE_ARTIFACTS_URL: 's3:///prefix' }, 'no name of a bucket'],
  ['a parameter of its own', { SERVICE_ARTIFACTS_URL: 's3://bucket?endpiont=http://x' }, '"endpiont" is not known'],
  ['a parameter twice', { SERVICE_ARTIFACTS_URL: 's3://bucket?region=a&region=b' }, 'region stands there twice'],
  ['an endpoint with a path', { SERVICE_ARTIFACTS_URL: 's3://bucket?endpoint=http://x/y' }, 'without a path'],
  ['an odd prefix', { SERVICE_ARTIFACTS_URL: 's3://bucket/a%20b' }, 'beginning of keys'],
  ['an odd flag', { SERVICE_ARTIFACTS_URL: 's3://bucket?path_style=yes' }, 'path_style'],
  [
    'an address for a bucket as a host',
    { SERVICE_ARTIFACTS_URL: 's3://bucket?endpoint=http://127.0.0.1:1&path_style=false' },
    'a domain',
  ],
])('a setting with %s is an error at the start, which repeats nothing hidden', (_what, more, words) => {
  let message = ''
  try {
    resolveConfig({}, { ...env, ...more })
  } catch (error) {
    message = String(error)
  }
  expect(message).toContain(words)
  expect(message).not.toContain('hidden')
})

test.each([
  ['s3://some/of/mine', 'https://some.s3.us-east-1.amazonaws.com', 'of/mine/'],
  ['s3://some?region=eu-west-1', 'https://some.s3.eu-west-1.amazonaws.com', ''],
  ['s3://dotted.name', 'https://s3.us-east-1.amazonaws.com/dotted.name', ''],
  ['s3://some/x/?endpoint=http://10.0.0.1:9000', 'http://10.0.0.1:9000/some', 'x/'],
  ['s3://some?endpoint=https://store.example&path_style=false', 'https://some.store.example', ''],
])('%s is at %s', (artifactsUrl, endpoint, prefix) => {
  const none = { awsSessionToken: null, awsRegion: null }
  expect(placeOf({ artifactsUrl, ...credentials, ...none })).toMatchObject({ endpoint, prefix })
})
