/**
 * What a Python stage finds beside its source (wire decision V16): the interpreter, and the versions of the packages that
 * the source imports. A result of other versions is not taken over.
 * @module
 */
import type { PythonStage, StageEnvironment } from '@flow-service/core'
import { pythonParts, type WorkerPython } from '@flow-service/protocol'
import type {
  Interpreter,
  PythonEnvironments as NamedPythons,
  PythonListings,
  Worker,
} from '@flow-service/worker-agent'

import type { AttachedWorker } from '../../workers/attached-worker.ts'

/** Tells what Python stages find. */
export interface StageEnvironments {
  /** Where a stage may execute now, each once; null when that is not known. */
  of(stage: PythonStage): Promise<readonly StageEnvironment[] | null>
}

/** What environments are read from. */
export interface PythonEnvironmentsDeps {
  readonly agent: Pick<Worker, 'python'>
  /** The engine's own interpreters by name. */
  readonly named: Pick<NamedPythons, 'find'>
  readonly listings: Pick<PythonListings, 'of'>
  readonly pool: { list(): readonly Pick<AttachedWorker, 'answersTo' | 'isAway' | 'local' | 'pythons'>[] }
}

/** Environments of the engine's own interpreter, and of workers as they tell them. */
export class PythonEnvironments implements StageEnvironments {
  readonly #deps: PythonEnvironmentsDeps

  constructor(deps: PythonEnvironmentsDeps) {
    this.#deps = deps
  }

  async of({
    source,
    worker,
    worker_policy: policy,
    interpreter,
  }: PythonStage): Promise<readonly StageEnvironment[] | null> {
    const meant = worker === null ? [] : this.#deps.pool.list().filter((each) => !each.isAway && each.answersTo(worker))
    const isOwn = worker === null || (meant.length === 0 && policy === 'prefer')
    const own = isOwn || meant.some(({ local }) => local) ? await this.#own(source, interpreter) : null
    const told = meant.flatMap(({ local, pythons }) => {
      const python = pythons.find(({ name }) => name === interpreter)
      return local || python === undefined ? [] : [environmentOf(source, python)]
    })
    const all = own === null ? told : [own, ...told]
    return all.length === 0 ? null : [...new Map(all.map((each) => [JSON.stringify(each), each])).values()]
  }

  async #own(source: string, name: string | null): Promise<StageEnvironment | null> {
    const { agent, listings } = this.#deps
    const python = name === null ? agent.python : await this.#named(name)
    if (python === null) return name === null ? null : { Python: 'none' }
    const { version } = python
    if (importsIn(source).size === 0) return { Python: version }
    const listing = await listings.of(python.path)
    return listing && environmentOf(source, { version, ...listing })
  }

  /** Null of one that does not run: the call will tell. */
  async #named(name: string): Promise<Interpreter | null> {
    return await this.#deps.named.find(name).catch(() => null)
  }
}

/** What an interpreter has of the packages that a source imports. */
export function environmentOf(
  source: string,
  {
    version,
    packages,
    imports,
  }: Pick<WorkerPython, 'version'> & {
    readonly packages: Readonly<Record<string, string>>
    readonly imports: Readonly<Record<string, readonly string[]>>
  },
): StageEnvironment {
  const found = [...importsIn(source)].flatMap((name) => (Object.hasOwn(imports, name) ? (imports[name] ?? []) : []))
  const versions = found.toSorted().map((name) => [name, packages[name] ?? ''] as const)
  return { Python: version, ...Object.fromEntries(versions) }
}

const importLine = /(?:^|;)[ \t]*(?:from[ \t]+([A-Za-z_]\w*)|import[ \t]+([^#;\n]+))/gm

/** First parts of the names that a source imports, the modules that it brings included. */
function importsIn(source: string): Set<string> {
  const { text, modules } = pythonParts(source)
  const texts = [text, ...modules.map((module) => module.text)]
  return new Set(
    texts.flatMap((each) =>
      [...each.matchAll(importLine)].flatMap(([, from, list = '']) =>
        from === undefined ? list.split(',').flatMap((part) => /^\s*([A-Za-z_]\w*)/.exec(part)?.[1] ?? []) : [from],
      ),
    ),
  )
}
