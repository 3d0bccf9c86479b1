/**
 * Makes a project with a live flow and a batch flow from the template, and what may follow at once: its packages, a repository.
 * The command `create-flow-service` and `service init` call it.
 * @module
 */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { basename, join, relative, resolve } from 'node:path'

import { packageManager, type PackageManager, typedFor } from './package-manager.ts'
import { checkPackageName, UsageError } from './package-name.ts'
import { writeTemplate } from './template.ts'

/** What to make. */
export interface ProjectOptions {
  /** The folder to make, or an empty one. */
  readonly dir: string
  /** Name of the package; that of the folder unless given. */
  readonly name?: string
  /** Whether to install its packages; not unless given. */
  readonly install?: boolean
  /** Whether to begin a git repository in it; not unless given. */
  readonly git?: boolean
}

/** A project that was made. */
export interface MadeProject {
  /** Absolute path of the project. */
  readonly folder: string
  readonly name: string
  /** Paths of its files in the folder. */
  readonly files: readonly string[]
  /** The package manager that its README and the next steps speak of. */
  readonly manager: PackageManager
  /** Whether its packages are installed. */
  readonly installed: boolean
}

const home = join(import.meta.dirname, '..')
const template = join(home, 'template', 'app')

/**
 * Makes a project. Throws a {@link UsageError} for what cannot be made, and writes nothing then; and an Error when git or the
 * package manager fails, which leaves the project without what they were to do.
 */
export function createProject({ dir, name, install = false, git = false }: ProjectOptions): MadeProject {
  const folder = resolve(dir)
  const called = name ?? basename(folder)
  checkName(called, `give ${name === undefined ? 'one with --name' : 'another'}, such as my-app`)
  const manager = packageManager()
  const files = writeTemplate({
    folder,
    templates: [template],
    words: { 'my-app': called },
    version: manifestIn(home).version,
    finish: (path, text) => (path === 'README.md' ? typedFor(manager, text) : text),
  })
  if (git) run(folder, 'git', 'init', '--quiet')
  if (install) run(folder, manager, 'install')
  return { folder, name: called, files, manager, installed: install }
}

/** What to type next in the folder where the project was made, for people. */
export function nextSteps({ folder, name, files, manager, installed }: MadeProject): string {
  const at = relative(process.cwd(), folder) || '.'
  const steps = [
    ...(at === '.' ? [] : [[`cd ${/\s/.test(at) ? `"${at}"` : at}`]]),
    ...(installed ? [] : [['npm install']]),
    ['npm test', 'the flows on a virtual clock'],
    ['npm run dev', 'an engine with them; what you save is swapped in'],
    ['npx service run fit_line --watch', 'a first run, in a second terminal'],
  ].map(([command = '', what = '']) => [typedFor(manager, command), what])
  const width = Math.max(...steps.map(([command = '', what]) => (what === '' ? 0 : command.length)))
  return `Made ${name} in ${at}: ${files.length} files, with the live flow "postbox" and the batch flow "fit_line".

Next:
${steps.map(([command = '', what = '']) => `  ${command.padEnd(width)}  ${what}`.trimEnd()).join('\n')}

README.md has more of it.`
}

/** Besides what npm takes for no name: it installs no package into one of the same name. */
function checkName(name: string, advice: string): void {
  checkPackageName(name, advice)
  const { dependencies, devDependencies } = manifestIn(template)
  if (Object.hasOwn({ ...dependencies, ...devDependencies }, name))
    throw new UsageError(`"${name}" is the name of a package that the project needs; ${advice}`)
}

const manifestIn = (folder: string) =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    readonly version: string
    readonly dependencies: object
    readonly devDependencies: object
  }

/** Runs a program in the project; what it says goes to standard error, for standard output is the answer. */
function run(folder: string, command: string, ...args: string[]): void {
  const { status, signal, error } = spawnSync(command, args, {
    cwd: folder,
    stdio: ['ignore', 2, 2],
    // programs of package managers are scripts there
    shell: process.platform === 'win32',
  })
  if (status === 0) return
  const line = [command, ...args].join(' ')
  const reason = error?.message ?? `it ended with ${status ?? signal}`
  throw new Error(`the project is made, but "${line}" failed (${reason}); run it in "${folder}"`)
}
