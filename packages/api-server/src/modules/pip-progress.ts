/**
 * How far pip is, by what it says. Its words are for people and may change: what is not understood tells nothing, and
 * nothing but what is shown depends on it.
 * @module
 */
import type { ModuleProgress } from '@flow-service/protocol'

import { normalName } from './requirement-line.ts'
import type { RequirementLine } from './requirements.ts'

/** Reads what pip says. */
export class PipProgress {
  readonly #lines: readonly RequirementLine[]
  readonly #tell: (progress: ModuleProgress) => void
  readonly #seen = new Set<string>()
  #line: string | null = null
  #downloads = 0

  constructor(lines: readonly RequirementLine[], tell: (progress: ModuleProgress) => void) {
    this.#lines = lines
    this.#tell = tell
    tell({ step: 'resolve', line: null, done: 0, total: lines.length })
  }

  hear(said: string): void {
    const collected = /^Collecting ([A-Za-z0-9._-]+)/.exec(said)?.[1]
    if (collected !== undefined) this.#collected(normalName(collected))
    else if (/^\s*(?:Downloading|Using cached) \S+\.whl\b/.test(said)) this.#downloading()
    const installed = /^Installing collected packages: (.+)/.exec(said)?.[1]
    if (installed !== undefined) {
      this.#tell({ step: 'install', line: null, done: 0, total: installed.split(',').length })
    }
  }

  #collected(name: string): void {
    const line = this.#lines.find(({ requirement }) => requirement.name === name)
    if (line) this.#seen.add(name)
    this.#line = line?.text ?? null
    this.#tell({ step: 'resolve', line: this.#line, done: this.#seen.size, total: this.#lines.length })
  }

  #downloading(): void {
    this.#downloads += 1
    // how many there will be is known when all are there
    this.#tell({ step: 'download', line: this.#line, done: this.#downloads, total: 0 })
  }
}
