/**
 * The agent's temporary directory: working directories of processes and the sockets of zygotes' forks. Its name
 * carries the agent's mark and the engine's process, so that a later start can tell whose it was (workspace.W2 in
 * DESIGN.md).
 * @module
 */
import { randomBytes } from 'node:crypto'
import { mkdirSync, readdirSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'

/** Longest path of a Unix socket, in bytes: 104 on macOS, 108 on Linux, the final zero included. */
const MAX_SOCKET_PATH = 103

/** The counter of a workspace reaches no more digits. */
const LONGEST_SOCKET_NAME = 's9999999'

/** Where one agent keeps its temporary files. */
export class Workspace {
  readonly path: string
  #count = 0

  /** Throws when `directory` is too long a path for a socket in it. */
  constructor(directory: string, mark: string) {
    const name = `${prefixOf(mark)}${process.pid}-${bootOf()}-${randomBytes(3).toString('hex')}`
    this.path = join(directory, name)
    if (Buffer.byteLength(this.path) + LONGEST_SOCKET_NAME.length + 1 > MAX_SOCKET_PATH)
      throw new Error(
        `the directory ${directory} is too long for a socket in it: give a shorter "directory", or a shorter TMPDIR`,
      )
    mkdirSync(this.path, { recursive: true, mode: 0o700 })
  }

  /** A path for a socket that nobody else has. */
  socket(): string {
    this.#count += 1
    return join(this.path, `s${this.#count}`)
  }

  /** A new empty directory. */
  make(): string {
    this.#count += 1
    const path = join(this.path, String(this.#count))
    mkdirSync(path, { recursive: true })
    return path
  }

  async remove(): Promise<void> {
    await rm(this.path, { recursive: true, force: true, maxRetries: 2 })
  }
}

/** Directories that agents with this mark left behind when their engine died. */
export function abandonedWorkspaces(directory: string, mark: string, isAlive: (pid: number) => boolean): string[] {
  const prefix = prefixOf(mark)
  return namesIn(directory)
    .filter((name) => {
      if (!name.startsWith(prefix)) return false
      const [pid, boot] = name.slice(prefix.length).split('-')
      return Number(pid) === process.pid ? boot !== bootOf() : !isAlive(Number(pid))
    })
    .map((name) => join(directory, name))
}

const prefixOf = (mark: string): string => `flow-worker-${mark}-`

/** Tells this process from an earlier one with the same number. */
const bootOf = (): string => Math.round(performance.timeOrigin).toString(36)

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory)
  } catch {
    return []
  }
}
