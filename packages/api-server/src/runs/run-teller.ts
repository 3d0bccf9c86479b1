/**
 * Publishes the states of runs as events of this engine, in the order queued, running, end.
 *
 * - run-teller.T1 a state that is on its way from the database is left out when a later one of the run was published
 *   meanwhile: by the execution in this engine, or as news of another one, which take ways of their own. A tracked run
 *   that was given up may be running again: neither overtakes the other (tracking.K4).
 */
import { type EngineEvent, isFinished, type RunSummary } from '@flow-service/protocol'

interface Way {
  /** How many states of the run are on their way. */
  count: number
  /** The furthest state that was told since the first of them set out. */
  told: number
}

/** The one place where states of runs become events. */
export class RunTeller {
  readonly #publish: (event: EngineEvent, atMs: number) => void
  readonly #ways = new Map<string, Way>()

  constructor(publish: (event: EngineEvent, atMs: number) => void) {
    this.#publish = publish
  }

  /** Tells a state, unless it was overtaken (run-teller.T1). */
  tell(run: RunSummary, atMs: number): void {
    const way = this.#ways.get(run.id)
    const rank = rankOf(run)
    const isBack = isTracked(run) && rank === GOING_ON
    if (way && (isBack ? rank < way.told : rank <= way.told)) return
    if (way) way.told = rank
    this.#publish({ type: 'run', run }, atMs)
  }

  /** Runs `learn`, which gets states of these runs from the database and tells them before it resolves. */
  async learning<T>(ids: readonly string[], learn: () => Promise<T>): Promise<T> {
    for (const id of ids) {
      const way = this.#ways.get(id) ?? { count: 0, told: -1 }
      way.count += 1
      this.#ways.set(id, way)
    }
    try {
      return await learn()
    } finally {
      for (const id of ids) this.#arrived(id)
    }
  }

  #arrived(id: string): void {
    const way = this.#ways.get(id)
    if (!way) return
    way.count -= 1
    if (way.count === 0) this.#ways.delete(id)
  }
}

type Told = Pick<RunSummary, 'origin' | 'status'>

const isTracked = ({ origin }: Told): boolean => origin === 'track'

const GOING_ON = 1

function rankOf(run: Told): number {
  if (run.status === 'running' || (run.status === 'abandoned' && isTracked(run))) return GOING_ON
  return isFinished(run.status) ? 2 : 0
}
