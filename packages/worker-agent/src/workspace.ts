/**
 * The agent's temporary directory: working directories of processes and the sockets of zygotes' forks. Its name
 * carries the agent's mark and the engine's process, so that a later start can tell whose it was (workspace.W2 in
 * DESIGN.md). Where its path is too long for sockets, these have a directory of that name in a shorter place.
 * @module
 */
import { randomBytes } from 'node:crypto'
import { mkdirSync, readdirSync, rmdirSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'

/** Longest path of a Unix socket, in bytes: 104 on macOS, 108 on Linux, the final zero included. */
const MAX_SOCKET_PATH = 103

/** The counter of a workspace reaches no more digits. */
const LONGEST_SOCKET_NAME = 's9999999'

/** Where sockets go that would have too long a path in the directory of an agent. */
export const SHORT_PLACES: readonly string[] = ['/tmp', '/var/tmp', '/dev/shm']

/** Where one agent keeps its temporary files. */
export class Workspace {
  readonly path: string
  /** The same as `path` where that is short enough. */
  readonly #sockets: string
  #count = 0

  /** Throws when there is no room: neither `directory` nor one of `places` is short enough for a socket in it. */
  constructor(directory: string, mark: string, places: readonly string[] = SHORT_PLACES) {
    const name = `${prefixOf(mark)}${process.pid}-${bootOf()}-${randomBytes(3).toString('hex')}`
    this.path = join(directory, name)
    mkdirSync(this.path, { recursive: true, mode: 0o700 })
    try {
      this.#sockets = isShort(this.path) ? this.path : makeIn(places, name, directory)
    } catch (error) {
      rmdirSync(this.path)
      throw error
    }
  }

  /** A path for a socket that nobody else has. */
  socket(): string {
    this.#count += 1
    return join(this.#sockets, `s${this.#count}`)
  }

  /** A new empty directory. */
  make(): string {
    this.#count += 1
    const path = join(this.path, String(this.#count))
    mkdirSync(path, { recursive: true })
    return path
  }

  async remove(): Promise<void> {
    for (const path of new Set([this.path, this.#sockets])) {
      // oxlint-disable-next-line no-await-in-loop -- they are two at most
      await rm(path, { recursive: true, force: true, maxRetries: 2 })
    }
  }
}

const isShort = (path: string): boolean => Buffer.byteLength(path) + LONGEST_SOCKET_NAME.length + 1 <= MAX_SOCKET_PATH

/** Makes a directory in the first of these places that has room for it; one that is there already is not ours. */
function makeIn(places: readonly string[], name: string, instead: string): string {
  for (const place of places) {
    const path = join(place, name)
    if (!isShort(path)) continue
    try {
      mkdirSync(path, { mode: 0o700 })
      return path
    } catch {
      // the next place may have room
    }
  }
  throw new Error(
    `no directory is short enough for a socket: ${[instead, ...places].join(', ').replace(/, ([^,]*)$/, ' and $1')} were tried; give a shorter "directory", or a shorter TMPDIR`,
  )
}

/** Directories that agents with this mark left behind in one of these when their engine died. */
export function abandonedWorkspaces(
  directories: readonly string[],
  mark: string,
  isAlive: (pid: number) => boolean,
): string[] {
  const prefix = prefixOf(mark)
  return [...new Set(directories)].flatMap((directory) =>
    namesIn(directory)
      .filter((name) => {
        if (!name.startsWith(prefix)) return false
        const [pid, boot] = name.slice(prefix.length).split('-')
        return Number(pid) === process.pid ? boot !== bootOf() : !isAlive(Number(pid))
      })
      .map((name) => join(directory, name)),
  )
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
