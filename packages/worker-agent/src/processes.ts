/**
 * Where processes of node code come from: the temporary directory, and a language each for TypeScript and Python. The
 * agents of one machine share them.
 * @module
 */
import type { WorkerPython } from '@flow-service/protocol'

import { processEnvironment } from './environment.ts'
import { findInterpreter, type Interpreter, OLDEST_PYTHON } from './interpreter.ts'
import { Language } from './language.ts'
import type { FullOptions } from './options.ts'
import { PythonListings } from './python-packages.ts'
import { Python } from './python.ts'
import { startCodeProcess } from './spawned.ts'
import { sweep } from './sweep.ts'
import { Workspace } from './workspace.ts'

/** Spawning Node blocks our loop for some milliseconds; asking for a fork costs one write. */
const NODE_REFILL_MS = 10
const PYTHON_REFILL_MS = 1

/** What processes are made of. */
export type ProcessesOptions = Pick<
  FullOptions,
  'directory' | 'mark' | 'env' | 'interpreter' | 'python' | 'pythons' | 'warm' | 'fork' | 'idleS'
>

/** Kinds of nodes that run in processes of their own. */
export type ProcessKind = 'python' | 'code'

/** Processes of both languages. */
export class Processes {
  /** What an earlier life has left is gone, and the interpreter has been looked for. */
  readonly started: Promise<void>
  /** The interpreter of Python calls; null before `started` and where there is none. */
  python: Interpreter | null = null
  readonly #options: ProcessesOptions
  readonly #workspace: Workspace
  readonly #env: Record<string, string>
  readonly #code: Language
  /** Interpreters that are no longer used, until their processes are gone. */
  readonly #retiring = new Set<Promise<void>>()
  readonly #listeners = new Set<(retired: Language) => void>()
  readonly #listings = new PythonListings({ onProblem: () => undefined })
  #python: Language | null = null
  /** Kinds of nodes whose processes are started ahead. */
  readonly #wanted = new Set<ProcessKind>()
  /** Those that were asked for by name. */
  readonly #named = new Map<string, { readonly path: string; readonly language: Language }>()
  #closed: Promise<void> | null = null

  /** Throws when there is no room for its files. */
  constructor(options: ProcessesOptions) {
    this.#options = options
    this.#workspace = new Workspace(options.directory, options.mark)
    this.#env = processEnvironment(options.env, options.mark)
    this.#code = new Language({
      start: () => startCodeProcess(this.#env, this.#workspace),
      refillMs: NODE_REFILL_MS,
      idleMs: options.idleS * 1000,
    })
    if (options.warm) for (const kind of ['code', 'python'] as const) this.#wanted.add(kind)
    this.started = this.#start()
    // it is for who asks
    this.started.catch(() => undefined)
  }

  /** Where processes of a kind of node come from, on an interpreter by name; rejects where that is not to be had. */
  async language(kind: ProcessKind, name?: string): Promise<Language> {
    if (kind === 'code') return this.#code
    await this.started
    if (name !== undefined) return this.#languageOf(name, await this.#options.pythons.find(name))
    if (this.#python) return this.#python
    throw new Error(`this worker has no Python >= ${OLDEST_PYTHON}: install it, or set SERVICE_PYTHON to its path`)
  }

  /** Has a spare process for each of these kinds from now on; settles when they are ready, or cannot be had. */
  async prepare(kinds: ReadonlySet<ProcessKind>): Promise<void> {
    for (const kind of kinds) this.#wanted.add(kind)
    await this.started.catch(() => undefined)
    const languages = [...kinds].map((kind) => (kind === 'code' ? this.#code : this.#python))
    await Promise.all(languages.map(async (language) => language?.warm()))
  }

  /** Has Python processes from the next one on run on another interpreter (process.P7). */
  async usePython(path: string | null): Promise<{ readonly over: Promise<void> }> {
    await this.started
    const found = await findInterpreter({ ...this.#options, python: path ?? undefined })
    if (found === null && path !== null) throw new Error(`${path} does not run as Python >= ${OLDEST_PYTHON}`)
    if (this.#closed) return { over: this.#closed }
    const before = this.#python
    this.#take(found)
    return { over: before === null ? Promise.resolve() : this.#retire(before) }
  }

  /** The interpreters with their packages; those that do not tell are left out. */
  async pythons(): Promise<WorkerPython[]> {
    await this.started
    const { pythons } = this.#options
    const named = pythons.list().map(async ({ name }) => ({ name, ...(await pythons.find(name)) }))
    const asked = (await Promise.allSettled(named)).flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
    const known = [...(this.python === null ? [] : [{ name: null, ...this.python }]), ...asked]
    const found = known.map(async ({ name, path, version }) => {
      const listing = await this.#listings.of(path)
      if (listing === null) return []
      const { packages, imports } = listing
      return [{ name, version, packages, imports: namesToImport(imports) }]
    })
    return (await Promise.all(found)).flat()
  }

  /** A new empty directory, which is removed with all others. */
  directory(): string {
    return this.#workspace.make()
  }

  /** Calls back when a language is on its way out; the result ends that. */
  onRetire(listener: (retired: Language) => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  /** Settles when no process is left. */
  close(): Promise<void> {
    this.#closed ??= this.#close()
    return this.#closed
  }

  async #start(): Promise<void> {
    const { directory, mark } = this.#options
    await sweep(directory, mark)
    this.#take(await (this.#options.interpreter ?? findInterpreter(this.#options)))
    if (this.#wanted.has('code')) void this.#code.warm()
  }

  /** Python calls run on this interpreter from now on. */
  #take(found: Interpreter | null): void {
    this.python = found
    this.#python = found && this.#languageAt(found.path)
    if (this.#wanted.has('python')) void this.#python?.warm()
  }

  #languageAt(path: string): Language {
    const processes = new Python({ path, env: this.#env, workspace: this.#workspace, fork: this.#options.fork })
    return new Language({
      start: () => processes.start(),
      refillMs: PYTHON_REFILL_MS,
      idleMs: this.#options.idleS * 1000,
      rest: () => processes.rest(),
      end: () => processes.close(),
    })
  }

  #languageOf(name: string, { path }: Interpreter): Language {
    const known = this.#named.get(name)
    if (known?.path === path) return known.language
    if (known) void this.#retire(known.language)
    const language = this.#languageAt(path)
    this.#named.set(name, { path, language })
    return language
  }

  /** Settles when the last process of an interpreter is gone. */
  #retire(language: Language): Promise<void> {
    for (const listener of this.#listeners) listener(language)
    // what cannot be closed now ends with the agent
    const over = language.close().catch(() => undefined)
    this.#retiring.add(over)
    void over.then(() => this.#retiring.delete(over))
    return over
  }

  async #close(): Promise<void> {
    await Promise.allSettled([this.started])
    const named = [...this.#named.values()].map(({ language }) => language.close())
    await Promise.all([this.#code.close(), this.#python?.close(), ...named, ...this.#retiring])
    // what cannot be removed now is left to the sweep of a later start
    await this.#workspace.remove().catch(() => undefined)
  }
}

/** Packages also list files that nothing imports. */
const namesToImport = (imports: Readonly<Record<string, readonly string[]>>): Record<string, string[]> =>
  Object.fromEntries(
    Object.entries(imports).flatMap(([name, from]) =>
      /^[\p{L}_][\p{L}\p{N}_]*$/u.test(name) ? [[name, [...from]]] : [],
    ),
  )
