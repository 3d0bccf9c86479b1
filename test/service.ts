/** A whole service on a free port and a data directory of its own, and requests to it. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { createService, type Service, type ServiceConfig } from '@flow-service/api-server'
import { type Client, createClient } from '@flow-service/client-sdk'
import type { Problem } from '@flow-service/protocol'

/** An answer with its body as JSON; null when there is none. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly body: Record<string, unknown> | null
}

export interface TestService extends AsyncDisposable {
  readonly service: Service
  readonly dataDir: string
  readonly origin: string
  readonly baseUrl: string
  readonly token: string
  readonly client: Client
  /** A request below the base URL by the first superuser; a string body is sent as it stands. */
  send(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>
  /** Closes the service and keeps its data. */
  close(): Promise<void>
}

/** Opens a service; its data is removed when it is disposed of. */
export async function startService(config: ServiceConfig = {}): Promise<TestService> {
  const dataDir = config.dataDir ?? (await mkdtemp(join(tmpdir(), 'service-')))
  const service = await createService({
    environment: 'local',
    port: 0,
    logLevel: 'silent',
    timeZone: 'UTC',
    ...config,
    dataDir,
  })
  const { origin, baseUrl } = await service.listen()
  const token = await service.superuserToken()
  return {
    service,
    dataDir,
    origin,
    baseUrl,
    token,
    client: createClient({ baseUrl, token }),
    async send(method, path, body, headers = {}) {
      const response = await fetch(`${baseUrl}${path}`, {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      })
      const text = await response.text()
      return {
        status: response.status,
        headers: response.headers,
        body: text === '' ? null : (JSON.parse(text) as Record<string, unknown>),
      }
    },
    close: () => service.close(),
    async [Symbol.asyncDispose]() {
      await service.close()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

/** The body of a refusal. */
export const problemOf = (answer: Answer): Problem => answer.body as unknown as Problem

/** Saves and publishes a document as the superuser. */
export async function publish(to: TestService, name: string, document: object): Promise<void> {
  const saved = await to.send('PUT', `/flows/${name}`, document)
  const published = await to.send('POST', `/flows/${name}/publish`, { version: saved.body?.version })
  if (published.status !== 200) throw new Error(JSON.stringify(published.body))
}
