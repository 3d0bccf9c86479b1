/** Recorded exchanges: which answers which request, and what a file may not hold. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

import { afterAll, expect, test } from 'vitest'

import { fakeContext, recordedHttp } from '../../src/testing.ts'

const folder = mkdtempSync(join(tmpdir(), 'recorded-'))
afterAll(() => rmSync(folder, { recursive: true }))
let files = 0

function written(content: unknown): string {
  const path = join(folder, `${files++}.json`)
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content))
  return path
}

const url = 'http://meter.local/status'
const status = (watts: number) => ({ request: { url }, response: { body: { watts } } })
const limit = {
  request: { method: 'PUT', url: 'http://meter.local/limit', headers: { accept: 'text/plain' }, body: { watts: 5 } },
  response: { status: 202, headers: { 'x-queue': '1' }, body: 'later' },
}

test('equal requests are answered in the order of the file, then with the last answer again', async () => {
  const { fetch, assertUsed } = recordedHttp(pathToFileURL(written([status(1), limit, status(2)])))
  const watts = async () => ((await (await fetch(url)).json()) as { watts: number }).watts
  expect([await watts(), await watts(), await watts()]).toEqual([1, 2, 2])
  expect(assertUsed).toThrow('nobody has asked for exchange 2 (PUT http://meter.local/limit)')
  const headers = { accept: 'text/plain', authorization: 'Bearer of anybody' }
  const answer = await fetch('http://meter.local/limit', { method: 'PUT', headers, body: '{ "watts": 5 }' })
  expect([answer.status, answer.headers.get('x-queue'), await answer.text()]).toEqual([202, '1', 'later'])
  expect(assertUsed).not.toThrow()
})

test('a request that is not recorded is told with what makes it another one', async () => {
  const { fetch } = recordedHttp(written([status(1), limit]))
  await expect(fetch('http://meter.local/limit', { method: 'PUT', body: '{"watts":6}' })).rejects.toThrow(
    'PUT http://meter.local/limit is not recorded; of exchange 2 (PUT http://meter.local/limit) it differs in this: ' +
      'header "accept" is not there, recorded "text/plain"; the body is "{\\"watts\\":6}", recorded {"watts":5}',
  )
})

test('in order, each exchange answers once and at its turn', async () => {
  const { fetch } = recordedHttp(written([status(1), limit]), { inOrder: true })
  await expect(fetch('http://meter.local/limit', { method: 'PUT' })).rejects.toThrow('of exchange 1')
  await fetch(url)
  await expect(fetch(url)).rejects.toThrow('of exchange 2 (PUT http://meter.local/limit) it differs')
})

test('bytes and answers without a body come as they are', async () => {
  const picture = { request: { url }, response: { headers: { 'content-type': 'image/png' }, base64: 'AQID' } }
  const gone = { request: { method: 'DELETE', url }, response: { status: 204 } }
  const ctx = fakeContext({ fetch: recordedHttp(written([picture, gone])).fetch })
  expect([...Buffer.from(await (await ctx.fetch(url)).arrayBuffer())]).toEqual([1, 2, 3])
  expect((await ctx.fetch(url, { method: 'DELETE' })).status).toBe(204)
})

test('a file with a credential is refused, and one that holds no exchanges', () => {
  const withHeader = { request: { url, headers: { Authorization: 'Bearer x' } }, response: {} }
  expect(() => recordedHttp(written([withHeader]))).toThrow(
    `has a credential in it, header "Authorization" of exchange 1 (GET ${url}): take it out`,
  )
  const withCookie = { request: { url }, response: { headers: { 'set-cookie': 'session=x' } } }
  expect(() => recordedHttp(written([withCookie]))).toThrow('header "set-cookie"')
  const withPassword = { request: { url: 'http://a:b@meter.local/' }, response: {} }
  expect(() => recordedHttp(written([withPassword]))).toThrow('the password of its URL')
  expect(() => recordedHttp(written('{'))).toThrow('holds no recorded exchanges')
  expect(() => recordedHttp(written([{ request: {}, response: {} }]))).toThrow('0.request.url')
  expect(() => recordedHttp(join(folder, 'none.json'))).toThrow('none.json')
})
