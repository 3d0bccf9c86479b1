/**
 * Processes that are spawned with pipes of their own: all Node processes, and Python ones where there is no fork.
 * Descriptors of a process: 3 is what it says, 4 is what it is told, 5 ends it when the agent is gone.
 * @module
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { extname } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'

import type { Message } from './channel.ts'
import { describeExit, type EndSignal, type Exit, Process } from './process.ts'
import type { Workspace } from './workspace.ts'

/** What to spawn. */
export interface Program {
  readonly path: string
  readonly args: readonly string[]
  readonly env: Record<string, string>
  /** Told to the process before it says that it is ready. */
  readonly first?: Message
}

/** A process that has run nothing, once it has said `ready`. Rejects when the program cannot be started. */
export async function startSpawned(program: Program, workspace: Workspace): Promise<Process> {
  const directory = workspace.make()
  const child = spawn(program.path, program.args, {
    cwd: directory,
    env: program.env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe', 'pipe', 'pipe', 'pipe'],
  })
  const exited = exitOf(child)
  if (child.pid === undefined) throw new Error(`${program.path} ${(await exited).cause}`)
  const [, stdout, stderr, output, input, lifeline] = child.stdio as unknown as Readable[]
  const started = new Process({
    pid: child.pid,
    directory,
    input: input as unknown as Writable,
    output: output as Readable,
    stdout: stdout as Readable,
    stderr: stderr as Readable,
    mute: [input as Readable, lifeline as Readable],
    exited,
    kill: (signal) => killGroup(child, signal),
  })
  await readiness(program, started)
  return started
}

const nodeRunner = fileURLToPath(new URL(`./node-runner${extname(import.meta.url)}`, import.meta.url))

/**
 * A Node process for bundles of TypeScript. Starting one takes tens of milliseconds, so a spare is kept (pool.ts). Rejects
 * when Node cannot be started.
 */
export const startCodeProcess = (env: Record<string, string>, workspace: Workspace): Promise<Process> =>
  startSpawned(
    {
      path: process.execPath,
      args: ['--enable-source-maps', '--disable-warning=ExperimentalWarning', nodeRunner],
      env,
      first: { type: 'prepare' },
    },
    workspace,
  )

function readiness({ path, first }: Program, started: Process): Promise<void> {
  return new Promise((resolve, reject) => {
    let complaint = ''
    started.listen({
      onMessage() {
        started.ignore()
        resolve()
      },
      onOutput(_, chunk) {
        complaint += chunk.toString()
      },
      onEnded(exit) {
        reject(new Error(`a new process of ${path} ${describeExit(exit)} ${complaint}`.trimEnd()))
      },
    })
    if (first !== undefined) started.send(first)
  })
}

function exitOf(child: ChildProcess): Promise<Exit> {
  return new Promise((resolve) => {
    child.once('error', (error) => resolve({ code: null, signal: null, cause: `cannot be started: ${error.message}` }))
    child.once('exit', (code, signal) => {
      // What the code has started in its group must not outlive it.
      signalGroup(child.pid, 'SIGKILL')
      resolve({ code, signal, cause: null })
    })
  })
}

function killGroup(child: ChildProcess, signal: EndSignal): void {
  if (child.exitCode === null && child.signalCode === null) signalGroup(child.pid, signal)
}

function signalGroup(pid: number | undefined, signal: EndSignal): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, signal)
  } catch {
    // The group is empty.
  }
}
