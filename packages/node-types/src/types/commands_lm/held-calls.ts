/**
 * The calls of one node that are not due yet. Each is a timer that outlives the engine, by the key of its device.
 * @module
 */
import type { NodeContext } from '@flow-service/connector-sdk'
import type { CommandReading } from '@flow-service/protocol'

import { idOf } from './device.ts'
import type { WrittenValue } from './written-value.ts'

/** What is written to a target. */
export type Write = { readonly port: string; readonly message: string; readonly value: WrittenValue }

/** What the timer of a call carries. */
export type HeldData = { readonly reading: CommandReading; readonly writes: readonly Write[] }

/** A call that is not due yet. */
export interface HeldCall extends HeldData {
  readonly key: string
  readonly dueMs: number
}

/** So many calls of a node may wait. */
export const MAX_HELD = 100

/**
 * Whether a call that is applied takes the place of one that an earlier prompt has left: of an equal one whenever that is
 * due, of a contrary one that would undo it. Calls of a device are contrary when they are not equal: whoever stops shutters,
 * or heats to another temperature, does not want them opened or boosted by what was said before.
 */
export function supersedes(reading: CommandReading, dueMs: number, held: HeldCall): boolean {
  const { call, args } = held.reading
  if (idOf(held.reading) !== idOf(reading)) return false
  const isEqual = call === reading.call && args.temperature === reading.args.temperature
  return isEqual || held.dueMs >= dueMs
}

/** One object a node. */
export class HeldCalls {
  readonly #ctx: NodeContext
  readonly #calls: Map<string, HeldCall>
  /** Taken back when their time had come, and the node was busy. */
  readonly #late = new Set<string>()
  #next: number
  #isFull = false

  /** With those that an earlier life of the node has left. */
  constructor(ctx: NodeContext) {
    this.#ctx = ctx
    this.#next = Math.ceil(ctx.now())
    this.#calls = new Map(
      ctx.pendingTimers().map(({ key, dueMs, data }) => [key, { key, dueMs, ...(data as HeldData) }]),
    )
  }

  get size(): number {
    return this.#calls.size
  }

  /** Those that wait; one that is overdue, because the node was busy, is due at `nowMs`. */
  waiting(nowMs: number): readonly HeldCall[] {
    return [...this.#calls.values()].map((call) => ({ ...call, dueMs: Math.max(call.dueMs, nowMs) }))
  }

  has({ key }: HeldCall): boolean {
    return this.#calls.has(key)
  }

  /** Of one prompt the next one due has to be held first: that is the order in which what is overdue is written. */
  hold(data: HeldData, dueMs: number): void {
    const key = `${idOf(data.reading)} ${this.#next++}`
    this.#ctx.setTimer(key, dueMs, data)
    this.#calls.set(key, { key, dueMs, ...data })
  }

  takeBack({ key }: HeldCall): void {
    if (this.#ctx.timerDue(key) === null) this.#late.add(key)
    else this.#ctx.clearTimer(key)
    this.#forget(key)
  }

  /** Its time has come; false when it was taken back. */
  isDue(key: string): boolean {
    this.#forget(key)
    return !this.#late.delete(key)
  }

  /** A call is refused, because as many wait as may. */
  full(): void {
    this.#isFull = true
    const message = `${MAX_HELD} calls wait until they are due, as many as may; later ones are not applied`
    this.#ctx.reportHealth('degraded', message)
  }

  #forget(key: string): void {
    this.#calls.delete(key)
    if (!this.#isFull || this.size >= MAX_HELD) return
    this.#isFull = false
    this.#ctx.reportHealth('ok')
  }
}
