/** What a process of a benchmark uses; it was started with `--expose-gc`. */
import { setTimeout as pause } from 'node:timers/promises'

/** Bytes of objects and buffers in use, after everything unused is collected. */
export async function memoryNow(): Promise<number> {
  // what finalizers let go of is collected by the next round
  for (let round = 0; round < 3; round++) {
    globalThis.gc?.()
    await pause(100)
  }
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

/** Seconds of CPU time of the main thread until now: without a database of its own, and what collects garbage. */
export function threadCpuNow(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1e6
}

/** Seconds of CPU time until now. */
export function cpuNow(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e6
}
