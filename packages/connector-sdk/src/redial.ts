/**
 * Connects again after a failure: after 1 s at first, then after twice as long each time up to 30 s, less up to a half
 * by chance, so that many do not come at once. A connection that held for a while begins anew with 1 s. The node is
 * degraded after the first failure, and down after a minute without a connection.
 * @module
 */
import type { Health } from '@flow-service/protocol'

import type { Cancel, NodeContext } from './context.ts'

const LONGEST_S = 30
const DOWN_AFTER_S = 60
const STEADY_MS = 10_000

/** What is connected, and who is told how that is. */
export interface RedialDeps {
  readonly ctx: Pick<NodeContext, 'after' | 'now'>
  /** Begins an attempt, of which `up` or `failed` is to be told. */
  readonly open: () => void
  /** `reportHealth` of the node, or what gathers for it. */
  readonly tell: (status: Health, message?: string) => void
}

/**
 * The pauses of a connection that is to be kept up. One object a connection; its first attempt is the caller's.
 * @example this.redial = new Redial({ ctx, open: () => this.open(), tell: (...health) => this.reportHealth(...health) })
 */
export class Redial {
  readonly #deps: RedialDeps
  #failures = 0
  #upMs: number | null = null
  #reason = ''
  #again: Cancel | null = null
  #down: Cancel | null = null
  #isStopped = false

  constructor(deps: RedialDeps) {
    this.#deps = deps
  }

  /** What went wrong last, `''` before anything has. */
  get reason(): string {
    return this.#reason
  }

  /** The connection can be used. */
  up(): void {
    this.#upMs = this.#deps.ctx.now()
    this.#down?.()
    this.#down = null
    this.#deps.tell('ok')
  }

  /** The attempt failed, or the connection is lost. */
  failed(reason: string): void {
    if (this.#isStopped) return
    const { ctx, open, tell } = this.#deps
    this.#reason = reason
    if (this.#upMs !== null && ctx.now() - this.#upMs >= STEADY_MS) this.#failures = 0
    this.#upMs = null
    if (this.#down === null) {
      tell('degraded', reason)
      this.#down = ctx.after(DOWN_AFTER_S, () => tell('down', this.#reason))
    }
    const seconds = Math.min(LONGEST_S, 2 ** this.#failures++) * (1 - Math.random() / 2)
    this.#again?.()
    this.#again = ctx.after(seconds, open)
  }

  /** Tries no more, and tells nothing more. */
  stop(): void {
    this.#isStopped = true
    this.#again?.()
    this.#down?.()
  }
}
