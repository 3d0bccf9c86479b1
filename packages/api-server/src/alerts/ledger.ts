/**
 * Who sends an alert, and which are counted until the next message. Of all engines of a database one does (alerts.A1,
 * alerts.A2), and each for itself while the database does not answer (alerts.A3). Times are those of the engine's clock; what
 * bounds a wait for the database is one of the machine.
 * @module
 */
import { randomUUID } from 'node:crypto'

import type { Clock } from '@flow-service/core'
import { timestampOfMs } from '@flow-service/protocol'

import { epochUs } from '../db/timestamps.ts'
import type { Log } from '../process/log.ts'
import { type Alert, keyOf } from './alert.ts'
import type { AlertStore, Digest } from './store.ts'

/** What the ledger is made of. */
export interface LedgerDeps {
  readonly store: Pick<AlertStore, 'raise' | 'digests' | 'oldest' | 'expire'>
  readonly clock: Clock
  /** This engine among those of the database. */
  readonly engine: string
  readonly log: Pick<Log, 'warn'>
}

/** An interval that the database knows nothing of. */
interface Interval {
  readonly sinceMs: number
  latest: Alert
  repeats: number
}

/** How long the database may take. */
const ANSWER_MS = 5_000
/** One that did not answer is left alone for so long. */
const AWAY_MS = 5_000
/** What is remembered of messages; the oldest is forgotten first. */
const MAX_REMEMBERED = 10_000

/** The ledger of an engine. */
export class Ledger {
  readonly #deps: LedgerDeps
  /** When this engine has sent last. */
  readonly #sent = new Map<string, number>()
  readonly #apart = new Map<string, Interval>()
  #awayUntilMs = -Infinity
  #isFailing = false

  constructor(deps: LedgerDeps) {
    this.#deps = deps
  }

  /** How often it has happened since the last message when one is to be sent now; null when it was counted. */
  async claim(alert: Alert, count: number, intervalS: number): Promise<number | null> {
    const nowMs = this.#deps.clock.now()
    const key = keyOf(alert)
    const known = this.#apart.get(key)
    // nobody else says this for an engine whose database is gone, also when it is just about to come back
    const isOwn = known !== undefined || alert.event === 'store_unavailable'
    const verdict = isOwn ? null : await this.#ask(alert, count, intervalS)
    if (verdict !== null) {
      if (verdict.sends) remember(this.#sent, key, nowMs)
      return verdict.sends ? verdict.told : null
    }
    const sinceMs = known?.sinceMs ?? this.#sent.get(key) ?? -Infinity
    const repeats = (known?.repeats ?? 0) + count
    const sends = sinceMs + intervalS * 1000 <= nowMs
    remember(this.#apart, key, { sinceMs: sends ? nowMs : sinceMs, latest: alert, repeats: sends ? 0 : repeats })
    if (sends) remember(this.#sent, key, nowMs)
    return sends ? repeats : null
  }

  /** What has happened again in intervals that are over. Tells it once. */
  async digests(intervalS: number): Promise<Digest[]> {
    const { clock, store } = this.#deps
    const at = timestampOfMs(clock.now())
    const own = this.#ownDigests(intervalS)
    const stored = await this.#answer(async () => {
      await store.expire(at)
      return store.digests(at, intervalS, randomUUID())
    })
    return [...own, ...(stored ?? [])]
  }

  /** When the next interval is over in which something has happened again; null for none. */
  async nextMs(intervalS: number): Promise<number | null> {
    const oldest = await this.#answer(() => this.#deps.store.oldest())
    const own = [...this.#apart.values()].map(({ sinceMs }) => sinceMs)
    const since = oldest === null ? own : [...own, epochUs(oldest) / 1000]
    return since.length === 0 ? null : Math.min(...since) + intervalS * 1000
  }

  #ownDigests(intervalS: number): Digest[] {
    const nowMs = this.#deps.clock.now()
    const over = [...this.#apart].filter(([, { sinceMs }]) => sinceMs + intervalS * 1000 <= nowMs)
    return over.flatMap(([key, { latest, repeats }]) => {
      this.#apart.delete(key)
      if (repeats === 0) return []
      this.#apart.set(key, { sinceMs: nowMs, latest, repeats: 0 })
      return [{ latest, count: repeats }]
    })
  }

  #ask(alert: Alert, count: number, intervalS: number) {
    const { clock, engine, store } = this.#deps
    const at = timestampOfMs(clock.now())
    return this.#answer(() => store.raise({ alert, count, engine, token: randomUUID(), at, intervalS }))
  }

  /** What the database answers; null when it does not. */
  async #answer<T>(ask: () => Promise<T>): Promise<T | null> {
    const { clock, log } = this.#deps
    if (clock.now() < this.#awayUntilMs) return null
    const late = Promise.withResolvers<never>()
    const timer = setTimeout(() => late.reject(new Error('the database does not answer')), ANSWER_MS)
    try {
      const answer = await Promise.race([ask(), late.promise])
      this.#isFailing = false
      return answer
    } catch (error) {
      if (!this.#isFailing) log.warn({ err: error }, 'alerts are counted and sent by this engine for itself')
      this.#isFailing = true
      this.#awayUntilMs = clock.now() + AWAY_MS
      return null
    } finally {
      clearTimeout(timer)
    }
  }
}

function remember<T>(map: Map<string, T>, key: string, value: T): void {
  map.delete(key)
  map.set(key, value)
  const [oldest] = map.keys()
  if (map.size > MAX_REMEMBERED && oldest !== undefined) map.delete(oldest)
}
