/**
 * What the workers of an engine have together.
 * @module
 */
import type { AttachedWorker } from './attached-worker.ts'
import { type Amounts, remainder, wireAmounts } from './demand.ts'

const none: Amounts = { cpus: 0, gpus: 0, ramMb: 0 }

/** The sums, and the share of each worker. */
export function resourcesOf(workers: readonly Pick<AttachedWorker, 'hello' | 'total' | 'free'>[]) {
  const total = sum(workers.map((worker) => worker.total))
  const free = sum(workers.map((worker) => worker.free))
  return {
    total: wireAmounts(total),
    used: wireAmounts(remainder(total, [free])),
    free: wireAmounts(free),
    workers: workers.map((worker) => ({
      name: worker.hello.name,
      labels: worker.hello.labels,
      total: wireAmounts(worker.total),
      free: wireAmounts(worker.free),
    })),
  }
}

const sum = (amounts: readonly Amounts[]): Amounts =>
  amounts.reduce(
    (all, one) => ({ cpus: all.cpus + one.cpus, gpus: all.gpus + one.gpus, ramMb: all.ramMb + one.ramMb }),
    none,
  )
