/**
 * Watches sources of flows and connectors: the modules and other texts of folders and below them, and further files by name.
 *
 * The operating system only tells when to look: what counts is whether a file is another one than at the last look (its
 * identity, size or time), so that nothing is missed that was announced badly, and nothing is told twice.
 * - source-watch.W1 a look is taken before each call of `changed`, and after it another one: what changes during a call
 *   causes the next. Calls do not overlap.
 * - source-watch.W2 a burst of changes is one: a look waits until it has been quiet for {@link QUIET_MS}, at most
 *   {@link PATIENCE_MS}.
 * - source-watch.W3 where a folder cannot be watched (it is away, or the system has no more watches), it is looked at
 *   every second.
 *
 * Not by `chokidar`: it begins to watch some time after it was asked to, so that a save in between is lost (without looks
 * of our own always, with them for files by name now and then), and takes four times the memory.
 * @module
 */
import { type FSWatcher, readdirSync, statSync, watch } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const QUIET_MS = 60
const PATIENCE_MS = 1000
const POLL_MS = 1000

/** What to watch. */
export interface SourceWatchOptions {
  readonly directories: readonly string[]
  /** Absolute paths of further files; asked for at each look. */
  readonly files: () => readonly string[]
  /** Called after changes; must not reject. */
  readonly changed: () => Promise<void>
}

/** A watch that looked at the folders when it was made. */
export interface SourceWatch {
  /** Whether something has changed that no call of `changed` has been told of. */
  isBehind(): boolean
  /** Begins; what has changed in the folders since the watch was made counts. */
  start(): void
  /** Ends; resolves when no call of `changed` is under way. */
  close(): Promise<void>
}

/** The sources in directories and below them, as a watch looks for them; absolute paths. */
export const sourcesIn = (directories: readonly string[]): string[] => [
  ...lookAt(
    directories.map((directory) => resolve(directory)),
    [],
  ).tree.keys(),
]

/** A watch of sources. */
export function watchSources({ directories, files, changed }: SourceWatchOptions): SourceWatch {
  const roots = directories.map((directory) => resolve(directory))
  let seen = lookAt(roots, [])
  let timer: NodeJS.Timeout | undefined
  let firstAtMs: number | null = null
  let working: Promise<void> | null = null
  let closed = false

  const notice = (): void => {
    if (closed || working) return // source-watch.W1
    const nowMs = performance.now()
    firstAtMs ??= nowMs
    clearTimeout(timer)
    timer = setTimeout(begin, Math.min(QUIET_MS, Math.max(0, firstAtMs + PATIENCE_MS - nowMs)))
  }
  const watchers = new FolderWatchers(notice)
  const begin = (): void => {
    firstAtMs = null
    working = work().finally(() => (working = null))
  }
  const work = async (): Promise<void> => {
    while (!closed) {
      const before = seen
      seen = lookAt(roots, files())
      watchers.replace(seen.folders)
      if (!differs(before, seen)) return
      await changed()
      await sleep(QUIET_MS)
    }
  }

  return {
    isBehind: () => differs(seen, lookAt(roots, files())),
    start() {
      watchers.replace(seen.folders)
      notice()
    },
    async close() {
      closed = true
      clearTimeout(timer)
      watchers.close()
      await working
    },
  }
}

/** Watches of folders, or looks every second where that cannot be. */
class FolderWatchers {
  readonly #watchers = new Map<string, FSWatcher>()
  readonly #notice: () => void
  #poll: NodeJS.Timeout | undefined

  constructor(notice: () => void) {
    this.#notice = notice
  }

  replace(folders: ReadonlySet<string>): void {
    for (const path of this.#watchers.keys()) if (!folders.has(path)) this.#drop(path)
    const unwatched = [...folders].filter((path) => !this.#watchers.has(path) && !this.#add(path))
    clearInterval(this.#poll)
    if (unwatched.length > 0) this.#poll = setInterval(this.#notice, POLL_MS)
  }

  close(): void {
    clearInterval(this.#poll)
    for (const path of this.#watchers.keys()) this.#drop(path)
  }

  #add(path: string): boolean {
    try {
      const watcher = watch(path, this.#notice)
      watcher.on('error', () => {
        this.#drop(path)
        this.#notice()
      })
      this.#watchers.set(path, watcher)
      return true
    } catch {
      return false // source-watch.W3
    }
  }

  #drop(path: string): void {
    this.#watchers.get(path)?.close()
    this.#watchers.delete(path)
  }
}

/** What a look has found: files with what tells them from others. */
interface Look {
  readonly tree: ReadonlyMap<string, string>
  /** Files outside of the folders. */
  readonly others: ReadonlyMap<string, string>
  readonly folders: ReadonlySet<string>
}

function lookAt(roots: readonly string[], files: readonly string[]): Look {
  const tree = new Map<string, string>()
  const folders = new Set(roots)
  for (const root of roots) walk(root, tree, folders)
  const others = new Map<string, string>()
  for (const file of files) {
    if (tree.has(file)) continue
    others.set(file, stampOf(file))
    folders.add(dirname(file))
  }
  return { tree, others, folders }
}

function walk(folder: string, tree: Map<string, string>, folders: Set<string>): void {
  for (const entry of entriesOf(folder)) {
    const path = join(folder, entry.name)
    if (entry.isDirectory() && !/^(?:\..*|node_modules)$/.test(entry.name)) {
      folders.add(path)
      walk(path, tree, folders)
    } else if (!entry.isDirectory() && /\.(?:[cm]?[jt]sx?|json|py)$/.test(entry.name)) tree.set(path, stampOf(path))
  }
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return [] // gone since it was named
  }
}

function stampOf(file: string): string {
  const stat = statSync(file, { bigint: true, throwIfNoEntry: false })
  return stat ? `${stat.ino} ${stat.size} ${stat.mtimeNs}` : 'absent'
}

/** A file outside of the folders that was not looked at before is no change. */
function differs(before: Look, now: Look): boolean {
  if (before.tree.size !== now.tree.size) return true
  for (const [path, stamp] of now.tree) if (before.tree.get(path) !== stamp) return true
  for (const [path, stamp] of now.others) if ((before.others.get(path) ?? stamp) !== stamp) return true
  return false
}
