/**
 * A process that runs node code, whatever its language: a fork of the Python zygote or a Node process. States:
 * - *idle*: nothing listens; it waits for a call on its control channel.
 * - *busy*: a call listens to its messages and output.
 * - *leaving*: told to end (`retire`, `terminate`, `kill`), with a SIGKILL set for 5 s later.
 * - *ended*: reaped, everything that it wrote has been read, its group killed; its directory goes next.
 * Invariants process.P1-P7 are in DESIGN.md.
 * @module
 */
import { rm } from 'node:fs/promises'
import type { Readable, Writable } from 'node:stream'
import { setImmediate as turn } from 'node:timers/promises'

import { encodeFrame, FrameReader, type Message } from './channel.ts'

/** Milliseconds between asking a process to end and SIGKILL. */
const GRACE_MS = 5000

/** Milliseconds that a process may go on without its channel: one that ends closes it a little earlier. */
const CLOSING_MS = 200

export type EndSignal = 'SIGTERM' | 'SIGKILL'
export type OutputName = 'stdout' | 'stderr'

/** How a process ended; `cause` is set where its code and signal do not tell. */
export interface Exit {
  readonly code: number | null
  readonly signal: string | null
  readonly cause: string | null
}

/** A started program, as its maker hands it over. */
export interface ProcessDeps {
  readonly pid: number
  /** Working directory, removed after the end with everything in it. */
  readonly directory: string
  readonly input: Writable
  readonly output: Readable
  readonly stdout: Readable
  readonly stderr: Readable
  /** What else the process could write to, and never does by itself. */
  readonly mute: readonly Readable[]
  /** Settles when the process is reaped and its group has been killed; never rejects. */
  readonly exited: Promise<Exit>
  /** Signals the process group; does nothing after the end. */
  kill(signal: EndSignal): void
}

/** Who hears of a busy process. */
export interface ProcessListener {
  /** A promise holds the process back until it settles: its channel is not read meanwhile. */
  onMessage(message: Message, data: Uint8Array): void | Promise<void>
  onOutput(name: OutputName, chunk: Buffer): void
  /** It is gone, and all that it wrote has been heard. */
  onEnded(exit: Exit): void
}

/** A process that runs node code. */
export class Process {
  readonly pid: number
  /** Settles when the process is gone and all that it wrote has been heard. Never rejects. */
  readonly ended: Promise<Exit>
  /** Settles after `ended`, when its directory is removed. Never rejects. */
  readonly cleared: Promise<void>
  /** The nonce of the latest call, which everything carries that the process says of it. */
  nonce = ''
  readonly #deps: ProcessDeps
  #listener: ProcessListener | null = null
  #held: PromiseWithResolvers<void> | null = null
  #leaving = false
  #broken: string | null = null
  #deadline: NodeJS.Timeout | undefined
  #closing: NodeJS.Timeout | undefined

  constructor(deps: ProcessDeps) {
    this.#deps = deps
    this.pid = deps.pid
    this.#readChannel()
    deps.input.on('error', () => {
      // Writing to a process that has just died; its exit tells the story.
    })
    for (const name of ['stdout', 'stderr'] as const) {
      deps[name].on('error', () => {})
      deps[name].on('data', (chunk: Buffer) => this.#listener?.onOutput(name, chunk))
    }
    for (const stream of deps.mute) {
      stream.on('error', () => {})
      stream.on('data', () => this.#break('it wrote to a descriptor that is not for writing'))
    }
    this.ended = this.#end()
    this.cleared = this.ended.then(async (exit) => {
      this.#listener?.onEnded(exit)
      await clear(deps.directory)
    })
  }

  /** Whether it may still be given a call. */
  get usable(): boolean {
    return !this.#leaving
  }

  /** Makes the process busy. */
  listen(listener: ProcessListener): void {
    this.#listener = listener
  }

  /** Makes the process idle: what it writes from now on is read and dropped. */
  ignore(): void {
    this.#listener = null
  }

  send(message: Message, data?: Uint8Array): void {
    if (this.#deps.input.writable) for (const part of encodeFrame(message, data)) this.#deps.input.write(part)
  }

  /** Lets it end by itself: no more calls come, and it may still flush what it has written. */
  retire(): void {
    if (this.#leaving) return
    this.#leave()
    this.#deps.input.end()
  }

  /** Interrupts it: SIGTERM to its group now, SIGKILL 5 s later. */
  terminate(): void {
    this.#leave()
    this.#resume()
    this.#deps.kill('SIGTERM')
  }

  /** Ends it now. */
  kill(): void {
    this.#leaving = true
    this.#resume()
    this.#deps.kill('SIGKILL')
  }

  /** Settles after everything has been heard that the process wrote before now. */
  async settled(): Promise<void> {
    do {
      await this.#held?.promise
      // Written bytes are in our socket's queue, and one turn of the loop reads a queue to its end (process.P2). Two,
      // because the first may have begun before they were written.
      await turn()
      await turn()
    } while (this.#held)
  }

  #leave(): void {
    this.#leaving = true
    this.#deadline ??= setTimeout(() => this.#deps.kill('SIGKILL'), GRACE_MS)
  }

  #readChannel(): void {
    const { output } = this.#deps
    const reader = new FrameReader((message, data) => this.#hear(message, data))
    output.on('error', () => {})
    output.on('data', (chunk: Buffer) => {
      if (this.#broken !== null) return
      try {
        reader.push(chunk)
      } catch (error) {
        this.#break(`it wrote something else than frames to its control channel: ${(error as Error).message}`)
      }
    })
    output.on('end', () => {
      this.#closing = setTimeout(() => {
        if (!this.#leaving) this.#break('it closed its control channel')
      }, CLOSING_MS)
    })
  }

  #hear(message: Message, data: Uint8Array): void {
    const behind = this.#listener?.onMessage(message, data)
    if (!behind || this.#leaving) return
    this.#resume()
    this.#deps.output.pause()
    const held = Promise.withResolvers<void>()
    this.#held = held
    const release = (): void => {
      if (this.#held === held) this.#resume()
    }
    behind.then(release, release)
  }

  #resume(): void {
    const held = this.#held
    this.#held = null
    held?.resolve()
    this.#deps.output.resume()
  }

  #break(why: string): void {
    this.#broken ??= why
    this.kill()
  }

  async #end(): Promise<Exit> {
    const { exited, input, output, stdout, stderr } = this.#deps
    const exit = await exited
    this.#leaving = true
    clearTimeout(this.#deadline)
    clearTimeout(this.#closing)
    await this.settled()
    clearTimeout(this.#closing)
    for (const stream of [input, output, stdout, stderr]) stream.destroy()
    return this.#broken === null ? exit : { ...exit, cause: this.#broken }
  }
}

/** The end of a process in words that follow "the process". */
export function describeExit({ code, signal, cause }: Exit): string {
  if (cause !== null) return `ended: ${cause}`
  if (signal === 'SIGKILL') return 'was ended by SIGKILL (out of memory, or killed from outside)'
  return signal === null ? `exited with code ${code ?? 'unknown'}` : `was ended by ${signal}`
}

async function clear(directory: string): Promise<void> {
  try {
    await rm(directory, { recursive: true, force: true, maxRetries: 2 })
  } catch {
    // The code made something that cannot be removed, such as a mount; the sweep of the next start tries again.
  }
}
