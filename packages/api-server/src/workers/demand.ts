/**
 * What a call asks of a machine, and what a machine has.
 * @module
 */
import type { Flavor, FlowDocument, WorkerAmounts } from '@flow-service/protocol'

/** Amounts of a machine; `ramMb` is in MB. */
export interface Amounts {
  readonly cpus: number
  readonly gpus: number
  readonly ramMb: number
}

/** What each running call of a flow takes: what the document says, else what its flavor says, else 0. */
export function demandOf({ resources }: FlowDocument, flavors: { get(name: string): Flavor | undefined }): Amounts {
  const flavor = resources.flavor === null ? undefined : flavors.get(resources.flavor)
  return {
    cpus: resources.cpus ?? flavor?.cpus ?? 0,
    gpus: resources.gpus ?? flavor?.gpus ?? 0,
    ramMb: resources.memory ?? flavor?.ram_mb ?? 0,
  }
}

/** As they travel. */
export const wireAmounts = ({ cpus, gpus, ramMb }: Amounts): WorkerAmounts => ({ cpus, gpus, ram_mb: ramMb })

/** Whether `have` covers `ask`. */
export const covers = (have: Amounts, ask: Amounts): boolean =>
  have.cpus >= ask.cpus && have.gpus >= ask.gpus && have.ramMb >= ask.ramMb

/** What is left of `have` after `taken`. */
export const remainder = (have: Amounts, taken: readonly Amounts[]): Amounts => ({
  cpus: taken.reduce((left, item) => left - item.cpus, have.cpus),
  gpus: taken.reduce((left, item) => left - item.gpus, have.gpus),
  ramMb: taken.reduce((left, item) => left - item.ramMb, have.ramMb),
})

/** The demand in words, `''` when there is none. */
export function describeDemand({ cpus, gpus, ramMb }: Amounts): string {
  const parts = [
    [cpus, 'CPUs'],
    [gpus, 'GPUs'],
    [ramMb, 'MB of memory'],
  ] as const
  return parts
    .filter(([amount]) => amount > 0)
    .map(([amount, unit]) => `${amount} ${unit}`)
    .join(', ')
}
