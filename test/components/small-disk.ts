/**
 * A disk of a few megabytes for tests: a file system in memory where one can be mounted, else a folder whose file
 * system is made to fail. Either way its syncs can be made to fail.
 * @module
 */
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

import { onTestFinished } from 'vitest'

const faults = new URL('disk-faults.ts', import.meta.url).href
const PIECE = 2 ** 20

/** Of one test: removed when it is disposed of, or the test has run out of time. */
export class SmallDisk implements Disposable {
  /** The empty folder on it. */
  readonly path = fs.mkdtempSync(path.join(os.tmpdir(), 'small-disk-'))
  /** What the processes on it are started with. */
  readonly env: NodeJS.ProcessEnv
  readonly #control = fs.mkdtempSync(path.join(os.tmpdir(), 'disk-faults-'))
  #isMounted: boolean

  /** `size` in megabytes. */
  constructor(size: number) {
    this.env = { NODE_OPTIONS: `--import ${faults}`, DISK_FAULTS: this.#control }
    this.#isMounted = mount(this.path, size)
    onTestFinished(() => this[Symbol.dispose]())
  }

  /** Leaves no byte. */
  fill(): void {
    if (!this.#isMounted) return fs.writeFileSync(path.join(this.#control, 'full'), '')
    const ballast = fs.openSync(path.join(this.path, 'ballast'), 'a')
    try {
      for (let size = PIECE; size >= 1;) {
        try {
          fs.writeSync(ballast, Buffer.alloc(size))
        } catch {
          size = Math.floor(size / 2)
        }
      }
    } finally {
      fs.closeSync(ballast)
    }
  }

  /** Takes away what filled it. */
  free(): void {
    fs.rmSync(path.join(this.#isMounted ? this.path : this.#control, this.#isMounted ? 'ballast' : 'full'))
  }

  /** From now on no process on it can sync a file. */
  failSyncs(): void {
    fs.writeFileSync(path.join(this.#control, 'sync'), '')
  }

  /** It confirms again what is written. */
  healSyncs(): void {
    fs.rmSync(path.join(this.#control, 'sync'))
  }

  [Symbol.dispose](): void {
    // a process that was killed a moment ago may still hold it
    if (this.#isMounted) execFileSync('umount', ['--lazy', this.path])
    this.#isMounted = false
    for (const folder of [this.path, this.#control]) fs.rmSync(folder, { recursive: true, force: true })
  }
}

function mount(folder: string, size: number): boolean {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}m,mode=700`, 'tmpfs', folder], { stdio: 'pipe' })
    return true
  } catch (error) {
    const [reason] = (error as Error).message.split('\n').slice(-2)
    console.log(`no small disk can be mounted (${reason}): its file system is made to fail instead`)
    return false
  }
}
