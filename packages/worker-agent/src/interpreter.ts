/**
 * Finding the Python that runs node code.
 * @module
 */
import { execFile } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { basename, delimiter, join } from 'node:path'
import { promisify } from 'node:util'

import { withoutCredentials } from './environment.ts'
import { behindShim, pyenvVersions } from './pyenv.ts'

/** An interpreter that runs. `version` has three numbers. */
export interface Interpreter {
  readonly path: string
  readonly version: string
}

/** Oldest version that the runner supports. */
export const OLDEST_PYTHON = '3.11'

const names = ['python3.14', 'python3.13', 'python3.12', 'python3.11', 'python3', 'python']
const question = 'import sys; print(sys.executable); print("%d.%d.%d" % sys.version_info[:3])'
const run = promisify(execFile)

/**
 * The first interpreter of at least 3.11 among `SERVICE_PYTHON`, the usual names on PATH and pyenv's versions, newest
 * first; null when none runs. Version managers' shims that fail are passed over, those of pyenv without running them.
 */
export async function findPython(env: Readonly<Record<string, string | undefined>>): Promise<Interpreter | null> {
  for (const candidate of candidates(env)) {
    const found = await askPython(candidate)
    if (found) return found
  }
  return null
}

/** The interpreter at a path, none for null, the one that is found for undefined; null when it does not run. */
export async function findInterpreter({
  python,
  env,
}: {
  readonly python?: string | null | undefined
  readonly env: Readonly<Record<string, string | undefined>>
}): Promise<Interpreter | null> {
  if (python === undefined) return findPython(env)
  return python === null ? null : askPython(python)
}

/** What a program says of itself; null when it does not run or is older than 3.11. The path is the real program's. */
export async function askPython(program: string): Promise<Interpreter | null> {
  try {
    const { stdout } = await run(program, ['-c', question], {
      timeout: 10_000,
      env: withoutCredentials(process.env),
    })
    const [path, version] = stdout.trim().split('\n')
    return path && version && isSupported(version) ? { path, version } : null
  } catch {
    return null
  }
}

function isSupported(version: string): boolean {
  return compareVersions(version, OLDEST_PYTHON) >= 0
}

function candidates(env: Readonly<Record<string, string | undefined>>): string[] {
  const folders = (env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '')
  const onPath = names.flatMap((name) => folders.map((folder) => join(folder, name)))
  const chosen = env['SERVICE_PYTHON']
  const real = existing(onPath).flatMap((program) => behindShim(program, env) ?? [])
  return [...new Set([...(chosen ? [chosen] : []), ...real, ...pyenvPythons(env)])]
}

function pyenvPythons(env: Readonly<Record<string, string | undefined>>): string[] {
  const newestFirst = pyenvVersions(env).toSorted((a, b) => compareVersions(basename(b), basename(a)))
  return newestFirst.map((folder) => join(folder, 'bin', 'python'))
}

function existing(paths: readonly string[]): string[] {
  const listings = new Map<string, Set<string>>()
  return paths.filter((path) => {
    const cut = path.lastIndexOf('/')
    const folder = path.slice(0, cut)
    const listing = listings.get(folder) ?? new Set(namesIn(folder))
    listings.set(folder, listing)
    return listing.has(path.slice(cut + 1))
  })
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

function compareVersions(a: string, b: string): number {
  const [left, right] = [a, b].map((text) => text.split('.').map((part) => Number.parseInt(part, 10) || 0))
  for (const index of [0, 1, 2]) {
    const difference = (left?.[index] ?? 0) - (right?.[index] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}
