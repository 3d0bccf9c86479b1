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
  /** Who has a name, in words. */
  readonly #owners: Map<string, string>
  readonly #limitMs: number

  constructor(builtIn: Iterable<string>, limitMs = LOAD_LIMIT_MS) {
    this.#owners = new Map([...builtIn].map((type) => [type, 'built in']))
    this.#limitMs = limitMs
  }

  /** Why a node type of this name is left out; null while nobody has the name. */
  taken(type: string): string | null {
    const owner = this.#owners.get(type)
    return owner === undefined ? null : `the node type "${type}" is ${owner} already; give it another name`
  }

  /** Adds what has a name that nobody has. */
  add(definition: AnyNodeDefinition, origin: PackageOrigin): void {
    this.#owners.set(definition.type, `of the package ${origin.package} ${origin.version}`)
    this.types.push({ definition: onAccount(guarded(definition), origin), origin })
  }

  /** Imports a type of a package; why it is left out, null when it is there. */
  async load({ type, file, export: name }: DeclaredType, origin: PackageOrigin): Promise<string | null> {
    const taken = this.taken(type)
    if (taken !== null) return taken
    try {
      const importing = onAccountOf(origin, () => import(pathToFileURL(file).href) as Promise<Record<string, unknown>>)
      const module = await within(importing, this.#limitMs)
      this.add(usableType(type, exportOf(module, name)), origin)
      return null
    } catch (error) {
      return `its module has failed: ${textOf(error)}`
    }
  }
}

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
