/**
 * A connector with its context, as an engine makes and drives it: tests write to it, let time pass and stop it.
 * @module
 */
import { accepts, describeValue } from '@flow-service/protocol'

import { type ConnectorClass, nodeTypeOf } from '../connector-node.ts'
import type { NodeInstance, Values } from '../node.ts'
import { settled } from './fake-clock.ts'
import { FakeContext, type FakeContextOptions, type FakePorts } from './fake-context.ts'
import { filledSettings } from './filled-settings.ts'
import { inside } from './inside.ts'

/** What a connector is mounted with. */
export interface MountOptions<C extends ConnectorClass> extends FakeContextOptions {
  /** Its name in the catalogue; `connector` unless given. */
  readonly type?: string
  /** The ports that the node has; those that the class declares unless given. */
  readonly inputs?: FakePorts
  readonly outputs?: FakePorts
  /** Called with the connector and what it touches before it starts. */
  readonly prepare?: (connector: InstanceType<C>, ctx: FakeContext) => void
}

/** A node that was made of a connector. */
export class Mounted<C extends ConnectorClass> {
  /** What it touches, and has done. */
  readonly ctx: FakeContext
  readonly connector: InstanceType<C>
  readonly #instance: NodeInstance

  constructor(ctx: FakeContext, connector: InstanceType<C>, instance: NodeInstance) {
    this.ctx = ctx
    this.connector = connector
    this.#instance = instance
  }

  /** The values of each delivery that it has published, by port. */
  get sent(): readonly Values[] {
    return this.ctx.sent
  }

  /** How it is: what it has told last, `ok` before that. */
  get health(): { readonly status: string; readonly message: string | null } {
    return this.ctx.health.at(-1) ?? { status: 'ok', message: null }
  }

  /** Lets time pass, in which readings are taken, and all that follows. */
  advance(ms: number): Promise<void> {
    return this.ctx.advance(ms)
  }

  /**
   * Values arrive at input ports: `write` is called with them, and what it gives is published. Rejects with what it throws,
   * and for values that no flow could bring.
   */
  async write(values: Values): Promise<void> {
    for (const [port, value] of Object.entries(values)) this.#checkArrival(port, value)
    const given = await inside(this.ctx, async () => this.#instance.onInput?.(values))
    if (given) this.ctx.emit(given)
  }

  /** Takes a reading, as the trigger operation does; in a run (`mode: 'batch'`) its values are published. */
  async read(): Promise<void> {
    const given = await inside(this.ctx, async () => this.#instance.onTrigger?.({}))
    if (given) this.ctx.emit(given)
  }

  /** Stops the node as an engine does. Rejects with what `stop` throws. */
  async stop(): Promise<void> {
    this.ctx.close()
    try {
      await inside(this.ctx, async () => this.#instance.stop?.())
    } finally {
      // what was ended closes in its own time
      await settled()
      this.ctx.end()
      await settled()
    }
  }

  #checkArrival(port: string, value: unknown): void {
    const { inputs } = this.ctx
    const input = inputs.find((candidate) => candidate.port === port)
    const has = inputs.map((candidate) => `"${candidate.port}"`).join(', ')
    if (input === undefined) throw new Error(`there is no input port "${port}"; the node has ${has || 'none'}`)
    if (!accepts(input.dtype, value))
      throw new TypeError(`input "${port}" is ${input.dtype}, which ${describeValue(value)} is not`)
  }
}

/**
 * Makes a node of a connector and starts it. Settings are parsed and secrets put in as an engine does it. Rejects with what
 * is wrong with the class or the settings, and with what `start` throws.
 * @example const meter = await mounted(Meter, { settings: { url, poll_interval: 10 }, fetch: recorded.fetch })
 *   await meter.advance(0)
 *   expect(meter.sent).toEqual([{ power: 230 }])
 */
export async function mounted<C extends ConnectorClass>(
  Class: C,
  { prepare = () => {}, type = 'connector', ...options }: MountOptions<C> = {},
): Promise<Mounted<C>> {
  nodeTypeOf(type, Class)
  const made: InstanceType<C>[] = []
  const look = (connector: object, context: object): void => {
    made.push(connector as InstanceType<C>)
    prepare(connector as InstanceType<C>, context as FakeContext)
  }
  const definition = nodeTypeOf(type, observed(Class, look))
  const { inputs = Class.ports.inputs ?? {}, outputs = Class.ports.outputs ?? {} } = options
  const settings = definition.settings.parse(filledSettings(options.settings ?? {}, options.secrets ?? {}))
  const ctx = new FakeContext({ ...options, settings, inputs, outputs })
  try {
    const instance = await inside(ctx, async () => definition.start(ctx))
    return new Mounted(ctx, made[0] as InstanceType<C>, instance)
  } catch (error) {
    ctx.end()
    throw error
  }
}

/** The class with a look at what is made of it. */
function observed(Class: ConnectorClass, look: (connector: object, context: object) => void): ConnectorClass {
  const Observed = class extends Class {
    static override readonly contract = Class.contract
    constructor(context: ConstructorParameters<ConnectorClass>[0]) {
      super(context)
      look(this, context)
    }
  }
  Object.defineProperty(Observed, 'name', { value: Class.name })
  return Observed
}
