/**
 * What `service serve` does so that an engine is small where memory is scarce. `bin.ts` has the process replaced before
 * anything else is loaded, and `serve.ts` looks whether it rests. Without it an engine holds about 90 MB more that it does
 * not use: what its start has freed, which the C library keeps for itself, and garbage that nobody collects while there is
 * nothing to do. An engine in a host's process leaves the memory of that process alone.
 * @module
 */
import { accessSync, constants } from 'node:fs'

const VARIABLE = 'MALLOC_TRIM_THRESHOLD_'
/**
 * Bytes of freed memory that glibc keeps. It is glibc's own default, which grows to 64 MiB with the first large block that
 * is freed unless it is set.
 */
const TRIM_BYTES = '131072'

/**
 * Goes on as the same process, started anew with what keeps it small; does nothing where that has been done, or cannot be:
 * outside Linux, and below a parent that talks to it, whose channel would be lost.
 */
export function beSmall(): void {
  if (globalThis.gc) {
    // the processes that an engine starts have their own way with memory
    if (process.env[VARIABLE] === TRIM_BYTES) delete process.env[VARIABLE]
    return
  }
  if (process.platform !== 'linux' || process.execve === undefined || process.connected) return
  const args = [process.argv0, '--expose-gc', ...process.execArgv, ...process.argv.slice(1)]
  try {
    accessSync(process.execPath, constants.X_OK)
    process.execve(process.execPath, args, { [VARIABLE]: TRIM_BYTES, ...process.env })
  } catch {
    // Node's permissions do not allow it
  }
}

/** How often an engine is looked at, in milliseconds. */
const LOOK_MS = 5_000
/** Share of the time since the last look that the loop may have worked in an engine that rests. */
const REST_LOAD = 0.01
/** How much more than after the last collection there has to be, in bytes. */
const MORE_BYTES = 32 * 2 ** 20

/** What is seen of an engine. */
export interface Look {
  /** Share of the time since the last look that the loop worked. */
  readonly load: number
  /** Memory of the process, in bytes. */
  readonly bytes: number
}

/** Whether an engine that rests has something to give back. */
export class Rest {
  #isResting = false
  #isCollected = false
  #least = 0

  /** Whether garbage is to be collected now: twice in a row there was little to do, and memory has grown since the last time. */
  look({ load, bytes }: Look): boolean {
    if (this.#isCollected) this.#least = bytes
    const wasResting = this.#isResting
    this.#isResting = load < REST_LOAD
    this.#isCollected = wasResting && this.#isResting && bytes > this.#least + MORE_BYTES
    return this.#isCollected
  }
}

/** Collects garbage when the engine rests, where {@link beSmall} has made that possible. */
export function giveBackAtRest(): void {
  const { gc } = globalThis
  if (!gc) return
  const rest = new Rest()
  let last = performance.eventLoopUtilization()
  const look = (): void => {
    const now = performance.eventLoopUtilization()
    const load = performance.eventLoopUtilization(now, last).utilization
    last = now
    // the usual collection keeps the place of young objects as large as it has become; this one takes some 0.3 s
    if (rest.look({ load, bytes: process.memoryUsage.rss() }))
      gc({ type: 'major', execution: 'sync', flavor: 'last-resort' })
  }
  setInterval(look, LOOK_MS).unref()
}
