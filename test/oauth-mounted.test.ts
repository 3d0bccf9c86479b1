/** A service below a path of a host's app, and agents by the client of the official SDK, which finds its way by itself. */
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { createService, type Service } from '@flow-service/api-server'
import { createClient } from '@flow-service/client-sdk'
import {
  Client as McpClient,
  type OAuthClientProvider,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client'
import express from 'express'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { Browser, letIn } from './oauth-client.ts'

const account = { email: 'ann@example.org', password: 'a long password' }
const redirectUrl = 'http://127.0.0.1/back'

type Kept<Name extends keyof OAuthClientProvider> = OAuthClientProvider[Name] extends infer Member
  ? Member extends (...given: never[]) => infer Result
    ? Awaited<Result>
    : never
  : never

/** What the client of the SDK keeps of a program, and the page that it would open in a browser. */
function keeping(client: Kept<'clientInformation'>) {
  const kept: {
    client: Kept<'clientInformation'>
    tokens: Kept<'tokens'>
    discovered: Kept<'discoveryState'>
    verifier: string
    page: URL
  } = { client, tokens: undefined, discovered: undefined, verifier: '', page: new URL('about:blank') }
  const provider: OAuthClientProvider = {
    redirectUrl,
    clientMetadata: { client_name: 'Desk', redirect_uris: [redirectUrl] },
    clientInformation: () => kept.client,
    saveClientInformation: (client) => void (kept.client = client),
    tokens: () => kept.tokens,
    saveTokens: (tokens) => void (kept.tokens = tokens),
    discoveryState: () => kept.discovered,
    saveDiscoveryState: (discovered) => void (kept.discovered = discovered),
    redirectToAuthorization: (page) => void (kept.page = page),
    codeVerifier: () => kept.verifier,
    saveCodeVerifier: (verifier) => void (kept.verifier = verifier),
  }
  return { kept, provider }
}

describe.each(['', '/apps/flows'])('a service at "%s" of an app', (mount) => {
  let dataDir: string
  let service: Service
  let server: Server
  let origin: string
  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'mounted-'))
    service = await createService({
      environment: 'local',
      logLevel: 'silent',
      dataDir,
      mcp: true,
      mcpRegistration: true,
      firstSuperuser: account.email,
      firstSuperuserPassword: account.password,
    })
    const app = express().use(mount, service.router)
    server = createServer(app).listen(0, '127.0.0.1')
    await once(server, 'listening')
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  afterAll(async () => {
    await service.close()
    server.close()
    server.closeAllConnections()
    await rm(dataDir, { recursive: true, force: true })
  })

  const added = async () => {
    const client = createClient({ baseUrl: `${origin}${mount}/api/v1`, token: await service.superuserToken() })
    const { id } = await client.http.oauth.addClient({ name: 'Desk', redirect_uris: [redirectUrl] })
    return { client_id: id, issuer: `${origin}${mount}` }
  }

  test.each([
    ['that was added', added],
    ['that makes itself known', async () => undefined],
  ])('lets in a program %s, which starts from the address of the tools alone [R625]', async (_which, known) => {
    const { kept, provider } = keeping(await known())
    const transportOf = () =>
      new StreamableHTTPClientTransport(new URL(`${origin}${mount}/api/v1/mcp`), { authProvider: provider })
    const asking = transportOf()
    await expect(new McpClient({ name: 'test', version: '1' }).connect(asking)).rejects.toThrow(UnauthorizedError)
    expect(kept.page.href).toMatch(`${origin}${mount}/oauth/authorize?`)

    const browser = new Browser(origin)
    const back = await letIn(browser, kept.page.href, { ...account, scopes: ['flows:read'] })
    for (const { path } of browser.cookies.values()) expect(path).toMatch(new RegExp(`^${mount}/oauth`))
    await asking.finishAuth(back.searchParams)

    const agent = new McpClient({ name: 'test', version: '1' })
    await agent.connect(transportOf())
    expect((await agent.callTool({ name: 'list_flows', arguments: {} })).structuredContent).toMatchObject({
      flows: [],
    })
    await agent.close()
  })
})
