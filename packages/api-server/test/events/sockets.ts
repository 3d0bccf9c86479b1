/** Event sockets on a real server, with a bus to publish on and clients that keep what they are told. */
import { hash } from 'node:crypto'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

import { VirtualClock } from '@flow-service/core/testing'
import {
  type ArtifactRef,
  type BinaryFrame,
  decodeFrame,
  type EngineEvent,
  type EventFrame,
  eventFrameSchema,
} from '@flow-service/protocol'
import { afterEach, beforeEach, expect } from 'vitest'
import { type ClientOptions, WebSocket } from 'ws'

import { createVolatileRing } from '../../src/artifacts/volatile-ring.ts'
import type { Database } from '../../src/db/database.ts'
import { createEventBus, type EventBus } from '../../src/events/event-bus.ts'
import type { EngineSnapshot } from '../../src/events/event-replay.ts'
import { createEventSockets, type EventSockets } from '../../src/events/event-socket.ts'
import { eventsEndpoints, eventsHandlers, eventUpgrade } from '../../src/events/routes.ts'
import { createTickets } from '../../src/events/tickets.ts'
import { bearerToken } from '../../src/http/authenticate.ts'
import { ProblemError } from '../../src/http/errors.ts'
import { bind } from '../../src/http/mount.ts'
import { type Grant, sessionGrant, type UserPrincipal } from '../../src/http/principal.ts'
import { SocketGuests } from '../../src/http/socket-guests.ts'
import { createUpgradeRouter } from '../../src/http/upgrade.ts'
import { serve, user } from '../http/server.ts'
import { quiet, useDatabase } from '../use-database.ts'

/** Of an engine without flows. */
export const nothing: EngineSnapshot = { flows: [], nodes: [], values: [], health: [], runs: [] }
export const bearer: ClientOptions = { headers: { authorization: 'Bearer good' } }

/** Sockets that one user may have open here. */
export const MAX_SOCKETS = 60

/** An event socket's client that keeps what it is told. */
export class TestClient {
  readonly frames: EventFrame[] = []
  /** Binary ones among them. */
  readonly heard: (EventFrame | BinaryFrame)[] = []
  readonly socket: WebSocket
  constructor(socket: WebSocket) {
    this.socket = socket
    socket.on('message', (data, isBinary) => this.#hear(data as Buffer, isBinary))
  }
  #hear(data: Buffer, isBinary: boolean): void {
    const frame = isBinary ? decodeFrame(data) : eventFrameSchema.parse(JSON.parse(data.toString()))
    if (typeof frame === 'string') throw new Error(frame)
    this.heard.push(frame)
    if ('type' in frame) this.frames.push(frame)
  }
  /** All frames, once there are that many. */
  async next(count: number): Promise<EventFrame[]> {
    while (this.frames.length < count) {
      // oxlint-disable-next-line no-await-in-loop -- until enough have come
      await once(this.socket, 'message')
    }
    return this.frames
  }
}

export type TestSockets = Awaited<ReturnType<typeof startSockets>>

/** Starts sockets on a database for each test of a file, and ends them with it. */
export function useSockets(take: (started: TestSockets, database: Database) => void): void {
  let database: Database
  let started: TestSockets
  useDatabase((opened) => {
    database = opened
  })
  beforeEach(async () => {
    started = await startSockets(database)
    take(started, database)
  })
  afterEach(() => started[Symbol.asyncDispose]())
}

/** Serves `/flows/ws` and its tickets; `Bearer good` may enter. */
export async function startSockets(database: Database) {
  const bus: EventBus = createEventBus()
  const state = {
    bus,
    /** What is stored, and what memory adds. */
    snapshot: async (): Promise<() => EngineSnapshot> => () => nothing,
    /** The version that tokens of the user must have; null when the account may not sign in. */
    tokenVersion: 1 as number | null,
    baseUrl: null as string | null,
    /** What they are signed in with; a session unless given. */
    grant: null as Grant | null,
    /** Milliseconds, for the budget of clients. */
    now: 0,
    clock: new VirtualClock(0),
    /** What messages carry now, by their names. */
    current: new Map<string, { readonly value: unknown; readonly ts: string | null }>(),
    ring: createVolatileRing(),
  }
  const tickets = createTickets({ database })
  const guests = new SocketGuests({
    versionsOf: async (ids) =>
      new Map(state.tokenVersion === null ? [] : ids.map((id) => [id, state.tokenVersion ?? 0])),
    ending: { code: 1008, reason: 'the sign-in has ended; sign in again' },
    log: quiet,
    maxSockets: MAX_SOCKETS,
  })
  const sockets = createEventSockets({
    bus,
    engineVersion: '1.2.3',
    snapshot: () => state.snapshot(),
    guests,
    isMessage: (name) => /^f\.\w+$/.test(name),
    current: (message) => state.current.get(message),
    frame: (digest) => state.ring.get(digest),
    log: quiet,
    now: () => state.now,
    clock: state.clock,
  })
  /** The engine's ends of the open sockets. */
  const served: WebSocket[] = []
  const serving: EventSockets = {
    ...sockets,
    serve(connection, interest, guest) {
      served.push(connection.socket)
      sockets.serve(connection, interest, guest)
    },
  }
  const authenticate = async (request: Parameters<typeof bearerToken>[0]): Promise<UserPrincipal> => {
    const grant = { ...sessionGrant, version: state.tokenVersion ?? 0 }
    if (bearerToken(request) === 'good') return { ...user, grant: state.grant ?? grant }
    throw new ProblemError('unauthenticated', 'unknown token')
  }
  const upgrades = createUpgradeRouter({ log: quiet })
  upgrades.route('/api/v1/flows/ws', (upgrade) =>
    eventUpgrade({
      sockets: serving,
      tickets,
      authenticate,
      guests,
      serveDevice: () => Promise.reject(new Error('no device has a credential here')),
      home: { baseUrl: state.baseUrl, origins: ['https://console.example'] },
    })(upgrade),
  )
  const server = await serve(bind(eventsEndpoints, eventsHandlers({ tickets })), { authenticate })
  upgrades.attach(server.server)
  const clients: WebSocket[] = []
  const address = (query: string): string => `ws://127.0.0.1:${server.port}/api/v1/flows/ws${query}`

  const connectTo = (query: string, options: ClientOptions): WebSocket => {
    const socket = new WebSocket(address(query), options)
    clients.push(socket)
    return socket
  }
  return Object.assign(state, {
    guests,
    served,
    sockets,
    upgrades,
    port: server.port,
    url: address(''),
    /** Until what was published is told to the open sockets, or waits in their windows. */
    turn: () => new Promise<void>((resolve) => void setImmediate(() => setImmediate(resolve))),
    async open(query = '', options: ClientOptions = bearer): Promise<TestClient> {
      const client = new TestClient(connectTo(query, options))
      await once(client.socket, 'open')
      return client
    },
    /** The HTTP status with which an upgrade is refused; 101 when it is not. */
    knock(query: string, options: ClientOptions = {}): Promise<number | undefined> {
      const socket = connectTo(query, options)
      return new Promise((resolve) => {
        socket.on('error', () => undefined)
        socket.once('unexpected-response', (request, response) => {
          resolve(response.statusCode)
          request.destroy()
        })
        socket.once('open', () => resolve(101))
      })
    },
    async newTicket(): Promise<{ ticket: string; expires_at: string }> {
      const answer = await fetch(`${server.url}/flows/ws-ticket`, {
        method: 'POST',
        headers: { authorization: 'Bearer good' },
      })
      expect(answer.status).toBe(201)
      return (await answer.json()) as { ticket: string; expires_at: string }
    },
    async [Symbol.asyncDispose]() {
      for (const client of clients) client.terminate()
      await upgrades.close()
      await server[Symbol.asyncDispose]()
    },
  })
}

/** A raw connection that has opened the socket at the port with `Bearer good`. */
export async function openRaw(port: number): Promise<Socket> {
  const raw = connect(port, '127.0.0.1')
  raw.on('error', () => undefined)
  raw.write(handshake('authorization: Bearer good'))
  await once(raw, 'data')
  return raw
}

/** A handshake of the event socket with one more header. */
export const handshake = (header: string, query = ''): string =>
  [
    `GET /api/v1/flows/ws${query} HTTP/1.1`,
    'host: x',
    'upgrade: websocket',
    'connection: upgrade',
    'sec-websocket-version: 13',
    'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==',
    header,
    '\r\n',
  ].join('\r\n')

export const flowEvent = (name: string, version = 1): EngineEvent => ({
  type: 'flow',
  name,
  status: 'active',
  held: 0,
  version,
})

/** A value that refers to a frame. */
export const frameEvent = (message: string, ref: ArtifactRef, run: string | null = null): EngineEvent => ({
  ...valueEvent(message, 0),
  value: ref,
  run,
})

/** A reference to bytes, as whoever keeps them gives it. */
export const refOf = (bytes: Uint8Array, volatile = true): ArtifactRef => ({
  digest: `sha256:${hash('sha256', bytes)}`,
  name: 'frame.jpg',
  media_type: 'image/jpeg',
  size: bytes.length,
  volatile,
})

export const valueEvent = (
  message: string,
  value: number,
  flow = message.split('.')[0] ?? '',
): Extract<EngineEvent, { type: 'value' }> => ({
  type: 'value',
  message,
  value,
  flow,
  node: 'n',
  port: 'p',
  run: null,
  step: null,
})
