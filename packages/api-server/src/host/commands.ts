/**
 * Commands that nodes run on the engine's machine. States of one: *running*, then *ended* once its program is reaped, its
 * process group killed and its outputs read. What leaves its group on purpose may hold the outputs open; it is not waited
 * for. An engine that is killed takes its commands with it.
 * @module
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { constants } from 'node:os'
import type { Readable } from 'node:stream'

import { type Command, type CommandEnd, MAX_COMMAND_OUTPUT_BYTES } from '@flow-service/connector-sdk'

import { CommandLifeline } from '../process/command-lifeline.ts'

type Variables = Readonly<Record<string, string>>

/** Characters of a line that has no end. */
const MAX_LINE = 65_536

/** Milliseconds that outputs may stay open behind a program that is gone. */
const DRAIN_MS = 500

const lifeline = new CommandLifeline()

/** Where commands run, and what they see. */
export interface CommandSetting {
  /** Working directory. */
  readonly directory: string
  readonly env: Variables
  /** Hears each whole line of both outputs while the command runs. */
  readonly onLine?: (line: string) => void
}

/** Runs a command in its own process group; rejects when it cannot be started, or with its signal's reason. */
export async function runCommand(command: Command, own: Variables, setting: CommandSetting): Promise<CommandEnd> {
  const { file, args, signal } = command
  signal.throwIfAborted()
  const child = spawn(file, args, {
    cwd: setting.directory,
    env: { ...setting.env, ...own },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const release = child.pid === undefined ? (): void => {} : lifeline.hold(child.pid)
  const outputs = [new Kept(child.stdout), new Kept(child.stderr)] as const
  if (setting.onLine) for (const stream of [child.stdout, child.stderr]) hearLines(stream, setting.onLine)
  const kill = (): void => killGroup(child)
  signal.addEventListener('abort', kill)
  try {
    const exitCode = await exitOf(child)
    signal.throwIfAborted()
    const [stdout, stderr] = outputs
    return { exitCode, stdout: stdout.text(), stderr: stderr.text(), dropped: stdout.dropped + stderr.dropped }
  } finally {
    release()
    signal.removeEventListener('abort', kill)
  }
}

function hearLines(stream: Readable, onLine: (line: string) => void): void {
  const decoder = new TextDecoder()
  let begun = ''
  stream.on('data', (chunk: Buffer) => {
    const lines = (begun + decoder.decode(chunk, { stream: true })).split(/\r?\n|\r/)
    begun = (lines.pop() ?? '').slice(-MAX_LINE)
    for (const line of lines) onLine(line)
  })
  stream.on('close', () => {
    if (begun !== '') onLine(begun)
  })
}

/** The first bytes of an output; the rest is read and counted, so that nobody waits for a full pipe. */
class Kept {
  dropped = 0
  readonly #chunks: Buffer[] = []
  #left = MAX_COMMAND_OUTPUT_BYTES

  constructor(stream: Readable) {
    stream.on('error', () => {
      // a broken pipe ends the output; the exit tells the story
    })
    stream.on('data', (chunk: Buffer) => {
      const kept = chunk.subarray(0, this.#left)
      this.#left -= kept.length
      this.dropped += chunk.length - kept.length
      if (kept.length > 0) this.#chunks.push(kept)
    })
  }

  /** As databases take it: a character that the bound has cut is left out, and there is no NUL. */
  text(): string {
    const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
    return decoder.decode(Buffer.concat(this.#chunks), { stream: this.dropped > 0 }).replaceAll('\0', '\uFFFD')
  }
}

function exitOf(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    let drain: NodeJS.Timeout | undefined
    child.once('error', (error: NodeJS.ErrnoException) =>
      reject(new Error(`the command cannot be started: ${error.code ?? error.message}`)),
    )
    child.once('exit', () => {
      killGroup(child)
      drain = setTimeout(() => {
        child.stdout?.destroy()
        child.stderr?.destroy()
      }, DRAIN_MS)
    })
    child.once('close', (code, signal) => {
      clearTimeout(drain)
      resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal]))
    })
  })
}

/** With everything that the program has started and that has not left its group. */
function killGroup(child: ChildProcess): void {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
  } catch {
    // the group is empty
  }
}
