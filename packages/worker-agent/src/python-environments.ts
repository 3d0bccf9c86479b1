/**
 * Interpreters that flows ask for by name (`resources.python`): those that a setting names, and virtual environments that
 * stand in certain folders. An engine has them for its own nodes, a worker tells its engines of them.
 *
 * A folder is a virtual environment if it has a `pyvenv.cfg` (PEP 405); it goes by its name, without a dot at the begin.
 * Of two with a name the first one counts: a setting before a folder, and folders in their order. What is looked for is
 * looked for each time, so that an environment counts as soon as it is there.
 */
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

import { askPython, type Interpreter } from './interpreter.ts'

/** An interpreter by its name. */
export interface NamedPython {
  readonly name: string
  /** Of the program. */
  readonly path: string
}

/** Where environments are looked for. */
export interface PythonEnvironmentsOptions {
  /** Paths of programs, or of virtual environments, by name. */
  readonly named?: Readonly<Record<string, string>>
  /** Folders that virtual environments stand in. */
  readonly folders?: readonly string[]
}

const nameRule = /^[A-Za-z0-9_-]{1,100}$/

/** The named interpreters of a machine. */
export class PythonEnvironments {
  readonly #options: PythonEnvironmentsOptions
  /** What programs have said of themselves, until one is another. */
  readonly #known = new Map<string, { readonly changed: string; readonly python: Interpreter }>()

  constructor(options: PythonEnvironmentsOptions = {}) {
    this.#options = options
  }

  /** By name. They may not run. */
  list(): NamedPython[] {
    const { named = {}, folders = [] } = this.#options
    const all = [
      ...Object.entries(named).map(([name, path]) => ({ name, path: isFolder(path) ? programIn(path) : path })),
      ...folders.flatMap(environmentsIn),
    ]
    const first = new Map(all.toReversed().map((each) => [each.name, each]))
    return [...first.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1))
  }

  /** The interpreter of a name. Rejects with an error that says which there are, or that it does not run. */
  async find(name: string): Promise<Interpreter> {
    const all = this.list()
    const found = all.find((each) => each.name === name)
    if (found === undefined) {
      const names = all.map((each) => `"${each.name}"`).join(', ') || 'none'
      throw new Error(`there is no Python environment "${name}" here; there are: ${names}`)
    }
    const changed = [found.path, join(found.path, '../../pyvenv.cfg')].map(changedAt).join(' ')
    const known = this.#known.get(found.path)
    if (known?.changed === changed) return known.python
    const python = await askPython(found.path)
    if (python === null) throw new Error(`the Python environment "${name}" at ${found.path} does not run`)
    this.#known.set(found.path, { changed, python })
    return python
  }
}

/**
 * What `SERVICE_PYTHON_ENVIRONMENTS` says, such as `torch=/opt/torch,old=python3.11`. Throws a RangeError that says what is
 * wrong with it.
 */
export function readPythonEnvironments(text: string): Record<string, string> {
  const entries = text.split(',').flatMap((part) => {
    const entry = part.trim()
    if (entry === '') return []
    const at = entry.indexOf('=')
    const [name, path] = [entry.slice(0, at).trim(), entry.slice(at + 1).trim()]
    if (at < 0 || path === '') throw new RangeError(`"${entry}" is no name=path`)
    if (!nameRule.test(name)) throw new RangeError(`"${name}" is no name: letters, digits, "_" and "-"`)
    return [[name, path] as const]
  })
  return Object.fromEntries(entries)
}

const programIn = (folder: string): string => join(folder, 'bin', 'python')

function environmentsIn(folder: string): NamedPython[] {
  return namesIn(folder).flatMap((entry) => {
    const name = entry.replace(/^\./, '')
    if (!nameRule.test(name) || !existsSync(join(folder, entry, 'pyvenv.cfg'))) return []
    return [{ name, path: programIn(join(folder, entry)) }]
  })
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).toSorted()
  } catch {
    return []
  }
}

const changedAt = (path: string): number => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
