/**
 * `/workers`: who is attached, and the tokens that workers attach with (wire decisions G53-G55).
 * @module
 */
import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

import {
  mintedWorkerTokenSchema,
  workerSchema,
  workerTokenRequestSchema,
  workerTokenSchema,
  MAX_WORKER_FRAME_BYTES,
} from '@flow-service/protocol'
import { runnerSource } from '@flow-service/worker-agent'
import * as z from 'zod'

import { actorOf, type EventLog } from '../events/event-log.ts'
import { endpoint, type Handlers, json, reply } from '../http/endpoint.ts'
import { knowsTag } from '../http/entity-tag.ts'
import { ProblemError } from '../http/errors.ts'
import type { Principal, UserPrincipal } from '../http/principal.ts'
import type { SocketGuests } from '../http/socket-guests.ts'
import type { UpgradeHandler } from '../http/upgrade.ts'
import type { Log } from '../process/log.ts'
import type { WorkerPool } from './pool.ts'
import { socketTransport } from './socket-transport.ts'
import type { WorkerTokens } from './tokens.ts'

export const workersEndpoints = {
  list: endpoint({
    id: 'workers.list',
    method: 'get',
    path: '/workers',
    summary: 'List workers',
    description: 'Those that are attached to this engine, and those that it refused for their version.',
    auth: 'user',
    scope: 'observability:read',
    replies: { 200: reply.json('Workers by name.', z.array(workerSchema)) },
  }),
  listTokens: endpoint({
    id: 'workers.listTokens',
    method: 'get',
    path: '/workers/tokens',
    summary: 'List worker tokens',
    description: 'Without their texts, which only the answer to their making has.',
    auth: 'superuser',
    scope: 'admin',
    replies: { 200: reply.json('Tokens by name.', z.array(workerTokenSchema)) },
  }),
  mintToken: endpoint({
    id: 'workers.mintToken',
    method: 'post',
    path: '/workers/tokens',
    summary: 'Make a worker token',
    description:
      'Its name and labels decide which nodes, and with them which secrets, the engine sends to workers that attach with it. It counts for 365 days.',
    auth: 'superuser',
    scope: 'admin',
    body: json(workerTokenRequestSchema),
    replies: { 201: reply.json('The token, which is shown this once.', mintedWorkerTokenSchema) },
    problems: ['already_exists', 'validation_failed'],
  }),
  revokeToken: endpoint({
    id: 'workers.revokeToken',
    method: 'post',
    path: '/workers/tokens/{jti}/revoke',
    summary: 'Revoke a worker token',
    description: 'Its workers are disconnected, and their calls fail. Revoking it again changes nothing.',
    auth: 'superuser',
    scope: 'admin',
    params: z.object({ jti: z.uuid().meta({ description: 'Of the token.' }) }),
    replies: { 200: reply.json('The token as it is now.', workerTokenSchema) },
    problems: ['not_found'],
  }),
  runtime: endpoint({
    id: 'workers.runtime',
    method: 'get',
    path: '/workers/runtime',
    summary: 'Get the source that runs Python nodes',
    description: 'For reading: workers bring their own.',
    auth: ['user', 'worker'],
    scope: 'observability:read',
    replies: {
      200: reply.stream('Python source.', ['text/x-python'], z.object({ etag: z.string() })),
      304: reply.empty('The client has it.', z.object({ etag: z.string() })),
    },
  }),
} as const

/** What the endpoints work on. */
export interface WorkersDeps {
  readonly pool: Pick<WorkerPool, 'attach' | 'list' | 'needingUpgrade'>
  readonly tokens: Pick<WorkerTokens, 'list' | 'mint' | 'revoke'>
  readonly eventLog: Pick<EventLog, 'audit'>
}

/** `/workers` over the pool of an engine and the tokens of its database. */
export function workersHandlers({ pool, tokens, eventLog }: WorkersDeps): Handlers<typeof workersEndpoints> {
  const audited =
    (action: string, by: UserPrincipal): Parameters<WorkerTokens['revoke']>[1] =>
    (tx, { jti, name, labels }) =>
      eventLog.audit(tx, { action, actor: actorOf(by), detail: { jti, name, labels } })
  return {
    list: () => {
      const attached = pool.list().filter(({ local }) => !local)
      const entries = [...attached.map((worker) => worker.view()), ...pool.needingUpgrade()]
      return { status: 200, value: entries.toSorted((a, b) => (a.name < b.name ? -1 : Number(a.name > b.name))) }
    },
    listTokens: async () => ({ status: 200, value: await tokens.list() }),
    mintToken: async ({ body, principal }) => ({
      status: 201,
      value: await tokens.mint(body, audited('worker_token.create', principal)),
    }),
    revokeToken: async ({ params, principal }) => ({
      status: 200,
      value: await tokens.revoke(params.jti, audited('worker_token.revoke', principal)),
    }),
    runtime({ request }) {
      const source = runnerSource()
      const etag = `"${createHash('sha256').update(source).digest('hex')}"`
      if (knowsTag(request.headers['if-none-match'], etag)) return { status: 304, headers: { etag } }
      return { status: 200, type: 'text/x-python; charset=utf-8', headers: { etag }, body: once(source) }
    },
  }
}

async function* once(text: string): AsyncIterable<string> {
  yield text
}

/** What attaching takes. */
export interface WorkerUpgradeDeps {
  readonly pool: Pick<WorkerPool, 'attach'>
  /** The caller by the `Authorization` header; refuses with `unauthenticated`. */
  readonly authenticate: (request: IncomingMessage) => Promise<Principal>
  /** Closes the sockets of revoked tokens. */
  readonly guests: Pick<SocketGuests, 'admit'>
  readonly log: Pick<Log, 'warn'>
}

/** Opens `/workers/attach` with the token of a worker. */
export const workerUpgrade =
  ({ pool, authenticate, guests, log }: WorkerUpgradeDeps): UpgradeHandler =>
  async (upgrade) => {
    const worker = await authenticate(upgrade.request)
    if (worker.kind !== 'worker') {
      throw new ProblemError('forbidden', 'a worker attaches with a worker token: a superuser makes one')
    }
    // a call may end while the engine stops
    const socket = await upgrade.accept({ maxPayloadBytes: MAX_WORKER_FRAME_BYTES, stopCode: null })
    if (!guests.admit({ id: worker.jti, version: 0 }, socket)) return
    const transport = socketTransport(socket, (reason) =>
      log.warn({ worker: worker.name, reason }, 'a frame of a worker was dropped'),
    )
    pool.attach(transport, worker)
  }
