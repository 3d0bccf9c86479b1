/**
 * What a Python stage finds beside its source (wire decision V16): the interpreter, and the versions of the packages that
 * the source imports. A result of other versions is not taken over.
 * @module
 */
import { stat } from 'node:fs/promises'

import type { Clock, StageEnvironment } from '@flow-service/core'
import { pythonParts } from '@flow-service/protocol'
import type { PythonPackages, Worker } from '@flow-service/worker-agent'

import type { Log } from '../../process/log.ts'

/** Tells what a source finds on this engine; null when that is not known. */
export interface StageEnvironments {
  of(source: string): Promise<StageEnvironment | null>
}

/** What environments are read from. */
export interface PythonEnvironmentsDeps {
  readonly agent: Pick<Worker, 'python'>
  readonly list: (python: string) => Promise<PythonPackages>
  readonly clock: Pick<Clock, 'now'>
  readonly log: Pick<Log, 'warn'>
}

/** How long it is believed that nobody has installed anything, in milliseconds. */
const FRESH_MS = 1_000

interface Listing extends PythonPackages {
  readonly python: string
  readonly changedMs: readonly number[]
  checkedMs: number
}

/** Environments of the engine's own interpreter. Another process is asked once, and again when its folders change. */
export class PythonEnvironments implements StageEnvironments {
  readonly #deps: PythonEnvironmentsDeps
  /** The latest reading; they follow each other. */
  #reading: Promise<Listing | null> = Promise.resolve(null)

  constructor(deps: PythonEnvironmentsDeps) {
    this.#deps = deps
  }

  async of(source: string): Promise<StageEnvironment | null> {
    const { python } = this.#deps.agent
    if (python === null) return null
    const names = importsIn(source)
    if (names.size === 0) return { Python: python.version }
    this.#reading = this.#reading.then((known) => this.#read(python.path, known))
    const listing = await this.#reading
    if (listing === null) return null
    const { imports, packages } = listing
    const found = [...names].flatMap((name) => (Object.hasOwn(imports, name) ? (imports[name] ?? []) : []))
    const versions = found.toSorted().map((name) => [name, packages[name] ?? ''] as const)
    return { Python: python.version, ...Object.fromEntries(versions) }
  }

  async #read(python: string, known: Listing | null): Promise<Listing | null> {
    const { clock, list, log } = this.#deps
    const now = clock.now()
    if (known?.python === python) {
      if (now - known.checkedMs < FRESH_MS) return known
      const changed = await changesOf(known.folders)
      if (changed.every((at, index) => at === known.changedMs[index])) return Object.assign(known, { checkedMs: now })
    }
    try {
      const found = await list(python)
      return { ...found, python, changedMs: await changesOf(found.folders), checkedMs: now }
    } catch (error) {
      log.warn(
        { err: error, python },
        'the packages of an interpreter are not known: results of stages may be of others',
      )
      return null
    }
  }
}

/** When each folder was changed last; 0 for one that is not there. */
const changesOf = (folders: readonly string[]): Promise<number[]> =>
  Promise.all(
    folders.map((folder) =>
      stat(folder).then(
        ({ mtimeMs }) => mtimeMs,
        () => 0,
      ),
    ),
  )

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
