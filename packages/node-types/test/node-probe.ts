/**
 * One node between two others that feed its inputs and take its outputs, and its reports and failures on the way. The node
 * runs as in the product; its `ctx` is another only where a test asks for a run or for a draft.
 * @module
 */
import {
  type AnyNodeDefinition,
  defineNode,
  type NodeContext,
  type NodeInstance,
  type Outcome,
  type Values,
} from '@flow-service/connector-sdk'
import {
  type Dtype,
  type FlowDocument,
  flowDocumentInputSchema,
  type FlowMode,
  type Health,
  normalizeDocument,
} from '@flow-service/protocol'
import * as z from 'zod'

type Ports = Readonly<Record<string, Dtype>>

/** How a node stands in its flow. */
export interface Place {
  readonly settings?: Values
  readonly inputs?: Ports
  /** Inputs that do not trigger. */
  readonly passive?: Ports
  readonly outputs?: Ports
  readonly mode?: FlowMode
  /** False: a run of a draft. */
  readonly listens?: boolean
}

const neighbour = {
  title: 'Neighbour',
  description: '',
  category: 'system',
  settings: z.strictObject({}),
  arrival: 'together',
} as const

/** One object a node. */
export class NodeProbe {
  /** The type of the node, and those of its neighbours. */
  readonly types: readonly AnyNodeDefinition[]
  readonly emitted: Values[] = []
  readonly health: { status: Health; message: string | null }[] = []
  readonly crons: string[] = []
  /** Publishes values to the node's inputs; those that are given together arrive together. */
  feed: (values: Values) => void = () => {}
  readonly #executing = new Set<Promise<unknown>>()
  readonly #thrown: unknown[] = []

  constructor(definition: AnyNodeDefinition, { mode = 'live', listens = true }: Place) {
    const start = async (ctx: NodeContext): Promise<NodeInstance> =>
      this.#watched(
        await definition.start(
          overlaid(ctx, {
            mode,
            listens,
            reportHealth: (status, message) => {
              this.health.push({ status, message: message ?? null })
              ctx.reportHealth(status, message)
            },
            cron: (pattern, run) => {
              this.crons.push(pattern)
              return ctx.cron(pattern, run)
            },
          }),
        ),
      )
    const feeder = (ctx: NodeContext): NodeInstance => {
      this.feed = (values) => ctx.emit(values)
      return {}
    }
    const sink = (): NodeInstance => ({ onInput: (values) => void this.emitted.push(values) })
    this.types = [
      { ...definition, start },
      defineNode({ ...neighbour, type: 'feeder', start: feeder }),
      defineNode({ ...neighbour, type: 'sink', start: sink }),
    ]
  }

  /** Resolves when no handler executes; throws the first error that one has thrown since the last call. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#executing)
    const [thrown] = this.#thrown.splice(0)
    if (thrown !== undefined) throw thrown
  }

  #watched(instance: NodeInstance): NodeInstance {
    const onValue = (port: string, value: unknown): Outcome => instance.onValue?.(port, value)
    const onInput = (values: Values): Outcome => instance.onInput?.(values)
    const onTrigger = (values: Values): Outcome => instance.onTrigger?.(values)
    return {
      ...instance,
      ...(instance.onValue && { onValue: this.#noting(onValue) }),
      ...(instance.onInput && { onInput: this.#noting(onInput) }),
      ...(instance.onTrigger && { onTrigger: this.#noting(onTrigger) }),
    }
  }

  #noting<A extends unknown[]>(handler: (...args: A) => Outcome): (...args: A) => Outcome {
    return (...args) => {
      try {
        const outcome = handler(...args)
        if (outcome instanceof Promise) {
          const noted = outcome.catch((error: unknown) => this.#thrown.push(error))
          this.#executing.add(noted)
          void noted.finally(() => this.#executing.delete(noted))
        }
        return outcome
      } catch (error) {
        this.#thrown.push(error)
        throw error
      }
    }
  }
}

/** A context with some members replaced. */
const overlaid = (ctx: NodeContext, over: Partial<NodeContext>): NodeContext =>
  new Proxy(ctx, {
    get(target, key) {
      if (Object.hasOwn(over, key)) return Reflect.get(over, key) as unknown
      const value: unknown = Reflect.get(target, key)
      return typeof value === 'function' ? (value.bind(target) as unknown) : value
    },
  })

const entry = { module: 'flow.ts', export: 'run', digest: `sha256:${'0'.repeat(64)}`, modules: [] }

/** The flow `test` of a `node` and its neighbours; a message is called as the port, or where both sides have it `…_out`. */
export function documentOf({ code, type }: AnyNodeDefinition, place: Place): FlowDocument {
  const { settings = {}, inputs = {}, passive = {}, outputs = {} } = place
  const fed = { ...inputs, ...passive }
  const inward = Object.entries(fed).map(([port, dtype]) => ({ name: port, port, dtype }))
  const outward = Object.entries(outputs).map(([port, dtype]) => ({
    name: Object.hasOwn(fed, port) ? `${port}_out` : port,
    port,
    dtype,
  }))
  const ports = [
    ...inward.map((port) => ({ ...port, direction: 'input', trigger: !Object.hasOwn(passive, port.port) })),
    ...outward.map((port) => ({ ...port, direction: 'output' })),
  ]
  const written = code === 'python' ? { source: 'def run(**given): return {}' } : code && { entry }
  const nodes = [
    { id: 'node', type, settings, ports, ...written },
    { id: 'feeder', type: 'feeder', ports: inward.map((port) => ({ ...port, direction: 'output', dtype: 'any' })) },
    { id: 'sink', type: 'sink', ports: outward.map((port) => ({ ...port, direction: 'input', dtype: 'any' })) },
  ]
  return normalizeDocument('test', flowDocumentInputSchema.parse({ mode: 'live', nodes }))
}
