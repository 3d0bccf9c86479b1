import { request } from 'node:http'
import { networkInterfaces } from 'node:os'

import express from 'express'
import { describe, expect, test } from 'vitest'

import { authEndpoints } from '../../src/auth/routes.ts'
import { docs, type DocsOptions } from '../../src/http/docs.ts'
import { answerErrors, notFound } from '../../src/http/errors.ts'
import { secureHeaders } from '../../src/http/headers.ts'
import { openApiDocument } from '../../src/http/openapi.ts'

const document = openApiDocument(Object.values(authEndpoints), { title: 'Service', version: '1.0.0' })
const pages = ['/docs', '/redoc', '/api/v1/openapi.json']

async function serve(options: Partial<DocsOptions> = {}, mount = '', host = '127.0.0.1') {
  const app = express()
  app.use(secureHeaders)
  app.use(mount || '/', docs({ document: () => document, environment: 'local', enabled: false, ...options }))
  app.use(notFound, answerErrors({ error: () => undefined }))
  const server = app.listen(0, host)
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as { port: number }
  const close = async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  return { port, url: `http://127.0.0.1:${port}${mount}`, [Symbol.asyncDispose]: close }
}

const statuses = (url: string, headers: Record<string, string> = {}) =>
  Promise.all(pages.map(async (page) => (await fetch(url + page, { headers })).status))

describe('the reference', () => {
  test('is shown to a client on the same machine outside production [R020, R021, R022]', async () => {
    await using api = await serve()
    expect(await statuses(api.url)).toEqual([200, 200, 200])
    expect((await fetch(`${api.url}/docs`)).headers.get('content-type')).toMatch('text/html')
    const schema = await fetch(`${api.url}/api/v1/openapi.json`)
    expect(await schema.json()).toMatchObject({ openapi: '3.1.1', paths: { '/users/me': {} } })
  })

  test('is hidden from whoever comes through a proxy on the same machine [R023]', async () => {
    await using api = await serve()
    for (const header of ['x-forwarded-for', 'forwarded', 'x-real-ip'])
      expect(await statuses(api.url, { [header]: '127.0.0.1' })).toEqual([404, 404, 404])
    expect(
      (await fetch(`${api.url}/docs/assets/swagger-ui.css`, { headers: { 'x-forwarded-for': '::1' } })).status,
    ).toBe(404)
  })

  const outside = Object.values(networkInterfaces())
    .flat()
    .find((each) => each && !each.internal && each.family === 'IPv4')?.address

  test.skipIf(outside === undefined)('is hidden from another address of the network [R023]', async () => {
    await using api = await serve({}, '', '0.0.0.0')
    expect(await statuses(`http://${outside}:${api.port}`)).toEqual([404, 404, 404])
  })

  test('is shown to loopback clients of a server that listens for IPv6 too', async () => {
    await using api = await serve({}, '', '::')
    expect(await statuses(`http://127.0.0.1:${api.port}`)).toEqual([200, 200, 200])
    expect(await statuses(`http://[::1]:${api.port}`)).toEqual([200, 200, 200])
  })

  test('is opened to everybody by the setting, outside production [R024]', async () => {
    await using api = await serve({ enabled: true, environment: 'staging' })
    expect(await statuses(api.url, { 'x-forwarded-for': '203.0.113.7' })).toEqual([200, 200, 200])
  })

  test('is off in production, whatever the setting [R025]', async () => {
    for (const enabled of [false, true]) {
      await using api = await serve({ enabled, environment: 'production' })
      expect(await statuses(api.url)).toEqual([404, 404, 404])
    }
  })
})

describe('the pages', () => {
  test.each(['docs', 'redoc'])('/%s loads only what the same server has, also below a mount', async (name) => {
    await using api = await serve({}, '/engine')
    for (const path of [`/${name}`, `/${name}/`]) {
      const html = await (await fetch(api.url + path)).text()
      const loaded = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map((match) => match[1] ?? '')
      expect(loaded.length).toBeGreaterThan(1)
      for (const asset of loaded) {
        expect(asset).toMatch(new RegExp(`^/engine/${name}/`))
        expect([asset, (await fetch(new URL(asset, api.url))).status]).toEqual([asset, 200])
      }
      expect(html).not.toMatch(/<script>|https?:/)
    }
    expect(await (await fetch(`${api.url}/${name}/start.js`)).text()).toContain('"/engine/api/v1/openapi.json"')
  })

  test('may run no script but those of the server, and are framed by nobody', async () => {
    await using api = await serve()
    const { headers } = await fetch(`${api.url}/docs`)
    expect(headers.get('content-security-policy')).toContain("script-src 'self';")
    expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
    expect(headers.get('x-frame-options')).toBe('DENY')
  })

  test('hand out no file beside the assets', async () => {
    await using api = await serve()
    for (const path of [
      '/docs/assets/',
      '/docs/assets/nothing.js',
      '/docs/assets/%2e%2e/package.json',
      '/docs/assets/..%2f..%2fredoc/package.json',
    ])
      expect([path, (await raw(api.port, path)).status]).toEqual([path, 404])
    expect(await raw(api.port, '/docs/assets/nothing.js')).toMatchObject({ type: 'application/problem+json' })
  })
})

/** A request whose path is sent as it is. */
const raw = (port: number, path: string) =>
  new Promise<{ status: number | undefined; type: string | undefined }>((resolve, reject) => {
    request({ port, host: '127.0.0.1', path }, (answer) => {
      answer.resume()
      resolve({ status: answer.statusCode, type: answer.headers['content-type'] })
    })
      .on('error', reject)
      .end()
  })

test('every answer, refusals too, forbids sniffing, framing, caching and telling the address', async () => {
  await using api = await serve()
  for (const path of ['/nothing', '/api/v1/openapi.json']) {
    const { headers } = await fetch(api.url + path)
    expect(Object.fromEntries(headers)).toMatchObject({
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    })
    expect(headers.get('x-powered-by')).toBeNull()
    expect(headers.get('access-control-allow-origin')).toBeNull()
  }
})
