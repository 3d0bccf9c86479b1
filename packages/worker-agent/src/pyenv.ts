/**
 * What pyenv has installed, and which of it a directory wants: `interpreter.ts` asks before it runs what is on the path. A shim
 * of pyenv is a shell script that starts some forty processes, and takes a second to say that its version is not chosen; the
 * few files that it looks at are read here instead.
 * @module
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, dirname, join } from 'node:path'

type Env = Readonly<Record<string, string | undefined>>

const rootOf = (env: Env): string => env['PYENV_ROOT'] || join(env['HOME'] ?? homedir(), '.pyenv')

/** The directories of its versions, in no order. */
export function pyenvVersions(env: Env): string[] {
  const versions = join(rootOf(env), 'versions')
  try {
    return readdirSync(versions).map((version) => join(versions, version))
  } catch {
    return []
  }
}

/**
 * The program that a shim stands for; null when no chosen version has it. Another program, and a shim of a version that only
 * pyenv can tell, as "3.12" for the newest of them, is answered as it is.
 */
export function behindShim(program: string, env: Env, from = process.cwd()): string | null {
  const root = rootOf(env)
  if (dirname(program) !== join(root, 'shims')) return program
  for (const version of chosen(root, env, from)) {
    if (version === 'system') return null
    const place = join(root, 'versions', version)
    if (!existsSync(place)) return program
    const real = join(place, 'bin', basename(program))
    if (existsSync(real)) return real
  }
  return null
}

/** The versions that hold in a directory: of the environment, of the nearest file that names some, or of the whole machine. */
function chosen(root: string, env: Env, from: string): string[] {
  const named = env['PYENV_VERSION']
  if (named) return named.split(':')
  for (const folder of new Set([env['PYENV_DIR'] ?? from, from]))
    for (let at = folder; ; at = dirname(at)) {
      const versions = namedIn(join(at, '.python-version'))
      if (versions) return versions
      if (at === dirname(at)) break
    }
  return namedIn(join(root, 'version')) ?? ['system']
}

/** The first word of each line. */
function namedIn(file: string): string[] | null {
  try {
    const words = readFileSync(file, 'utf8')
      .split('\n')
      .flatMap((line) => line.trim().split(/\s/, 1))
    return words.filter((word) => word !== '' && !word.startsWith('#') && !word.includes('/'))
  } catch {
    return null
  }
}
