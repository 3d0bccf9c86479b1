/**
 * Results of stages that later runs take over instead of executing them (wire decision G63), as one run sees them.
 * @module
 */
import {
  type CodeCall,
  environmentDifference,
  missReasons,
  type Stage,
  type StageCache,
  type StageEnd,
  stageEntry,
  type StageEnvironment,
  type StageTake,
} from '@flow-service/core'
import { artifactRefsIn, type WorkerPython } from '@flow-service/protocol'

import { LOCAL_AGENT } from '../../workers/local-agent.ts'
import type { EngineStages } from './engine-stages.ts'
import { environmentOf } from './environments.ts'
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
  /** What the engine's own interpreter had when the execution of a stage began, where that is known. */
  readonly #before = new Map<string, StageEnvironment>()
  /** By node the interpreter of the other machine that executes it; null where that is not known. */
  readonly #elsewhere = new Map<string, WorkerPython | null>()
  /** Under which a stage that was taken is waited for. */
  readonly #flights = new Map<string, string>()
  /** The run that was waited for. */
  readonly #awaited = new Map<string, string>()

  constructor(deps: StageCacheDeps) {
    this.#deps = deps
  }

  /** One that leads looks once more when it leads over all engines: a result may have come in between. */
  async take(stage: Stage, options: { readonly fresh: boolean }): Promise<StageTake> {
    this.#flights.set(placeOf(stage), await this.#flightFor(stage))
    const take = await this.#take(stage, options)
    const own = take.is === 'miss' ? await this.#own(stage) : null
    if (own) this.#before.set(placeOf(stage), own)
    return take
  }

  /** A call of the run, of which the cache hears where it executes. */
  watched(call: CodeCall): CodeCall {
    return {
      ...call,
      onPlace: (place) => {
        if ('worker' in place && place.worker !== LOCAL_AGENT) this.#elsewhere.set(call.node.id, place.python ?? null)
        else this.#elsewhere.delete(call.node.id)
        call.onPlace(place)
      },
    }
  }

  async #take(stage: Stage, { fresh }: { readonly fresh: boolean }): Promise<StageTake> {
    const { run, token, stages } = this.#deps
    const { flights } = stages
    const { node } = stage
    const flight = this.#flightOf(stage)
    const leads = flights.tryLead(flight, { run, token })
    if (leads) this.#leads.set(flight, node)
    try {
      if (fresh) {
        if (leads && !(await flights.confirm(flight))) this.#leads.delete(flight)
        return { is: 'miss', why: [missReasons.noCache] }
      }
      const take = await this.#look(stage)
      if (take.is === 'hit' || this.#alone.has(flight)) return take
      if (leads && (await flights.confirm(flight))) return flights.isShared ? await this.#look(stage) : take
      if (leads) this.#leads.delete(flight)
      // a flight that has ended since: the same again
      return this.#attach(flight) ?? (await this.#take(stage, { fresh }))
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
    const environment = await this.#found(stage)
    // packages have changed meanwhile: nobody knows which ones the result is of
    if (environment === 'changed') return this.#land(stage, 'alone')
    const flight = this.#flightOf(stage)
    const entry = { key, flight, node, parts: { ...stage.parts(), ...(environment && { environment }) } }
    if (end.is === 'ok' && !isVolatile) {
      keep({ ...entry, outputs: end.outputs, loss: null })
      if (this.#leads.get(flight) === node) stages.flights.arriving(flight, hurry)
    } else {
      keep({ ...entry, outputs: null, loss: end.is === 'ok' ? 'volatile' : end.is })
      this.#land(stage, 'alone')
    }
  }

  /** The entries of these flights were committed, or given up. */
  written(flights: readonly string[]): void {
    for (const flight of flights) this.#release(flight, 'open')
  }

  /** The run is over: nobody waits for it any more. */
  close(): void {
    for (const flight of this.#leads.keys()) this.#release(flight, 'open')
  }

  /** The node that executed behind a hit. */
  nodeOf(key: string): string | null {
    return this.#nodes.get(key) ?? null
  }

  async #look(stage: Stage): Promise<Exclude<StageTake, { is: 'attached' }>> {
    const { stages, flow } = this.#deps
    const look = await stages.looks.look(stage, flow)
    if (look.hit === null) return { is: 'miss', why: look.why }
    if (!(await this.#hold(look.hit.outputs))) return { is: 'miss', why: [missReasons.artifactGone] }
    this.#land(stage, 'open')
    return this.#hit(stage, look.hit)
  }

  /** Those wait for each other that would execute with the same packages, or nobody knows with which. */
  async #flightFor({ key, python }: Stage): Promise<string> {
    const here = python && (await this.#deps.stages.environments.of(python))
    const [only] = here ?? []
    return here?.length === 1 && only ? stageEntry(key, only) : key
  }

  #flightOf(stage: Stage): string {
    return this.#flights.get(placeOf(stage)) ?? stage.key
  }

  /** What the engine's own interpreter has, for a stage that it may execute. */
  async #own({ python }: Stage): Promise<StageEnvironment | null> {
    if (python === null || (python.worker !== null && python.worker_policy === 'require')) return null
    const [own = null] = (await this.#deps.stages.environments.of({ ...python, worker: null })) ?? []
    return own
  }

  /** What an execution has found; null when nobody knows, `changed` when it is not what was there at its begin. */
  async #found(stage: Stage): Promise<StageEnvironment | 'changed' | null> {
    const { node, python } = stage
    if (python === null) return null
    const elsewhere = this.#elsewhere.get(node)
    if (elsewhere !== undefined) return elsewhere && environmentOf(python.source, elsewhere)
    const before = this.#before.get(placeOf(stage))
    if (before === undefined) return null
    const now = await this.#own(stage)
    return now === null || environmentDifference(before, now) !== null ? 'changed' : before
  }

  /** Refers to the bytes of outputs before they are shown: a deletion comes before that, and they are gone, or never. */
  async #hold(outputs: Record<string, unknown>): Promise<boolean> {
    const digests = [...new Set(artifactRefsIn(outputs).map(({ digest }) => digest))]
    if (digests.length === 0) return true
    const { stages, run, token } = this.#deps
    return (await stages.store.hold({ run, token }, digests)).size === digests.length
  }

  async #hit(stage: Stage, { entry, outputs, run, node, stale }: StageHit): Promise<StageTake & { is: 'hit' }> {
    if (stale) await this.#deps.stages.store.touch([entry])
    this.#nodes.set(stage.key, node)
    const why = this.#awaited.get(this.#flightOf(stage)) === run ? [`run ${run} executed it at the same time`] : []
    return { is: 'hit', outputs, run, why }
  }

  #attach(flight: string): StageTake | null {
    const awaited = this.#deps.stages.flights.await(flight)
    if (!awaited) return null
    this.#awaited.set(flight, awaited.run)
    const over = awaited.over.then((how) => {
      if (how === 'alone') this.#alone.add(flight)
    })
    return { is: 'attached', run: awaited.run, over }
  }

  /** Ends the flight of a stage if this node of the run leads it. */
  #land(stage: Stage, how: FlightEnd): void {
    const flight = this.#flightOf(stage)
    if (this.#leads.get(flight) === stage.node) this.#release(flight, how)
  }

  #release(flight: string, how: FlightEnd): void {
    if (this.#leads.delete(flight)) this.#deps.stages.flights.land(flight, how)
  }
}

/** Two nodes of a run may be the same stage. */
const placeOf = ({ key, node }: Stage): string => `${node} ${key}`
