/**
 * The lasting timers of one live node (`ctx.setTimer`, and of executions that are tried again): each is kept work until
 * the executions that its tick directly causes have ended.
 * @module
 */
import type { Cancel, PendingTimer } from '@flow-service/connector-sdk'
import { MAX_MAILBOX } from '@flow-service/protocol'

import type { LastingTimers } from '../context-owner.ts'
import type { KeptWork } from '../host.ts'
import { startTimer } from '../timers.ts'
import type { DueTimer } from './bus.ts'
import { Work, WorkCause } from './cascade.ts'
import type { HomeNode, TimersHome } from './node-home.ts'

interface Pending {
  readonly id: string
  readonly timer: DueTimer
  readonly cascade: string
  readonly begun: readonly string[]
  readonly ended: readonly string[]
  cancel: Cancel
}

/** How much earlier than asked for the platform's timers may fire, at most. */
const EARLY_MS = 100

/** A tick is one generation away from the executions that it directly causes. */
const GENERATIONS = 1

/** Timers by key. They wait from `open` on; none is due before, nor before its time. */
export class NodeTimers implements LastingTimers {
  readonly #home: TimersHome
  readonly #node: HomeNode
  /** Null until there is one: most nodes have none. */
  #pending: Map<string, Pending> | null = null
  /** `starting`: nothing is due yet; `kept`: what is set is left for the next start. */
  #phase: 'starting' | 'open' | 'held' | 'kept' | 'closed' = 'starting'

  constructor(home: TimersHome, node: HomeNode) {
    this.#home = home
    this.#node = node
  }

  set(key: string, dueMs: number, data: unknown): void {
    if (!Number.isFinite(dueMs)) throw new RangeError(`timer "${key}" is due at ${dueMs}, which is no time`)
    if (data !== null && JSON.stringify(data) === undefined)
      throw new TypeError(`timer "${key}" carries a ${typeof data}, which JSON has not; give it null or a JSON value`)
    this.#keep({ key, dueMs, data })
  }

  /** Sets the timer of an execution that is tried again. */
  setAgain(timer: DueTimer): void {
    this.#keep(timer)
  }

  clear(key: string): void {
    const pending = this.#pending?.get(key)
    if (pending === undefined) return
    this.#forget(key, pending)
    this.#home.work.drop(pending.id)
  }

  dueMs(key: string): number | null {
    return this.#pending?.get(key)?.timer.dueMs ?? null
  }

  pending(): readonly PendingTimer[] {
    const timers = [...(this.#pending?.values() ?? [])].map(({ timer }) => timer)
    // executions that are tried again are the engine's, not the node's
    return timers.filter(({ attempt }) => attempt === undefined).toSorted((a, b) => a.dueMs - b.dueMs)
  }

  /** Sets a timer that an earlier life has left. */
  restore({ id, cascade, begun, ended }: KeptWork, timer: DueTimer): void {
    this.#wait({ id, timer, cascade, begun, ended, cancel: () => {} })
  }

  /** Whether the timer of a key is set, is still the one of that kept work, and was due before now. */
  isOverdue(key: string, id: string, nowMs: number): boolean {
    const pending = this.#pending?.get(key)
    return pending?.id === id && pending.timer.dueMs <= nowMs
  }

  /** Ends the waiting of a timer whose kept work is gone. */
  forget(key: string): void {
    const pending = this.#pending?.get(key)
    if (pending !== undefined) this.#forget(key, pending)
  }

  /** Ends the waiting: another node is to take the timers over. The last executions may still move or clear them. */
  hold(): void {
    this.#phase = 'held'
    for (const { cancel } of this.#pending?.values() ?? []) cancel()
  }

  /** Takes over the timers of the node before this one; they wait from `open` on. */
  takeOver(earlier: NodeTimers): void {
    for (const pending of earlier.#pending?.values() ?? []) this.#wait(pending)
    earlier.#pending = null
  }

  /** Begins to wait. */
  open(): void {
    this.#phase = 'open'
    for (const pending of this.#pending?.values() ?? []) this.#arm(pending)
  }

  /**
   * Ends the waiting. With `keep` the timers are left for the next start, and the last executions may still move or
   * clear them; else they are dropped and answered.
   */
  close(keep: boolean): { timer: DueTimer; cascade: string }[] {
    const left = [...(this.#pending?.values() ?? [])]
    this.#phase = keep ? 'kept' : 'closed'
    for (const { cancel } of left) cancel()
    if (keep) return []
    this.#pending?.clear()
    for (const { id } of left) this.#home.work.drop(id)
    return left.map(({ timer, cascade }) => ({ timer, cascade }))
  }

  #keep(timer: DueTimer): void {
    if (this.#phase === 'closed') return
    const { flow, work } = this.#home
    const node = this.#node.node.id
    const [id, cascade] = [this.#home.newId(), this.#home.newId()]
    const origin = { kind: 'timer', node, message: null } as const
    const body = { is: 'timer', ...timer } as const
    work.together(() => {
      this.clear(timer.key)
      // a host that cannot keep it says so itself; the timer goes on in memory
      work.keep({ id, flow, node, body, cascade, origin, attempts: 0, begun: [], ended: [] }).catch(() => {})
    })
    this.#wait({ id, timer, cascade, begun: [], ended: [], cancel: () => {} })
    this.#limit()
  }

  #forget(key: string, { cancel }: Pending): void {
    cancel()
    this.#pending?.delete(key)
    if (this.#pending?.size === 0) this.#node.condition.overflow('timers', false)
  }

  /** The oldest makes way, as in a mailbox. */
  #limit(): void {
    if (this.#pending === null || this.#pending.size <= MAX_MAILBOX) return
    for (const [key, { timer, cascade }] of this.#pending) {
      this.#node.giveUpTimer('overflow', timer, cascade)
      this.clear(key)
      this.#node.condition.overflow('timers', true)
      return
    }
  }

  #wait(pending: Pending): void {
    ;(this.#pending ??= new Map()).set(pending.timer.key, pending)
    if (this.#phase === 'open') this.#arm(pending)
  }

  #arm(pending: Pending): void {
    const { clock } = this.#home
    const { dueMs } = pending.timer
    pending.cancel = startTimer(clock, dueMs - clock.now(), () => {
      // a node that reckons from `dueMs` would make the same tick again; when more is missing, the clock was set back
      const earlyMs = dueMs - clock.now()
      if (earlyMs > 0 && earlyMs <= EARLY_MS) this.#arm(pending)
      else this.#due(pending)
    })
  }

  #due(pending: Pending): void {
    const { id, timer, cascade: cascadeId, begun, ended } = pending
    this.#forget(timer.key, pending)
    const cascade = this.#home.newCascade(this.#node, cascadeId)
    const work = new Work(this.#home.work, { id, isShared: true, begun, ended })
    this.#home.due(this.#node, timer, new WorkCause(cascade, work, GENERATIONS))
    work.leave()
    cascade.leave()
  }
}
