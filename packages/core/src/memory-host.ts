/**
 * A host without a server: a virtual clock, and lists of what the runtime told.
 * @module
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'

import {
  type Command,
  type CommandEnd,
  type ConnectTarget,
  type FetchInit,
  FileError,
  type HookRequest,
  type SocketListener,
  type SocketPeer,
  storeIsFull,
  type Values,
} from '@flow-service/connector-sdk'
import { type ArtifactRef, type EngineEvent, MAX_STORE_KEYS } from '@flow-service/protocol'

import {
  type CodeCall,
  CodeError,
  type DeadLetter,
  type EndedCascade,
  type Host,
  type KeptWork,
  type MomentIds,
  type Mount,
  type NodeRoutes,
  type StoreHost,
  type ValueSource,
  type WorkHost,
} from './host.ts'
import { MemoryDevices } from './memory-devices.ts'
import { MemoryMarkers } from './memory-markers.ts'
import { VirtualClock } from './virtual-clock.ts'

/** What a memory host starts with. */
export interface MemoryHostOptions {
  /** Milliseconds since the Unix epoch; 2026-01-01T00:00Z unless given. */
  readonly startMs?: number
  /** IANA name; UTC unless given. */
  readonly timeZone?: string
  /** Executes the code of nodes; without it every call fails. */
  readonly call?: (call: CodeCall) => Promise<Values>
  /** Work that an earlier host has kept, as after a crash. */
  readonly kept?: Iterable<KeptWork>
  /** Answers `ctx.fetch`; without it every request fails. */
  readonly fetch?: (url: string, init?: FetchInit) => Promise<Response>
  /** Answers `ctx.connect`; without it every connection fails. */
  readonly connect?: (target: ConnectTarget) => Duplex
  /** Values of secrets by name; nothing is masked. */
  readonly secrets?: Readonly<Record<string, string>>
  /** Answers `ctx.spawn`; without it every command fails. */
  readonly spawn?: (command: Command, env: Readonly<Record<string, string>>) => Promise<CommandEnd>
}

/** A value that was published. */
export interface PublishedValue extends ValueSource {
  readonly value: unknown
  /** Milliseconds since the Unix epoch. */
  readonly atMs: number
  readonly cascade: string
}

/** A {@link Host} that tests and embedders drive and read. */
export interface MemoryHost extends Host {
  readonly clock: VirtualClock
  readonly records: PublishedValue[]
  readonly events: EngineEvent[]
  readonly deadLetters: DeadLetter[]
  readonly cascades: EndedCascade[]
  /** Kept work in the order in which it was kept. */
  readonly work: WorkHost & { readonly items: ReadonlyMap<string, KeptWork> }
  readonly logs: { readonly flow: string; readonly node: string; readonly text: string }[]
  /** What the nodes of packages keep; `forget` takes a key of a package away, as an operator does. */
  readonly stores: StoreHost & { forget(namespace: string, key: string): void }
  readonly devices: MemoryDevices
  /** `<flow>/<node>` of ended warm processes. */
  readonly released: string[]
  /** Lets time pass, running every timer that comes due, in order, and what follows from each. */
  advance(ms: number): Promise<void>
  /** The values recorded for a message, in order. */
  values(message: string): unknown[]
  /** Brings a request to a mounted webhook; the default is a POST of JSON. */
  hook(flow: string, path: string, request: Partial<HookRequest> & { readonly json?: unknown }): Promise<void>
  /**
   * Brings a request to the routes of a node, `<type>/<flow>/<node>`: resolves once it is answered, and rejects with what
   * the node throws, or when it has nothing there. `url` begins below the node.
   */
  ask(address: string, request: IncomingMessage, response: ServerResponse): Promise<void>
  /** Connects a client to a served socket. */
  plug(flow: string, path: string, peer: SocketPeer): SocketListener
}

let hosts = 0

/** A host in memory, at a virtual time. */
export function memoryHost(options: MemoryHostOptions = {}): MemoryHost {
  const clock = new VirtualClock(options.startMs ?? Date.UTC(2026, 0, 1))
  const records: PublishedValue[] = []
  const events: EngineEvent[] = []
  const deadLetters: DeadLetter[] = []
  const cascades: EndedCascade[] = []
  const logs: { flow: string; node: string; text: string }[] = []
  const released: string[] = []
  // a host that goes on with the work of another has ids of its own
  const world = (hosts++).toString(16).padStart(8, '0')
  let ids = 0
  const idOf = (count: number): string => `${world}-0000-7000-8000-${String(count).padStart(12, '0')}`
  const momentIds: MomentIds = { reserve: () => ids++, make: idOf }
  return {
    clock,
    records,
    events,
    deadLetters,
    cascades,
    work: memoryWork(options.kept ?? []),
    markers: new MemoryMarkers(),
    logs,
    released,
    timeZone: options.timeZone ?? 'UTC',
    newId: () => idOf(ids++),
    momentIds: () => momentIds,
    record: (source, value, atMs, cascade) => {
      const { message, flow, node, port, run, again } = source
      const more = { ...(run === undefined ? {} : { run }), ...(again === undefined ? {} : { again }) }
      records.push({ message, flow, node, port, ...more, value, atMs, cascade: cascade.id })
    },
    current: (name) => records.findLast(({ message }) => message === name)?.value ?? null,
    event: (event) => void events.push(event),
    isWatched: () => true,
    deadLetter: (entry) => void deadLetters.push(entry),
    cascadeEnded: (cascade, endedMs) => void cascades.push(cascade.record(endedMs)),
    log: (entry) => void logs.push(entry),
    release: (flow, node) => void released.push(`${flow}/${node}`),
    call: options.call ?? (({ node }) => Promise.reject(noCode(node.id))),
    fetch: options.fetch ?? ((url) => Promise.reject(new TypeError(`this host has no network to fetch ${url} from`))),
    spawn: options.spawn ?? (({ file }) => Promise.reject(new Error(`this host has no processes to run ${file}`))),
    connect: options.connect ?? (({ host }) => refused(host)),
    files: memoryFiles(),
    artifacts: memoryArtifacts(),
    stores: memoryStores(),
    devices: new MemoryDevices(),
    secrets: { valueOf: (name) => options.secrets?.[name], mask: (shown) => shown },
    advance: (ms) => clock.advance(ms),
    values: (message) => records.filter((record) => record.message === message).map(({ value }) => value),
    ...memoryHooks(),
    ...memorySockets(),
    ...memoryRoutes(),
  }
}

const noCode = (node: string): CodeError =>
  new CodeError('Error', `node "${node}" has code, but this host was given no "call" to execute it`, null)

function refused(host: string): never {
  throw new Error(`this host has no network to connect to ${host}`)
}

interface Mounted<T> {
  readonly served: T
  gate: PromiseWithResolvers<void> | null
  isLeaving: boolean
}

/** What is mounted, by address; one that is held makes way for another of its flow. */
class MemoryRoutes<T> {
  readonly #kind: string
  readonly #mounted = new Map<string, Mounted<T>>()

  constructor(kind: string) {
    this.#kind = kind
  }

  mount(address: string, served: T): Mount {
    const earlier = this.#mounted.get(address)
    if (earlier?.isLeaving === false) throw new Error(`the ${this.#kind} "${address}" is taken`)
    const entry: Mounted<T> = { served, gate: earlier?.gate ?? Promise.withResolvers(), isLeaving: false }
    this.#mounted.set(address, entry)
    return {
      hold() {
        entry.isLeaving = true
        entry.gate ??= Promise.withResolvers()
      },
      open() {
        entry.gate?.resolve()
        entry.gate = null
      },
      unmount: () => {
        if (this.#mounted.get(address) !== entry) return
        this.#mounted.delete(address)
        entry.gate?.resolve()
      },
    }
  }

  /** What is served at an address, once it is opened. */
  async find(address: string): Promise<T> {
    for (let gate = this.#mounted.get(address)?.gate; gate; gate = this.#mounted.get(address)?.gate) {
      // oxlint-disable-next-line no-await-in-loop -- another one may be there then
      await gate.promise
    }
    return this.at(address)
  }

  at(address: string): T {
    const found = this.#mounted.get(address)
    if (found === undefined) throw new Error(`there is no ${this.#kind} "${address}"`)
    return found.served
  }
}

function memorySockets(): Pick<MemoryHost, 'socketRoute' | 'plug'> {
  const routes = new MemoryRoutes<(peer: SocketPeer) => SocketListener>('socket')
  return {
    socketRoute: (flow, route, serve) => routes.mount(`${flow}/${route.path}`, serve),
    plug: (flow, path, peer) => routes.at(`${flow}/${path}`)(peer),
  }
}

function memoryHooks(): Pick<MemoryHost, 'webhook' | 'hook'> {
  const routes = new MemoryRoutes<(request: HookRequest) => void | Promise<void>>('webhook')
  return {
    webhook: (flow, route, handler) => routes.mount(`${flow}/${route.path}`, handler),
    async hook(flow, path, { json, ...request }) {
      const handler = await routes.find(`${flow}/${path}`)
      const body = new TextEncoder().encode(json === undefined ? '' : JSON.stringify(json))
      await handler({ method: 'POST', mediaType: 'application/json', query: {}, body, ...request })
    },
  }
}

function memoryRoutes(): Pick<MemoryHost, 'routes' | 'ask'> {
  const routes = new MemoryRoutes<NodeRoutes>('node')
  return {
    routes: (mounted) => routes.mount(`${mounted.type}/${mounted.flow}/${mounted.node}`, mounted),
    async ask(address, request, response) {
      const node = await routes.find(address)
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      const fail = (error: unknown): void => {
        node.failed(error)
        reject(error as Error)
      }
      const next = (error?: unknown): void =>
        error === undefined ? reject(new Error(`the node "${address}" has nothing at ${request.url}`)) : fail(error)
      response.once('close', resolve)
      void (async () => node.handler(request, response, next))().catch(fail)
      await promise
    },
  }
}

function memoryWork(kept: Iterable<KeptWork>): MemoryHost['work'] {
  const items = new Map([...kept].map((work) => [work.id, work]))
  const change = (id: string, update: (work: KeptWork) => Partial<KeptWork>): void => {
    const work = items.get(id)
    if (work !== undefined) items.set(id, { ...work, ...update(work) })
  }
  return {
    items,
    async keep(work) {
      items.set(work.id, work)
    },
    async arrive(work, publish) {
      items.set(work.id, work)
      publish()
    },
    async begin(id, reader) {
      change(id, ({ begun }) => ({ begun: [...begun, reader] }))
    },
    end: (id, reader) =>
      change(id, ({ begun, ended }) => ({
        begun: begun.filter((other) => other !== reader),
        ended: [...ended, reader],
      })),
    drop: (id) => void items.delete(id),
    together: (change) => change(),
    left: async (flow) => [...items.values()].filter((work) => work.flow === flow),
    async attempt(ids) {
      for (const id of ids) change(id, ({ attempts }) => ({ attempts: attempts + 1 }))
    },
  }
}

function memoryFiles(): Host['files'] {
  const stored = new Map<string, Uint8Array>()
  return {
    async read(path) {
      const data = stored.get(path)
      if (data === undefined) throw new FileError('missing', `there is no file "${path}"`)
      return data
    },
    async write(path, data) {
      stored.set(path, data)
    },
    async append(path, data) {
      stored.set(path, new Uint8Array([...(stored.get(path) ?? []), ...data]))
    },
  }
}

function memoryArtifacts(): Host['artifacts'] {
  const stored = new Map<string, Uint8Array>()
  return {
    async save(data, { name, mediaType, volatile }): Promise<ArtifactRef> {
      const sum = await crypto.subtle.digest('SHA-256', new Uint8Array(data))
      const digest = `sha256:${Buffer.from(sum).toString('hex')}`
      stored.set(digest, data)
      return { digest, name, media_type: mediaType, size: data.byteLength, volatile }
    },
    async load(digest) {
      const data = stored.get(digest)
      if (data === undefined) throw new Error(`there are no bytes ${digest}`)
      return data
    },
  }
}

function memoryStores(): MemoryHost['stores'] {
  const packages = new Map<string, Map<string, string>>()
  const forgotten = new Map<string, number>()
  const textsOf = (namespace: string): Map<string, string> => {
    const texts = packages.get(namespace) ?? new Map<string, string>()
    packages.set(namespace, texts)
    return texts
  }
  return {
    of: (namespace) => ({
      get: async (key) => textsOf(namespace).get(key) ?? null,
      async set(key, value) {
        const texts = textsOf(namespace)
        if (!texts.has(key) && texts.size === MAX_STORE_KEYS) throw storeIsFull(key)
        texts.set(key, value)
      },
      delete: async (key) => textsOf(namespace).delete(key),
    }),
    forgotten: (namespace) => forgotten.get(namespace) ?? 0,
    forget(namespace, key) {
      textsOf(namespace).delete(key)
      forgotten.set(namespace, (forgotten.get(namespace) ?? 0) + 1)
    },
  }
}
