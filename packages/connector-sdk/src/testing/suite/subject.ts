/**
 * The connector under test, with all that is needed to make nodes of it.
 * @module
 */
import type { Dtype } from '@flow-service/protocol'
import type { Router } from 'express'
import * as z from 'zod'

import { type ConnectorClass, nodeTypeOf } from '../../connector-node.ts'
import { Connector } from '../../connector.ts'
import type { Values } from '../../node.ts'
import { settled } from '../fake-clock.ts'
import type { FakeContext, FakePorts } from '../fake-context.ts'
import { Leftovers } from '../leftovers.ts'
import { type Mounted, mounted, type MountOptions } from '../mounted.ts'
import { CredentialPlaces } from './credential-places.ts'
import { ended } from './ended.ts'
import type { ContractFixtures } from './fixtures.ts'

/** Seconds between readings, where neither the settings nor the class name any. */
const USUAL_INTERVAL_S = 60

/** `mark` makes other credentials of those of the fixtures. */
type Options = MountOptions<ConnectorClass> & { readonly mark?: string }
/** A node under test. */
export type Node = Mounted<ConnectorClass>

/** A start that may have failed. */
export interface Attempt {
  readonly node: Node | null
  /** Null where the constructor has failed. */
  readonly ctx: FakeContext | null
  readonly thrown: readonly unknown[]
}

/** One object a test. */
export class Subject {
  readonly Class: ConnectorClass
  readonly fixtures: ContractFixtures<ConnectorClass>
  /** Settings as a flow has them. */
  readonly params: Values
  readonly polls: boolean
  readonly writes: boolean
  readonly inputs: FakePorts
  readonly outputs: FakePorts
  readonly #nodes: Node[] = []
  #leftovers: Leftovers | null = null

  constructor(Class: ConnectorClass, params: Values, fixtures: ContractFixtures<ConnectorClass>) {
    const { prototype, ports } = Class as { prototype?: Partial<Connector>; ports?: ConnectorClass['ports'] }
    this.Class = Class
    this.params = params
    this.fixtures = fixtures
    this.polls = prototype?.poll !== Connector.prototype.poll
    this.writes = prototype?.write !== Connector.prototype.write
    this.inputs = this.writes ? (fixtures.inputs ?? ports?.inputs ?? {}) : {}
    this.outputs = fixtures.outputs ?? ports?.outputs ?? {}
  }

  /** What its nodes begin beside `ctx`, from the first one on. */
  get leftovers(): Leftovers {
    this.#leftovers ??= Leftovers.watch()
    return this.#leftovers
  }

  get type(): string {
    return this.fixtures.type ?? 'connector'
  }

  get schema(): z.ZodObject {
    return nodeTypeOf(this.type, this.Class).settings
  }

  /** The schema of its settings as forms have it. */
  get form(): z.core.JSONSchema.BaseSchema {
    return z.toJSONSchema(this.schema, { io: 'input', unrepresentable: 'any' })
  }

  /** Where its settings have credentials. */
  get credentials(): CredentialPlaces {
    return new CredentialPlaces(this.form)
  }

  /** Values of the secrets that its settings name. `mark` makes others of them. */
  secrets(mark = ''): Record<string, string> {
    const names = this.credentials.secretNames(this.params)
    const given = this.fixtures.secrets ?? {}
    const made = names.map((name) => [name, `${given[name] ?? `made-up-${name}`}${mark}`] as const)
    return { ...given, ...Object.fromEntries(made) }
  }

  /** Settings with an interval of readings; a `mark` makes other credentials of those that stand in them. */
  settings(mark = ''): Values {
    const params = mark === '' ? this.params : this.credentials.marked(this.params, mark)
    return this.polls ? { ...params, poll_interval: this.intervalMs / 1000 } : params
  }

  /** Every credential of its nodes. */
  credentialsIn(mark = ''): string[] {
    const texts = this.credentials.textsIn(this.settings(mark))
    return [...texts, ...Object.values(this.secrets(mark))].filter((text) => text.length > 3)
  }

  /** Between two readings. */
  get intervalMs(): number {
    const { data } = this.schema.safeParse(this.params)
    const ofParams = Number(data?.['poll_interval'] ?? this.params['poll_interval'] ?? 0)
    return (ofParams > 0 ? ofParams : USUAL_INTERVAL_S) * 1000
  }

  /** Starts a node; the end of the test ends it. */
  async mount({ mark = '', ...options }: Options = {}): Promise<Node> {
    const { certificate, connect, fetch } = this.fixtures
    void this.leftovers
    const node = await mounted(this.Class, {
      type: this.type,
      settings: this.settings(mark),
      secrets: this.secrets(mark),
      inputs: this.inputs,
      outputs: this.outputs,
      ...(certificate && { certificate }),
      ...(connect && { connect }),
      ...(fetch && { fetch }),
      ...options,
    })
    this.#nodes.push(node)
    await this.settle(node)
    return node
  }

  /** Starts a node that may not start: tells what it has touched, and what was thrown. */
  async attempt(options: Options = {}): Promise<Attempt> {
    const contexts: FakeContext[] = []
    const prepare: Options['prepare'] = (connector, ctx) => {
      contexts.push(ctx)
      options.prepare?.(connector, ctx)
    }
    try {
      const node = await this.mount({ ...options, prepare })
      return { node, ctx: node.ctx, thrown: [] }
    } catch (error) {
      return { node: null, ctx: contexts[0] ?? null, thrown: [error] }
    }
  }

  /** What goes wrong in the stop after a start that fails: at once, or when it is done. */
  async stopAfterFailedStart(at: 'once' | 'end'): Promise<string[]> {
    const fail = async (start: () => Promise<void>): Promise<void> => {
      if (at === 'end') await start()
      throw new Error('the test has this start fail')
    }
    const prepare: Options['prepare'] = (connector) => {
      const start = connector.start.bind(connector)
      Object.defineProperty(connector, 'start', { value: (app?: Router) => fail(() => start(app)) })
    }
    const { ctx } = await this.attempt({ prepare })
    return (ctx?.logs ?? []).filter((line) => line.startsWith('stop() failed'))
  }

  /** What goes wrong in the stop of a node that reaches nothing, whether or not it has started. */
  async stopWithoutNetwork(): Promise<string[]> {
    const unreachable = (): never => {
      throw new TypeError('fetch failed', { cause: new Error('the network is down') })
    }
    const { node, ctx } = await this.attempt({ fetch: unreachable, connect: unreachable })
    if (node !== null) await this.exercise(node)
    const thrown: string[] = []
    if (node !== null) await ended(node.stop()).catch((error: unknown) => thrown.push(String(error)))
    return [...(ctx?.logs ?? []).filter((line) => line.startsWith('stop() failed')), ...thrown]
  }

  /** Lets time pass. */
  async advance(node: Node, ms: number): Promise<void> {
    await node.advance(ms)
    await this.settle(node)
  }

  /** Whether its nodes take readings by themselves: a connector may turn them off by its settings. */
  readsBy({ connector }: Node): boolean {
    return this.polls && Number(Reflect.get(connector, 'pollInterval')) > 0
  }

  /** The first reading of a node that has started. */
  firstReading(node: Node): Promise<void> {
    return this.advance(node, 0)
  }

  async settle(node: Node): Promise<void> {
    await settled()
    await this.fixtures.settle?.(node)
  }

  /** Values that may arrive. */
  async arriving(node: Node): Promise<Values> {
    return this.fixtures.write ?? samplesOf(node, this.inputs)
  }

  /** Values that may leave. */
  async leaving(node: Node): Promise<Values> {
    return samplesOf(node, this.outputs)
  }

  /** All that a flow and a device do to a node: two readings, a write, and what comes by itself. Answers what fails. */
  async exercise(node: Node): Promise<unknown[]> {
    const faults: unknown[] = []
    const attempt = async (run: () => void | Promise<void>): Promise<void> => {
      try {
        await run()
        await this.settle(node)
      } catch (error) {
        faults.push(error)
      }
    }
    await this.firstReading(node)
    await this.advance(node, this.intervalMs)
    if (this.writes) await attempt(async () => node.write(await this.arriving(node)))
    const { push } = this.fixtures
    if (push) await attempt(() => push(node))
    return faults
  }

  /** Ends what is left. */
  async end(): Promise<void> {
    for (const node of this.#nodes) {
      node.ctx.network.hold(false)
      await ended(node.stop()).catch(() => {})
    }
    this.#leftovers?.close()
  }
}

async function samplesOf({ ctx }: Node, ports: FakePorts): Promise<Values> {
  const samples = Object.entries(ports).map(async ([port, dtype]) => [port, await sampleOf(ctx, dtype)] as const)
  return Object.fromEntries(await Promise.all(samples))
}

async function sampleOf({ artifacts }: Node['ctx'], dtype: Dtype): Promise<unknown> {
  switch (dtype) {
    case 'any':
    case 'int':
      return 1
    case 'float':
      return 1.5
    case 'str':
      return 'text'
    case 'bool':
      return true
    case 'object':
      return {}
    case 'array':
      return []
    case 'image':
    case 'media':
    case 'artifact':
      return artifacts.save(new Uint8Array([1]), { mediaType: 'image/png' })
  }
}
