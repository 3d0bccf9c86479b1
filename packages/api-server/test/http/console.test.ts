import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'

import express from 'express'
import { afterAll, beforeAll, expect, test } from 'vitest'

import { consoleFiles } from '../../src/http/console.ts'
import { answerErrors } from '../../src/http/errors.ts'
import { secureHeaders } from '../../src/http/headers.ts'

const folder = mkdtempSync(join(tmpdir(), 'console-'))
const script = 'console.log(1)\n'.repeat(200)
beforeAll(() => {
  mkdirSync(join(folder, 'assets'))
  mkdirSync(join(folder, '.vite'))
  writeFileSync(join(folder, 'index.html'), '<!doctype html>')
  writeFileSync(join(folder, 'icon.svg'), '<svg/>')
  writeFileSync(join(folder, '.stamp'), 'x')
  writeFileSync(join(folder, '.vite', 'manifest.json'), '{}')
  writeFileSync(join(folder, 'assets', 'index-1.js'), script)
  writeFileSync(join(folder, 'assets', 'index-1.js.gz'), gzipSync(script))
  writeFileSync(join(folder, 'assets', 'index-1.js.br'), brotliCompressSync(script))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

async function serve(from: string | null, mount = '') {
  const app = express()
  app.use(`${mount}/console`, secureHeaders, consoleFiles(from))
  app.use(answerErrors({ error: () => undefined }))
  const server = app.listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as { port: number }
  return {
    /** As it is sent: `fetch` would tidy the path up and undo the coding. */
    async get(path: string, headers: Record<string, string> = {}, method = 'GET') {
      const asked = request({ port, path, headers, method }).end()
      const [response] = (await once(asked, 'response')) as [IncomingMessage]
      const body = Buffer.concat(await response.toArray())
      return { status: response.statusCode, headers: response.headers, bytes: body.length, text: body.toString() }
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

test('the page may load, start and reach nothing but what is of the service', async () => {
  await using at = await serve(folder)
  const page = await at.get('/console/')
  expect(page).toMatchObject({
    status: 200,
    text: '<!doctype html>',
    headers: {
      'cache-control': 'no-store',
      'content-type': 'text/html; charset=utf-8',
      'cross-origin-opener-policy': 'same-origin',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    },
  })
  const rules = String(page.headers['content-security-policy']).split('; ')
  expect(rules).toContain("default-src 'none'")
  expect(rules).toContain("require-trusted-types-for 'script'")
  expect(rules.filter((rule) => /unsafe|\*|https?:/.test(rule))).toEqual([])
})

test('files are sent as they were compressed before, to who takes that, and kept for a year', async () => {
  await using at = await serve(folder)
  const path = '/console/assets/index-1.js'
  for (const [accepted, coding, bytes] of [
    ['gzip, deflate, br', 'br', brotliCompressSync(script).length],
    ['gzip', 'gzip', gzipSync(script).length],
    ['br;q=0', undefined, script.length],
  ] as const) {
    const answer = await at.get(path, { 'accept-encoding': accepted })
    expect([accepted, answer.headers['content-encoding'], answer.bytes]).toEqual([accepted, coding, bytes])
    expect(answer.headers).toMatchObject({ vary: 'accept-encoding', 'content-type': 'text/javascript; charset=utf-8' })
  }
  const plain = await at.get(path)
  expect([plain.text, plain.headers['cache-control']]).toEqual([script, 'public, max-age=31536000, immutable'])
  const head = await at.get(path, { 'accept-encoding': 'gzip' }, 'HEAD')
  expect([head.status, head.bytes, head.headers['content-length']]).toEqual([200, 0, String(gzipSync(script).length)])
})

test('nothing is found but the files of the page, however the path is written', async () => {
  await using at = await serve(folder)
  for (const path of [
    '/console/.stamp',
    '/console/.vite/manifest.json',
    '/console/assets',
    '/console/assets/',
    '/console/assets/index-1.js.gz',
    '/console/../console.test.ts',
    '/console/%2e%2e/x',
    '/console//etc/passwd',
    '/console/index.html/x',
  ]) {
    expect([path, (await at.get(path)).status]).toEqual([path, 404])
  }
  expect((await at.get('/console/', {}, 'POST')).status).toBe(404)
})

test('the address without its slash leads to the page, wherever it is mounted', async () => {
  await using at = await serve(folder, '/apps/flows')
  expect(await at.get('/apps/flows/console?x=1')).toMatchObject({
    status: 308,
    headers: { location: '/apps/flows/console/' },
  })
  expect((await at.get('/apps/flows/console/?x=1')).status).toBe(200)
})

test('where the package is not there, that is said', async () => {
  for (const from of [null, join(folder, 'nowhere')]) {
    await using at = await serve(from)
    const { status, text } = await at.get('/console/')
    expect([status, text]).toEqual([404, expect.stringContaining('@flow-service/console')])
  }
})
