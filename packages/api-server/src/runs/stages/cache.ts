/**
 * Results of stages that later runs take over instead of executing them (wire decision G63), as one run sees them.
 * @module
 */
import {
  environmentDifference,
  missReasons,
  type Stage,
  type StageCache,
  type StageEnd,
  type StageEnvironment,
  type StageTake,
} from '@flow-service/core'
import { artifactRefsIn } from '@flow-service/protocol'

import type { EngineStages } from './engine-stages.ts'
import type { FlightEnd } from './flights.ts'
import type { StageHit } from './looks.ts'
import type { CacheEntry, Leader } from './store.ts'

/** Dependencies of the cache of one run. */
export interface StageCacheDeps extends Leader {
  readonly stages: Pick<EngineStages, 'environments' | 'flights' | 'looks' | 'store'>
  /** Id of the run's flow. */
  readonly flow: string
  /** Stores an entry with the next write of the run; after it `written` is to be called. */
  readonly keep: (entry: CacheEntry) => void
  /** Makes that write soon. */
  readonly hurry: () => void
}

/** The cache as one run sees it. */
export class RunStageCache implements StageCache {
  readonly #deps: StageCacheDeps
  /** The node that executed behind each hit. */
  readonly #nodes = new Map<string, string>()
  /** Stages that this run executes while others may wait, and by which node: one may wait for another. */
  readonly #leads = new Map<string, string>()
  /** Stages that this run executes by itself after another run could not give it a result. */
  readonly #alone = new Set<string>()
  /** What was there when the execution of a stage began, where that is known. */
  readonly #environments = new Map<string, StageEnvironment>()
  /** The run that was waited for. */
  readonly #awaited = new Map<string, string>()

  constructor(deps: StageCacheDeps) {
    this.#deps = deps
  }

  /** One that leads looks once more when it leads over all engines: a result may have come in between. */
  async take(stage: Stage, options: { readonly fresh: boolean }): Promise<StageTake> {
    const take = await this.#take(stage, options)
    const environment = take.is === 'miss' ? await this.#environmentOf(stage) : null
    if (environment) this.#environments.set(placeOf(stage), environment)
    return take
  }

  async #take(stage: Stage, { fresh }: { readonly fresh: boolean }): Promise<StageTake> {
    const { run, token, stages } = this.#deps
    const { flights } = stages
    const { key, node } = stage
    const leads = flights.tryLead(key, { run, token })
    if (leads) this.#leads.set(key, node)
    try {
      if (fresh) {
        if (leads && !(await flights.confirm(key))) this.#leads.delete(key)
        return { is: 'miss', why: [missReasons.noCache] }
      }
      const take = await this.#look(stage)
      if (take.is === 'hit' || this.#alone.has(key)) return take
      if (leads && (await flights.confirm(key))) return flights.isShared ? await this.#look(stage) : take
      if (leads) this.#leads.delete(key)
      // a flight that has ended since: the same again
      return this.#attach(key) ?? (await this.#take(stage, { fresh }))
    } catch (error) {
      this.#land(stage, 'open')
      throw error
    }
  }

  /** Keeps outputs, which the runtime has found small enough; those that refer to volatile bytes never. */
  async settle(stage: Stage, end: StageEnd): Promise<void> {
    const { keep, stages, hurry } = this.#deps
    const { key, node } = stage
    if (end.is === 'failed') return this.#land(stage, 'alone')
    if (end.is === 'cancelled') return this.#land(stage, 'open')
    const isVolatile = end.is === 'ok' && artifactRefsIn(end.outputs).some((ref) => ref.volatile)
    const environment = this.#environments.get(placeOf(stage))
    // packages have changed meanwhile: nobody knows which ones the result is of
    if (environment && (await this.#hasChanged(stage, environment))) return this.#land(stage, 'alone')
    const entry = { key, node, parts: { ...stage.parts(), ...(environment && { environment }) } }
    if (end.is === 'ok' && !isVolatile) {
      keep({ ...entry, outputs: end.outputs, loss: null })
      if (this.#leads.get(key) === node) stages.flights.arriving(key, hurry)
    } else {
      keep({ ...entry, outputs: null, loss: end.is === 'ok' ? 'volatile' : end.is })
      this.#land(stage, 'alone')
    }
  }

  /** The entries of these stages were committed, or given up. */
  written(keys: readonly string[]): void {
    for (const key of keys) this.#release(key, 'open')
  }

  /** The run is over: nobody waits for it any more. */
  close(): void {
    for (const key of this.#leads.keys()) this.#release(key, 'open')
  }

  /** The node that executed behind a hit. */
  nodeOf(key: string): string | null {
    return this.#nodes.get(key) ?? null
  }

  async #look(stage: Stage): Promise<Exclude<StageTake, { is: 'attached' }>> {
    const { stages, flow } = this.#deps
    const { key } = stage
    const look = await stages.looks.look(stage, flow)
    if (look.hit === null) return { is: 'miss', why: look.why }
    if (!(await this.#hold(look.hit.outputs))) return { is: 'miss', why: [missReasons.artifactGone] }
    this.#land(stage, 'open')
    return this.#hit(key, look.hit)
  }

  async #environmentOf({ python }: Stage): Promise<StageEnvironment | null> {
    return python === null ? null : await this.#deps.stages.environments.of(python)
  }

  async #hasChanged(stage: Stage, before: StageEnvironment): Promise<boolean> {
    const now = await this.#environmentOf(stage)
    return now === null || environmentDifference(before, now) !== null
  }

  /** Refers to the bytes of outputs before they are shown: a deletion comes before that, and they are gone, or never. */
  async #hold(outputs: Record<string, unknown>): Promise<boolean> {
    const digests = [...new Set(artifactRefsIn(outputs).map(({ digest }) => digest))]
    if (digests.length === 0) return true
    const { stages, run, token } = this.#deps
    return (await stages.store.hold({ run, token }, digests)).size === digests.length
  }

  async #hit(key: string, { outputs, run, node, stale }: StageHit): Promise<StageTake & { is: 'hit' }> {
    if (stale) await this.#deps.stages.store.touch([key])
    this.#nodes.set(key, node)
    const why = this.#awaited.get(key) === run ? [`run ${run} executed it at the same time`] : []
    return { is: 'hit', outputs, run, why }
  }

  #attach(key: string): StageTake | null {
    const flight = this.#deps.stages.flights.await(key)
    if (!flight) return null
    this.#awaited.set(key, flight.run)
    const over = flight.over.then((how) => {
      if (how === 'alone') this.#alone.add(key)
    })
    return { is: 'attached', run: flight.run, over }
  }

  /** Ends the flight of a stage if this node of the run leads it. */
  #land({ key, node }: Stage, how: FlightEnd): void {
    if (this.#leads.get(key) === node) this.#release(key, how)
  }

  #release(key: string, how: FlightEnd): void {
    if (this.#leads.delete(key)) this.#deps.stages.flights.land(key, how)
  }
}

/** Two nodes of a run may be the same stage. */
const placeOf = ({ key, node }: Stage): string => `${node} ${key}`
