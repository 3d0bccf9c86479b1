/**
 * The packages that an interpreter finds, as node code finds them.
 * @module
 */
import { execFile } from 'node:child_process'
import { stat } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

import { withoutCredentials } from './environment.ts'

/** What an interpreter has. */
export interface PythonPackages {
  /** Where it looks for what is imported: another package changes one of them. */
  readonly folders: readonly string[]
  /** Versions by the names of packages. */
  readonly packages: Readonly<Record<string, string>>
  /** By the first part of a name to import the packages that it comes from. */
  readonly imports: Readonly<Record<string, readonly string[]>>
}

const script = fileURLToPath(new URL('../python/packages.py', import.meta.url))
const LIMIT_MS = 60_000
/** A thousand packages are some 100 KiB. */
const MAX_BYTES = 16 * 1024 * 1024
const run = promisify(execFile)

/** Asks an interpreter; rejects when it does not run or has no answer within a minute. */
export async function listPythonPackages(python: string): Promise<PythonPackages> {
  const { stdout } = await run(python, ['-P', '-X', 'utf8', script], {
    timeout: LIMIT_MS,
    maxBuffer: MAX_BYTES,
    env: withoutCredentials(process.env),
  })
  return JSON.parse(stdout) as PythonPackages
}

/** What {@link PythonListings} asks. */
export interface PythonListingsDeps {
  readonly list?: (python: string) => Promise<PythonPackages>
  /** In milliseconds, never backwards. */
  readonly now?: () => number
  /** An interpreter did not tell. */
  readonly onProblem: (python: string, error: unknown) => void
}

/** How long it is believed that nobody has installed anything, in milliseconds. */
const FRESH_MS = 1_000

interface Listing extends PythonPackages {
  readonly changedMs: readonly number[]
  checkedMs: number
}

/** The packages of interpreters. Each is asked once, and again when one of its folders has changed. */
export class PythonListings {
  readonly #deps: Required<PythonListingsDeps>
  /** The latest reading of each; those of one follow each other. */
  readonly #readings = new Map<string, Promise<Listing | null>>()

  constructor({ list = listPythonPackages, now = () => performance.now(), onProblem }: PythonListingsDeps) {
    this.#deps = { list, now, onProblem }
  }

  /** What the interpreter of a path has; null when it does not tell. Never rejects. */
  of(python: string): Promise<PythonPackages | null> {
    const before = this.#readings.get(python) ?? Promise.resolve(null)
    const reading = before.then((known) => this.#read(python, known))
    this.#readings.set(python, reading)
    return reading
  }

  async #read(python: string, known: Listing | null): Promise<Listing | null> {
    const { list, now, onProblem } = this.#deps
    const checkedMs = now()
    if (known !== null) {
      if (checkedMs - known.checkedMs < FRESH_MS) return known
      const changed = await changesOf(known.folders)
      if (changed.every((at, index) => at === known.changedMs[index])) return Object.assign(known, { checkedMs })
    }
    try {
      const found = await list(python)
      return { ...found, changedMs: await changesOf(found.folders), checkedMs }
    } catch (error) {
      onProblem(python, error)
      return null
    }
  }
}

/** When each folder was changed last; 0 for one that is not there. */
const changesOf = (folders: readonly string[]): Promise<number[]> =>
  Promise.all(
    folders.map((folder) =>
      stat(folder).then(
        ({ mtimeMs }) => mtimeMs,
        () => 0,
      ),
    ),
  )
