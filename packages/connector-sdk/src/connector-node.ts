/**
 * Node types as packages export them: engines and tools read every export by {@link nodeTypeOf}.
 * @module
 */
import { CONTRACT } from './contract.ts'
import type { AnyNodeDefinition } from './node.ts'

/** An export that is no node type of this contract: why, and what its author does about it. */
export class ContractError extends Error {
  override readonly name = 'ContractError'
}

/** A class that says of itself how it is a node type. */
interface TypeClass {
  readonly contract?: unknown
  asDefinition(type: string): AnyNodeDefinition
}

/**
 * The node type of an export of a package: a class, or a definition of `defineNode`. `type` is the name of the entry point,
 * in place of the one that a definition has. Throws a {@link ContractError} for what is none, or has another contract.
 */
export function nodeTypeOf(type: string, exported: unknown): AnyNodeDefinition {
  if (isClass(exported)) {
    assertContract(Object.hasOwn(exported, 'contract') ? exported.contract : undefined)
    return exported.asDefinition(type)
  }
  if (!isDefinition(exported))
    throw new ContractError('it is no node type: export a class of a connector, or what defineNode gives')
  assertContract(Object.hasOwn(exported, 'contract') ? (exported as { contract?: unknown }).contract : CONTRACT)
  return { ...exported, type }
}

function assertContract(contract: unknown): void {
  if (contract === CONTRACT) return
  const has =
    contract === undefined ? 'it declares no contract of its own' : `it has contract ${JSON.stringify(contract)}`
  throw new ContractError(`${has}, and this engine takes ${CONTRACT}: install a version that declares ${CONTRACT}`)
}

const isClass = (exported: unknown): exported is TypeClass =>
  typeof exported === 'function' && 'asDefinition' in exported && typeof exported.asDefinition === 'function'

const isDefinition = (exported: unknown): exported is AnyNodeDefinition =>
  typeof exported === 'object' && exported !== null && 'start' in exported && typeof exported.start === 'function'
