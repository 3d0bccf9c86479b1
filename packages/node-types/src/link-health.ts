/**
 * The health of a node that is connected to something: what is wrong with the connection goes before payloads that were
 * dropped, and these before values that could not be read. Told when it changes.
 * @module
 */
import type { NodeContext } from '@flow-service/connector-sdk'
import type { Health } from '@flow-service/protocol'

interface Told {
  readonly status: Health
  readonly message: string | null
}

const ok: Told = { status: 'ok', message: null }

/** One object a node. */
export class LinkHealth {
  readonly #ctx: Pick<NodeContext, 'log' | 'reportHealth'>
  #connection = ok
  #overflow: Told | null = null
  #reading: Told | null = null
  #dropped = 0
  #told = ok

  constructor(ctx: Pick<NodeContext, 'log' | 'reportHealth'>) {
    this.#ctx = ctx
  }

  /** How the connection is; a `Redial` tells it. */
  readonly connection = (status: Health, message: string | null = null): void => {
    this.#connection = { status, message }
    this.#tell()
  }

  /** Payloads were dropped; `what` says which. */
  dropped(count: number, what: string): void {
    this.#dropped += count
    this.#overflow ??= { status: 'degraded', message: what }
    this.#tell()
  }

  /** Nothing waits any more. */
  drained(): void {
    if (this.#overflow === null) return
    this.#ctx.log(`${this.#dropped} payloads were dropped`)
    this.#overflow = null
    this.#dropped = 0
    this.#tell()
  }

  /** A value could not be read; null: one could again. Until then the first fault stands for all that follow. */
  reading(fault: string | null): void {
    if ((fault === null) === (this.#reading === null)) return
    this.#reading = fault === null ? null : { status: 'degraded', message: fault }
    this.#tell()
  }

  #tell(): void {
    const now = this.#connection.status === 'ok' ? (this.#overflow ?? this.#reading ?? ok) : this.#connection
    if (now.status === this.#told.status && now.message === this.#told.message) return
    this.#told = now
    this.#ctx.reportHealth(now.status, now.message ?? undefined)
  }
}
