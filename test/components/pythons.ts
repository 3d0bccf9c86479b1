/** Interpreters of Python for tests. */
import { existsSync, readdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, join } from 'node:path'

/**
 * Interpreters for the tests: those of `SERVICE_TEST_PYTHONS` (paths, each has to exist), else one of each supported
 * version that pyenv or PATH has. Version managers' shims on PATH may not run and are passed over.
 */
export const pythons: string[] = process.env['SERVICE_TEST_PYTHONS']?.split(delimiter).map(existing) ?? installed()

function existing(path: string): string {
  if (existsSync(path)) return path
  throw new Error(`SERVICE_TEST_PYTHONS names ${path}, which does not exist`)
}

function installed(): string[] {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => !folder.includes('shims'))
  const versions = join(homedir(), '.pyenv', 'versions')
  return ['3.11', '3.12', '3.13', '3.14'].flatMap((version) => {
    const managed = existsSync(versions) ? readdirSync(versions).filter((name) => name.startsWith(`${version}.`)) : []
    const found = [
      ...managed.map((name) => join(versions, name, 'bin', 'python3')),
      ...[...folders, '/usr/local/bin', '/usr/bin'].map((folder) => join(folder, `python${version}`)),
    ].find((path) => existsSync(path))
    if (!found) console.log(`absent: python ${version}`)
    return found ? [found] : []
  })
}

/** The oldest interpreter, for rules that do not depend on the version. */
export const python = pythons[0] ?? null

if (python === null) {
  const text = 'skipped: python >= 3.11 not found (apt-get install python3)'
  if (process.env['CI']) throw new Error(text)
  console.log(text)
}
