/**
 * Workers that are not taken in: those that speak another version, which stand in the list of workers until one of the name
 * attaches, and those with other labels than their token.
 * @module
 */
import type { Clock } from '@flow-service/core'
import {
  type ForeignHelloFrame,
  type HelloFrame,
  type RefusedFrame,
  timestampOfMs,
  WORKER_PROTOCOL,
  type WorkerEntry,
} from '@flow-service/protocol'

import type { NewsEntry } from '../events/event-log.ts'
import type { WorkerPrincipal } from '../http/principal.ts'

/** Names come from outside: of more than these the oldest is forgotten. */
const MAX_REFUSED = 1000

/** What refusing takes. */
export interface RefusedDeps {
  readonly clock: Clock
  readonly newId: () => string
  readonly engineVersion: string
  /** Hears of remote workers that come, leave and are refused. */
  readonly report?: (news: NewsEntry) => void
}

/** Says who is refused, and remembers it. */
export class RefusedWorkers {
  readonly #deps: RefusedDeps
  readonly #entries = new Map<string, WorkerEntry>()

  constructor(deps: RefusedDeps) {
    this.#deps = deps
  }

  /** Those of another version, the longest refused first. */
  list(): WorkerEntry[] {
    return [...this.#entries.values()]
  }

  /** One of the name has attached. */
  forget(name: string): void {
    this.#entries.delete(name)
  }

  /** Why a worker cannot be taken in; null when it can. */
  refusalOf(hello: HelloFrame | ForeignHelloFrame, token: WorkerPrincipal | null): RefusedFrame | null {
    const name = token?.name ?? hello.name
    if (!isOurs(hello)) return this.#otherVersion({ ...hello, name }, token?.labels ?? [])
    if (token === null || isSameSet(hello.labels, token.labels)) return null
    const [offered, signed] = [hello.labels, token.labels].map((labels) => labels.join(', ') || 'none')
    const detail = `worker "${name}" asks for the labels ${offered}, and its token has ${signed}: leave --labels out, or make a token with these labels`
    this.#tell({ worker: name, reason: 'labels_mismatch' })
    return { type: 'refused', code: 'labels_mismatch', protocol: WORKER_PROTOCOL, detail }
  }

  #otherVersion({ name, version, protocol }: ForeignHelloFrame, labels: readonly string[]): RefusedFrame {
    const { clock, engineVersion, newId } = this.#deps
    const at = timestampOfMs(clock.now())
    this.#entries.delete(name)
    this.#entries.set(name, {
      id: newId(),
      name,
      labels: [...labels],
      version,
      protocol,
      status: 'needs_upgrade',
      parallel: 0,
      calls: [],
      resources: nothing,
      free: nothing,
      python: null,
      platform: '',
      provisioned_by: null,
      attached_at: at,
      last_contact_at: at,
    })
    const [oldest] = this.#entries.keys()
    if (oldest !== undefined && this.#entries.size > MAX_REFUSED) this.#entries.delete(oldest)
    this.#tell({ worker: name, reason: 'protocol_mismatch', version, protocol })
    const remedy = protocol < WORKER_PROTOCOL ? 'upgrade the worker' : 'upgrade the engine first, then its workers'
    return {
      type: 'refused',
      code: 'protocol_mismatch',
      protocol: WORKER_PROTOCOL,
      detail:
        `worker "${name}" (version ${version}) speaks protocol ${protocol}, ` +
        `this engine (version ${engineVersion}) speaks protocol ${WORKER_PROTOCOL}: ${remedy}`,
    }
  }

  #tell(detail: Record<string, unknown>): void {
    this.#deps.report?.({ kind: 'worker', level: 'warning', action: 'worker.refuse', detail })
  }
}

const nothing = { cpus: 0, gpus: 0, ram_mb: 0 }

const isSameSet = (a: readonly string[], b: readonly string[]): boolean =>
  a.every((one) => b.includes(one)) && b.every((one) => a.includes(one))

/** Whether a worker speaks the version of this engine. */
export const isOurs = (hello: HelloFrame | ForeignHelloFrame): hello is HelloFrame => hello.protocol === WORKER_PROTOCOL
