/**
 * Connects again after a failure: after 1 s at first, then after twice as long each time up to 30 s, less up to a half
 * by chance, so that many do not come at once. A connection that held for a while begins anew with 1 s. The node is
 * degraded after the first failure, and down after a minute without a connection.
 * @module
 */
import type { Cancel, NodeContext } from '@flow-service/connector-sdk'

import type { LinkHealth } from './link-health.ts'

const LONGEST_S = 30
const DOWN_AFTER_S = 60
const STEADY_MS = 10_000

/** One object a node. */
export class Redial {
  readonly #ctx: Pick<NodeContext, 'after' | 'now'>
  readonly #health: LinkHealth
  readonly #open: () => void
  #failures = 0
  #upMs: number | null = null
  #reason = ''
  #again: Cancel | null = null
  #down: Cancel | null = null
  #isStopped = false

  constructor(ctx: Pick<NodeContext, 'after' | 'now'>, health: LinkHealth, open: () => void) {
    this.#ctx = ctx
    this.#health = health
    this.#open = open
  }

  /** What went wrong last, `''` before anything has. */
  get reason(): string {
    return this.#reason
  }

  /** The connection can be used. */
  up(): void {
    this.#upMs = this.#ctx.now()
    this.#down?.()
    this.#down = null
    this.#health.connection('ok', null)
  }

  /** The attempt failed, or the connection is lost. */
  failed(reason: string): void {
    if (this.#isStopped) return
    this.#reason = reason
    if (this.#upMs !== null && this.#ctx.now() - this.#upMs >= STEADY_MS) this.#failures = 0
    this.#upMs = null
    if (this.#down === null) {
      this.#health.connection('degraded', reason)
      this.#down = this.#ctx.after(DOWN_AFTER_S, () => this.#health.connection('down', this.#reason))
    }
    const seconds = Math.min(LONGEST_S, 2 ** this.#failures++) * (1 - Math.random() / 2)
    this.#again?.()
    this.#again = this.#ctx.after(seconds, this.#open)
  }

  stop(): void {
    this.#isStopped = true
    this.#again?.()
    this.#down?.()
  }
}
