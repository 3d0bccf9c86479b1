/**
 * What the graph runtime needs from its host. There are two hosts: the server, and the memory host of tests and
 * embedders (`@flow-service/core/testing`).
 * @module
 */
import type { Duplex } from 'node:stream'

import type {
  Cancel,
  Command,
  CommandEnd,
  ConnectorStore,
  ConnectTarget,
  FetchInit,
  Files,
  HookRequest,
  HookRoute,
  RouteHandler,
  SaveOptions,
  SocketListener,
  SocketPeer,
  SocketRoute,
  Values,
} from '@flow-service/connector-sdk'
import type { ArtifactRef, EngineEvent, FlowDocument, FlowNode, NodeState, WorkerPython } from '@flow-service/protocol'

import type { Secrets } from './secrets.ts'

/** Time. The runtime sets no other timer than these. */
export interface Clock {
  /** Milliseconds since the Unix epoch, with fractions. */
  now(): number
  /** Runs `run` once after at most 2^31-1 ms; the runtime chunks longer delays. */
  setTimer(delayMs: number, run: () => void): Cancel
}

/**
 * The right of an engine to act for its live flows, where several engines share a database. Asked before each effect: a round
 * of deliveries, a timer, a request, a call of a node.
 */
export interface Lease {
  /** False while another engine may have taken the flows over. */
  holds(): boolean
  /** Settles once it holds again; flows that are another engine's by then have ended. */
  held(): Promise<void>
}

/** Where published values come from: a live flow, or a run that has ended. One object serves all values of a port. */
export interface ValueSource {
  readonly message: string
  readonly flow: string
  /** Null when they come from outside: a publish or an initial value. */
  readonly node: string | null
  readonly port: string | null
  /** The run whose output it is; left out when it is none's. */
  readonly run?: string
  /** Published before, in an earlier life of the engine that may not have recorded it: no later value may be lost. */
  readonly again?: true
  /** The host's: what it keeps of the message, found once for all values of the port. */
  memo?: object | undefined
}

/** What set a cascade off. */
export interface CascadeOrigin {
  readonly kind: 'webhook' | 'timer' | 'publish' | 'reading' | 'trigger' | 'run' | 'start'
  readonly node: string | null
  readonly message: string | null
}

/** What tells a cascade from all others. Its id is made when somebody reads it first: most are never read. */
export interface CascadeId {
  /** UUIDv7. */
  readonly id: string
}

/** What cascades begin with at one place; one object serves all of them. */
export interface CascadeBeginning {
  /** The flow where they begin. */
  readonly flow: string
  readonly origin: CascadeOrigin
  /** The run whose result sets them off, else null. */
  readonly run: string | null
}

/** The record of a cascade that is over. */
export interface EndedCascade {
  readonly id: string
  /** The flow where it began. */
  readonly flow: string
  readonly origin: CascadeOrigin
  /** The run whose result set it off, else null. */
  readonly run: string | null
  /** `abandoned`: its flow was stopped first. */
  readonly status: 'ok' | 'error' | 'abandoned'
  readonly executions: number
  /** Milliseconds since the Unix epoch. */
  readonly startedMs: number
  readonly endedMs: number
  /** The first failure. */
  readonly error: { readonly node: string; readonly type: string; readonly message: string } | null
}

/** A cascade that is over. Its record is made for who keeps it. */
export interface OverCascade extends CascadeId, Pick<EndedCascade, 'flow' | 'startedMs' | 'status'> {
  record(endedMs: number): EndedCascade
}

/** Ids of one moment. One that is reserved costs a count until it is made. */
export interface MomentIds {
  /** Reserves the next one: it is greater than all that were reserved before, whenever it is made. */
  reserve(): number
  /** Makes one that was reserved; called once for each. */
  make(reserved: number): string
}

/** What a piece of kept work does when it is taken up: values by port name of its node. */
export type WorkBody =
  /** Feeds inputs of the node; the order counts. */
  | { readonly is: 'delivery'; readonly arrivals: readonly (readonly [port: string, value: unknown])[] }
  /** Asks the node to act. */
  | { readonly is: 'trigger' }
  /** The node publishes these values, which came from outside at a time. */
  | {
      readonly is: 'arrival'
      readonly values: Values
      /** Where each is published: names of the flow's own messages, without it, and full names of others. */
      readonly messages: Readonly<Record<string, string>>
      readonly atMs: number
    }
  /** A timer of the node. */
  | {
      readonly is: 'timer'
      readonly key: string
      readonly dueMs: number
      readonly data: unknown
      /** Of an execution that is tried again: the number of the attempt. */
      readonly attempt?: number
    }
  /** An execution of a node that must not be repeated; what is left of it after a crash is a dead letter. */
  | { readonly is: 'execution'; readonly arrivals: readonly (readonly [port: string, value: unknown])[] }

/** Work of a live flow that outlives the engine. JSON throughout. */
export interface KeptWork {
  /** UUIDv7. */
  readonly id: string
  readonly flow: string
  readonly node: string
  readonly body: WorkBody
  readonly cascade: string
  readonly origin: CascadeOrigin
  /** How often it was taken up after a start. */
  readonly attempts: number
  /** Readers of it, `<flow>/<node>`, that must not execute it twice and have begun. */
  readonly begun: readonly string[]
  /** Readers that are done with it, or keep their part themselves. */
  readonly ended: readonly string[]
}

/** Keeps work. Changes are committed in the order in which they were asked for; nothing here blocks. */
export interface WorkHost {
  /** Resolves once committed; rejects when it could not be kept (`UnkeptError`). What is dropped before needs not be written. */
  keep(work: KeptWork): Promise<void>
  /**
   * Keeps an arrival and calls `publish`, which publishes it: at once, or when it is committed while nobody can tell how
   * long that takes. Resolves once committed; rejects when that failed: then `publish` is not called any more, and what is
   * published already goes on. When it is dropped, what it has published stays kept until it is recorded.
   */
  arrive(work: KeptWork, publish: () => void): Promise<void>
  /** Notes that a reader has begun to execute it; resolves once committed. */
  begin(id: string, reader: string): Promise<void>
  /**
   * Notes that a reader is done with it. With `taker`, which keeps its part in the same call of `together`: only if what that
   * flow keeps is stored, which it is not once another engine has the flow.
   */
  end(id: string, reader: string, taker?: string): void
  drop(id: string): void
  /** Calls `change`; all that it asks for is one commit. */
  together<T>(change: () => T): T
  /** What a flow has left, in the order in which it was kept. */
  left(flow: string): Promise<readonly KeptWork[]>
  /** Counts one more attempt of each; resolves once committed. */
  attempt(ids: readonly string[]): Promise<void>
  /** Whether this engine has the flow, as far as it knows; left out where no other engine can have it. */
  has?(flow: string): boolean
}

/** How far readers of kept work were in an earlier life: those that had begun and may not do it again, and those that were done. */
export interface WorkNotes {
  readonly begun: readonly string[]
  readonly ended: readonly string[]
}

/** What has failed last in a live node, until somebody has taken note of it. */
export interface FailureMarker {
  readonly error: NonNullable<NodeState['error']>
  /** Digest of what the node was: the marker does not count for a node with another content. */
  readonly content: string
}

/** Keeps failure markers over the stops of their flows. Nothing here blocks; writing may lag behind. */
export interface MarkerHost {
  /** Those of a flow, by node. */
  of(flow: string): ReadonlyMap<string, FailureMarker>
  /** In place of the one that the node has; called for each failure. */
  set(flow: string, node: string, marker: FailureMarker): void
  clear(flow: string, node: string): void
}

/** Work that ended without being done. */
export interface DeadLetter {
  readonly flow: string
  readonly node: string
  readonly message: string | null
  readonly value: unknown
  readonly reason: 'crash' | 'overflow' | 'expired' | 'loop_limit' | 'lease' | 'stopped'
  readonly cascade: string | null
  /** The run that it is; left out when it is none. */
  readonly run?: string
}

/** An execution of a node has failed: a live one, or that of a stage in a run. As it may be shown. */
export interface NodeFailure {
  readonly flow: string
  readonly node: string
  /** Null of a live flow. */
  readonly run: string | null
  readonly type: string
  readonly message: string
  readonly traceback: string | null
}

/** One execution of a node's own code. */
export interface CodeCall {
  readonly document: FlowDocument
  /** With the values of secrets in its settings, unlike the node in the document. */
  readonly node: FlowNode
  /** Identifies the execution. */
  readonly id: string
  readonly run: string | null
  /** Those of a run may be {@link StoredValue}s. */
  readonly inputs: Values
  /** Outputs of a run may be stored before anybody sees them: none holds the value of a secret. */
  readonly storesOutputs?: boolean
  /** Counts the executions of a node with `retry` in a run, from 1. */
  readonly attempt: number
  /** Feeds the code's generator of numbers: the value of a wired `seed` port, else the stage key or the call's id. */
  readonly seed: string
  readonly signal: AbortSignal
  /** Emitted values, in order; `atMs` is the time of the emission. Throwing fails the call. */
  readonly onEmit: (values: Values, atMs: number) => void
  /** While emissions come faster than they are kept: settles when there is room for more; never rejects. */
  readonly behind?: () => Promise<void> | undefined
  readonly onLog: (stream: 'stdout' | 'stderr', text: string) => void
  /** The code has stored bytes, which it may or may not return. */
  readonly onArtifact?: (ref: ArtifactRef) => void
  /** The call waits for this worker; null once it has started on `worker`. */
  readonly onPlace: (place: { readonly waitingFor: string } | CallPlacement) => void
}

/** Where a call has started. */
export interface CallPlacement {
  readonly worker: string
  /** What its interpreter has, where the worker has told; those of other machines do. */
  readonly python?: WorkerPython
}

/** Why the signal of a call is aborted when its engine stops and leaves it to its worker, which keeps it for the next one. */
export class LeftBehind extends Error {
  override readonly name = 'LeftBehind'
}

/** The node's own code failed. `type` is the exception's name, `timeout`, `cancelled`, `process_died` or `worker_lost`. */
export class CodeError extends Error {
  override readonly name = 'CodeError'
  readonly type: string
  readonly traceback: string | null
  constructor(type: string, message: string, traceback: string | null) {
    super(message)
    this.type = type
    this.traceback = traceback
  }
}

/** Bytes behind references. */
export interface ArtifactHost {
  save(data: Uint8Array, options: Required<SaveOptions>): Promise<ArtifactRef>
  load(digest: string): Promise<Uint8Array>
}

/** What the nodes of packages keep. */
export interface StoreHost {
  /** The store of a package. Keys and values that it is called with are within its limits. */
  of(namespace: string): ConnectorStore
  /** How often somebody has had this engine forget something of a package: its nodes have to learn it anew. */
  forgotten(namespace: string): number
}

/** The HTTP routes of a node. */
export interface NodeRoutes {
  readonly type: string
  readonly flow: string
  readonly node: string
  /** Paths below the node that take no sign-in; one that ends in `/` stands for all that begins with it. */
  readonly open: readonly string[]
  readonly handler: RouteHandler
  /** Aborted when the node stops: answers that are open end. */
  readonly ended: AbortSignal
  /** The handler has thrown, or passed an error on, though neither the sender nor the host has ended the exchange. */
  failed(error: unknown): void
}

/** The node of a live flow that stands for a paired device. */
export interface DeviceSeat {
  readonly flow: string
  readonly node: string
  /**
   * Publishes values of the node's outputs, by port, as one delivery. Throws a DtypeViolation, and an Error for a port that the
   * node does not have; then none is published.
   */
  emit(values: Values): void
  /** Told at once, and whenever the device comes or goes. */
  presence(online: boolean): void
}

/** Where nodes meet the devices that they stand for. */
export interface DeviceHost {
  /** Seats a node at a device until the result is called. */
  seat(device: string, seat: DeviceSeat): Cancel
}

/** A mounted webhook, socket or set of routes. What comes before it is opened waits, unanswered. */
export interface Mount {
  /** What comes waits again, for another one that takes its place. */
  hold(): void
  open(): void
  /** Does nothing when another one has taken its place. */
  unmount(): void
}

/** Everything that the runtime reaches outside itself. */
export interface Host {
  readonly clock: Clock
  /** Left out where no other engine can run the flows: then nothing is asked. */
  readonly lease?: Lease | undefined
  /** A new UUIDv7. */
  newId(): string
  /** UUIDv7s of now, for what hardly anybody asks for its id; in order with those of `newId`. */
  momentIds(): MomentIds
  /** Time zone of cron patterns and of `ctx.timeZone`, an IANA name. */
  readonly timeZone: string
  /**
   * Keep a published value as last value and history; `atMs` are milliseconds since the Unix epoch. Must not block;
   * writing may lag behind.
   */
  record(source: ValueSource, value: unknown, atMs: number, cascade: CascadeId): void
  /** Show what happened to sockets and observers. Must not block. */
  event(event: EngineEvent): void
  /** Last value of a message, as it was published or as it may be shown; null until there is one. */
  current(message: string): unknown
  /** Whether anybody is shown events now; while nobody is, the runtime makes no value events. */
  isWatched(): boolean
  deadLetter(entry: DeadLetter): void
  /** Hears of each failure, also of one that a node has had before; events tell what has changed. Must not block. */
  nodeFailed?(failure: NodeFailure): void
  /** Hears of payloads that a flow does not take; `node` is null for a publication under the name of a message. */
  payloadRefused?(refusal: { readonly flow: string; readonly node: string | null; readonly message: string }): void
  /** A cascade is over; `endedMs` are milliseconds since the Unix epoch. Must not block. */
  cascadeEnded(cascade: OverCascade, endedMs: number): void
  readonly work: WorkHost
  readonly markers: MarkerHost
  log(entry: { flow: string; node: string; text: string }): void
  /** Mount a webhook, not open yet. Throws when the route is taken; one of the flow that is held makes way. */
  webhook(flow: string, route: HookRoute, handler: (request: HookRequest) => void | Promise<void>): Mount
  /**
   * Serve a socket, not open yet. Throws when the route is taken; one of the flow that is held makes way, and with an
   * equal secret leaves its clients: each is served anew when the route is opened.
   */
  socketRoute(
    flow: string,
    route: SocketRoute,
    serve: (peer: SocketPeer) => SocketListener,
    full: (clients: number) => void,
  ): Mount
  /** Mount HTTP routes, not open yet; those of the same node that are held make way. */
  routes(routes: NodeRoutes): Mount
  fetch(url: string, init?: FetchInit): Promise<Response>
  /** What goes wrong is an `error` event of the result. */
  connect(target: ConnectTarget): Duplex
  readonly files: Files
  /** `env` are the flow's own variables. */
  spawn(command: Command, env: Readonly<Record<string, string>>): Promise<CommandEnd>
  /** Rejects with {@link CodeError}. */
  call(call: CodeCall): Promise<Values>
  /** End the warm process of a live node, if there is one. */
  release(flow: string, node: string): void
  readonly artifacts: ArtifactHost
  readonly stores: StoreHost
  readonly devices: DeviceHost
  readonly secrets: Secrets
}
