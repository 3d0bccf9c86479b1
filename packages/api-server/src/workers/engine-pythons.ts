/**
 * The interpreters that flows may ask for by name: those of the engine, as its settings name them or as they are found, and
 * those that attached workers tell of (wire decision V16).
 * @module
 */
import { join } from 'node:path'

import type { KnownPythons } from '@flow-service/core'
import { PythonEnvironments, readPythonEnvironments, type Worker } from '@flow-service/worker-agent'

import type { ResolvedConfig } from '../config.ts'
import type { WorkerPool } from './pool.ts'

/** What the interpreters of an engine are found by. */
export interface EnginePythonsDeps {
  readonly config: Pick<ResolvedConfig, 'dataDir' | 'projectDir' | 'pythonEnvironments'>
  readonly pool: Pick<WorkerPool, 'list'>
}

/** An interpreter as it is listed. */
export interface ListedPython {
  /** Null of the one that nodes get whose flow names none. */
  readonly name: string | null
  readonly worker: string
  /** Null when it does not run. */
  readonly version: string | null
  readonly path: string | null
}

/** Folder of the data directory whose virtual environments have names. */
const FOLDER = 'pythons'

/** Interpreters by name. */
export class EnginePythons implements KnownPythons {
  /** Those of the engine. */
  readonly environments: PythonEnvironments
  readonly #pool: Pick<WorkerPool, 'list'>

  constructor({ config: { dataDir, projectDir, pythonEnvironments }, pool }: EnginePythonsDeps) {
    this.environments = new PythonEnvironments({
      named: readPythonEnvironments(pythonEnvironments ?? ''),
      folders: [projectDir, join(dataDir, FOLDER)],
    })
    this.#pool = pool
  }

  own(): string[] {
    return this.environments.list().map(({ name }) => name)
  }

  attached(): string[] {
    const named = this.#pool.list().flatMap(({ pythons }) => pythons.flatMap(({ name }) => name ?? []))
    return [...new Set(named)].toSorted()
  }

  /** The usual one of the engine, its named ones, and those of attached workers. */
  async list({ python }: Pick<Worker, 'python'>): Promise<ListedPython[]> {
    const usual = python && [{ name: null, worker: 'engine', ...python }]
    const named = this.environments.list().map(async ({ name, path }) => {
      const found = await this.environments.find(name).catch(() => null)
      return { name, worker: 'engine', version: found?.version ?? null, path }
    })
    const attached = this.#pool
      .list()
      .flatMap(({ hello, pythons }) =>
        pythons.map(({ name, version }) => ({ name, worker: hello.name, version, path: null })),
      )
    return [...(usual ?? []), ...(await Promise.all(named)), ...attached]
  }
}
