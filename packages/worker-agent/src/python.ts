/**
 * Python processes: forks of one zygote per interpreter. The zygote is started at the first need, tells of its forks'
 * ends, and is started anew after it has died. A fork connects to our socket three times and names itself by a secret
 * that only it was given. Where the platform has no fork, or a fork was refused, a process is spawned instead.
 * @module
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { createServer, type Server, type Socket } from 'node:net'
import { constants } from 'node:os'
import type { Duplex, Readable } from 'node:stream'

import { encodeFrame, FrameReader, type Message } from './channel.ts'
import { OWNER_VARIABLE } from './environment.ts'
import { describeExit, type EndSignal, type Exit, Process } from './process.ts'
import { runnerPath } from './runner-source.ts'
import { startSpawned } from './spawned.ts'
import type { Workspace } from './workspace.ts'

/** No folder of ours on the import path of node code, and text is UTF-8 whatever the locale. */
const flags = ['-P', '-X', 'utf8']
const NAME_CHARS = 32
const PID_CHARS = 10
/** A fork's first bytes on each connection: its name, the part, its process number. */
const GREETING_CHARS = NAME_CHARS + 1 + PID_CHARS
const START_MS = 10_000
const MAX_COMPLAINT_CHARS = 4096
const signalNumbers: Record<EndSignal, number> = {
  SIGTERM: constants.signals.SIGTERM,
  SIGKILL: constants.signals.SIGKILL,
}

interface Fork {
  pid: number
  readonly sockets: Map<string, Socket>
  readonly connected: PromiseWithResolvers<void>
  readonly exited: PromiseWithResolvers<Exit>
}

/** The zygote could not fork: for want of processes or memory. */
class ForkRefused extends Error {}

/** The zygote died before it had forked. */
class ZygoteLost extends Error {}

/** An interpreter, and how processes are made of it. */
export interface PythonOptions {
  readonly path: string
  readonly env: Record<string, string>
  readonly workspace: Workspace
  /** Whether the platform has forks. */
  readonly fork: boolean
}

interface Zygote {
  readonly child: ChildProcess
  readonly control: Duplex
}

/** Where Python processes come from. */
export class Python {
  readonly #options: PythonOptions
  readonly #forks = new Map<string, Fork>()
  readonly #socket: string
  #server: Promise<Server> | null = null
  #zygote: Promise<Zygote> | null = null
  #isResting = false

  constructor(options: PythonOptions) {
    this.#options = options
    this.#socket = options.workspace.socket()
  }

  /** A process that has run nothing. Rejects when the interpreter cannot be started. */
  async start(): Promise<Process> {
    const { path, env, workspace, fork } = this.#options
    const spawned = (): Promise<Process> => startSpawned({ path, args: [...flags, runnerPath], env }, workspace)
    if (!fork) return await spawned()
    try {
      return await this.#fork()
    } catch (error) {
      if (error instanceof ForkRefused) return await spawned()
      if (error instanceof ZygoteLost) return await this.#fork()
      throw error
    }
  }

  async #fork(): Promise<Process> {
    this.#isResting = false
    this.#zygote ??= this.#startZygote().catch((error: unknown) => {
      this.#zygote = null
      throw error
    })
    const { control } = await this.#zygote
    const name = randomBytes(NAME_CHARS / 2).toString('hex')
    const fork: Fork = {
      pid: 0,
      sockets: new Map(),
      connected: Promise.withResolvers(),
      exited: Promise.withResolvers(),
    }
    this.#forks.set(name, fork)
    const directory = this.#options.workspace.make()
    write(control, { type: 'fork', process: name, directory })
    try {
      await this.#connection(fork)
    } catch (error) {
      await rm(directory, { recursive: true, force: true })
      throw error
    }
    return new Process({
      pid: fork.pid,
      directory,
      input: part(fork, 'c'),
      output: part(fork, 'c'),
      stdout: part(fork, 'o'),
      stderr: part(fork, 'e'),
      mute: [],
      exited: fork.exited.promise,
      kill: (signal) => this.#signal(control, name, signal),
    })
  }

  /** Ends the zygote once it has no fork, unless a process is asked for before; the next one begins with another zygote. */
  async rest(): Promise<void> {
    this.#isResting = true
    await this.#endWhenUnused()
  }

  async #endWhenUnused(): Promise<void> {
    const zygote = await this.#zygote?.catch(() => null)
    if (zygote && this.#isResting && this.#forks.size === 0) zygote.control.destroy()
  }

  /** Ends the zygote and with it all that is left of its forks. */
  async close(): Promise<void> {
    const zygote = await this.#zygote?.catch(() => null)
    if (zygote && zygote.child.exitCode === null && zygote.child.signalCode === null) {
      const gone = once(zygote.child, 'exit')
      zygote.control.destroy()
      await gone
    }
    const server = await this.#server
    server?.close()
  }

  async #connection(fork: Fork): Promise<void> {
    const died = fork.exited.promise.then((exit) => {
      const message = `a new process of ${this.#options.path} ${describeExit(exit)}`
      throw exit.cause === null ? new Error(message) : new ZygoteLost(message)
    })
    try {
      await Promise.race([fork.connected.promise, died])
    } catch (error) {
      for (const socket of fork.sockets.values()) socket.destroy()
      throw error
    }
    died.catch(() => {})
  }

  #signal(control: Duplex, name: string, signal: EndSignal): void {
    if (this.#forks.has(name)) write(control, { type: 'signal', process: name, signal: signalNumbers[signal] })
  }

  async #startZygote(): Promise<Zygote> {
    this.#server ??= this.#listen()
    await this.#server
    const { path, env, workspace } = this.#options
    const child = spawn(path, [...flags, runnerPath, this.#socket], {
      cwd: workspace.path,
      // of the length that forks overwrite it with
      env: { ...env, [OWNER_VARIABLE]: '0'.repeat(PID_CHARS) },
      detached: true,
      stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
    })
    const ended = endOf(child)
    if (child.pid === undefined) throw new Error(`${path} ${await ended}`)
    const control = child.stdio[3] as Duplex
    const complaint = listenTo(child.stderr as Readable)
    const ready = new Promise<Zygote>((resolve, reject) => {
      const reader = new FrameReader((message) => {
        if (message['type'] === 'ready') resolve({ child, control })
        else if (message['type'] === 'refused') this.#refused(message)
        else this.#forkEnded(message)
      })
      control.on('data', (chunk: Buffer) => reader.push(chunk))
      control.on('error', () => {})
      void ended.then((how) => {
        this.#zygoteEnded()
        reject(new Error(`${path} ${how} ${complaint()}`.trimEnd()))
      })
    })
    const late = setTimeout(() => child.kill('SIGKILL'), START_MS)
    return await ready.finally(() => clearTimeout(late))
  }

  /** Its forks have lost their parent, and with it their lives: the kernel ends them, and we what they have started. */
  #zygoteEnded(): void {
    this.#zygote = null
    for (const fork of this.#forks.values()) {
      killGroup(fork.pid)
      fork.exited.resolve({ code: null, signal: null, cause: 'the process that had started it is gone' })
    }
    this.#forks.clear()
  }

  #refused({ process: name, why }: Message): void {
    const fork = this.#forks.get(String(name))
    this.#forks.delete(String(name))
    fork?.connected.reject(new ForkRefused(String(why)))
    void this.#endWhenUnused()
  }

  #forkEnded({ process: name, code, signal }: Message): void {
    const fork = this.#forks.get(String(name))
    this.#forks.delete(String(name))
    fork?.exited.resolve({ code: code as number | null, signal: signal as string | null, cause: null })
    void this.#endWhenUnused()
  }

  async #listen(): Promise<Server> {
    const server = createServer((socket) => {
      socket.on('error', () => {})
      const greet = (): void => {
        const greeting = socket.read(GREETING_CHARS) as Buffer | null
        if (greeting === null) return
        socket.off('readable', greet)
        this.#greeted(socket, greeting.toString('latin1'))
      }
      socket.on('readable', greet)
    })
    server.listen(this.#socket)
    await once(server, 'listening')
    return server
  }

  #greeted(socket: Socket, greeting: string): void {
    const fork = this.#forks.get(greeting.slice(0, NAME_CHARS))
    const name = greeting.charAt(NAME_CHARS)
    if (!fork || fork.sockets.has(name)) {
      socket.destroy()
      return
    }
    fork.sockets.set(name, socket)
    fork.pid = Number(greeting.slice(NAME_CHARS + 1))
    if (fork.sockets.size === 3) fork.connected.resolve()
  }
}

function part(fork: Fork, name: 'c' | 'o' | 'e'): Socket {
  const socket = fork.sockets.get(name)
  if (!socket) throw new Error(`a Python process has connected without its part "${name}"`)
  return socket
}

function write(control: Duplex, message: Message): void {
  if (control.writable) for (const piece of encodeFrame(message)) control.write(piece)
}

/** How the zygote ends, in words that follow its path; never rejects. */
function endOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(`cannot be started: ${error.message}`))
    child.once('exit', (code, signal) => resolve(`ended (${signal ?? `code ${code}`})`))
  })
}

function killGroup(pid: number): void {
  try {
    if (pid > 0) process.kill(-pid, 'SIGKILL')
  } catch {
    // The group is empty.
  }
}

/** Keeps the last words of the zygote for an error message. */
function listenTo(stderr: Readable): () => string {
  let text = ''
  stderr.setEncoding('utf8').on('data', (chunk: string) => {
    text = (text + chunk).slice(-MAX_COMPLAINT_CHARS)
  })
  return () => text
}
