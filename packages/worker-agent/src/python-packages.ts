/**
 * The packages that an interpreter finds, as node code finds them.
 * @module
 */
import { execFile } from 'node:child_process'
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
