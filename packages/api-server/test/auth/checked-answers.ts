/** What auth.bench.ts measures: a row of the database, open and for users, checked as an engine checks callers. */
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { apiKeyRequestSchema } from '@flow-service/protocol'
import express from 'express'
import * as z from 'zod'

import { createApiKeys } from '../../src/auth/keys/api-keys.ts'
import { accountNews, recentCallers, sessions, users } from '../../src/auth/slice.ts'
import { openEngine } from '../../src/compose.ts'
import { resolveConfig } from '../../src/config.ts'
import { database } from '../../src/db/layer.ts'
import { oneHost } from '../../src/http/address.ts'
import { createAuthenticator } from '../../src/http/authenticate.ts'
import { cors } from '../../src/http/cors.ts'
import { endpoint, reply } from '../../src/http/endpoint.ts'
import { secureHeaders } from '../../src/http/headers.ts'
import { bind, mount } from '../../src/http/mount.ts'
import { createClock } from '../../src/process/clock.ts'
import { nounsOf } from '../../src/process/layer.ts'
import { Lifecycle } from '../../src/process/lifecycle.ts'
import { createLog } from '../../src/process/log.ts'
import { Redactor } from '../../src/secrets/redactor.ts'

const replies = { 200: reply.json('Something small.', z.object({ name: z.string(), version: z.int() })) }
const contract = {
  open: endpoint({ id: 'bench.open', method: 'get', path: '/open', summary: 'Open', auth: 'open', replies }),
  users: endpoint({
    id: 'bench.users',
    method: 'get',
    path: '/users',
    summary: 'For users',
    auth: 'user',
    scope: 'flows:read',
    replies,
  }),
}

const dataDir = mkdtempSync(join(tmpdir(), 'bench-auth-'))
const config = resolveConfig({ dataDir, environment: 'local', logLevel: 'silent' })
const lifecycle = new Lifecycle()
const engine = await lifecycle.openAll(
  openEngine({
    config,
    log: createLog({ level: 'silent', mask: (text) => text, isTold: () => false }),
    redactor: new Redactor(),
    clock: createClock(),
  }),
)
const nouns = nounsOf(engine, { accountNews, database, recentCallers, sessions, users })
await nouns.users.createFirst(config)
const holder = await nouns.users.firstSuperuser()
if (!holder) throw new Error('somebody was created')
const { key } = await createApiKeys({ database: nouns.database, news: nouns.accountNews }).create(
  apiKeyRequestSchema.parse({ name: 'bench', scopes: ['flows:read'] }),
  holder.principal,
  async () => undefined,
)
const { access_token: session } = await nouns.sessions.issue(holder)

const authenticate = createAuthenticator([nouns.recentCallers.verify])
const read = async () => {
  const [row] = await nouns.database.sql<{ name: string; version: number }[]>`
    select email as name, token_version as version from account where id = ${holder.principal.id}`
  return { status: 200, value: row ?? { name: '', version: 0 } } as const
}
const handlers = { open: read, users: read }
// as the engine mounts its endpoints
const api = mount(bind(contract, handlers), { authenticate })
const app = express().disable('x-powered-by').use('/api/v1', secureHeaders, oneHost, cors([]), api)
const server = createServer(app).listen(0, '127.0.0.1')
server.once('listening', () => {
  const { port } = server.address() as AddressInfo
  process.send?.({ url: `http://127.0.0.1:${port}/api/v1`, session, key })
})
process.on('message', () => {
  const { user, system } = process.cpuUsage()
  process.send?.((user + system) / 1e6)
})
process.once('SIGTERM', () => {
  rmSync(dataDir, { recursive: true, force: true })
  process.exit()
})
