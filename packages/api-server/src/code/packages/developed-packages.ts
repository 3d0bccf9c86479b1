/**
 * The packages that `service dev --connector` was told of. Nothing else in an engine loads code again (packages.P8, packages.P12).
 * @module
 */
import type { InstalledType } from '@flow-service/core'
import type { ConnectorReport } from '@flow-service/protocol'

import type { Log } from '../../process/log.ts'
import type { LoadError } from '../project.ts'
import type { DevelopedPackage, PackageSwap } from './developed-package.ts'
import type { LoadedTypes } from './loaded-types.ts'

/** After how many reloads it is told that they add up. */
const TOLD_AFTER = 200

/** What they are made of. */
export interface DevelopedPackagesDeps {
  /** Absolute paths. */
  readonly folders: readonly string[]
  /** Who has which names. */
  readonly names: LoadedTypes
  readonly log: Pick<Log, 'warn'>
  /** Reloads until the warning. */
  readonly toldAfter?: number
}

/** Packages under development, in the order in which they were named. */
export class DevelopedPackages {
  readonly #deps: DevelopedPackagesDeps
  #packages: readonly DevelopedPackage[] = []
  #reloads = 0

  constructor(deps: DevelopedPackagesDeps) {
    this.#deps = deps
  }

  /** Loads them for the first time; what does not load is among the errors. */
  async open(): Promise<void> {
    const { folders, names } = this.#deps
    if (folders.length === 0) return
    // with it comes the bundler, which an engine without such packages does without
    const { DevelopedPackage } = await import('./developed-package.ts')
    this.#packages = folders.map((folder) => new DevelopedPackage(folder, names))
    // the first of a name has it
    // oxlint-disable-next-line no-await-in-loop
    for (const each of this.#packages) await each.load()
  }

  /** Loads those again whose sources have become something else. Never rejects for what is wrong in them. */
  async reload(): Promise<readonly PackageSwap[]> {
    const swaps: PackageSwap[] = []
    for (const each of this.#packages) {
      // oxlint-disable-next-line no-await-in-loop -- one may take the name that another one has left
      const swap = await each.load()
      if (swap !== null) swaps.push(swap)
    }
    this.#count(swaps.length)
    return swaps
  }

  get types(): readonly InstalledType[] {
    return this.#packages.flatMap(({ types }) => types)
  }

  get errors(): readonly LoadError[] {
    return this.#packages.flatMap(({ errors }) => errors)
  }

  get reports(): readonly ConnectorReport[] {
    return this.#packages.map(({ report }) => report)
  }

  close(): void {
    for (const each of this.#packages) each.close()
  }

  #count(reloads: number): void {
    const { log, toldAfter = TOLD_AFTER } = this.#deps
    const isFirst = this.#reloads <= toldAfter
    this.#reloads += reloads
    if (isFirst && this.#reloads > toldAfter)
      log.warn(
        { reloads: this.#reloads },
        `packages were reloaded ${this.#reloads} times, and every version stays in memory; start the engine again to free it`,
      )
  }
}
