/**
 * A process that imports modules of others in place of the engine's: what ends or blocks it is a finding, and the engine goes
 * on. Its group ends with it, and with the engine.
 * @module
 */
import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'

import { CommandLifeline } from '../process/command-lifeline.ts'

/** Characters of the standard error that are kept: the last ones. */
const MAX_WORDS = 2_000

const lifeline = new CommandLifeline()

/** Where the modules are imported. */
export interface ImportSetting {
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  /** Bound of the memory of JavaScript; Node's own unless given. */
  readonly memoryMb?: number
  /** What it prints is dropped; else it goes to the standard error: the other output of the engine may be a log. */
  readonly isQuiet?: boolean
}

/** Who started the process. */
export interface ImportListener {
  message(message: object): void
  /** The process has ended by itself; `how` goes on from "the module": `ended the process that loads it (exit code 1) …`. */
  ended(how: string): void
}

/** One object a process. */
export class ImportProcess {
  readonly #child: ChildProcess
  readonly #release: () => void
  #listener: ImportListener | null
  #words = ''
  /** The last of what it has printed to its standard error, once it is gone. */
  readonly words: Promise<string>

  /** `entry` is the file of the process: {@link entryBeside}. */
  constructor(entry: string, { cwd, env, memoryMb, isQuiet = false }: ImportSetting, listener: ImportListener) {
    this.#listener = listener
    const conditions = process.execArgv.filter((argument) => argument.startsWith('--conditions='))
    this.#child = fork(entry, [], {
      cwd,
      env,
      execArgv: [...conditions, ...(memoryMb === undefined ? [] : [`--max-old-space-size=${memoryMb}`])],
      serialization: 'advanced',
      detached: true,
      stdio: ['ignore', isQuiet ? 'ignore' : 2, 'pipe', 'ipc'],
    })
    this.#release = this.#child.pid === undefined ? () => {} : lifeline.hold(this.#child.pid)
    this.words = this.#follow()
  }

  send(message: object): void {
    // a process that is gone already is told by its exit
    this.#child.send(message, () => {})
  }

  /** Ends the process; its listener hears nothing more. */
  end(): void {
    this.#listener = null
    this.#kill()
  }

  #follow(): Promise<string> {
    const child = this.#child
    child.on('message', (message) => {
      // modules may send what they like
      if (typeof message === 'object' && message !== null) this.#listener?.message(message)
    })
    child.stderr?.on('data', (chunk) => (this.#words = `${this.#words}${String(chunk)}`.slice(-MAX_WORDS)))
    // what it has started would keep its output open
    child.once('exit', () => this.#kill())
    return new Promise((resolve) => {
      const ended = (how: string): void => {
        this.#release()
        resolve(this.#words)
        this.#listener?.ended(how)
      }
      child.once('error', (error) => ended(`could not be started: ${error.message}`))
      child.once('close', (code, signal) => {
        ended(`ended the process that loads it (${signal ?? `exit code ${code}`}) ${this.#words}`.trim())
      })
    })
  }

  #kill(): void {
    try {
      if (this.#child.pid !== undefined) process.kill(-this.#child.pid, 'SIGKILL')
    } catch {
      this.#child.kill('SIGKILL')
    }
  }
}

/** The file of a process beside the module of the URL, as source or as built. */
export const entryBeside = (url: string, name: string): string =>
  fileURLToPath(new URL(`./${name}.${url.endsWith('.ts') ? 'ts' : 'js'}`, url))
