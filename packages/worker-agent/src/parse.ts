/**
 * Looks at Python source without executing any of it.
 * @module
 */
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

import { withoutCredentials } from './environment.ts'

/** A parameter of a function: passed by keyword, by position only (which calls cannot), or `**kwargs` (`all`). */
export interface ParsedParameter {
  readonly name: string
  readonly kind: 'keyword' | 'positional_only' | 'all'
  readonly default: boolean
}

/** A function that the module defines; once it is decorated, calls may take other parameters than these. */
export interface ParsedFunction {
  readonly name: string
  readonly line: number
  readonly parameters: readonly ParsedParameter[]
  readonly decorated: boolean
}

/** What a source holds; nothing when it does not parse. */
export interface ParsedSource {
  readonly functions: readonly ParsedFunction[]
  /** Names that something else than a function definition gives a value: imports (`*`), assignments, classes. */
  readonly names: readonly string[]
  /** `line` counts from 1; null where the error has none. */
  readonly error: { readonly message: string; readonly line: number | null } | null
}

const script = fileURLToPath(new URL('../python/parse.py', import.meta.url))
/** How long the process may take on a machine that has little time for it. */
const LIMIT_MS = 60_000

/** How source is parsed. */
export interface ParseOptions {
  /** Path of the interpreter. */
  readonly python: string
  /** Milliseconds that the process may take altogether; 60,000 unless given. */
  readonly limitMs?: number
}

/**
 * Parses source in a process of its own, with 5 seconds of a processor and 1 GiB. What exceeds these is an error of the
 * source. Rejects when the interpreter cannot be started, or has no answer in time: that says nothing of the source.
 */
export async function parsePython(source: string, options: ParseOptions): Promise<ParsedSource> {
  const limitMs = options.limitMs ?? LIMIT_MS
  const child = spawn(options.python, ['-I', '-S', '-X', 'utf8', script], {
    env: withoutCredentials(process.env),
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  let isLate = false
  const timer = setTimeout(() => {
    isLate = true
    child.kill('SIGKILL')
  }, limitMs)
  const closed = new Promise<number | null>((resolve, reject) => {
    child.once('error', (error) => reject(new Error(`${options.python} cannot be started: ${error.message}`)))
    child.once('close', resolve)
  })
  void closed.finally(() => clearTimeout(timer)).catch(() => undefined)
  if (child.pid === undefined) await closed
  child.stdin.on('error', () => {
    // It has ended before it read everything; its exit says so.
  })
  child.stdin.end(source)
  let answer = ''
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    answer += chunk
  })
  const code = await closed
  if (isLate) throw new Error(`the source was not parsed within ${limitMs / 1000} s`)
  if (code === 0) return JSON.parse(answer) as ParsedSource
  return {
    functions: [],
    names: [],
    error: { message: 'the source is too large or too deeply nested to be parsed', line: null },
  }
}
