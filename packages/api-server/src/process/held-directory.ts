/**
 * The data directory of an open engine, which can go away under it: somebody removes, renames or unmounts it, or puts
 * another one in its place. An engine that went on by its path would make an empty one, or write into that of another
 * engine. The embedded database asks here before each statement, and the service hears of the loss.
 *
 * - held-directory.H1 a path is compared by device and inode with what was opened. Folders stay open meanwhile, and so
 *   does the lock: the number of a removed file could soon be that of a new one.
 * - held-directory.H2 what is lost stays lost, also when it comes back: somebody else may have written there meanwhile.
 * @module
 */
import fs from 'node:fs'
import path from 'node:path'

/** A path, and what it led to when it was opened. */
export interface HeldPath {
  readonly path: string
  readonly dev: bigint
  readonly ino: bigint
}

/** How often the paths are looked at while nobody asks; a look takes some 10 µs. */
const LOOK_EVERY_MS = 1_000

type SetTimer = (delayMs: number, run: () => void) => () => void

/** The data directory is no longer what the engine has opened. */
export class LostDirectory extends Error {
  override readonly name = 'LostDirectory'
  constructor(directory: string, lost: string) {
    const found = fs.existsSync(lost) ? 'is another one now' : 'is gone'
    super(
      `the data directory ${directory} was removed, moved or replaced while the engine used it (${lost} ${found}): ` +
        'nothing is written any more; put it back, then start the engine again',
    )
  }
}

/** A data directory that is held while an engine uses it. */
export class HeldDirectory {
  /** Resolves when the directory is lost. */
  readonly lost: Promise<LostDirectory>
  readonly #directory: string
  readonly #setTimer: SetTimer
  readonly #paths: HeldPath[] = []
  readonly #descriptors: number[] = []
  readonly #tell: (error: LostDirectory) => void
  #loss: LostDirectory | null = null
  #cancel: () => void

  /** Holds a directory that exists, until {@link release}; throws when it cannot be opened. */
  constructor(directory: string, setTimer: SetTimer = timer) {
    const { promise, resolve } = Promise.withResolvers<LostDirectory>()
    this.lost = promise
    this.#tell = resolve
    this.#directory = directory
    this.#setTimer = setTimer
    this.hold('.')
    this.#cancel = this.#lookLater()
  }

  /** All that is held, for another thread to look at. */
  get paths(): readonly HeldPath[] {
    return [...this.#paths]
  }

  /** Holds an entry of the directory too. A file has to be kept open by the caller (held-directory.H1). */
  hold(name: string): void {
    const place = path.join(this.#directory, name)
    const facts = fs.statSync(place, { bigint: true })
    if (facts.isDirectory()) this.#descriptors.push(fs.openSync(place, 'r'))
    this.#paths.push({ path: place, dev: facts.dev, ino: facts.ino })
  }

  /** The loss, if there is one; looks for it now. */
  check(): LostDirectory | null {
    if (this.#loss) return this.#loss
    const lost = lostOf(this.#paths)
    if (lost === null) return null
    this.#loss = new LostDirectory(this.#directory, lost)
    this.#tell(this.#loss)
    return this.#loss
  }

  /** Ends the watch. */
  release(): void {
    this.#cancel()
    for (const descriptor of this.#descriptors.splice(0)) fs.closeSync(descriptor)
  }

  #lookLater(): () => void {
    return this.#setTimer(LOOK_EVERY_MS, () => {
      if (this.check() === null) this.#cancel = this.#lookLater()
    })
  }
}

/** The first of the paths that no longer leads to what was opened, or cannot be looked at; null when all do. */
export function lostOf(paths: readonly HeldPath[]): string | null {
  for (const { path, dev, ino } of paths) {
    const facts = factsOf(path)
    if (facts?.dev !== dev || facts.ino !== ino) return path
  }
  return null
}

function factsOf(path: string): fs.BigIntStats | null {
  try {
    return fs.statSync(path, { bigint: true, throwIfNoEntry: false }) ?? null
  } catch {
    return null
  }
}

const timer: SetTimer = (delayMs, run) => {
  const handle = setTimeout(run, delayMs).unref()
  return () => clearTimeout(handle)
}
