/**
 * Node types by who brings them: the first one of a name has it. Modules of packages are imported here, into the engine, once
 * their trial is over.
 * @module
 */
import { pathToFileURL } from 'node:url'

import type { AnyNodeDefinition } from '@flow-service/connector-sdk'
import { type InstalledType, type PackageOrigin, textOf } from '@flow-service/core'

import { exportOf, usableType } from './exported-type.ts'
import { onAccount, onAccountOf } from './forgotten-promises.ts'
import type { DeclaredType } from './found-packages.ts'
import { guarded } from './guarded-type.ts'

/** Time of a module to load, in milliseconds. */
const LOAD_LIMIT_MS = 10_000

/** One object an engine. */
export class LoadedTypes {
  readonly types: InstalledType[] = []
  /** Which package has a name; null is the engine. */
  readonly #owners: Map<string, PackageOrigin | null>
  readonly #limitMs: number

  constructor(builtIn: Iterable<string>, limitMs = LOAD_LIMIT_MS) {
    this.#owners = new Map([...builtIn].map((type) => [type, null]))
    this.#limitMs = limitMs
  }

  /** Why a node type of this name is left out; null while nobody has the name, or the package `by`. */
  taken(type: string, by?: string): string | null {
    const owner = this.#owners.get(type)
    if (owner === undefined || (owner !== null && owner.package === by)) return null
    const whose = owner === null ? 'built in' : `of the package ${owner.package} ${owner.version}`
    return `the node type "${type}" is ${whose} already; give it another name`
  }

  /** Adds what has a name that nobody has. */
  add(definition: AnyNodeDefinition, origin: PackageOrigin): void {
    this.#owners.set(definition.type, origin)
    this.types.push(made(definition, origin))
  }

  /** Gives names to the types of a package under development, in place of those that it had under its earlier name. */
  replace(before: string | null, types: readonly InstalledType[]): void {
    for (const [type, owner] of this.#owners)
      if (before !== null && owner?.package === before) this.#owners.delete(type)
    for (const { definition, origin } of types) this.#owners.set(definition.type, origin)
  }

  /** Imports a type of a package; why it is left out, null when it is there. */
  async load({ type, file, export: name }: DeclaredType, origin: PackageOrigin): Promise<string | null> {
    const taken = this.taken(type)
    if (taken !== null) return taken
    try {
      this.add(usableType(type, exportOf(await this.import(file, origin), name)), origin)
      return null
    } catch (error) {
      return `its module has failed: ${textOf(error)}`
    }
  }

  /** Imports a module on the account of its package, in bounded time. */
  import(file: string, origin: PackageOrigin): Promise<Readonly<Record<string, unknown>>> {
    const importing = onAccountOf(origin, () => import(pathToFileURL(file).href) as Promise<Record<string, unknown>>)
    return within(importing, this.#limitMs)
  }
}

/** A definition of a package as the engine has it. */
export const made = (definition: AnyNodeDefinition, origin: PackageOrigin): InstalledType => ({
  definition: onAccount(guarded(definition), origin),
  origin,
})

async function within<T>(promise: Promise<T>, limitMs: number): Promise<T> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(
    () => late.reject(new Error(`it did not finish loading within ${limitMs / 1000} s`)),
    limitMs,
  )
  try {
    return await Promise.race([promise, late.promise])
  } finally {
    clearTimeout(timer)
  }
}
