/**
 * A connector package under development (packages.P11): loaded again whenever its sources have become something else.
 * @module
 */
import { hash } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { isDeepStrictEqual } from 'node:util'

import { type InstalledType, type InstalledTypes, type PackageOrigin, textOf } from '@flow-service/core'
import type { ConnectorReport } from '@flow-service/protocol'

import { buildErrors, codeFrame, type LoadError } from '../project.ts'
import { bundlePackage, type PackageBundle, sourceOf } from './developed-bundle.ts'
import { exportOf, usableType } from './exported-type.ts'
import { type FoundPackage, packageAt, sourceFile } from './found-packages.ts'
import { type LoadedTypes, made } from './loaded-types.ts'

/** Other types for those that a package had. */
export interface PackageSwap {
  readonly origin: PackageOrigin
  /** The name that the package had before; null when nothing was loaded of it. */
  readonly before: string | null
  /** `absent` are types that it has no more. */
  readonly types: InstalledTypes
}

interface Loaded {
  readonly found: FoundPackage
  readonly code: string
  readonly origin: PackageOrigin
  readonly types: readonly InstalledType[]
  /** Where its module is. */
  readonly place: string
}

/** One object a folder. */
export class DevelopedPackage {
  readonly #folder: string
  readonly #names: LoadedTypes
  #loaded: Loaded | null = null
  #errors: readonly LoadError[] = []

  constructor(folder: string, names: LoadedTypes) {
    this.#folder = folder
    this.#names = names
  }

  get types(): readonly InstalledType[] {
    return this.#loaded?.types ?? []
  }

  /** Why what is in the folder now is not loaded; files are relative to it. */
  get errors(): readonly LoadError[] {
    return this.#errors
  }

  get report(): ConnectorReport {
    const [error] = this.#errors
    return {
      package: this.#loaded?.origin.package ?? path.basename(this.#folder),
      version: this.#loaded?.origin.version ?? '0.0.0',
      node_types: this.types.map(({ definition }) => definition.type),
      status: this.#loaded === null ? 'skipped' : 'loaded',
      reason: error === undefined ? null : error.message,
    }
  }

  /** Loads what is in the folder; null when it is what is loaded already, or is in error: then that stays. */
  async load(): Promise<PackageSwap | null> {
    const before = this.#loaded
    let bundle: PackageBundle | null = null
    try {
      const found = this.#read()
      bundle = await bundlePackage(found)
      this.#errors = []
      if (before?.code === bundle.code && isDeepStrictEqual(before.found, found)) return null
      this.#loaded = await this.#import(found, bundle)
    } catch (error) {
      this.#errors = this.#errorsOf(error, bundle)
      return null
    }
    this.#names.replace(before?.origin.package ?? null, this.#loaded.types)
    if (before !== null) fs.rmSync(before.place, { recursive: true, force: true })
    return this.#swap(this.#loaded, before)
  }

  /** Removes its module. */
  close(): void {
    if (this.#loaded !== null) fs.rmSync(this.#loaded.place, { recursive: true, force: true })
  }

  #read(): FoundPackage {
    const found = packageAt(this.#folder, path.basename(this.#folder), sourceFile)
    if (found === null)
      throw new Error(
        `the package.json of "${this.#folder}" declares no node types; name them: "service": { "node_types": { "acme_meter": "./dist/meter.js" } }`,
      )
    for (const [type, fault] of found.faults) throw new Error(type === '' ? fault : `"${type}": ${fault}`)
    for (const { type } of found.types) {
      const taken = this.#names.taken(type, this.#loaded?.origin.package)
      if (taken !== null) throw new Error(taken)
    }
    return found
  }

  async #import(found: FoundPackage, bundle: PackageBundle): Promise<Loaded> {
    const origin = { package: found.name, version: buildOf(found.version, bundle.code) }
    const place = await newPlace(this.#folder)
    try {
      const file = path.join(place, 'bundle.mjs')
      await fs.promises.writeFile(file, `${bundle.code}\n//# sourceMappingURL=bundle.mjs.map\n`)
      await fs.promises.writeFile(`${file}.map`, bundle.map)
      const modules = await this.#names.import(file, origin)
      const types = found.types.map(({ type, export: name }) => {
        try {
          return made(usableType(type, exportOf(modules[type] as Record<string, unknown>, name)), origin)
        } catch (error) {
          throw new Error(`"${type}": ${textOf(error)}`, { cause: error })
        }
      })
      return { found, code: bundle.code, origin, place, types }
    } catch (error) {
      await fs.promises.rm(place, { recursive: true, force: true })
      throw error
    }
  }

  #swap({ origin, types }: Loaded, before: Loaded | null): PackageSwap {
    const there = new Set(types.map(({ definition }) => definition.type))
    const gone = (before?.types ?? []).map(({ definition }) => definition.type).filter((type) => !there.has(type))
    const why = `the package ${origin.package} declares this node type no more; declare it again, or change the type`
    return {
      origin,
      before: before?.origin.package ?? null,
      types: { types, absent: new Map(gone.map((type) => [type, `"${type}": ${why}`])) },
    }
  }

  #errorsOf(error: unknown, bundle: PackageBundle | null): readonly LoadError[] {
    const name = this.#loaded?.origin.package ?? path.basename(this.#folder)
    const found = bundle === null ? buildErrors(error, this.#folder) : [this.#thrown(error, bundle)]
    return found.map((each) => ({ ...each, message: `the package ${name}: ${each.message}` }))
  }

  /** What a module has thrown, at the first place of its stack that is in the sources of the package. */
  #thrown(error: unknown, bundle: PackageBundle): LoadError {
    const stack = error instanceof Error ? (error.stack ?? '') : ''
    const places = [...stack.matchAll(/\/bundle\.mjs:(\d+):(\d+)/g)]
    const [source] = places.flatMap(([, line, column]) => sourceOf(bundle, Number(line), Number(column)) ?? [])
    // the path of the module is another one each time
    const message = textOf(error).replaceAll(/\S*\.flow-service\S*bundle\.mjs/g, this.#folder)
    if (source === undefined) return { file: null, line: null, column: null, message, frame: null }
    const { file, line, column } = source
    const frame = codeFrame(fs.readFileSync(file, 'utf8'), line, column)
    return { file: path.relative(this.#folder, file), line, column, message, frame }
  }
}

/** A version that tells builds apart, as failures of nodes are kept by it. */
const buildOf = (version: string, code: string): string =>
  `${version}${version.includes('+') ? '.' : '+'}dev.${hash('sha256', code).slice(0, 8)}`

/** A folder under which nothing was imported yet, where what the package imports is found. */
async function newPlace(folder: string): Promise<string> {
  const home = path.join(folder, 'node_modules', '.flow-service')
  await fs.promises.mkdir(home, { recursive: true })
  for (const name of await fs.promises.readdir(home))
    if (!isAlive(Number.parseInt(name, 10))) fs.rmSync(path.join(home, name), { recursive: true, force: true })
  return fs.promises.mkdtemp(path.join(home, `${process.pid}-`))
}

/** Whether the process still is that has made a folder: an engine that was killed leaves its own behind. */
function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
