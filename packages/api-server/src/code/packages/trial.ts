/**
 * Packages on trial: their modules are imported in a process of their own before the engine does (U11), so that an endless
 * loop, `process.exit` or a crash in native code costs a package and never the engine.
 * @module
 */
import { entryBeside, ImportProcess, type ImportSetting } from '../import-process.ts'
import type { DeclaredType } from './found-packages.ts'

/** Time of a package for all its modules, in milliseconds. */
const TRIAL_LIMIT_MS = 10_000
/** Time in which the process has to begin, in milliseconds. */
const BEGIN_LIMIT_MS = 60_000
const MEMORY_MB = 512
/** The entry of the process. */
const CHILD = entryBeside(import.meta.url, 'trial-child')

/** What a trial needs of a package. */
export interface TriedPackage {
  readonly name: string
  readonly types: readonly DeclaredType[]
}

/** What came out of a trial. */
export interface Verdict {
  /** Why all of the package is left out; null when its types are judged one by one. */
  readonly fault: string | null
  /** Each type: why it is left out, null when it may be loaded. */
  readonly types: Readonly<Record<string, string | null>>
  /** Whether the next trial would tell the same: what a module has thrown may lie in its surroundings. */
  readonly isLasting: boolean
}

/** What the process is told. */
export interface TrialRequest {
  readonly packages: readonly TriedPackage[]
}
/** What the process tells; `at` is the place of a package in the request. */
export type TrialReply =
  | { readonly is: 'begun'; readonly at: number; readonly type: string }
  | {
      readonly is: 'tried'
      readonly at: number
      readonly type: string
      readonly fault: string | null
      readonly isLasting: boolean
    }
  | { readonly is: 'over' }

/** Where trials are held. */
export interface TrialSetting extends Pick<ImportSetting, 'cwd' | 'env'> {
  readonly limitMs?: number
}

/** Tries packages one after the other; a verdict each, in their order. */
export async function tryPackages(packages: readonly TriedPackage[], setting: TrialSetting): Promise<Verdict[]> {
  const verdicts: Verdict[] = []
  // another process goes on behind what has ended or blocked one (packages.P1)
  while (verdicts.length < packages.length) {
    verdicts.push(...(await new Trial(packages.slice(verdicts.length), setting).verdicts))
  }
  return verdicts
}

/** One process: verdicts of the packages from the first one to the last, or to where the process has ended; one at least. */
class Trial {
  readonly verdicts: Promise<Verdict[]>
  readonly #packages: readonly TriedPackage[]
  readonly #limitMs: number
  readonly #process: ImportProcess
  readonly #verdicts: Verdict[] = []
  #onEnd: () => void = () => {}
  #timer: NodeJS.Timeout
  /** The place of the package that is tried, and its type; null before the first. */
  #current: { readonly at: number; readonly type: string } | null = null
  #types: Record<string, string | null> = {}
  #isLasting = true

  constructor(packages: readonly TriedPackage[], { cwd, env, limitMs = TRIAL_LIMIT_MS }: TrialSetting) {
    this.#packages = packages
    this.#limitMs = limitMs
    this.verdicts = new Promise((resolve) => (this.#onEnd = () => resolve(this.#verdicts)))
    this.#timer = setTimeout(() => this.#end('cannot be tried: no process begins'), BEGIN_LIMIT_MS)
    this.#process = new ImportProcess(
      CHILD,
      { cwd, env, memoryMb: MEMORY_MB, isQuiet: true },
      { message: (message) => this.#hear(message as TrialReply), ended: (how) => this.#end(how) },
    )
    this.#process.send({ packages } satisfies TrialRequest)
  }

  #hear(reply: TrialReply): void {
    if (reply.is === 'begun') this.#begin(reply)
    else if (reply.is === 'over') {
      this.#keep()
      this.#close()
    } else if (reply.is === 'tried') {
      this.#types[reply.type] = reply.fault
      if (!reply.isLasting) this.#isLasting = false
    }
  }

  #begin({ at, type }: { readonly at: number; readonly type: string }): void {
    const before = this.#current
    if (before?.at !== at) {
      if (before !== null) this.#keep()
      clearTimeout(this.#timer)
      const how = `did not finish loading within ${this.#limitMs / 1000} s`
      this.#timer = setTimeout(() => this.#condemn(how), this.#limitMs)
    }
    this.#current = { at, type }
  }

  /** The package is through. */
  #keep(): void {
    this.#verdicts.push({ fault: null, types: this.#types, isLasting: this.#isLasting })
    this.#types = {}
    this.#isLasting = true
  }

  /** The process has ended. It may be the doing of a package before: only the first one of a process is guilty of its end. */
  #end(how: string): void {
    if (this.#current === null) {
      this.#verdicts.push(...this.#packages.map((): Verdict => ({ fault: how, types: {}, isLasting: false })))
      this.#close()
    } else if (this.#current.at === 0) this.#condemn(how)
    else this.#close()
  }

  #condemn(how: string): void {
    this.#verdicts.push({ fault: `its type "${this.#current?.type}" ${how}`, types: {}, isLasting: true })
    this.#close()
  }

  #close(): void {
    clearTimeout(this.#timer)
    this.#process.end()
    this.#onEnd()
  }
}
