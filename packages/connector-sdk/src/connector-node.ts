/**
 * Node types of packages: what an export of a package has to be, and the node type that is made of it. Engines and test
 * kits call it with the class or definition that an entry point names.
 * @module
 */
import { dtypeSchema } from '@flow-service/protocol'
import * as z from 'zod'

import { Connector, type ConnectorContext } from './connector.ts'
import type { NodeContext } from './context.ts'
import { CONTRACT } from './contract.ts'
import {
  type AnyNodeDefinition,
  defineNode,
  type NodeFinding,
  type NodeInstance,
  type NodeShape,
  type Values,
} from './node.ts'
import { type ConnectorPorts, wanted } from './ports.ts'

/** What a package exports is no node type, or not one of this contract; the message says why and what to do. */
export class ContractError extends Error {
  override readonly name = 'ContractError'
}

/** A connector as an engine makes it. */
type AnyConnector = Connector<z.ZodObject, object>

/** A subclass of `Connector` with what it declares about itself. */
export interface ConnectorClass {
  new (context: ConnectorContext): AnyConnector
  /** {@link CONTRACT}; `static contract = 1` is a number for the compiler, so that an engine looks at it. */
  readonly contract: number
  readonly title: string
  readonly description: string
  readonly idempotent: boolean
  readonly Params: z.ZodObject
  readonly ports: ConnectorPorts
  readonly openRoutes: readonly string[]
  check(shape: NodeShape): readonly NodeFinding[]
}

/** By which a class of another copy of this package is known: a host and a package may have one each. */
const made = Symbol.for('flow-service.node-type')

Object.defineProperty(Connector, made, { value: definitionOf })

/**
 * The node type of an export: a subclass of {@link Connector}, or a definition of `defineNode`. `type` is the name of the
 * entry point, whatever the definition says. Throws a {@link ContractError}.
 */
export function nodeTypeOf(type: string, exported: unknown): AnyNodeDefinition {
  if (typeof exported === 'function') {
    // what a class does is up to the copy of this package that it was written with
    const own: unknown = Reflect.get(exported, made)
    if (typeof own !== 'function')
      throw new ContractError(`"${type}" is exported as ${nameOf(exported)}, which does not extend Connector`)
    return own(type, exported) as AnyNodeDefinition
  }
  if (isDefinition(exported)) return checkedDefinition({ ...exported, type })
  throw new ContractError(
    `"${type}" is exported as ${exported === null ? 'null' : typeof exported}; export a class that extends Connector, or what defineNode gives`,
  )
}

function definitionOf(type: string, exported: object): AnyNodeDefinition {
  const Class = exported as unknown as ConnectorClass
  const name = nameOf(Class)
  if (!Object.hasOwn(Class, 'contract'))
    throw new ContractError(
      `${name} declares no contract of its own; write "static contract = ${CONTRACT}" in the class`,
    )
  checkContract(name, Class.contract)
  const { description, idempotent, openRoutes, Params, ports, prototype } = Class
  if (!isSettings(Params) || !('poll_interval' in Params.shape))
    throw new ContractError(
      `Params of ${name} are no extension of ConnectorParams; write ConnectorParams.extend({ … })`,
    )
  checkPorts(name, ports)
  const polls = prototype.poll !== Connector.prototype.poll
  const hasRoutes = prototype.start.length > 0
  const writes = prototype.write !== Connector.prototype.write
  return checkedDefinition(
    defineNode({
      type,
      title: Class.title === '' ? type : Class.title,
      description,
      category: 'connector',
      settings: Params,
      modes: polls || writes ? ['live', 'batch'] : ['live'],
      ports: { inputs: writes ? 'any' : 'none', outputs: 'any', fixed: fixedPorts(ports) },
      arrival: 'together',
      idempotent,
      routes: hasRoutes,
      check: (shape) => [...undeclared(type, ports, shape), ...Class.check(shape)],
      start: (ctx) => startConnector(Class, ctx, { hasRoutes, openRoutes, polls }),
    }),
  )
}

interface Starting {
  /** Whether `start` asks for a router. */
  readonly hasRoutes: boolean
  /** Paths of its routes that take no sign-in. */
  readonly openRoutes: readonly string[]
  readonly polls: boolean
}

async function startConnector(
  Class: ConnectorClass,
  ctx: NodeContext,
  { hasRoutes, openRoutes, polls }: Starting,
): Promise<NodeInstance> {
  const connector = new Class(ctx as ConnectorContext)
  const app = hasRoutes && ctx.mode === 'live' ? (await import('express')).Router() : undefined
  const stop = (): Promise<void> => connector.stop(app)
  // a start that takes too long is given up, and what it has begun is ended
  const giveUp = (): void => void stop().catch((error: unknown) => ctx.log(`stop() failed: ${String(error)}`))
  ctx.signal.addEventListener('abort', giveUp, { once: true })
  try {
    await connector.start(app)
  } catch (error) {
    await stop().catch((fault: unknown) => ctx.log(`stop() failed after a failed start: ${String(fault)}`))
    throw error
  } finally {
    ctx.signal.removeEventListener('abort', giveUp)
  }
  if (app !== undefined && app.stack.length > 0) ctx.routes(app, { open: openRoutes })
  const outcomeOf = (given: object | null | void): Values | undefined =>
    given ? wanted(given as Values, Class.ports, ctx) : undefined
  return {
    onInput: async (values) => outcomeOf(await connector.write(values)),
    ...(polls && {
      // a run reads once
      onTrigger: async () => (ctx.mode === 'batch' ? outcomeOf(await connector.poll()) : connector.readNow()),
    }),
    stop,
  }
}

function checkContract(name: string, contract: unknown): void {
  if (contract === CONTRACT) return
  const advice = Number(contract) > CONTRACT ? 'use a newer engine' : 'install a newer version of the package'
  throw new ContractError(
    `${name} is written for contract ${String(contract)} of connectors, and this engine has ${CONTRACT}; ${advice}`,
  )
}

function checkPorts(name: string, ports: unknown): asserts ports is ConnectorPorts {
  const dtypes = z.record(z.string(), dtypeSchema)
  const parsed = z.strictObject({ inputs: dtypes.optional(), outputs: dtypes.optional() }).safeParse(ports)
  if (parsed.success) return
  const [issue] = parsed.error.issues
  throw new ContractError(`ports of ${name}: ${issue?.path.join('.')} is no dtype (${issue?.message})`)
}

const fixedPorts = ({ inputs = {}, outputs = {} }: ConnectorPorts) => [
  ...Object.entries(inputs).map(([port, dtype]) => ({ direction: 'input', port, dtype }) as const),
  ...Object.entries(outputs).map(([port, dtype]) => ({ direction: 'output', port, dtype }) as const),
]

/** Ports of a node that its type does not declare. */
function undeclared(type: string, declared: ConnectorPorts, { inputs, outputs }: NodeShape): NodeFinding[] {
  const places = { inputs: { ports: inputs, of: declared.inputs }, outputs: { ports: outputs, of: declared.outputs } }
  return Object.entries(places).flatMap(([side, { ports, of }]) =>
    ports.flatMap(({ port }, at): NodeFinding[] => {
      if (of === undefined || Object.hasOwn(of, port)) return []
      const has = Object.keys(of).map((name) => `"${name}"`)
      const message = `nodes of type "${type}" have no ${side.slice(0, -1)} port "${port}"; use ${has.join(', ')}`
      return [{ code: 'unsupported_ports', message, path: `/${side}/${at}` }]
    }),
  )
}

/** The definition, when an engine can work with it. */
function checkedDefinition(definition: AnyNodeDefinition): AnyNodeDefinition {
  const { type, title, description, settings, arrival } = definition
  const { contract = CONTRACT } = definition as { contract?: unknown }
  checkContract(`"${type}"`, contract)
  if (!isSettings(settings)) throw new ContractError(`settings of "${type}" are no z.object of zod 4`)
  if (typeof title !== 'string' || typeof description !== 'string')
    throw new ContractError(`title and description of "${type}" have to be texts`)
  if (!['each', 'together', 'combine'].includes(arrival) || typeof definition.start !== 'function')
    throw new ContractError(`"${type}" lacks "arrival" or "start"; use what defineNode gives`)
  return definition
}

const isDefinition = (exported: unknown): exported is AnyNodeDefinition =>
  typeof exported === 'object' && exported !== null && 'settings' in exported && 'start' in exported

/** Told by its parts: the package may have a copy of zod of its own. */
const isSettings = (schema: unknown): schema is z.ZodObject =>
  typeof schema === 'object' && schema !== null && '_zod' in schema && 'shape' in schema

const nameOf = (exported: unknown): string => {
  const name: unknown = (exported as { name?: unknown }).name
  return typeof name === 'string' && name !== '' ? `class ${name}` : 'a class without a name'
}
