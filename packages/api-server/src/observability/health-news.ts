/**
 * Changes of the health of nodes as events: the first one at once, and what a node does in the 10 s after it as one more
 * event, so that a connection that flaps does not fill the list.
 * @module
 */
import type { Clock } from '@flow-service/core'
import type { EngineEvent } from '@flow-service/protocol'

import type { EventLog } from '../events/event-log.ts'

type HealthEvent = Extract<EngineEvent, { type: 'health' }>

const QUIET_MS = 10_000
const levels = { ok: 'info', degraded: 'warning', down: 'error' } as const

/** What a node that has changed lately did since. */
interface Changed {
  latest: { readonly event: HealthEvent; readonly atMs: number } | null
  changes: number
  readonly cancel: () => void
}

/** Tells changes of health. */
export class HealthNews {
  readonly #clock: Clock
  readonly #log: Pick<EventLog, 'report'>
  readonly #nodes = new Map<string, Changed>()

  constructor(deps: { readonly clock: Clock; readonly eventLog: Pick<EventLog, 'report'> }) {
    this.#clock = deps.clock
    this.#log = deps.eventLog
  }

  /** A node has another health. */
  hear(event: HealthEvent, atMs: number): void {
    const key = `${event.flow}/${event.node}`
    const changed = this.#nodes.get(key)
    if (changed) {
      changed.latest = { event, atMs }
      changed.changes += 1
      return
    }
    this.#tell(event, atMs, 1)
    this.#nodes.set(key, { latest: null, changes: 0, cancel: this.#later(key) })
  }

  /** Tells what it has kept back. */
  close(): void {
    for (const [key, { cancel }] of this.#nodes) {
      cancel()
      this.#settle(key)
    }
  }

  #later(key: string): () => void {
    return this.#clock.setTimer(QUIET_MS, () => {
      // one that goes on changing is told every 10 s
      if (this.#settle(key)) this.#nodes.set(key, { latest: null, changes: 0, cancel: this.#later(key) })
    })
  }

  /** Whether there was anything to tell. */
  #settle(key: string): boolean {
    const changed = this.#nodes.get(key)
    if (!changed?.latest) {
      this.#nodes.delete(key)
      return false
    }
    this.#tell(changed.latest.event, changed.latest.atMs, changed.changes)
    changed.latest = null
    return true
  }

  #tell({ flow, node, status, message }: HealthEvent, atMs: number, changes: number): void {
    const level = levels[status]
    this.#log.report(
      { kind: 'health', level, action: `health.${status}`, flow, node, detail: { message, changes } },
      atMs,
    )
  }
}
