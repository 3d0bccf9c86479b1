/**
 * A node type as a module of a package exports it. The trial and the engine take it by the same rules, and so does what a
 * host's own code gives.
 * @module
 */
import { type AnyNodeDefinition, ContractError, nodeTypeOf } from '@flow-service/connector-sdk'
import { nodeTypeEntry, textOf } from '@flow-service/core'
import { nodeTypeSchema } from '@flow-service/protocol'

const arrivals: ReadonlySet<unknown> = new Set(['each', 'together', 'combine'])

/** The export of a module by its name. CommonJS keeps its exports in an object, which is the default export then. */
export function exportOf(module: Readonly<Record<string, unknown>>, name: string): unknown {
  const whole = module['default']
  const inner = isObject(whole) && (name !== 'default' || '__esModule' in whole) ? whole : {}
  const exported = name === 'default' ? (inner[name] ?? whole) : (module[name] ?? inner[name])
  if (exported !== undefined) return exported
  const others = Object.keys(module).filter((each) => each !== name && each !== 'module.exports')
  const has = others.length === 0 ? 'nothing' : others.join(', ')
  throw new ContractError(`its module has no export "${name}", but ${has}; name one as "./module.js#Name"`)
}

/** The node type that an export is. Throws a {@link ContractError} for what the engine cannot use or show. */
export function usableType(type: string, exported: unknown): AnyNodeDefinition {
  const definition = nodeTypeOf(type, exported)
  if (!arrivals.has(definition.arrival)) throw new ContractError('its "arrival" is not each, together or combine')
  if (definition.code !== undefined)
    throw new ContractError('it sets "code", which is for the types of the engine; remove it')
  const shown = nodeTypeSchema.safeParse(shownType(definition))
  const [fault] = shown.error?.issues ?? []
  if (fault) throw new ContractError(`it cannot be shown: "${fault.path.join('.')}": ${fault.message}`)
  return definition
}

function shownType(definition: AnyNodeDefinition): unknown {
  try {
    return nodeTypeEntry(definition)
  } catch (error) {
    throw new ContractError(`its settings have no JSON Schema: ${textOf(error)}; use a z.object() of zod 4`, {
      cause: error,
    })
  }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null
