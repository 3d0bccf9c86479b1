/**
 * A live flow in the test's own process, on a virtual clock: the engine's runtime, without a server, a broker or a
 * sleep.
 * @module
 */
import type { HookRequest, Values } from '@flow-service/connector-sdk'
import { type DeadLetter, type LiveFlow as RunningFlow, LiveRuntime, NodeRegistry } from '@flow-service/core'
import { type MemoryHost, memoryHost } from '@flow-service/core/testing'
import { nodeTypes } from '@flow-service/node-types'
import type { FlowDocument, LiveFlow, NodeState, Ref } from '@flow-service/protocol'

import { codeOf, type Mock, mockable } from './code-host.ts'
import { DeviceTest } from './device-test.ts'
import { documentOf } from './document-of.ts'
import { type Duration, millisecondsOf } from './duration.ts'
import { Outside } from './outside.ts'

/** How the test's world begins. */
export interface FlowTestOptions {
  /** Time on the virtual clock, ISO 8601; 2026-01-01T00:00:00Z unless given. */
  readonly at?: string
  /** Time zone of cron patterns, an IANA name; UTC unless given. */
  readonly timeZone?: string
  /** Stand-ins by node id, in place from the start: what they stand for opens nothing. */
  readonly mocks?: Readonly<Record<string, Mock>>
  /** Answers the requests of `http` nodes; without it every request fails. */
  readonly fetch?: (url: string, init?: RequestInit) => Promise<Response>
  /** Values of the secrets that settings refer to. */
  readonly secrets?: Readonly<Record<string, string>>
}

/** A value that was published. */
export interface SentValue<T> {
  readonly value: T
  /** Milliseconds since the Unix epoch, on the virtual clock. */
  readonly atMs: number
}

/**
 * Starts a live flow. Rejects with an Error that lists what would keep the engine from starting it.
 * @example
 * const test = await testFlow(greenhouse)
 * await test.publish(greenhouse.messages.temp, 31)
 * await test.advance('10m')
 * expect(test.sent(greenhouse.messages.fan)).toEqual([true, false])
 */
export async function testFlow<M>(flow: LiveFlow<M>, options: FlowTestOptions = {}): Promise<FlowTest> {
  const outside = new Outside()
  const mocks = new Map(Object.entries(options.mocks ?? {}).map(([node, fn]) => [node, outside.watched(fn)]))
  const registry = new NodeRegistry(
    nodeTypes.map((definition) => mockable(definition, mocks, flow as LiveFlow<unknown>)),
  )
  const document = documentOf(flow as LiveFlow<unknown>, registry, options.secrets ?? {})
  const test = new FlowTest({ flow: flow as LiveFlow<unknown>, document, registry, mocks, outside, options })
  await test.restart()
  return test
}

interface FlowTestDeps {
  readonly flow: LiveFlow<unknown>
  readonly document: FlowDocument
  readonly registry: NodeRegistry
  readonly mocks: Map<string, Mock>
  readonly outside: Outside
  readonly options: FlowTestOptions
}

interface Life {
  readonly host: MemoryHost
  readonly runtime: LiveRuntime
  readonly live: RunningFlow
}

/** A flow under test; made by {@link testFlow}. It is *running*, or after a crash or stop *down* until `restart`. */
export class FlowTest {
  readonly #deps: FlowTestDeps
  #life: Life | null = null
  /** The world of the last life: what is kept, and the time. */
  #host: MemoryHost
  /** Of earlier lives. */
  readonly #sent: { message: string; value: unknown; atMs: number }[] = []
  readonly #letters: DeadLetter[] = []
  readonly #last = new Map<string, unknown>()
  /** Devices that are connected. */
  readonly #online = new Set<string>()

  constructor(deps: FlowTestDeps) {
    this.#deps = deps
    const { at } = deps.options
    this.#host = this.#newHost(at === undefined ? Date.UTC(2026, 0, 1) : timeOf(at), [])
  }

  /** Publishes a value from outside, and waits for what follows from it. Throws for a value off the message's dtype. */
  async publish<T>(message: Ref<T> | string, value: T): Promise<void> {
    this.#running().runtime.publish(this.#nameOf(message), value)
    await this.settled()
  }

  /**
   * Brings a request to a webhook of the flow: `json`, or any body as bytes. `path` is its `url`, and `/` and the secret
   * if it has one. Rejects when no webhook is there, and with a HookRefusal when it refuses the request.
   */
  async hook(path: string, request: Partial<HookRequest> & { readonly json?: unknown }): Promise<void> {
    // the engine drops the slash of a url too
    await this.#running().host.hook(this.#deps.flow.name, path.replace(/^\//, ''), request)
    await this.settled()
  }

  /** Feeds a node by port, or asks it to act. */
  async trigger(node: string, values: Values = {}): Promise<void> {
    this.#running().live.trigger(node, values)
    await this.settled()
  }

  /** A device that nodes of the flow stand for. Throws a RangeError when none does. */
  device(id: string): DeviceTest {
    return new DeviceTest(id, {
      document: this.#deps.document,
      devices: () => this.#running().host.devices,
      connect: (online) => {
        if (online) this.#online.add(id)
        else this.#online.delete(id)
        this.#host.devices.presence(id, online)
      },
      settled: () => this.settled(),
      last: (message) => this.sent(message).at(-1),
    })
  }

  /** Lets time pass: seconds, or text such as `10m`. Timers run in order, each with all that follows from it. */
  async advance(duration: Duration): Promise<void> {
    await this.#host.advance(millisecondsOf(duration))
    if (this.#life) await this.settled()
  }

  /** The values of a message in the order in which they were published, over all lives of the engine. */
  sent<T>(message: Ref<T> | string): T[] {
    return this.timeline<T>(message).map(({ value }) => value)
  }

  /** As `sent`, with the times. */
  timeline<T>(message: Ref<T> | string): SentValue<T>[] {
    const name = this.#nameOf(message)
    return [...this.#sent, ...this.#host.records].flatMap((record) =>
      record.message === name ? [{ value: record.value as T, atMs: record.atMs }] : [],
    )
  }

  /** A stand-in for a node from now on; null brings the node back. */
  mock(node: string, fn: Mock | null): void {
    if (!this.#deps.document.nodes.some(({ id }) => id === node)) {
      const known = this.#deps.document.nodes.map(({ id }) => `"${id}"`).join(', ')
      throw new RangeError(`flow "${this.#deps.flow.name}" has no node "${node}"; it has ${known}`)
    }
    if (fn === null) this.#deps.mocks.delete(node)
    else this.#deps.mocks.set(node, this.#deps.outside.watched(fn))
  }

  /** Milliseconds since the Unix epoch, on the virtual clock. */
  now(): number {
    return this.#host.clock.now()
  }

  /** Work that ended without being done, over all lives. */
  deadLetters(): readonly DeadLetter[] {
    return [...this.#letters, ...this.#host.deadLetters]
  }

  /** What nodes have logged since the engine began. */
  logs(): readonly string[] {
    return this.#host.logs.map(({ node, text }) => `${node}: ${text}`)
  }

  /** The nodes of the running flow: `failed` is the failure marker, `health` that of connections. */
  nodeStates(): NodeState[] {
    return this.#running().live.nodeStates()
  }

  /** Holds every delivery from now on. */
  pause(): void {
    this.#running().live.pause()
  }

  /** Lets all held deliveries through, and waits for what follows. */
  async resume(): Promise<void> {
    this.#running().live.resume()
    await this.settled()
  }

  /** Lets the oldest held delivery through; whether there was one. */
  async step(): Promise<boolean> {
    const released = this.#running().live.step()
    await this.settled()
    return released === 1
  }

  /** The engine dies: what is in memory is gone, what was kept is not. */
  crash(): void {
    const { host } = this.#running()
    this.#sent.push(...host.records)
    this.#letters.push(...host.deadLetters)
    for (const { message, value } of host.records) this.#last.set(message, value)
    this.#life = null
    this.#host = this.#newHost(host.clock.now(), [...host.work.items.values()])
  }

  /** The engine starts again, with what the crash has left. */
  async restart(): Promise<void> {
    if (this.#life) throw new Error('the flow runs; crash() or stop() it before it can start again')
    const host = this.#host
    const runtime = new LiveRuntime(host, this.#deps.registry)
    const live = await runtime.start(this.#deps.document, { values: this.#last })
    this.#life = { host, runtime, live }
    await this.settled()
  }

  /** Ends the flow as the engine's own end does: what waits is kept for `restart`. */
  async stop(): Promise<void> {
    const { runtime, host } = this.#running()
    const closed = runtime.close()
    let isClosed = false
    void closed.then(() => (isClosed = true))
    // executions get their time to end
    while (!isClosed) await host.advance(1000)
    await closed
    this.crash()
  }

  /**
   * Resolves when nothing executes any more, or what executes waits for time to pass. Code, stand-ins and answers of
   * `fetch` are waited for; one that takes more than a second is taken to wait for time.
   */
  async settled(): Promise<void> {
    const { host, live } = this.#running()
    const { outside } = this.#deps
    let isIdle = false
    const idle = live.idle().then(() => (isIdle = true))
    await host.advance(0)
    while (!isIdle) {
      if (host.clock.pending === 0) await idle
      // oxlint-disable-next-line no-await-in-loop -- what comes may set off more
      else if (outside.isEmpty || !(await outside.next(idle))) break
      // oxlint-disable-next-line no-await-in-loop
      await host.advance(0)
    }
    await host.advance(0)
  }

  #running(): Life {
    if (this.#life) return this.#life
    throw new Error('the flow is down; restart() it first')
  }

  #newHost(startMs: number, kept: Iterable<Parameters<MemoryHost['work']['keep']>[0]>): MemoryHost {
    const { flow, options, outside } = this.#deps
    const { timeZone, fetch, secrets = {} } = options
    const host: MemoryHost = memoryHost({
      startMs,
      kept,
      secrets,
      call: outside.watched(codeOf(flow, () => host)),
      ...(timeZone === undefined ? {} : { timeZone }),
      ...(fetch === undefined ? {} : { fetch: outside.watched(fetch) }),
    })
    for (const id of this.#online) host.devices.presence(id, true)
    return host
  }

  #nameOf(message: Ref<unknown> | string): string {
    const { name } = this.#deps.flow
    if (typeof message !== 'string') return message.message
    return message.includes('.') ? message : `${name}.${message}`
  }
}

function timeOf(at: string): number {
  const ms = Date.parse(at)
  if (Number.isNaN(ms)) throw new RangeError(`"${at}" is no time; write ISO 8601, such as 2026-01-31T08:00:00Z`)
  return ms
}
