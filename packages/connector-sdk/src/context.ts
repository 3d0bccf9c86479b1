/**
 * What a node may touch: everything from outside comes through `ctx`, so that tests can replace it (wire decision R8).
 * @module
 */
import type { Duplex } from 'node:stream'

import type { ArtifactRef, FlowMode, Health } from '@flow-service/protocol'

import type { Command, CommandEnd } from './command.ts'
import type { Files } from './files.ts'
import type { NodePort, Values } from './node.ts'
import type { RouteHandler, RouteOptions } from './routes.ts'
import { isSame } from './same-error.ts'
import type { CertificatePin, ConnectTarget, SocketListener, SocketPeer, SocketRoute } from './socket.ts'
import type { ConnectorStore } from './store.ts'

/** Ends a timer, schedule or route; calling it again does nothing. */
export type Cancel = () => void

/** How bytes are named when they are stored. */
export interface SaveOptions {
  /** File name, `''` unless given. */
  readonly name?: string
  /** `application/octet-stream` unless given. */
  readonly mediaType?: string
  /** Keep the bytes in the engine's memory ring only. */
  readonly volatile?: boolean
}

/** A request to a webhook. The host has checked the route, its secret, the method and the size. */
export interface HookRequest {
  readonly method: 'GET' | 'POST'
  /** Media type without parameters, lower case; `''` when the request had none. */
  readonly mediaType: string
  readonly query: Readonly<Record<string, string>>
  /** The body's bytes, decoded from any content encoding. */
  readonly body: Uint8Array
}

/** The arrival is not accepted: answered as 422 with this text. */
export class HookRefusal extends Error {
  override readonly name = 'HookRefusal'

  static override [Symbol.hasInstance](value: unknown): boolean {
    return isSame(this, HookRefusal, 'HookRefusal', value)
  }
}

/** Where a webhook is mounted: `/hooks/{flow}/{path}/{secret}`. */
export interface HookRoute {
  readonly path: string
  readonly secret: string | null
  readonly methods: readonly ('GET' | 'POST')[]
}

/** A request of `ctx.fetch`. */
export interface FetchInit extends RequestInit {
  /**
   * For `https:` only: decides by its certificate whether the server is accepted, as in {@link ConnectTarget.pin}. A
   * connection is used again for requests with the same function alone. A redirect to another origin is refused.
   */
  readonly pin?: CertificatePin
}

/** A timer of `ctx.setTimer` that is not due yet. */
export interface PendingTimer {
  readonly key: string
  /** Milliseconds since the Unix epoch. */
  readonly dueMs: number
  readonly data: unknown
}

/** A value that does not fit the dtype of its port; nothing of the delivery is published. */
export class DtypeViolation extends TypeError {
  override readonly name = 'DtypeViolation'

  static override [Symbol.hasInstance](value: unknown): boolean {
    return isSame(this, DtypeViolation, 'DtypeViolation', value)
  }
}

/** What a started node can do. Durations are in seconds, points in time in milliseconds since the Unix epoch. */
export interface NodeContext<S = Values> {
  readonly flow: string
  readonly node: string
  readonly mode: FlowMode
  readonly settings: S
  readonly inputs: readonly NodePort[]
  readonly outputs: readonly NodePort[]
  /** Identifier of the run; null in a live flow. */
  readonly run: string | null
  /**
   * False in a run of a draft: nothing may come in by itself, so that a listener has nothing to open, and what a sender
   * sends has to be gone when its execution ends.
   */
  readonly listens: boolean
  /** Aborted when the node stops or its execution is cancelled. */
  readonly signal: AbortSignal

  /** Publish one value. A delivery of its own. Throws {@link DtypeViolation}. */
  send(port: string, value: unknown): void
  /** Publish several values as one delivery. Throws {@link DtypeViolation}; then none is published. */
  emit(values: Values): void

  /**
   * As `emit`, for an arrival that must not be lost (live flows): resolves once it is committed. After a crash it is
   * delivered again until the executions that it directly causes have ended, and its values are last values and history in
   * any case. Rejects when it could not be kept: refuse the arrival then. It is published at once, or once it is committed
   * while the database has trouble; what is rejected in between is not published.
   */
  emitDurably(values: Values): Promise<void>

  /** Latest value of an input port, null until there is one: how a node reads its passive inputs on an arrival. */
  latest(port: string): unknown
  /** Last value of the message that an output port is wired to, whoever has published it; null until there is one. */
  current(port: string): unknown

  /** Time of the engine's clock, in milliseconds since the Unix epoch. */
  now(): number
  /** Time zone of the engine, an IANA name such as `Europe/Berlin`: that of cron patterns and of people's day. */
  readonly timeZone: string
  /** Calls `run` once; the stop of the node ends it. What `run` throws marks the node as failed, here and below. */
  after(seconds: number, run: () => void): Cancel
  /** Calls `run` again and again, first after that time. Throws a RangeError for a time that is not above 0. */
  every(seconds: number, run: () => void): Cancel
  /** Five fields, in the time zone of the engine. Throws a RangeError naming what is wrong with the pattern. */
  cron(pattern: string, run: () => void): Cancel

  /**
   * Sets or moves a timer that outlives the engine (live flows): `onTimer` gets `data`, a JSON value, at `dueMs` or as
   * soon as the flow runs again after it. Throws for a time that is none, and for data that is no JSON. The timers that a
   * flow has left when it starts are set before `start`. Of more than 1,000 the oldest is dropped.
   */
  setTimer(key: string, dueMs: number, data: unknown): void
  /** Takes such a timer back; without one it does nothing. */
  clearTimer(key: string): void
  /** When such a timer is due; null while it is not set. */
  timerDue(key: string): number | null
  /** Those that are set, the next one due first; also in `start`, what an earlier life has left. None in a run. */
  pendingTimers(): readonly PendingTimer[]

  /** Mount a webhook until the node stops. The handler throws {@link HookRefusal} to refuse an arrival. */
  webhook(route: HookRoute, handler: (request: HookRequest) => void | Promise<void>): void
  /**
   * Serve a socket until the node stops, which closes its clients with 1001. `serve` is called for each client and answers
   * who hears it; `full` for each that is refused because there are as many as there may be.
   */
  socketRoute(route: SocketRoute, serve: (peer: SocketPeer) => SocketListener, full?: (clients: number) => void): void
  /**
   * Mount HTTP routes at `{base_url}/connectors/{type}/{flow}/{node}` until the node stops, which ends answers that are open
   * (live flows). Call it once, from a type that says `routes: true`. Who asks is signed in, but for paths that are `open`.
   * A body ends at 1 MiB, and an answer has to begin within 30 s; then it may go on. What the handler throws marks the node
   * as failed.
   */
  routes(handler: RouteHandler, options?: RouteOptions): void
  /** `fetch` through the engine's egress rules. */
  fetch(url: string, init?: FetchInit): Promise<Response>
  /**
   * Connect through the engine's egress rules. What is written is sent once the peer is accepted. An `error` event tells
   * that the connection is refused or failed; the engine ends it after the stop of the node.
   */
  connect(target: ConnectTarget): Duplex
  /** The engine's files directory. */
  readonly files: Files
  /** What the nodes of the type's package keep; also there before `start`. */
  readonly store: ConnectorStore
  /**
   * Run a program on the engine's machine, in the files directory, with the engine's environment without its credentials.
   * Resolves once its process group is gone; rejects when the program cannot be started, or with the signal's reason.
   */
  spawn(command: Command): Promise<CommandEnd>

  /** Execute the node's own code with these inputs, on this machine or a worker. Emissions go to `emit`. */
  call(inputs: Values): Promise<Values>

  /** Stores bytes; equal ones are stored once. */
  saveArtifact(data: Uint8Array, options?: SaveOptions): Promise<ArtifactRef>
  /** The bytes behind a reference or digest. Rejects when there are none. */
  loadArtifact(ref: ArtifactRef | string): Promise<Uint8Array>
  /** Tell how the node's connections are; repeats of the same state make no event. */
  reportHealth(status: Health, message?: string): void
  /** A line of the log of the node, without the values of secrets. */
  log(message: string): void
}
