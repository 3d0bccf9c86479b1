/**
 * Finds the engine that runs a flow, and has it asked: the relays of `forwarding/` and `far-publication.ts` come here with each
 * request that needs a running flow. On the embedded database this engine runs all of them, and nobody asks.
 *
 * - flow-homes.H1 what nobody runs is answered here, once the database has said so: a flow that is stopped, or that has
 *   failed, and one that is not known here, as it may just have been published. Of those, at most {@link MOST_LOOKS} are looked for
 *   in a second: names may be anybody's guess.
 * - flow-homes.H2 a flow on its way from one engine to another, and one that is starting here, is waited for, at most
 *   {@link PATIENCE_MS}: then 503.
 * - flow-homes.H3 what was certainly not done by the engine that was asked is asked again, of whoever has the flow by then.
 *   What may be done is never asked twice: then 503, too.
 * @module
 */
import type { Clock, LiveRuntime } from '@flow-service/core'
import type { FlowDocument } from '@flow-service/protocol'

import type { Fence } from '../engines/fence.ts'
import type { EngineLease } from '../engines/lease.ts'
import { Elsewhere, NotSent, Unanswered } from '../engines/links/links.ts'
import { ProblemError } from '../http/errors.ts'
import type { PublishedFlows } from './published-flows.ts'

const PATIENCE_MS = 5_000
/** Between two looks at who has a flow. */
const PAUSE_MS = 50
const MOST_LOOKS = 100

/** What is known of the places of flows. */
export interface FlowHomesDeps {
  readonly clock: Clock
  /** The id of this engine. */
  readonly engine: string
  readonly news: {
    engineOf(flow: string): string | null
    isBetween(flow: string): boolean
    freshOf(flow: string): Promise<void>
  }
  /** How the published content of a flow is executed; undefined while none is known. */
  readonly modeOf: (flow: string) => FlowDocument['mode'] | undefined
  /** Whether this engine has taken a flow, which runs or is about to. */
  readonly isMine: (flow: string) => boolean
  /** Whether a flow runs here. */
  readonly isRunning: (flow: string) => boolean
}

/** Where flows run, as an engine knows it; null where it has its database to itself. */
export function createFlowHomes(deps: {
  readonly clock: Clock
  readonly fence: Pick<Fence, 'has'>
  readonly flowNews: FlowHomesDeps['news']
  readonly lease: Pick<EngineLease, 'id'>
  readonly published: Pick<PublishedFlows, 'get'>
  readonly runtime: Pick<LiveRuntime, 'get'>
}): FlowHomes | null {
  const { clock, fence, flowNews: news, lease, published, runtime } = deps
  if (lease.id === null) return null
  return new FlowHomes({
    clock,
    engine: lease.id,
    news,
    modeOf: (flow) => published.get(flow)?.mode,
    isMine: (flow) => fence.has(flow),
    isRunning: (flow) => runtime.get(flow) !== undefined,
  })
}

/** Where flows run. */
export class FlowHomes {
  readonly #deps: FlowHomesDeps
  /** The second in which flows were looked for that are not known here, and how many. */
  #looks = { second: 0, count: 0 }

  constructor(deps: FlowHomesDeps) {
    this.#deps = deps
  }

  /** The engine to ask about a flow; null: this one. Whether it can be answered now is another question. */
  #of(flow: string): string | null {
    const { engine, isMine, news } = this.#deps
    if (isMine(flow)) return null
    const at = news.engineOf(flow)
    return at === engine ? null : at
  }

  /** Whether another engine may have to be asked about a flow, or the flow to be waited for. */
  isAway(flow: string): boolean {
    const { isMine, isRunning, modeOf } = this.#deps
    if (isMine(flow)) return !isRunning(flow)
    if (this.#of(flow) !== null) return true
    const mode = modeOf(flow)
    return mode === undefined ? this.#mayLook() : mode === 'live'
  }

  #mayLook(): boolean {
    const second = Math.floor(this.#deps.clock.now() / 1000)
    if (this.#looks.second !== second) this.#looks = { second, count: 0 }
    return ++this.#looks.count <= MOST_LOOKS
  }

  /**
   * Has the engine that runs a flow asked; null when that is this one, or nobody (flow-homes.H1). Rejects with `unavailable`
   * when nobody could be asked in time, and with what `ask` rejects with otherwise.
   */
  async ask<T extends object>(flow: string, ask: (engine: string) => Promise<T>): Promise<T | null> {
    const { clock, news } = this.#deps
    const untilMs = clock.now() + PATIENCE_MS
    // what this engine has not heard of yet may have happened before the caller asked
    if (this.#of(flow) === null) await news.freshOf(flow)
    for (;;) {
      const engine = this.#of(flow)
      if (engine === null && !this.#isUnsettled(flow)) return null
      try {
        // oxlint-disable-next-line no-await-in-loop -- another engine may have it after the one that was asked
        if (engine !== null) return await ask(engine)
      } catch (error) {
        if (error instanceof Unanswered) throw mayBeDone(flow)
        if (!(error instanceof NotSent || error instanceof Elsewhere)) throw error
      }
      if (clock.now() >= untilMs) throw noHome(flow)
      // oxlint-disable-next-line no-await-in-loop -- as above
      await new Promise<void>((resolve) => clock.setTimer(PAUSE_MS, resolve))
      // oxlint-disable-next-line no-await-in-loop -- as above
      await news.freshOf(flow)
    }
  }

  /** Refuses with `Elsewhere` what was asked here for a flow that does not run here, or no more. */
  assertHere(flow: string): void {
    const { engine, isRunning } = this.#deps
    if (isRunning(flow)) return
    throw new Elsewhere(`flow "${flow}" is not run by engine ${engine}`)
  }

  /** Whether a flow starts or ends here now, or is between two engines; what has just ended here was read before that. */
  #isUnsettled(flow: string): boolean {
    const { engine, isMine, isRunning, news } = this.#deps
    return isMine(flow) ? !isRunning(flow) : news.isBetween(flow) || news.engineOf(flow) === engine
  }
}

/** The refusal of what another engine was asked for and has not answered. */
export const mayBeDone = (flow: string): ProblemError =>
  new ProblemError(
    'unavailable',
    `the engine that runs flow "${flow}" was asked and has not answered: it may have done it; look before you try again`,
    { retry_after_s: 1 },
  )

const noHome = (flow: string): ProblemError =>
  new ProblemError('unavailable', `flow "${flow}" is on its way from one engine to another; try again`, {
    retry_after_s: 1,
  })
