/** A real server with the routes of nodes, new for each test, and a node behind it that answers. */
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { type AddressInfo } from 'node:net'

import type { RouteHandler } from '@flow-service/connector-sdk'
import type { Mount, NodeRoutes } from '@flow-service/core'
import { VirtualClock } from '@flow-service/core/testing'
import type { Problem } from '@flow-service/protocol'
import express from 'express'
import { afterEach, beforeEach } from 'vitest'

import { connectorRoutes } from '../../src/hooks/connector-routes.ts'
import { RoutedNodes } from '../../src/hooks/routed-nodes.ts'
import { AnonymousBodies } from '../../src/http/anonymous-bodies.ts'
import { bearerToken } from '../../src/http/authenticate.ts'
import { answerErrors, notFound, ProblemError } from '../../src/http/errors.ts'
import { secureHeaders } from '../../src/http/headers.ts'
import { type Principal, sessionGrant } from '../../src/http/principal.ts'

const user = { kind: 'user', id: '1', email: 'a@b.c', fullName: null, superuser: false, grant: sessionGrant } as const
const worker = { kind: 'worker', jti: '1', name: 'w', labels: [] } as const
const callers: Readonly<Record<string, Principal>> = { user, worker }

export let nodes: RoutedNodes
export let clock: VirtualClock
export let server: Server
export let base: string
export let failures: unknown[]
export let logged: string[]
let onAuthenticate: () => unknown
/** Has something happen while somebody is asked who they are. */
export const whileAuthenticating = (run: () => unknown): void => void (onAuthenticate = run)

/** Starts the server before each test of a file, and ends it behind. */
export function useNodeServer(): void {
  beforeEach(async () => {
    nodes = new RoutedNodes()
    clock = new VirtualClock(0)
    failures = []
    logged = []
    onAuthenticate = () => undefined
    const setTimer = (delayMs: number, run: () => void): (() => void) => clock.setTimer(delayMs, run)
    const routes = connectorRoutes({
      nodes,
      authenticate: async (request) => {
        await onAuthenticate()
        const caller = callers[bearerToken(request)]
        if (!caller) throw new ProblemError('unauthenticated', 'the token is not valid')
        return caller
      },
      isPortal: ({ headers }) => headers['x-service-portal'] === 'portal',
      anonymous: new AnonymousBodies(setTimer),
      setTimer,
    })
    const app = express()
    app.disable('x-powered-by').use(secureHeaders).use('/api/connectors', routes)
    app.use(notFound, answerErrors({ error: (_fields, message) => logged.push(message) }))
    server = createServer(app).listen(0, '127.0.0.1')
    await once(server, 'listening')
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/connectors`
  })
  afterEach(() => {
    if (logged.length > 0) throw new Error(`an unexpected failure: ${logged.join()}`)
    server.closeAllConnections()
    server.close()
  })
}

/** A node that answers: held until it is opened; `stop` is its end. */
export function node(handler: RouteHandler, more: Partial<NodeRoutes> = {}): Mount & { readonly stop: () => void } {
  const lifetime = new AbortController()
  const place = { type: 'camera', flow: 'yard', node: 'gate', open: [] }
  const failed = (error: unknown): void => void failures.push(error)
  const mount = nodes.register({ ...place, handler, ended: lifetime.signal, failed, ...more })
  return { ...mount, stop: () => lifetime.abort() }
}
export const serve = (handler: RouteHandler, open: readonly string[] = []): ReturnType<typeof node> => {
  const mounted = node(handler, { open })
  mounted.open()
  return mounted
}
export interface Asking extends Omit<RequestInit, 'headers'> {
  readonly headers?: Record<string, string>
}
export const ask = (path: string, { headers = {}, ...init }: Asking = {}): Promise<Response> =>
  fetch(`${base}${path}`, { ...init, headers: { authorization: 'Bearer user', ...headers } })
export const anybody = (path: string, init: RequestInit = {}): Promise<Response> => fetch(`${base}${path}`, init)
export const told = async (answer: Promise<Response>): Promise<(number | string)[]> => {
  const { status, code } = (await (await answer).json()) as Problem
  return [status, code]
}
export const nowhere = [404, 'not_found']
