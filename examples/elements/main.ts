/**
 * A live flow in a page of somebody else: an app at an origin of its own serves a page with `<flow-graph>`, and a key of it that
 * can read and nothing more. `KEEP=1` leaves both open, to look at the page in a browser.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { createService } from '@flow-service/api-server'
import { createClient } from '@flow-service/client-sdk'
import { liveFlow, t } from '@flow-service/flow-sdk'
import { http, switchOn } from '@flow-service/node-types/flow'
import express from 'express'

const hall = liveFlow('hall', { temp: t.float, hot: t.float }, (m, use) => {
  use(http.webhook({ url: 'hall', out: { temp: t.float } }), {}, { id: 'sensor', out: { temp: m.temp } })
  const rules = [{ operator: 'gt', value: 28, output: 'hot' }] as const
  use(switchOn(t.float, { rules }), { in: m.temp }, { id: 'limit', out: { hot: m.hot } })
})

const page = (src: string): string => `<!doctype html>
<html lang="en">
  <title>The hall</title>
  <h1>The hall</h1>
  <flow-graph src="${src}" flow="hall"></flow-graph>
  <script type="module" src="/page.js"></script>
</html>`
const script = `import '/elements.js'
document.querySelector('flow-graph').token = () => fetch('/token').then((answer) => answer.text())`

const app = express()
const server = createServer(app).listen(0, '127.0.0.1')
await once(server, 'listening')
const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

const dataDir = await mkdtemp(join(tmpdir(), 'elements-'))
const service = await createService({
  dataDir,
  port: 0,
  environment: 'local',
  logLevel: 'warn',
  flows: [hall],
  corsOrigins: [origin],
})
try {
  const { baseUrl, origin: engine } = await service.listen()
  const client = createClient({ baseUrl, token: await service.superuserToken() })
  await client.flows.start(hall.name)
  const { key } = await client.keys.create({ name: 'page', scopes: ['flows:read', 'runs:read', 'messages:read'] })

  app.use((_request, response, next) => {
    const connect = `connect-src 'self' ${engine} ${engine.replace('http', 'ws')}`
    response.setHeader('content-security-policy', `default-src 'self'; ${connect}`)
    next()
  })
  app.get('/', (_request, response) => void response.send(page(baseUrl)))
  app.get('/page.js', (_request, response) => void response.type('js').send(script))
  // of a bundler this file is a part of the bundle
  const elements = fileURLToPath(import.meta.resolve('@flow-service/console/elements'))
  app.get('/elements.js', (_request, response) => response.sendFile(elements))
  // an app of yours asks who it is before it gives a key away
  app.get('/token', (_request, response) => void response.type('text').send(key))

  const asPage = (path: string, method = 'GET'): Promise<Response> =>
    fetch(`${baseUrl}${path}`, { method, headers: { origin, authorization: `Bearer ${key}` } })
  assert.match(await (await fetch(origin)).text(), /<flow-graph/)
  assert.match(await (await fetch(`${origin}/elements.js`)).text(), /flow-graph/)
  const read = await asPage('/flows/hall?published=true')
  assert.equal(read.status, 200)
  assert.equal(read.headers.get('access-control-allow-origin'), origin)
  assert.equal((await asPage('/flows/ws-ticket', 'POST')).status, 201)
  assert.equal((await asPage('/flows/hall/stop', 'POST')).status, 403)
  console.log('elements: the page may show the hall, and may not stop it')
  if (process.env['KEEP']) {
    console.log(`The page is at ${origin}`)
    await once(process, 'SIGINT')
  }
} finally {
  await service.close()
  server.close()
  server.closeAllConnections()
  await rm(dataDir, { recursive: true, force: true })
}
