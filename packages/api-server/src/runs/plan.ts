/**
 * Plans: what runs would execute if they were submitted now, and why (wire decision R3). Reads only.
 * @module
 */
import {
  buildGraph,
  type Host,
  type NodeRegistry,
  type PlanLook,
  type PlannedNode,
  planRun,
  type Stage,
} from '@flow-service/core'
import type { PlannedStage, RunPlan, RunPlanSubmit } from '@flow-service/protocol'

import type { Artifacts } from '../artifacts/artifacts.ts'
import { noFlow } from '../flows/refusals.ts'
import type { RunnableFlows } from '../flows/runnable-flows.ts'
import { assertStored, digestsOf, newRun, type Runnable, runnable, type UntimedRun } from './new-run.ts'
import { paramsOf } from './run-record.ts'
import type { EngineStages } from './stages/engine-stages.ts'
import type { StageLooks } from './stages/looks.ts'
import { placeInSweep, sweepRuns } from './sweep.ts'

/** Dependencies of a plan. */
export interface PlanDeps {
  readonly flows: RunnableFlows
  readonly registry: NodeRegistry
  readonly stages: Pick<EngineStages, 'looks' | 'store'>
  readonly artifacts: Pick<Artifacts, 'missing'>
  /** The last value of a message of another flow. */
  readonly lastValue: (message: string) => unknown
  /** Reasons tell values, but none of a secret. */
  readonly host: Pick<Host, 'secrets'>
}

/** Runs that are planned at once: the outputs of their stages are in memory together. */
const AT_ONCE = 100
const MAX_REASONS = 20

/** Plans one run or a sweep; refuses as a submission does. */
export async function planRuns(deps: PlanDeps, name: string, body: RunPlanSubmit): Promise<RunPlan> {
  const { flows, registry, stages, lastValue, host, artifacts } = deps
  const found = await flows.byName(name, body.draft ? 'draft' : 'published')
  if (!found) throw noFlow(name)
  const flow = await runnable(found, body.draft, flows)
  const runs = await runsOf(flow, body, host.secrets)
  const missing = await artifacts.missing([...new Set(runs.flatMap(digestsOf))])
  assertStored(runs, missing, body.runs === undefined ? undefined : placeInSweep)
  const { document } = flow
  const graph = buildGraph(document)
  const tallies = new Map(graph.nodes.map(({ node }) => [node.id, new StageTally(node.id)]))
  for (let from = 0; from < runs.length; from += AT_ONCE) {
    const look = sharedLook(stages.looks, flow.id, host.secrets.mask)
    const chunk = runs.slice(from, from + AT_ONCE).map(({ inputs, no_cache: noCache }) => {
      return planRun(document, graph, { registry, inputs: paramsOf(inputs), noCache, look, lastValue })
    })
    // oxlint-disable-next-line no-await-in-loop -- bounds what is in memory
    for (const node of (await Promise.all(chunk)).flat()) tallies.get(node.node)?.add(node)
  }
  const medians = await stages.store.medians(flow.id, [...tallies.keys()])
  const planned = [...tallies.values()].map((tally) => tally.stage(body.no_cache, medians.get(tally.node) ?? null))
  return { runs: runs.length, stages: planned, expected_s: sum(planned.map((stage) => stage.expected_s)) }
}

/** The runs that a submission of this body would queue. */
async function runsOf(
  flow: Runnable,
  body: RunPlanSubmit,
  secrets: Pick<Host['secrets'], 'mask'>,
): Promise<UntimedRun[]> {
  const { runs, seeds, params = {}, seed, draft, no_cache } = body
  const request = { draft, no_cache, priority: 0 }
  if (runs === undefined) return [newRun(flow, { params, seed, ...request }, { by: null }, secrets)]
  return sweepRuns(flow, { runs, seeds, ...request }, { by: null }, secrets)
}

/** Looks of runs that are planned together: each key is looked for once. */
function sharedLook(
  looks: StageLooks,
  flow: string,
  mask: Host['secrets']['mask'],
): (stage: Stage) => Promise<PlanLook> {
  const known = new Map<string, Promise<PlanLook>>()
  return (stage) => {
    const { key, node } = stage
    const place = `${node} ${key}`
    const before = known.get(place)
    if (before) return before
    const look = looks
      .look({ ...stage, parts: () => mask(stage.parts()) }, flow)
      .then((found): PlanLook => (found.hit ? { outputs: found.hit.outputs } : { outputs: null, why: found.why }))
    known.set(place, look)
    return look
  }
}

/** Counts what becomes of one node. */
class StageTally {
  readonly node: string
  readonly #keys = new Set<string>()
  readonly #missed = new Set<string>()
  readonly #why = new Set<string>()
  #hits = 0
  #misses = 0
  #unknown = 0

  constructor(node: string) {
    this.node = node
  }

  add(planned: PlannedNode): void {
    if (planned.is === 'skipped') return
    if (planned.is === 'hit') this.#hits++
    else if (planned.is === 'unknown') this.#unknown++
    else this.#misses++
    if (planned.is !== 'unknown' && planned.key !== null) this.#keys.add(planned.key)
    if (planned.is === 'executes' && planned.key !== null) this.#missed.add(planned.key)
    if (planned.is !== 'hit') for (const reason of planned.why) if (this.#why.size < MAX_REASONS) this.#why.add(reason)
  }

  stage(noCache: boolean, medianS: number | null): PlannedStage {
    const [hits, misses, unknown] = [this.#hits, this.#misses, this.#unknown]
    // equal stages execute once, unless each is told to
    const executions = unknown + (noCache || this.#missed.size === 0 ? misses : this.#missed.size)
    return {
      node: this.node,
      runs: hits + misses + unknown,
      unique: this.#keys.size,
      hits,
      misses,
      unknown,
      why: [...this.#why],
      expected_s: executions === 0 ? 0 : medianS && executions * medianS,
    }
  }
}

const sum = (seconds: readonly (number | null)[]): number | null =>
  seconds.reduce((total, item) => (total === null || item === null ? null : total + item), 0)
