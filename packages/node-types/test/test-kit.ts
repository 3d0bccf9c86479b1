/**
 * A node alone: a small context with virtual time, so that tests start one node, feed it and look at what it emits.
 * @module
 */
import { once } from 'node:events'
import { connect as connectPlain } from 'node:net'
import type { Duplex } from 'node:stream'

import {
  type AnyNodeDefinition,
  type Cancel,
  type Command,
  type CommandEnd,
  type ConnectTarget,
  DtypeViolation,
  FileError,
  type Files,
  type HookRequest,
  type HookRoute,
  type NodeContext,
  type NodeFinding,
  type NodePort,
  type NodeShape,
  type Outcome,
  type SocketListener,
  type SocketPeer,
  type SocketRoute,
  type Values,
} from '@flow-service/connector-sdk'
import { accepts, type ArtifactRef, type Dtype, type FlowMode, type Health } from '@flow-service/protocol'

/** 2026-01-31T08:00:00Z */
const START_MS = 1_769_846_400_000

type Ports = Readonly<Record<string, Dtype>>

export interface Setup {
  readonly settings?: Values
  readonly inputs?: Ports
  /** Inputs that do not trigger. */
  readonly passive?: Ports
  readonly outputs?: Ports
  readonly mode?: FlowMode
  readonly fetch?: typeof fetch
  readonly call?: (inputs: Values) => Promise<Values>
  readonly spawn?: (command: Command) => Promise<CommandEnd>
  readonly connect?: (target: ConnectTarget) => Duplex
  /** False: a run of a draft. */
  readonly listens?: boolean
  /** Content by path that is there at the start. */
  readonly files?: Readonly<Record<string, string>>
}

interface Timer {
  atMs: number
  readonly everyMs: number | null
  readonly run: () => void
}

const portsOf = (ports: Ports = {}, trigger = true): NodePort[] =>
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

/** A started node. */
export class Rig {
  readonly emitted: Values[] = []
  readonly hooks: { route: HookRoute; handler: (request: HookRequest) => void | Promise<void> }[] = []
  readonly sockets: {
    route: SocketRoute
    serve: (peer: SocketPeer) => SocketListener
    full: (clients: number) => void
  }[] = []
  readonly health: { status: Health; message: string | null }[] = []
  readonly crons: string[] = []
  readonly logged: string[] = []
  /** Content by path. */
  readonly files: Map<string, string>
  readonly saved: { data: Uint8Array; volatile: boolean; mediaType: string }[] = []
  readonly #definition: AnyNodeDefinition
  readonly #shape: NodeShape
  readonly #setup: Setup
  readonly #abort = new AbortController()
  readonly #timers = new Set<Timer>()
  readonly #lasting = new Map<string, Timer>()
  readonly #connections = new Set<Duplex>()
  readonly #latest: Values = {}
  #nowMs = START_MS
  #instance: Awaited<ReturnType<AnyNodeDefinition['start']>> = {}

  static async start(definition: AnyNodeDefinition, setup: Setup): Promise<Rig> {
    const rig = new Rig(definition, setup)
    rig.#instance = await definition.start(rig.#context())
    return rig
  }

  private constructor(definition: AnyNodeDefinition, setup: Setup) {
    this.#definition = definition
    this.#setup = setup
    this.files = new Map(Object.entries(setup.files ?? {}))
    this.#shape = shapeOf(definition, setup)
  }

  get timers(): number {
    return this.#timers.size
  }

  /** Feed values that arrive together, as the runtime does; resolves when the node has handled them. */
  async arrive(values: Values): Promise<void> {
    Object.assign(this.#latest, values)
    const triggering = this.#shape.inputs.filter(({ trigger }) => trigger).map(({ port }) => port)
    const arrived = triggering.filter((port) => Object.hasOwn(values, port))
    if (this.#definition.arrival === 'combine') {
      if (arrived.length === 0 || triggering.some((port) => !Object.hasOwn(this.#latest, port))) return
      const all = this.#shape.inputs.map(({ port }) => [port, this.#latest[port] ?? null] as const)
      return this.#settle(this.#instance.onInput?.(Object.fromEntries(all)))
    }
    for (const port of arrived) await this.#settle(this.#instance.onValue?.(port, values[port]))
  }

  async trigger(values: Values = {}): Promise<void> {
    await this.#settle(this.#instance.onTrigger?.(values))
  }

  /** Post to the webhook that the node has mounted. */
  async post(mediaType: string, body: string | Uint8Array): Promise<void> {
    const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body
    await this.hooks[0]?.handler({ method: 'POST', mediaType, query: {}, body: bytes })
  }

  async get(query: Record<string, string>): Promise<void> {
    await this.hooks[0]?.handler({ method: 'GET', mediaType: '', query, body: new Uint8Array() })
  }

  /** Let time pass; due timers run in order. */
  async advance(seconds: number): Promise<void> {
    const untilMs = this.#nowMs + seconds * 1000
    for (let due = this.#next(untilMs); due; due = this.#next(untilMs)) {
      this.#nowMs = due.atMs
      if (due.everyMs === null) this.#timers.delete(due)
      else due.atMs += due.everyMs
      due.run()
      // oxlint-disable-next-line no-await-in-loop -- what a timer causes comes before the next one
      await Promise.resolve()
    }
    this.#nowMs = untilMs
  }

  async stop(): Promise<void> {
    this.#abort.abort()
    // the runtime ends these
    for (const key of this.#lasting.keys()) this.#clearTimer(key)
    await this.#instance.stop?.()
    // the runtime ends these, too
    const ended = [...this.#connections].map((connection) => once(connection, 'close'))
    for (const connection of this.#connections) connection.destroy()
    await Promise.all(ended)
  }

  /** Connections that are open. */
  get connections(): number {
    return this.#connections.size
  }

  #next(untilMs: number): Timer | undefined {
    return [...this.#timers].filter(({ atMs }) => atMs <= untilMs).toSorted((a, b) => a.atMs - b.atMs)[0]
  }

  async #settle(outcome: Outcome): Promise<void> {
    const values = await outcome
    if (values && Object.keys(values).length > 0) this.#emit(values)
  }

  #emit(values: Values): void {
    for (const [port, value] of Object.entries(values)) {
      const output = this.#shape.outputs.find((item) => item.port === port)
      if (!output) throw new TypeError(`no output "${port}"`)
      if (!accepts(output.dtype, value)) throw new DtypeViolation(`"${port}" is ${output.dtype}`)
    }
    this.emitted.push(values)
  }

  #setTimer(key: string, dueMs: number, data: unknown): void {
    this.#clearTimer(key)
    const run = (): void => {
      this.#lasting.delete(key)
      void this.#settle(this.#instance.onTimer?.(key, data, dueMs))
    }
    const timer: Timer = { atMs: dueMs, everyMs: null, run }
    this.#lasting.set(key, timer)
    this.#timers.add(timer)
  }

  #clearTimer(key: string): void {
    const timer = this.#lasting.get(key)
    if (timer) this.#timers.delete(timer)
    this.#lasting.delete(key)
  }

  #timer(seconds: number, run: () => void, everyMs: number | null): Cancel {
    const timer: Timer = { atMs: this.#nowMs + seconds * 1000, everyMs, run }
    this.#timers.add(timer)
    return () => void this.#timers.delete(timer)
  }

  #connect(target: ConnectTarget): Duplex {
    const open = this.#setup.connect ?? (({ host, port }) => connectPlain({ host, port, noDelay: true }))
    const connection = open(target)
    this.#connections.add(connection)
    connection.once('close', () => this.#connections.delete(connection))
    return connection
  }

  #context(): NodeContext {
    const { settings, inputs, outputs, mode } = this.#shape
    return {
      flow: 'test',
      node: 'node',
      mode,
      settings,
      inputs,
      outputs,
      run: null,
      signal: this.#abort.signal,
      send: (port, value) => this.#emit({ [port]: value }),
      emit: (values) => this.#emit(values),
      emitDurably: async (values) => this.#emit(values),
      setTimer: (key, dueMs, data) => this.#setTimer(key, dueMs, data),
      clearTimer: (key) => this.#clearTimer(key),
      timerDue: (key) => this.#lasting.get(key)?.atMs ?? null,
      latest: (port) => this.#latest[port] ?? null,
      now: () => this.#nowMs,
      after: (seconds, run) => this.#timer(seconds, run, null),
      every: (seconds, run) => this.#timer(seconds, run, seconds * 1000),
      // Every pattern ticks each minute here; the real ones are the host's.
      cron: (pattern, run) => {
        this.crons.push(pattern)
        return this.#timer(60, run, 60_000)
      },
      listens: this.#setup.listens ?? true,
      webhook: (route, handler) => void this.hooks.push({ route, handler }),
      socketRoute: (route, serve, full) => void this.sockets.push({ route, serve, full: full ?? (() => {}) }),
      connect: (target) => this.#connect(target),
      fetch: this.#setup.fetch ?? fetch,
      files: filesIn(this.files),
      spawn: this.#setup.spawn ?? (() => Promise.reject(new Error('there are no commands here'))),
      call: this.#setup.call ?? (async () => ({})),
      saveArtifact: async (data, options = {}): Promise<ArtifactRef> => {
        const { name = '', mediaType = 'application/octet-stream', volatile = false } = options
        this.saved.push({ data, volatile, mediaType })
        return { digest: `sha256:${'0'.repeat(64)}`, name, media_type: mediaType, size: data.length, volatile }
      },
      loadArtifact: async () => new Uint8Array(),
      reportHealth: (status, message) => void this.health.push({ status, message: message ?? null }),
      log: (message) => void this.logged.push(message),
    }
  }
}

function filesIn(stored: Map<string, string>): Files {
  const text = (data: Uint8Array): string => new TextDecoder().decode(data)
  return {
    async read(path) {
      const content = stored.get(path)
      if (content === undefined) throw new FileError('missing', `there is no file "${path}"`)
      return new TextEncoder().encode(content)
    },
    async write(path, data) {
      stored.set(path, text(data))
    },
    async append(path, data) {
      stored.set(path, (stored.get(path) ?? '') + text(data))
    },
  }
}
