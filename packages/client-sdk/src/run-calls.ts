/**
 * The operations of runs whose types come from a flow: submissions, sweeps and plans, by a flow object or by its name, and
 * the curves of a run. `client.ts` makes them `client.runs`; what is not here is generated.
 * @module
 */
import { type BatchFlow, isFinished, messagePart } from '@flow-service/protocol'

import { flowName, type Request, requestOf, runName, type RunNamed, wireOf } from './call.ts'
import { type MetricPoint, pointsOf } from './curve.ts'
import { endedByReturn } from './ended-by-return.ts'
import type { EventOptions, EventStream } from './event-stream.ts'
import { RunsCalls } from './generated/facade.gen.ts'
import type { CurveColumns, JsonValue, MetricSeries, Run, RunPlan } from './generated/types.gen.ts'
import type { HttpClient } from './http-client.ts'
import { RunWaiting } from './run-waiting.ts'
import { entriesOf, type SweepRuns } from './sweep.ts'
import { resultOf, toWire } from './wire-values.ts'

/** What a submission may say beside its parameters. */
export interface SubmitOptions extends Request {
  /** Fills the input `seed`, if the flow has one, and is recorded. */
  readonly seed?: number
  /** Run the draft instead of the published version. */
  readonly draft?: boolean
  /** Execute every stage, and refresh the cache with what comes out. */
  readonly noCache?: boolean
  /** Runs of a higher priority start first; 0 unless given. */
  readonly priority?: number
  /** A key used before answers with the run submitted then. */
  readonly idempotencyKey?: string
}

/** Arguments after the flow: optional unless a parameter has no initial value. */
export type SubmitArguments<P> =
  Record<never, never> extends P
    ? [options?: SubmitOptions & { readonly params?: P }]
    : [options: SubmitOptions & { readonly params: P }]

/**
 * A flow object, or the name of a flow. The calls below have one signature for both: with two, the compiler would answer a
 * misspelled parameter with what is wrong about a string.
 */
export type GivenFlow = BatchFlow<unknown, unknown> | string
/** Parameters of the given flow. */
export type GivenParams<F> = F extends BatchFlow<infer P, unknown> ? P : AnyParams
/** Result of the given flow. */
export type GivenResult<F> = F extends BatchFlow<unknown, infer R> ? R : AnyResult

/** Parameters of a flow that is given by its name. */
export type AnyParams = Readonly<Record<string, JsonValue | undefined>>
/** The result of a flow that is given by its name. */
export type AnyResult = Readonly<Record<string, JsonValue>>

/** A search over parameters, and what else a sweep may say. */
export type SweepSpec<P> = SweepRuns<P> & Pick<SubmitOptions, 'draft' | 'noCache' | 'priority' | keyof Request>

/** What a plan is asked of: a sweep, or one submission, whose parameters need not be complete. */
export type PlanSpec<P> =
  | SweepSpec<P>
  | (Pick<SubmitOptions, 'draft' | 'noCache' | 'seed' | keyof Request> & { readonly params?: Partial<P> })

/** The runs of a sweep, in the order of its entries. */
export interface SweepHandle<R> {
  /** What all of them have in common, for lists and exports. */
  readonly groupId: string
  readonly runs: RunHandle<R>[]
}

/** A submitted run. */
export interface RunHandle<R> {
  readonly id: string
  /** Name of the flow. */
  readonly flow: string
  /** Resolves with the finished run, whatever its status. */
  wait(options?: { signal?: AbortSignal }): Promise<Run>
  /** Resolves with the result; rejects with {@link RunFailed} unless the run ends `ok`. */
  result(options?: { signal?: AbortSignal }): Promise<R>
  /**
   * The points of a curve from the first on, and new ones as they come until the run is over: every `stride`-th, and
   * always the last. `name` is the message, bare or as `<flow>.<message>`. Throws after a million points when there are more.
   */
  metrics(
    name: string,
    options?: { stride?: number; signal?: AbortSignal },
  ): AsyncGenerator<MetricPoint, void, undefined>
  /** Queues the run once more, with the same values. Refused while it is queued or running. */
  retry(): Promise<RunHandle<R>>
  /** Ends it; a run that is over stays as it is. Resolves with the run. */
  cancel(): Promise<Run>
}

/** A run ended without a result. */
export class RunFailed extends Error {
  override readonly name = 'RunFailed'
  readonly run: Run
  constructor(run: Run) {
    const where = run.error?.node ? ` in node ${run.error.node}` : ''
    super(`run ${run.id} of ${run.flow} ended ${run.status}${where}${run.error ? `: ${run.error.message}` : ''}`)
    this.run = run
  }
}

/** Which curves of a run, and where they begin. */
interface CurveOptions extends Request {
  /** The message, bare or as `<flow>.<message>`; all unless given. */
  readonly name?: string
  /** Only points behind this step. */
  readonly afterStep?: number
}

/** Operations of `runs`. */
export class RunCalls extends RunsCalls {
  declare protected readonly http: HttpClient
  readonly #events: EventStream
  readonly #waiting: RunWaiting

  constructor(http: HttpClient, events: EventStream) {
    super(http)
    this.#events = events
    this.#waiting = new RunWaiting({ get: (id) => http.runs.get({ id }), events })
  }

  /**
   * Queue a run. By a flow object, parameters and result have its types.
   *
   * @example const { loss } = await (await client.runs.submit(fit, { params: { lr: 0.1 }, noCache: true })).result()
   */
  async submit<F extends GivenFlow>(
    flow: F,
    ...[options = {}]: SubmitArguments<GivenParams<F>>
  ): Promise<RunHandle<GivenResult<F>>> {
    const asked = wireOf({ ...options, ...paramsOf(options as { readonly params?: object }) }, { name: flowName(flow) })
    return this.#handle(flow, (await this.http.runs.submit(asked, requestOf(options))).id)
  }

  /**
   * Queue a run for each entry of a list or grid, once for each seed; all of them or none.
   *
   * @example const { runs } = await client.runs.sweep(fit, { grid: { lr: [0.01, 0.1] }, seeds: [1, 2, 3] }) // six runs
   */
  async sweep<F extends GivenFlow>(flow: F, sweep: SweepSpec<GivenParams<F>>): Promise<SweepHandle<GivenResult<F>>> {
    const { grid: _, ...options } = sweep
    const asked = wireOf({ ...options, ...entries(sweep as SweepRuns<AnyParams>) }, { name: flowName(flow) })
    const queued = await this.http.runs.sweep(asked, requestOf(sweep))
    return { groupId: queued.group_id, runs: queued.runs.map(({ id }) => this.#handle(flow, id)) }
  }

  /** Tell what a run or sweep would execute, what the cache has, and why; executes nothing. */
  plan<F extends GivenFlow>(flow: F, what: PlanSpec<GivenParams<F>> = {}): Promise<RunPlan> {
    const { priority: _p, grid: _g, ...options } = what as SweepSpec<AnyParams>
    const several = 'runs' in what || 'grid' in what
    const values = several ? entries(what as SweepSpec<AnyParams>) : paramsOf(what as { readonly params?: object })
    return this.http.runs.plan(wireOf({ ...options, ...values }, { name: flowName(flow) }), requestOf(what))
  }

  /** Curves as columns, of at most `points` points: of each range of x the least and the greatest value stay. */
  metrics(run: RunNamed, options: CurveOptions & { readonly points: number }): Promise<CurveColumns[]>
  /** Curves point by point: every `stride`-th and the last, or those after a step. */
  metrics(run: RunNamed, options?: CurveOptions & { readonly stride?: number }): Promise<MetricSeries[]>
  metrics(run: RunNamed, options: CurveOptions = {}): Promise<CurveColumns[] | MetricSeries[]> {
    return this.http.runs.metrics(wireOf(options, { id: runName(run) }), requestOf(options))
  }

  /** Resolves with a run once it is finished; follows the event socket, so it costs no polling. */
  async wait(run: RunNamed, { signal }: { readonly signal?: AbortSignal | undefined } = {}): Promise<Run> {
    const found = await this.#waiting.get(runName(run))
    return isFinished(found.status) ? found : this.#waiting.wait(found.id, found.flow, signal)
  }

  #handle(flow: GivenFlow, id: string): RunHandle<never> {
    const name = flowName(flow)
    const wait = (options?: { signal?: AbortSignal }) => this.#waiting.wait(id, name, options?.signal)
    return {
      id,
      flow: name,
      wait,
      result: async (options) => {
        const run = await wait(options)
        if (run.status !== 'ok') throw new RunFailed(run)
        return (typeof flow === 'string' ? run.result : resultOf(flow, run.result)) as never
      },
      metrics: (message, { stride = 1, signal } = {}) => {
        // bare: the flow may get another name while the run executes
        const bare = message.startsWith(`${name}.`) ? messagePart(message) : message
        const source = {
          run: () => this.http.runs.get({ id }),
          stored: () => this.http.runs.metrics({ id, name: bare }),
          events: (options: EventOptions) => this.#events(options),
        }
        return endedByReturn(signal, (ended) => pointsOf(source, { id, name: message, flow: name, stride }, ended))
      },
      retry: async () => this.#handle(flow, (await this.http.runs.retry({ id })).id),
      cancel: () => this.http.runs.cancel({ id }),
    }
  }
}

const paramsOf = ({ params }: { readonly params?: object }) => (params ? { params: wireParams(params) } : {})

function entries(sweep: SweepRuns<AnyParams>) {
  const { runs, seeds } = entriesOf(sweep)
  return { runs: runs.map(wireParams), ...(seeds ? { seeds: [...seeds] } : {}) }
}

/** Parameters as they travel. */
export const wireParams = (params: object): Record<string, JsonValue> =>
  Object.fromEntries(Object.entries(params).map(([name, value]) => [name, toWire(value) as JsonValue]))
