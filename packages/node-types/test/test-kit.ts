/**
 * A node alone in a live flow of the engine's runtime, at a virtual time: tests start it, feed it and look at what it emits.
 * @module
 */
import { once } from 'node:events'
import { connect as connectPlain } from 'node:net'
import type { Duplex } from 'node:stream'

import {
  type AnyNodeDefinition,
  type Command,
  type CommandEnd,
  type ConnectTarget,
  DtypeViolation,
  type HookRequest,
  type HookRoute,
  type NodeFinding,
  type NodePort,
  type NodeShape,
  type SocketListener,
  type SocketPeer,
  type SocketRoute,
  type Values,
} from '@flow-service/connector-sdk'
import type { Health } from '@flow-service/protocol'

import { type LiveFlow, LiveRuntime, type Mount, NodeRegistry } from '../../core/src/index.ts'
import { type MemoryHost, memoryHost } from '../../core/src/testing.ts'
import { documentOf, NodeProbe, type Place } from './node-probe.ts'

/** 2026-01-31T08:00:00Z */
const START_MS = 1_769_846_400_000

export interface Setup extends Place {
  readonly fetch?: typeof fetch
  readonly call?: (inputs: Values) => Promise<Values>
  readonly spawn?: (command: Command) => Promise<CommandEnd>
  readonly connect?: (target: ConnectTarget) => Duplex
  /** Content by path that is there at the start. */
  readonly files?: Readonly<Record<string, string>>
}

const portsOf = (ports: Setup['inputs'] = {}, trigger = true): NodePort[] =>
  Object.entries(ports).map(([port, dtype]) => ({ port, message: `test.${port}`, dtype, stream: false, trigger }))

/** A node as `check` sees it; throws what the settings' schema refuses. */
export const shapeOf = (definition: AnyNodeDefinition, setup: Setup): NodeShape => ({
  id: 'node',
  mode: setup.mode ?? 'live',
  settings: definition.settings.parse(setup.settings ?? {}),
  inputs: [...portsOf(setup.inputs), ...portsOf(setup.passive, false)],
  outputs: portsOf(setup.outputs),
})

export const findings = (definition: AnyNodeDefinition, setup: Setup): readonly NodeFinding[] =>
  definition.check?.(shapeOf(definition, setup)) ?? []

export const codes = (definition: AnyNodeDefinition, setup: Setup): string[] =>
  findings(definition, setup).map(({ code }) => code)

/** The tests bring requests to the handlers themselves. */
const always: Mount = { hold() {}, open() {}, unmount() {} }

/** A started node. */
export class Rig {
  readonly hooks: { route: HookRoute; handler: (request: HookRequest) => void | Promise<void> }[] = []
  readonly sockets: {
    route: SocketRoute
    serve: (peer: SocketPeer) => SocketListener
    full: (clients: number) => void
  }[] = []
  readonly saved: { data: Uint8Array; volatile: boolean; mediaType: string }[] = []
  readonly #setup: Setup
  readonly #host: MemoryHost
  readonly #probe: NodeProbe
  readonly #connections = new Set<Duplex>()
  #flow: LiveFlow | null = null

  static async start(definition: AnyNodeDefinition, setup: Setup): Promise<Rig> {
    const rig = new Rig(definition, setup)
    for (const [path, text] of Object.entries(setup.files ?? {})) await rig.write(path, text)
    const runtime = new LiveRuntime(rig.#host, new NodeRegistry(rig.#probe.types))
    rig.#flow = await runtime.start(documentOf(definition, setup))
    return rig
  }

  private constructor(definition: AnyNodeDefinition, setup: Setup) {
    const { call, fetch: answer = fetch, spawn } = setup
    this.#setup = setup
    this.#probe = new NodeProbe(definition, setup)
    const host = memoryHost({
      startMs: START_MS,
      fetch: answer,
      call: async ({ inputs }) => call?.(inputs) ?? {},
      connect: (target) => this.#connect(target),
      ...(spawn && { spawn }),
    })
    const { artifacts } = host
    this.#host = {
      ...host,
      // its timers are those of the node alone
      isWatched: () => false,
      // references stay as they stand: an engine that lacks the secret starts no node, and nodes refuse it themselves, too
      secrets: { valueOf: (name) => ({ $secret: name }) as never, mask: (text) => text },
      webhook: (_flow, route, handler) => {
        this.hooks.push({ route, handler })
        return always
      },
      socketRoute: (_flow, route, serve, full) => {
        this.sockets.push({ route, serve, full })
        return always
      },
      artifacts: {
        ...artifacts,
        save: (data, options) => {
          this.saved.push({ data, volatile: options.volatile, mediaType: options.mediaType })
          return artifacts.save(data, options)
        },
      },
    }
  }

  get emitted(): readonly Values[] {
    return this.#probe.emitted
  }

  get health(): readonly { status: Health; message: string | null }[] {
    return this.#probe.health
  }

  get crons(): readonly string[] {
    return this.#probe.crons
  }

  get logged(): readonly string[] {
    return this.#host.logs.map(({ text }) => text)
  }

  get timers(): number {
    return this.#host.clock.pending
  }

  /** Connections that are open. */
  get connections(): number {
    return this.#connections.size
  }

  /** Feed values; resolves when the node has handled them, and rejects as its handler does. */
  async arrive(values: Values): Promise<void> {
    // values of passive inputs are there when those that run the node come
    for (const ports of [this.#setup.passive ?? {}, this.#setup.inputs ?? {}])
      this.#probe.feed(Object.fromEntries(Object.entries(values).filter(([port]) => Object.hasOwn(ports, port))))
    await this.#handled()
  }

  async trigger(values: Values = {}): Promise<void> {
    this.#flow?.trigger('node', values)
    await this.#handled()
  }

  /** Post to the webhook that the node has mounted. */
  async post(mediaType: string, body: string | Uint8Array): Promise<void> {
    const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body
    await this.hooks[0]?.handler({ method: 'POST', mediaType, query: {}, body: bytes })
    await this.idle()
  }

  async get(query: Record<string, string>): Promise<void> {
    await this.hooks[0]?.handler({ method: 'GET', mediaType: '', query, body: new Uint8Array() })
    await this.idle()
  }

  /** Resolves when nothing executes, and all that was emitted has arrived. */
  async idle(): Promise<void> {
    await this.#flow?.idle()
  }

  /** Let time pass; due timers run in order. */
  async advance(seconds: number): Promise<void> {
    await this.#host.advance(seconds * 1000)
  }

  async read(path: string): Promise<string> {
    return new TextDecoder().decode(await this.#host.files.read(path))
  }

  async write(path: string, text: string): Promise<void> {
    await this.#host.files.write(path, new TextEncoder().encode(text))
  }

  async stop(): Promise<void> {
    // what was fed has begun
    await this.advance(0)
    const ended = [...this.#connections].map((connection) => once(connection, 'close'))
    const stopped = this.#flow?.stop()
    await this.advance(10)
    await stopped
    await Promise.all(ended)
  }

  async #handled(): Promise<void> {
    await this.idle()
    const error = this.#flow?.nodeStates().find(({ node }) => node === 'node')?.error
    this.#flow?.acknowledge('node')
    await this.#probe.settled()
    if (error?.type === 'DtypeViolation') throw new DtypeViolation(error.message)
    if (error) throw new Error(error.message)
  }

  #connect(target: ConnectTarget): Duplex {
    const open = this.#setup.connect ?? (({ host, port }) => connectPlain({ host, port, noDelay: true }))
    const connection = open(target)
    this.#connections.add(connection)
    connection.once('close', () => this.#connections.delete(connection))
    return connection
  }
}
