/**
 * Commands on a login node, by the `ssh` of this machine and its configuration.
 *
 * - ssh.H1 no setting is an option of `ssh` or a command of a shell: the address stands behind `--`, and each word that a
 *   shell would read in any other way is quoted.
 * - ssh.H2 what is secret goes over standard input.
 * - ssh.H3 a command has its time and its share of memory, whatever the other side does.
 * @module
 */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import type { Readable } from 'node:stream'

import type { Clock } from '@flow-service/core'
import { withoutCredentials } from '@flow-service/worker-agent'

import type { Environment } from '../process/setting.ts'
import { GIVEN_UP, SchedulerError } from './scheduler.ts'
import { lastWords, quoted } from './shell-words.ts'

/** A connection that is neither refused nor made takes longer than any answer. */
const TIMEOUT_MS = 30_000
/** A queue of a hundred thousand tasks, which are those of the whole account. */
const MAX_OUTPUT_BYTES = 8 * 1024 * 1024
/** From here on a signal has ended the command; 255 is the exit status of `ssh` itself, too. */
const CUT = 128

/** Who is connected to, and how. */
export interface SshDeps {
  readonly login: string
  /** Path of a private key; null leaves the choice to `ssh`. */
  readonly key: string | null
  readonly clock: Clock
  /** Where `ssh` is found. */
  readonly env?: Environment
}

/** A login node. */
export class Ssh {
  readonly #deps: SshDeps

  constructor(deps: SshDeps) {
    this.#deps = deps
  }

  /** Runs a command there; what it prints. Rejects with a {@link SchedulerError}. */
  async run(words: readonly string[], input: string, signal: AbortSignal): Promise<string> {
    const { login, key, clock, env = process.env } = this.#deps
    if (signal.aborted) throw new SchedulerError('unsent', GIVEN_UP)
    const options = ['-o', 'BatchMode=yes', ...(key === null ? [] : ['-i', key])]
    // Ctrl-C of a terminal is for the engine: it gives up what it does itself
    const child = spawn('ssh', [...options, '--', login, ...words.map(quoted)], { detached: true, env: sshEnv(env) })
    const [out, errors] = [new Kept(child.stdout), new Kept(child.stderr)]
    child.stdin.on('error', () => {})
    child.stdin.end(input)
    const cut = Promise.withResolvers<never>()
    const give = (text: string) => (): void => cut.reject(new SchedulerError('unknown', text))
    const stop = give(GIVEN_UP)
    signal.addEventListener('abort', stop)
    const late = clock.setTimer(TIMEOUT_MS, give(`ssh to ${login} did not end within ${TIMEOUT_MS / 1000} s`))
    try {
      const code = await Promise.race([endOf(child), cut.promise])
      if (code === 0 && !out.isCut) return out.text()
      if (code === 0) throw new SchedulerError('unknown', `${words[0]} on ${login} prints more than can be read`)
      const said = lastWords(errors.text()) || lastWords(out.text())
      if (code === null || code > CUT) throw new SchedulerError('unknown', said || `ssh to ${login} failed`)
      throw new SchedulerError('refused', said || `${words[0]} on ${login} ended with ${code}`)
    } finally {
      late()
      signal.removeEventListener('abort', stop)
      kill(child)
    }
  }
}

/** Agents of keys are found by a variable that looks like a credential, and is the path of a socket. */
const sshEnv = (env: Environment): Record<string, string> => ({
  ...withoutCredentials(env),
  ...(env['SSH_AUTH_SOCK'] === undefined ? {} : { SSH_AUTH_SOCK: env['SSH_AUTH_SOCK'] }),
})

/** The exit status; null when a signal has ended it. */
function endOf(child: ChildProcessWithoutNullStreams): Promise<number | null> {
  return new Promise((resolve, reject) => {
    child.once('close', resolve)
    child.once('error', (error: NodeJS.ErrnoException) => {
      const text = error.code === 'ENOENT' ? 'there is no program "ssh" on the PATH of the engine' : error.message
      reject(new SchedulerError('unsent', text))
    })
  })
}

/** What hangs behind `ssh`, such as a program that it connects through, has its group. */
function kill(child: ChildProcessWithoutNullStreams): void {
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy()
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  try {
    process.kill(-child.pid, 'SIGKILL')
  } catch {
    // it has ended meanwhile
  }
}

/** The first bytes of an output; the rest is read and dropped, so that nobody waits for a full pipe. */
class Kept {
  isCut = false
  readonly #chunks: Buffer[] = []
  #left = MAX_OUTPUT_BYTES

  constructor(stream: Readable) {
    stream.on('error', () => {})
    stream.on('data', (chunk: Buffer) => {
      const kept = chunk.subarray(0, this.#left)
      this.#left -= kept.length
      this.isCut ||= kept.length < chunk.length
      if (kept.length > 0) this.#chunks.push(kept)
    })
  }

  text(): string {
    return Buffer.concat(this.#chunks).toString()
  }
}
