/**
 * Thins pictures: at most so many a second, the first at once and then always the newest, one at a time.
 * @module
 */
import type { Cancel, NodeContext } from '@flow-service/connector-sdk'

/** How many, and where they go. */
export interface FramePacerDeps {
  readonly ctx: Pick<NodeContext, 'after' | 'now'>
  readonly perSecond: number
  /** Takes a picture; the next waits for it. Never rejects. */
  readonly put: (frame: Uint8Array) => Promise<void>
}

/** One object a node. */
export class FramePacer {
  readonly #deps: FramePacerDeps
  readonly #pauseMs: number
  /** What comes next; a newer one takes its place. */
  #next: Uint8Array | null = null
  #dueMs = -Infinity
  #timer: Cancel | null = null
  #isPutting = false

  constructor(deps: FramePacerDeps) {
    this.#deps = deps
    this.#pauseMs = 1000 / deps.perSecond
  }

  offer(frame: Uint8Array): void {
    this.#next = frame
    this.#go()
  }

  /** What waits is dropped. */
  stop(): void {
    this.#timer?.()
    this.#timer = null
    this.#next = null
  }

  #go(): void {
    const { ctx, put } = this.#deps
    if (this.#next === null || this.#isPutting || this.#timer !== null) return
    // a clock that is put back is no reason to wait longer
    const waitMs = Math.min(this.#pauseMs, this.#dueMs - ctx.now())
    if (waitMs > 0) {
      this.#timer = ctx.after(waitMs / 1000, () => {
        this.#timer = null
        this.#dueMs = -Infinity
        this.#go()
      })
      return
    }
    const frame = this.#next
    this.#next = null
    this.#dueMs = ctx.now() + this.#pauseMs
    this.#isPutting = true
    void put(frame).finally(() => {
      this.#isPutting = false
      this.#go()
    })
  }
}
