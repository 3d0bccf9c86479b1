import type { Duplex } from 'node:stream'

import type { ArtifactRef, FlowMode, Health } from '@flow-service/protocol'

import type { Command, CommandEnd } from './command.ts'
import type { Files } from './files.ts'
import type { NodePort, Values } from './node.ts'
import type { RouteHandler, RouteOptions } from './routes.ts'
import type { CertificatePin, ConnectTarget, SocketListener, SocketPeer, SocketRoute } from './socket.ts'
import type { ConnectorStore } from './store.ts'
export type Cancel = () => void
export interface SaveOptions {
  readonly name?: string
  readonly mediaType?: string
  readonly volatile?: boolean
}
export interface HookRequest {
  readonly method: 'GET' | 'POST'
  readonly mediaType: string
  readonly query: Readonly<Record<string, string>>
  readonly body: Uint8Array
}
export declare class HookRefusal extends Error {
  readonly name = 'HookRefusal'
}
export interface HookRoute {
  readonly path: string
  readonly secret: string | null
  readonly methods: readonly ('GET' | 'POST')[]
}
export interface FetchInit extends RequestInit {
  readonly pin?: CertificatePin
}
export declare class DtypeViolation extends TypeError {
  readonly name = 'DtypeViolation'
}
export interface NodeContext<S = Values> {
  readonly flow: string
  readonly node: string
  readonly mode: FlowMode
  readonly settings: S
  readonly inputs: readonly NodePort[]
  readonly outputs: readonly NodePort[]
  readonly run: string | null
  readonly listens: boolean
  readonly signal: AbortSignal
  send(port: string, value: unknown): void
  emit(values: Values): void
  emitDurably(values: Values): Promise<void>
  latest(port: string): unknown
  current(port: string): unknown
  now(): number
  after(seconds: number, run: () => void): Cancel
  every(seconds: number, run: () => void): Cancel
  cron(pattern: string, run: () => void): Cancel
  setTimer(key: string, dueMs: number, data: unknown): void
  clearTimer(key: string): void
  timerDue(key: string): number | null
  webhook(route: HookRoute, handler: (request: HookRequest) => void | Promise<void>): void
  socketRoute(route: SocketRoute, serve: (peer: SocketPeer) => SocketListener, full?: (clients: number) => void): void
  routes(handler: RouteHandler, options?: RouteOptions): void
  fetch(url: string, init?: FetchInit): Promise<Response>
  connect(target: ConnectTarget): Duplex
  readonly store: ConnectorStore
  readonly files: Files
  spawn(command: Command): Promise<CommandEnd>
  call(inputs: Values): Promise<Values>
  saveArtifact(data: Uint8Array, options?: SaveOptions): Promise<ArtifactRef>
  loadArtifact(ref: ArtifactRef | string): Promise<Uint8Array>
  reportHealth(status: Health, message?: string): void
  log(message: string): void
}
