/**
 * The folder of modules in the data directory. What is built stands in parts of its own, which are never changed once
 * they are complete; a generation is a manifest with its parts, and `current` is the link to the one in force:
 *
 *     current       -> generations/<id>
 *     generations/<id>/  manifest.json, python -> ../../python/<part>, npm -> ../../npm/<part>
 *     python/<part>/     a virtual environment
 *     npm/<part>/        package.json, node_modules
 *     node_modules  -> current/npm/node_modules
 *     package.json  -> current/npm/package.json
 *     work/         what a build needs while it runs
 *     attempt.json  that a build runs, or why the latest one failed
 *
 * Invariants are in DESIGN.md.
 * @module
 */
import { randomUUID } from 'node:crypto'
import { mkdir, open, readdir, readFile, readlink, realpath, rename, rm, symlink } from 'node:fs/promises'
import { basename, join } from 'node:path'

import type { ModulePackage } from '@flow-service/protocol'

import { readPrivateFile, writePrivateFile } from '../auth/private-file.ts'

/** What was built of the lines of one ecosystem. */
export interface ModulePart {
  readonly id: string
  /** What the lines asked for, to tell whether another manifest asks for the same. */
  readonly wanted: readonly string[]
  readonly packages: readonly ModulePackage[]
}

/** A manifest with what was built of it; null where it has no lines. */
export interface Generation {
  readonly requirements: string
  readonly applied_at: string
  readonly python: ModulePart | null
  readonly npm: ModulePart | null
}

/** Where a part is built. */
export interface PartPlace {
  readonly id: string
  readonly path: string
}

type Ecosystem = 'python' | 'npm'
const ecosystems: readonly Ecosystem[] = ['python', 'npm']

/** The latest build, unless it was a success: it runs, or was cut off, while `error` is null. */
interface Attempt {
  /** What it was to put in force. */
  readonly requirements: string
  readonly error: string | null
}

/** The folder of modules; made by {@link ModulesFolder.open}. */
export class ModulesFolder {
  readonly path: string

  private constructor(path: string) {
    this.path = path
  }

  static async open(path: string): Promise<ModulesFolder> {
    await mkdir(path, { recursive: true, mode: 0o700 })
    const names = ['generations', ...ecosystems]
    await Promise.all(names.map((name) => mkdir(join(path, name), { recursive: true, mode: 0o700 })))
    // interpreters are told by their paths
    return new ModulesFolder(await realpath(path))
  }

  /** The generation in force; null before the first one, and when its files cannot be read. */
  async current(): Promise<Generation | null> {
    const link = await readLink(join(this.path, 'current'))
    return link === null ? null : await this.#read(basename(link))
  }

  /** The complete generation with these requirements that is not in force yet, by its id. */
  async prepared(requirements: string): Promise<string | null> {
    const current = await readLink(join(this.path, 'current'))
    for (const id of await readdir(join(this.path, 'generations'))) {
      // oxlint-disable-next-line no-await-in-loop -- the first one that fits
      const found = await this.#read(id)
      if (found?.requirements === requirements && basename(current ?? '') !== id) return id
    }
    return null
  }

  /** The interpreter of a part. */
  pythonOf(part: Pick<ModulePart, 'id'>): string {
    return join(this.path, 'python', part.id, 'bin', 'python')
  }

  /** A new place, which does not exist yet. */
  place(ecosystem: Ecosystem): PartPlace {
    const id = randomUUID()
    return { id, path: join(this.path, ecosystem, id) }
  }

  /** An empty folder for a build, removed with the result. */
  async work(): Promise<AsyncDisposable & { readonly path: string }> {
    const path = join(this.path, 'work', randomUUID())
    await mkdir(path, { recursive: true, mode: 0o700 })
    return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true, maxRetries: 2 }) }
  }

  /** Writes a generation beside the one in force, whole or not at all (modules.M1); its id. */
  async prepare(generation: Generation): Promise<string> {
    const id = randomUUID()
    const path = join(this.path, 'generations', id)
    await mkdir(path, { mode: 0o700 })
    for (const ecosystem of ecosystems) {
      const part = generation[ecosystem]
      // oxlint-disable-next-line no-await-in-loop -- two links
      if (part) await symlink(join('..', '..', ecosystem, part.id), join(path, ecosystem))
    }
    await writePrivateFile(join(path, 'manifest.json'), JSON.stringify(generation))
    await syncFolder(path)
    return id
  }

  /** Puts a generation in force by one rename (modules.M1). */
  async swap(id: string): Promise<void> {
    await this.#link(join('current', 'npm', 'node_modules'), 'node_modules')
    await this.#link(join('current', 'npm', 'package.json'), 'package.json')
    await this.#link(join('generations', id), 'current')
    await syncFolder(this.path)
  }

  /** The latest build that was no success. */
  async attempt(): Promise<Attempt | null> {
    const text = await readPrivateFile(join(this.path, 'attempt.json'))
    return text === null ? null : (JSON.parse(text) as Attempt)
  }

  async noteAttempt(attempt: Attempt | null): Promise<void> {
    const path = join(this.path, 'attempt.json')
    if (attempt === null) await rm(path, { force: true })
    else await writePrivateFile(path, JSON.stringify(attempt))
  }

  /** Removes what neither the generation in force has nor `kept` names (modules.M2). */
  async sweep(kept: ReadonlySet<string>): Promise<void> {
    const current = await this.current()
    const link = await readLink(join(this.path, 'current'))
    const used = new Set([...kept, basename(link ?? ''), current?.python?.id, current?.npm?.id])
    const left = ['generations', ...ecosystems].map(async (name) => {
      const path = join(this.path, name)
      const unused = (await readdir(path)).filter((id) => !used.has(id))
      await Promise.all(unused.map((id) => rm(join(path, id), { recursive: true, force: true, maxRetries: 2 })))
    })
    await Promise.all([...left, rm(join(this.path, 'work'), { recursive: true, force: true, maxRetries: 2 })])
  }

  async #read(id: string): Promise<Generation | null> {
    try {
      return JSON.parse(await readFile(join(this.path, 'generations', id, 'manifest.json'), 'utf8')) as Generation
    } catch {
      // begun, and never finished
      return null
    }
  }

  async #link(target: string, name: string): Promise<void> {
    const path = join(this.path, name)
    if ((await readLink(path)) === target) return
    const draft = `${path}.next`
    await rm(draft, { recursive: true, force: true })
    await symlink(target, draft)
    await rename(draft, path)
  }
}

async function readLink(path: string): Promise<string | null> {
  try {
    return await readlink(path)
  } catch {
    return null
  }
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
