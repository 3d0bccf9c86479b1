/**
 * Readings of a connector: one at a time, again and again. A reading that fails is one more try at the next tick; one that
 * takes too long is told and given up, and another one begins (wire decisions G65, U13).
 * @module
 */
import { isDeepStrictEqual } from 'node:util'

import type { ConnectorHealth } from './connector-health.ts'
import type { Cancel, NodeContext } from './context.ts'
import type { Values } from './node.ts'
import { reasonOf } from './reason-of.ts'

/** Failures in a row after which a connector is down. */
const MOST_FAILURES = 3
/** A reading is given up after as many intervals, but not before {@link SHORTEST_PATIENCE_S}. */
const PATIENCE = 10
const SHORTEST_PATIENCE_S = 60

/** What a loop reads and where it tells of it. */
export interface PollLoopDeps {
  readonly ctx: Pick<NodeContext, 'after' | 'current' | 'emit' | 'every' | 'now' | 'outputs'>
  /** Seconds between two readings, 0 for none. */
  readonly intervalS: () => number
  /** Takes one reading: values by output port, null for no news. */
  readonly read: () => Promise<Values | null | undefined>
  /** Those of values that are for ports of the node. */
  readonly wanted: (values: Values) => Values
  readonly health: ConnectorHealth
}

/** A reading that has begun. */
interface Reading {
  readonly done: Promise<void>
  readonly sinceMs: number
}

/** One object a node. */
export class PollLoop {
  readonly #deps: PollLoopDeps
  /** What is told to whoever reads the messages, by port. */
  readonly #told = new Map<string, unknown>()
  #reading: Reading | null = null
  #failures = 0
  #timers: Cancel[] = []

  constructor(deps: PollLoopDeps) {
    this.#deps = deps
  }

  /** Reads now, and each interval from now on. Does nothing while it does that already, and without an interval. */
  start(): void {
    const { ctx } = this.#deps
    const intervalS = this.#deps.intervalS()
    if (this.#timers.length > 0 || intervalS <= 0) return
    this.#timers = [ctx.after(0, () => this.#tick()), ctx.every(intervalS, () => this.#tick())]
  }

  /** Reads no more; what a reading that goes on comes to is dropped. */
  stop(): void {
    for (const cancel of this.#timers.splice(0)) cancel()
    this.#reading = null
  }

  /** Takes a reading now, or joins the one that goes on. Never rejects. */
  read(): Promise<void> {
    return this.#reading?.done ?? this.#begin()
  }

  /** Notes values that are published by other means: a reading of the same is no news. */
  note(values: Values): void {
    for (const [port, value] of Object.entries(values)) this.#told.set(port, kept(value))
  }

  #tick(): void {
    const { ctx, health, intervalS } = this.#deps
    const patienceMs = Math.max(intervalS() * PATIENCE, SHORTEST_PATIENCE_S) * 1000
    const takesMs = this.#reading === null ? 0 : ctx.now() - this.#reading.sinceMs
    if (takesMs > patienceMs) {
      health.found('down', `a reading has taken longer than ${patienceMs / 1000} s; it is given up`)
      this.#failures = MOST_FAILURES
      this.#reading = null
    }
    if (this.#reading === null) void this.#begin()
  }

  #begin(): Promise<void> {
    const { promise: done, resolve } = Promise.withResolvers<void>()
    const reading: Reading = { done, sinceMs: this.#deps.ctx.now() }
    this.#reading = reading
    void this.#read(reading).finally(resolve)
    return done
  }

  async #read(reading: Reading): Promise<void> {
    const { health, read } = this.#deps
    const { reports } = health
    const isWanted = (): boolean => this.#reading === reading
    try {
      const values = await read()
      if (!isWanted()) return
      this.#publish(values)
      this.#failures = 0
      if (health.reports === reports) health.found('ok')
    } catch (error) {
      if (!isWanted()) return
      this.#failures++
      const status = this.#failures < MOST_FAILURES ? 'degraded' : 'down'
      if (health.reports === reports) health.found(status, reasonOf(error))
    } finally {
      if (isWanted()) this.#reading = null
    }
  }

  /** Publishes what has changed since the last time, as one delivery. What is refused counts as not told. */
  #publish(values: unknown): void {
    if (values === null || values === undefined) return
    if (typeof values !== 'object' || Array.isArray(values))
      throw new TypeError('poll() gave no values by port: return an object such as { power: 230 }, or null')
    const news = Object.entries(this.#deps.wanted(values as Values)).filter(
      ([port, value]) => value !== undefined && this.#isNews(port, value),
    )
    if (news.length === 0) return
    const changed = Object.fromEntries(news)
    this.#deps.ctx.emit(changed)
    this.note(changed)
  }

  #isNews(port: string, value: unknown): boolean {
    const { ctx } = this.#deps
    // a port that the node lacks is refused by name
    if (!ctx.outputs.some((output) => output.port === port)) return true
    const told = this.#told.has(port) ? this.#told.get(port) : ctx.current(port)
    const isKnown = this.#told.has(port) || told !== null
    return !isKnown || !isDeepStrictEqual(told, kept(value))
  }
}

/** A value as it is compared later: as it travels, and untouched by whoever changes the object it came in. */
function kept(value: unknown): unknown {
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value)
  return typeof value === 'object' && value !== null ? structuredClone(value) : value
}
