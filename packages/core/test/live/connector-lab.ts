/** A meter as a connector, and what a test has it do: it answers readings and writes, and tells of its life. */
import { Connector, type ConnectorContext, ConnectorParams, nodeTypeOf, secret } from '@flow-service/connector-sdk'
import type { FlowDocumentInput } from '@flow-service/protocol'
import * as z from 'zod'

import type { MemoryHostOptions } from '../../src/testing.ts'
import { recorder } from '../documents.ts'
import { engine } from './live-engine.ts'

type Node = NonNullable<FlowDocumentInput['nodes']>[number]
export type Reading = Record<string, unknown> | null

/** What a test does with the meters of its flow. */
export interface Lab {
  /** Answers readings, in place of the one below. */
  read: () => Reading | Promise<Reading>
  write: (inputs: Readonly<Record<string, unknown>>) => Promise<Reading | void>
  start: () => void | Promise<void>
  stop: () => void
  readonly meters: Meter[]
  readonly told: string[]
}

const labs: Lab[] = []
const lab = (): Lab => labs.at(-1)!

export class Meter extends Connector<typeof Meter.Params> {
  static readonly contract = 1
  static override readonly Params = ConnectorParams.extend({
    host: z.string().default('meter.local'),
    token: secret().optional(),
  })
  readonly #lab = lab()

  constructor(context: ConnectorContext) {
    super(context)
    this.#lab.meters.push(this)
  }

  override async poll() {
    this.#lab.told.push('poll')
    return this.#lab.read()
  }

  override async write(inputs: Readonly<Record<string, unknown>>) {
    return this.#lab.write(inputs)
  }

  override async start() {
    this.#lab.told.push(`start ${this.config.host}`)
    await this.#lab.start()
    await super.start()
  }

  override async stop() {
    this.#lab.told.push('stop')
    this.#lab.stop()
    await super.stop()
  }
}

export function meters(options: MemoryHostOptions = {}) {
  const own: Lab = {
    read: () => null,
    write: async () => undefined,
    start: () => {},
    stop: () => {},
    meters: [],
    told: [],
  }
  labs.push(own)
  const { calls, definition } = recorder('end')
  return { lab: own, calls, ...engine([nodeTypeOf('meter', Meter), definition], options) }
}

export const meter = (settings: Node['settings'], ports: Node['ports'], id = 'meter'): Node => ({
  id,
  type: 'meter',
  settings,
  ports: ports ?? [],
})
export const readings = (host: { values(message: string): unknown[] }): unknown[] => host.values('f.t')
export const healthOf = (live: { nodeStates(): { health: string; message: string | null }[] }) =>
  live.nodeStates().map(({ health, message }) => [health, message])
