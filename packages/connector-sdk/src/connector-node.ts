/**
 * Node types of packages: what an export of a package has to be, and the node type that is made of it. Engines and test kits
 * call it with the class or definition that an entry point names.
 * @module
 */
import { CONTRACT } from './contract.ts'
import type { AnyNodeDefinition } from './node.ts'

/** What a package exports is no node type, or not one of this contract; the message says why and what to do. */
export class ContractError extends Error {
  override readonly name = 'ContractError'
}

/** By which a class of another copy of this package is known: a host and a package may have one each. */
const made = Symbol.for('flow-service.node-type')

/**
 * The node type of an export: a class that says how it is one, or a definition of `defineNode`. `type` is the name of the entry
 * point, whatever the definition says. Throws a {@link ContractError}.
 */
export function nodeTypeOf(type: string, exported: unknown): AnyNodeDefinition {
  if (typeof exported === 'function') {
    const own: unknown = Reflect.get(exported, made)
    if (typeof own === 'function') return own(type, exported) as AnyNodeDefinition
  }
  if (!isDefinition(exported))
    throw new ContractError(`"${type}" is exported as ${typeof exported}; export a class, or what defineNode gives`)
  const { contract = CONTRACT } = exported as { readonly contract?: unknown }
  if (contract !== CONTRACT)
    throw new ContractError(
      `"${type}" is written for contract ${JSON.stringify(contract)}, and this engine has ${CONTRACT}`,
    )
  return { ...exported, type }
}

const isDefinition = (exported: unknown): exported is AnyNodeDefinition =>
  typeof exported === 'object' && exported !== null && 'start' in exported && typeof exported.start === 'function'
