/** The `service` command as a process of its own. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'

import { serviceCommand } from './engine-process.ts'

/** What a command has left behind. */
export interface Ended {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

export interface CommandOptions {
  /** Folder that it runs in, and finds no sign-in of anybody above. */
  readonly cwd: string
  readonly env?: NodeJS.ProcessEnv
  /** Its standard input. */
  readonly input?: string
}

/** Starts a command; its streams are text. */
export function begin(args: readonly string[], { cwd, env = {} }: CommandOptions): ChildProcessWithoutNullStreams {
  const child = spawn(process.execPath, serviceCommand(...args), {
    cwd,
    env: { PATH: process.env.PATH, HOME: cwd, ...env },
  })
  child.stdout.setEncoding('utf8')
  child.stderr.setEncoding('utf8')
  return child
}

/** What a command says until it ends; `act` is what happens meanwhile. */
export async function ended(
  child: ChildProcessWithoutNullStreams,
  act: (child: ChildProcessWithoutNullStreams) => Promise<void> | void = () => {},
): Promise<Ended> {
  let out = ''
  let err = ''
  child.stdout.on('data', (text: string) => (out += text))
  child.stderr.on('data', (text: string) => (err += text))
  const closed = new Promise<number | null>((resolve) => child.once('close', resolve))
  await act(child)
  return { code: await closed, out, err }
}

/** Runs a command to its end. */
export const runService = (args: readonly string[], options: CommandOptions): Promise<Ended> =>
  ended(begin(args, options), (child) => void child.stdin.end(options.input ?? ''))
