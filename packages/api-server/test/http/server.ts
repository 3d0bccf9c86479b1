/** A small API on a real port, for the tests of the HTTP mechanisms. */
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

import express, { type Express } from 'express'

import { answerErrors, notFound } from '../../src/http/errors.ts'
import { type Binding, mount, type MountOptions } from '../../src/http/mount.ts'
import { sessionGrant } from '../../src/http/principal.ts'

export interface Running extends AsyncDisposable {
  readonly server: Server
  readonly port: number
  /** `http://127.0.0.1:<port>/api/v1` */
  readonly url: string
  readonly logged: { fields: object; message: string }[]
}

/** Listens on a free port of the loopback interface. */
export async function listen(app: Express): Promise<{ server: Server; port: number }> {
  const server = createServer(app).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { server, port: (server.address() as AddressInfo).port }
}

/** Mounts bindings at `/api/v1` as the service does. */
export async function serve(
  bindings: readonly Binding[],
  options: Partial<MountOptions> = {},
  prepare: (app: Express) => void = () => undefined,
): Promise<Running> {
  const app = express()
  prepare(app)
  const logged: Running['logged'] = []
  const authenticate = async () => user
  app.use('/api/v1', mount(bindings, { authenticate, checkReplies: true, ...options }))
  app.use(notFound)
  app.use(answerErrors({ error: (fields, message) => logged.push({ fields, message }) }))
  const { server, port } = await listen(app)
  const close = async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  return { server, port, url: `http://127.0.0.1:${port}/api/v1`, logged, [Symbol.asyncDispose]: close }
}

/** An ordinary user. */
export const user = {
  kind: 'user',
  id: '01900000-0000-7000-8000-000000000001',
  email: 'ann@example.org',
  fullName: null,
  superuser: false,
  grant: sessionGrant,
} as const

/** An answer; `body` is null where it has none. */
interface Answer {
  readonly status: number
  readonly headers: Response['headers']
  readonly body: unknown
}

/** Calls an API with JSON. */
export const caller =
  (url: () => string) =>
  async (method: string, path: string, body?: unknown): Promise<Answer> => {
    const response = await fetch(url() + path, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    })
    const text = await response.text()
    return {
      status: response.status,
      headers: response.headers,
      body: text === '' ? null : JSON.parse(text),
    }
  }
