/**
 * The type check of `service dev --check`, by the compiler that a project itself has. It runs in a process of its own, so
 * that the engine goes on meanwhile, and keeps what it has found out in a file, so that the next one is fast.
 * @module
 */
import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join, relative, resolve } from 'node:path'

import { CommandFailure } from './failure.ts'
import { sourcesIn } from './source-watch.ts'
import { counted } from './terminal.ts'

/** What a check has found, as lines. */
interface TypeCheck {
  /** `file:line:column: TS2322: …`, the file as seen from the current directory; of a wrong setting the message alone. */
  readonly faults: readonly string[]
  /** Modules that `tsconfig.json` leaves out: nothing is known of their types. */
  readonly unchecked: readonly string[]
}

/** The check of a folder and the project around it. */
interface TypeChecker {
  /** Checks the sources as they are now; `kept` is a file for what it remembers. Rejects when the compiler cannot be run. */
  check(kept: string, signal: AbortSignal): Promise<TypeCheck>
}

const MAX_OUTPUT_BYTES = 64 * 1024 * 1024

/** Where a project has no `tsconfig.json`: what the loader of flows takes. */
const usual = [
  '--strict',
  '--skipLibCheck',
  '--allowImportingTsExtensions',
  '--target',
  'esnext',
  '--module',
  'nodenext',
]

/** The checker of a folder. Throws a {@link CommandFailure} when its project has no TypeScript. */
function typeChecker(folder: string): TypeChecker {
  const compiler = compilerOf(folder)
  return {
    async check(kept, signal) {
      await mkdir(dirname(kept), { recursive: true, mode: 0o700 })
      const config = configOf(folder)
      const modules = sourcesIn([folder]).filter((file) => isModule.test(file) && !isAside.test(file))
      if (config === null && modules.length === 0) return { faults: [], unchecked: [] }
      const root = config === null ? resolve(folder) : dirname(config)
      const remembered = ['--incremental', '--tsBuildInfoFile', resolve(kept)]
      const what = config === null ? [...usual, ...modules] : ['--project', config]
      const args = [compiler, '--noEmit', '--pretty', 'false', '--listFiles', ...remembered, ...what]
      const output = await run(root, args, signal)
      const { faults, files } = read(output, root)
      const isRead = files.size > 0
      return { faults, unchecked: isRead ? modules.filter((file) => !files.has(file)).map(shown) : [] }
    },
  }
}

const isModule = /\.[cm]?tsx?$/
/** Files that define no flow, and that a `tsconfig.json` may well leave out. */
const isAside = /\.(?:d|test|test-d|spec|config)\.[cm]?tsx?$|[\\/](?:tests?|__tests__)[\\/]/

/** The compiler's program. */
function compilerOf(folder: string): string {
  try {
    const about = createRequire(join(resolve(folder), 'package.json')).resolve('typescript/package.json')
    const { bin } = JSON.parse(readFileSync(about, 'utf8')) as { bin: Record<string, string> }
    // installed under this name, it may be a package whose program has another one
    return join(dirname(about), bin['tsc'] ?? Object.values(bin)[0] ?? '')
  } catch {
    throw new CommandFailure(
      2,
      `--check needs the TypeScript of the project of "${folder}", which has none: npm install --save-dev typescript`,
    )
  }
}

/** The nearest `tsconfig.json` of the folder or above. */
function configOf(folder: string): string | null {
  for (let at = resolve(folder); ; at = dirname(at)) {
    const file = join(at, 'tsconfig.json')
    if (existsSync(file)) return file
    if (at === dirname(at)) return null
  }
}

function run(cwd: string, args: readonly string[], signal: AbortSignal): Promise<string> {
  return new Promise((done, reject) => {
    execFile(process.execPath, args, { cwd, maxBuffer: MAX_OUTPUT_BYTES, signal }, (error, stdout, stderr) => {
      // it exits with a number above 0 when it has found mistakes, and says them on standard output
      if (error === null || (typeof error.code === 'number' && stdout !== '')) done(stdout)
      else reject(new CommandFailure(1, `the types cannot be checked: ${stderr.trim() || error.message}`))
    })
  })
}

const faultLine = /^(.+?)\((\d+),(\d+)\): error (TS\d+: .*)$/

/** Reads what the compiler prints: mistakes, whose further lines are indented, and the files that it has read. */
function read(output: string, root: string): { faults: string[]; files: Set<string> } {
  const faults: string[] = []
  const files = new Set<string>()
  for (const line of output.split(/\r?\n/)) {
    const [, file = '', row, column, message = ''] = faultLine.exec(line) ?? []
    if (file !== '') faults.push(`${shown(resolve(root, file))}:${row}:${column}: ${message}`)
    else if (line.startsWith('error ')) faults.push(line.slice('error '.length))
    else if (line.startsWith(' ')) faults.push(`${faults.pop() ?? ''}\n${line}`)
    else if (line !== '') files.add(resolve(root, line))
  }
  return { faults, files }
}

const shown = (file: string): string => relative('', file)

/** The types of several folders, checked one after the other; what is found is told once. */
export class CheckedTypes {
  readonly #checkers: readonly TypeChecker[]
  readonly #print: (line: string) => void
  #told: string | null = null
  #toldUnchecked = ''
  #checking: Promise<unknown> = Promise.resolve()
  readonly #end = new AbortController()

  /** Throws a {@link CommandFailure} when a project has no TypeScript. */
  constructor(folders: readonly string[], print: (line: string) => void) {
    this.#checkers = folders.map(typeChecker)
    this.#print = print
  }

  /** Whether the types are right; tells what is new of that. `directory` is where it may remember, `rest` what follows from mistakes. */
  areRight(directory: string, rest: string): Promise<boolean> {
    const checking = this.#checking.then(async () => {
      try {
        return await this.#check(directory, rest)
      } catch (error) {
        if (this.#end.signal.aborted) return false
        throw error
      }
    })
    this.#checking = checking.catch(() => undefined)
    return checking
  }

  /** Ends a check that is under way: it answers false. */
  close(): void {
    this.#end.abort()
  }

  async #check(directory: string, rest: string): Promise<boolean> {
    const checks: TypeCheck[] = []
    for (const [at, checker] of this.#checkers.entries())
      checks.push(await checker.check(join(directory, `types-${at}.tsbuildinfo`), this.#end.signal))
    this.#tellUnchecked(checks.flatMap(({ unchecked }) => unchecked))
    const faults = [...new Set(checks.flatMap((check) => check.faults))]
    const text = faults.map((fault) => `error: ${fault}`).join('\n')
    const before = this.#told
    this.#told = text
    if (faults.length === 0) {
      if (before !== null && before !== '') this.#print('types are right again')
      return true
    }
    const count = counted(faults.length, 'type error')
    this.#print(before === text ? `${count} as before: ${rest}` : `\n${text}\n${count}: ${rest}`)
    return false
  }

  #tellUnchecked(files: readonly string[]): void {
    const text = `tsconfig.json leaves out ${counted(files.length, 'module')}, whose types are not checked: ${files.slice(0, 3).join(', ')}${files.length > 3 ? ', …' : ''}`
    if (files.length > 0 && text !== this.#toldUnchecked) this.#print(text)
    this.#toldUnchecked = files.length > 0 ? text : ''
  }
}
