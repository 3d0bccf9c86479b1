/** `service serve` as a process of its own, to be stopped and killed. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { type Client, createClient } from '@flow-service/client-sdk'
import { afterAll } from 'vitest'

import { findPython } from '../packages/worker-agent/src/index.ts'
import { nodeArguments } from './components/node-arguments.ts'

/** Looked for once: shims of version managers take longer than a start may. */
const python = await findPython(process.env)
const bin = join(import.meta.dirname, '..', 'packages', 'cli', 'src', 'bin.ts')

/** Arguments of Node for the `service` command from source. */
export const serviceCommand = (...args: string[]): string[] => [...nodeArguments, bin, ...args]

export interface EngineProcess {
  readonly child: ChildProcess
  readonly baseUrl: string
  readonly origin: string
  readonly token: string
  readonly client: Client
  /** What it has written to its outputs. */
  readonly output: () => string
  /** Ends the process by a signal and waits for its end; resolves with its exit code, null after a kill. */
  end(signal: NodeJS.Signals): Promise<number | null>
}

/** Those of the test file that are in use. */
const directories = new Set<DataDirectory>()
// a test that has run out of time disposes of nothing
afterAll(() => {
  for (const directory of directories) directory[Symbol.dispose]()
})

/** A data directory for engines that come and go: a new one, unless told which. */
export class DataDirectory implements Disposable {
  readonly path: string
  readonly #children = new Set<ChildProcess>()

  constructor(path = mkdtempSync(join(tmpdir(), 'engine-'))) {
    this.path = path
    directories.add(this)
  }

  /**
   * Starts an engine on this directory and waits until it listens; on any free port, unless told which. `program` is a file
   * in place of the command: it is given the port and the directory.
   */
  async start(env: NodeJS.ProcessEnv = {}, port = '0', program: string | null = null): Promise<EngineProcess> {
    const command =
      program === null
        ? serviceCommand('serve', '--port', port, '--data', this.path)
        : [...nodeArguments, program, port, this.path]
    const child = spawn(process.execPath, command, {
      env: {
        ...process.env,
        SERVICE_LOG_LEVEL: 'warn',
        SERVICE_ENVIRONMENT: 'local',
        ...(python ? { SERVICE_PYTHON: python.path } : {}),
        ...env,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    this.#children.add(child)
    let output = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => (output += text))
    const ready = new Promise<void>((resolve) => {
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        output += text
        if (output.includes('flow-service listens')) resolve()
      })
    })
    const ended = once(child, 'exit').then(() => {
      throw new Error(`the engine ended before it listened:\n${output}`)
    })
    await Promise.race([ready, ended])
    ended.catch(() => {})
    const { base_url: baseUrl, access_token: token } = JSON.parse(
      readFileSync(join(this.path, 'cli.json'), 'utf8'),
    ) as Record<'base_url' | 'access_token', string>
    return {
      child,
      baseUrl,
      origin: new URL(baseUrl).origin,
      token,
      client: createClient({ baseUrl, token }),
      output: () => output,
      async end(signal) {
        if (child.exitCode !== null || child.signalCode !== null) return child.exitCode
        const exit = once(child, 'exit')
        child.kill(signal)
        return (await exit)[0] as number | null
      },
    }
  }

  /**
   * Starts an engine and kills it so many milliseconds later, whatever it is at; `work` has it as soon as it listens, and
   * ends with it.
   */
  async crash(
    afterMs: number,
    work: (engine: EngineProcess) => Promise<unknown>,
    env: NodeJS.ProcessEnv = {},
  ): Promise<void> {
    const before = new Set(this.#children)
    const started = this.start(env).then(work)
    const child = [...this.#children].find((one) => !before.has(one))
    if (!child) throw new Error('no engine was started')
    const exit = once(child, 'exit')
    setTimeout(() => child.kill('SIGKILL'), afterMs)
    await Promise.allSettled([started, exit])
  }

  [Symbol.dispose](): void {
    directories.delete(this)
    for (const child of this.#children) child.kill('SIGKILL')
    rmSync(this.path, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** Command lines of the processes that carry a text in their environment. */
export function processesWith(text: string): string[] {
  const found: string[] = []
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      if (!readFileSync(`/proc/${pid}/environ`, 'utf8').includes(text)) continue
      const line = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim()
      if (line !== '') found.push(line)
    } catch {
      // ended meanwhile
    }
  }
  return found
}
