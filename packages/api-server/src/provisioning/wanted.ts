/**
 * Which profiles the calls that wait could use (wire decision G57).
 * @module
 */
import type { ProvisionerProfile } from '@flow-service/protocol'

import type { AttachedWorker } from '../workers/attached-worker.ts'
import { type Amounts, covers } from '../workers/demand.ts'
import type { WaitingCall } from '../workers/dispatch.ts'
import type { Origin } from './attachments.ts'

/** Milliseconds that a call waits before a worker is started for it. */
const PATIENCE_MS = 2_000

/** A profile that workers can be asked of. */
export interface Offer {
  readonly provisioner: string
  readonly profile: ProvisionerProfile
  /** Its last job came to nothing, and it is not its turn again. */
  readonly isFailing: boolean
}

/** A call that waits, and for how long. */
export interface Waiter extends Pick<WaitingCall, 'wish'> {
  readonly sinceMs: number
}

/** An attached worker, and the request that it is of. */
export interface Attached {
  readonly worker: Pick<AttachedWorker, 'local' | 'answersTo' | 'total'>
  readonly origin: Origin | null
}

/** Of a profile: the calls that would take a worker of it, and whether one of them has waited long enough. */
export interface Want {
  readonly calls: number
  readonly isDue: boolean
}

/**
 * What is wanted of each offer. A call takes the smallest profile that covers it. It wants nothing as long as a worker
 * that suits is attached; those that the profile itself has started are busy then, and there may be more of them.
 */
export function wantedOf(
  waiters: readonly Waiter[],
  attached: readonly Attached[],
  offers: readonly Offer[],
  nowMs: number,
): Map<Offer, Want> {
  const wanted = new Map<Offer, Want>()
  const smallestFirst = offers.filter(({ isFailing }) => !isFailing).toSorted(bySize)
  for (const { wish, sinceMs } of waiters) {
    const { worker: label, policy, demand } = wish
    if (label === null || policy !== 'require') continue
    const offer = smallestFirst.find(
      ({ profile }) => profile.labels.includes(label) && covers(amountsOf(profile), demand),
    )
    if (offer === undefined) continue
    const suits = ({ worker, origin }: Attached): boolean =>
      !worker.local && worker.answersTo(label) && covers(worker.total, demand) && !isOf(origin, offer)
    if (attached.some(suits)) continue
    const { calls, isDue } = wanted.get(offer) ?? { calls: 0, isDue: false }
    wanted.set(offer, { calls: calls + 1, isDue: isDue || nowMs - sinceMs >= PATIENCE_MS })
  }
  return wanted
}

const isOf = (origin: Origin | null, { provisioner, profile }: Offer): boolean =>
  origin?.provisioner === provisioner && origin.profile === profile.name

const amountsOf = ({ cpus, gpus, ram_mb }: ProvisionerProfile): Amounts => ({ cpus, gpus, ramMb: ram_mb })

/** What is scarce counts first. */
const bySize = ({ profile: a }: Offer, { profile: b }: Offer): number =>
  a.gpus - b.gpus || a.cpus - b.cpus || a.ram_mb - b.ram_mb
