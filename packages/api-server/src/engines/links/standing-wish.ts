/**
 * What this engine wants of all others until it wants something else, for `far-values.ts` (messages that devices here follow)
 * and `event-spread.ts` (events that sockets here ask for). Each engine is told it until it has answered, and again when a
 * link or an engine comes: that may have begun anew, and know of nothing.
 * @module
 */
import type { Clock } from '@flow-service/core'

import type { EngineLease } from '../lease.ts'
import type { Links } from './links.ts'

/** Between two attempts to be heard. */
const AGAIN_MS = 500
/** How long one waits for its answer. */
const WITHIN_MS = 2_000

/** What a wish is told with. */
export interface StandingWishDeps {
  readonly clock: Clock
  readonly lease: Pick<EngineLease, 'onEngines' | 'others'>
  readonly links: Pick<Links, 'ask' | 'onChange'>
}

/** One wish, as text. */
export class StandingWish {
  readonly #subject: string
  readonly #nothing: string
  readonly #deps: StandingWishDeps
  #text: string
  /** Engines that are to hear it. */
  readonly #unheard = new Set<string>()
  #unlink: () => void = () => {}
  #cancel: (() => void) | null = null
  #isClosed = false

  /** `nothing` is the text of no wish, which nobody has to be told who was told no other. */
  constructor(subject: string, nothing: string, deps: StandingWishDeps) {
    this.#subject = subject
    this.#nothing = nothing
    this.#text = nothing
    this.#deps = deps
  }

  open(): void {
    const { lease, links } = this.#deps
    this.#unlink = links.onChange((engine) => this.#remind([engine]))
    lease.onEngines(() => this.#remind(lease.others))
  }

  /** Has all engines hear another wish; does not wait for that. */
  set(text: string): void {
    if (text === this.#text) return
    this.#text = text
    this.#tell(this.#deps.lease.others)
  }

  close(): void {
    this.#isClosed = true
    this.#unlink()
    this.#cancel?.()
  }

  #remind(engines: readonly string[]): void {
    if (this.#text !== this.#nothing) this.#tell(engines)
  }

  #tell(engines: readonly string[]): void {
    for (const engine of engines) this.#unheard.add(engine)
    if (!this.#isClosed) void this.#tellUnheard()
  }

  async #tellUnheard(): Promise<void> {
    const { clock, lease, links } = this.#deps
    const engines = lease.others.filter((engine) => this.#unheard.has(engine))
    this.#unheard.clear()
    const payload = Buffer.from(this.#text)
    const told = engines.map((engine) =>
      links.ask(engine, this.#subject, payload, { timeoutMs: WITHIN_MS }).catch(() => this.#unheard.add(engine)),
    )
    await Promise.all(told)
    if (this.#unheard.size === 0 || this.#isClosed) return
    this.#cancel ??= clock.setTimer(AGAIN_MS, () => {
      this.#cancel = null
      void this.#tellUnheard()
    })
  }
}
