/**
 * The client of the HTTP API: every operation by its group and name (`client.runs.get({ id })`), generated from the
 * OpenAPI document, and a typed facade over flows written in TypeScript.
 * @module
 */
import {
  type BatchFlow,
  type EventFrame,
  type FlowObject,
  isFinished,
  messagePart,
  type Ref,
} from '@flow-service/protocol'

import { ApiError, problemOf } from './api-error.ts'
import type { MetricOperations, RunOperations } from './curve-forms.ts'
import { type MetricPoint, pointsOf } from './curve.ts'
import { endedByReturn } from './ended-by-return.ts'
import { type EventOptions, type EventSource, eventStream } from './event-stream.ts'
import { createClient as createHttp, createConfig } from './generated/client/index.ts'
import { GeneratedClient } from './generated/sdk.gen.ts'
import type { ArtifactRef, MetricComparison, Run, RunPlan, RunTrackAppend } from './generated/types.gen.ts'
import { type MediaFrame, mediaStream } from './media-stream.ts'
import { RunWaiting } from './run-waiting.ts'
import { entriesOf, type SweepRuns } from './sweep.ts'
import { newRunId, TrackedRun, type TrackOptions } from './tracked-run.ts'

/** Where the service is and how to sign in. */
export interface ClientOptions {
  /** Ends in `/api/v1`, for example `http://127.0.0.1:8000/api/v1`. */
  readonly baseUrl: string
  /** An access token, or where to get one for each request. */
  readonly token?: string | (() => string | Promise<string>)
  /** Used instead of the global `fetch`. */
  readonly fetch?: typeof fetch
}

/** What a submission may say beside its parameters. */
export interface SubmitOptions {
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

/** A search over parameters, and what else a sweep may say. */
export type SweepSpec<P> = SweepRuns<P> & Pick<SubmitOptions, 'draft' | 'noCache' | 'priority'>

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

/** A new value of a message. */
export interface MessageValue<T> {
  readonly value: T
  /** ISO 8601 in UTC with microseconds. */
  readonly ts: string
}

/** Typed client of the service. Requests reject with {@link ApiError}. */
export class Client extends GeneratedClient {
  readonly #baseUrl: string
  readonly #waiting = new RunWaiting({
    get: (id) => this.runs.get({ id }),
    events: (options) => this.events(options),
  })

  constructor(options: ClientOptions) {
    const baseUrl = options.baseUrl.replace(/\/+$/, '')
    const { token } = options
    const http = createHttp(
      createConfig({
        baseUrl,
        throwOnError: true,
        auth: async () => (typeof token === 'function' ? await token() : token),
        ...(options.fetch ? { fetch: options.fetch } : {}),
      }),
    )
    http.interceptors.error.use((error: unknown, response: Response | undefined) =>
      response ? new ApiError(response.status, problemOf(response.status, error, response.statusText)) : error,
    )
    super({ client: http, key: `${baseUrl}#${crypto.randomUUID()}` })
    this.#baseUrl = baseUrl
  }

  /** Runs of batch flows. */
  override get runs(): RunOperations {
    return super.runs as RunOperations
  }

  /** Curves of several runs. */
  override get metrics(): MetricOperations {
    return super.metrics as MetricOperations
  }

  /** Queue a run; parameters and result are typed by the flow object. */
  async submit<P, R>(flow: BatchFlow<P, R>, ...rest: SubmitArguments<P>): Promise<RunHandle<R>> {
    const options: SubmitOptions & { readonly params?: P } = rest[0] ?? {}
    const { params, seed, idempotencyKey } = options
    const { id } = await this.runs.submit({
      name: flow.name,
      ...wireOptions(options),
      ...(params ? { params: wireParams(params as object) } : {}),
      ...(seed === undefined ? {} : { seed }),
      ...(idempotencyKey === undefined ? {} : { idempotency_key: idempotencyKey }),
    })
    return this.#handle<R>(flow, id)
  }

  /**
   * Queue a run for each entry of a list or grid, once for each seed; all of them or none.
   *
   * @example const { runs } = await client.sweep(fit, { grid: { lr: [0.01, 0.1] }, seeds: [1, 2, 3] }) // six runs
   */
  async sweep<P, R>(flow: BatchFlow<P, R>, sweep: SweepSpec<P>): Promise<SweepHandle<R>> {
    const queued = await this.runs.sweep({ name: flow.name, ...wireOptions(sweep), ...wireEntries(sweep) })
    return { groupId: queued.group_id, runs: queued.runs.map(({ id }) => this.#handle<R>(flow, id)) }
  }

  /**
   * Begin a run of this program, which the engine lists under a name and does not execute: what is logged goes out once a
   * second, and again when the engine was gone. Rejects when it cannot be begun.
   *
   * @example const run = await client.track('fit', { params: { lr: 0.01 } }); run.log({ loss: 0.3 }); await run.end()
   */
  async track(flow: string, { everyMs, params, tags, ...rest }: TrackOptions = {}): Promise<TrackedRun> {
    const id = newRunId()
    const given = { ...(params ? { params: wireParams(params) } : {}), ...(tags ? { tags: [...tags] } : {}) }
    await this.runs.track({ id, flow, ...rest, ...given })
    const source = {
      append: (body: RunTrackAppend) => this.runs.append({ id, ...body }),
      upload: (data: Blob | Uint8Array<ArrayBuffer> | string, name: string) => this.upload(data, { name }),
    }
    return new TrackedRun(source, { id, flow, ...(everyMs === undefined ? {} : { everyMs }) })
  }

  /** Tell what a run or sweep would execute, what the cache has, and why; executes nothing. */
  plan<P, R>(
    flow: BatchFlow<P, R>,
    what: SweepSpec<P> | (Pick<SubmitOptions, 'draft' | 'noCache' | 'seed'> & { readonly params?: Partial<P> }) = {},
  ): Promise<RunPlan> {
    const { priority: _, ...options } = wireOptions(what)
    const body = { name: flow.name, ...options }
    if ('runs' in what || 'grid' in what) return this.runs.plan({ ...body, ...wireEntries(what as SweepSpec<P>) })
    const { params, seed } = what as { readonly params?: object; readonly seed?: number }
    return this.runs.plan({
      ...body,
      ...(params ? { params: wireParams(params) } : {}),
      ...(seed === undefined ? {} : { seed }),
    })
  }

  /**
   * The curves of a metric of up to 50 runs, by its `step`, by `time` in seconds since the start, or by another metric.
   * `metric` is a message, bare or as `<flow>.<message>`.
   */
  compare(
    runs: readonly (string | { readonly id: string })[],
    metric: string,
    options: { readonly x?: string; readonly stride?: number } = {},
  ): Promise<MetricComparison> {
    const ids = runs.map((run) => (typeof run === 'string' ? run : run.id)).join(',')
    return this.metrics.compare({ ids, metric, ...options })
  }

  /** Resolves with a run once it is finished; follows the event socket, so it costs no polling. */
  async wait(id: string, options: { signal?: AbortSignal } = {}): Promise<Run> {
    const run = await this.#waiting.get(id)
    return isFinished(run.status) ? run : this.#waiting.wait(id, run.flow, options.signal)
  }

  /** Store bytes or text as an artifact, for parameters and messages; equal bytes are stored once. */
  upload(
    data: Blob | Uint8Array<ArrayBuffer> | string,
    { name, mediaType, volatile }: { readonly name: string; readonly mediaType?: string; readonly volatile?: boolean },
  ): Promise<ArtifactRef> {
    const body = data instanceof Blob ? data : new Blob([data])
    const type = mediaType ?? (body.type === '' ? 'application/octet-stream' : body.type)
    const parameters = { body, name, ...(volatile === undefined ? {} : { volatile }) }
    return this.artifacts.put(parameters, { headers: { 'Content-Type': type } })
  }

  /** Publish a value; resolves when it is stored. */
  async publish<T>(message: Ref<T>, value: NoInfer<T>): Promise<void> {
    await this.messages.publish({ message: message.message, value: toWire<unknown>(value) as never })
  }

  /** Values of a message as they come, beginning with the last one if there is one. */
  subscribe<T>(
    message: Ref<T>,
    options: { signal?: AbortSignal } = {},
  ): AsyncGenerator<MessageValue<T>, void, undefined> {
    const flow = message.message.slice(0, message.message.indexOf('.'))
    const valuesIn = async function* (frames: AsyncGenerator<EventFrame>) {
      for await (const frame of frames) {
        for (const { value, ts } of valuesOf(frame, message.message))
          yield { value: fromWire(message.dtype, value) as T, ts }
      }
    }
    return endedByReturn(options.signal, (signal) => valuesIn(this.events({ flows: [flow], signal })))
  }

  /**
   * Pictures and sound of up to eight messages as they come, beginning with the current ones; reconnects by itself. A slow
   * reader gets the newest of each message. Stored artifacts do not come here. Rejects with a {@link MediaRefused} for a
   * message that no published flow declares.
   *
   * @example for await (const { bytes, mediaType } of client.media([yard.messages.frame])) show(new Blob([bytes], { type: mediaType }))
   */
  media(
    messages: readonly (string | Ref<ArtifactRef>)[],
    { signal }: { readonly signal?: AbortSignal } = {},
  ): AsyncGenerator<MediaFrame, void, undefined> {
    const names = messages.map((message) => (typeof message === 'string' ? message : message.message))
    return mediaStream(this.#events(), names, signal)
  }

  /** Frames of the event socket; reconnects by itself, each time with a fresh snapshot. */
  events(options: EventOptions = {}): AsyncGenerator<EventFrame, void, undefined> {
    return eventStream(this.#events(), options)
  }

  #events(): EventSource {
    const ticket = async (signal: AbortSignal) => (await this.flows.wsTicket({ signal })).ticket
    return { baseUrl: this.#baseUrl, ticket }
  }

  #handle<R>(flow: FlowObject, id: string): RunHandle<R> {
    const wait = (options?: { signal?: AbortSignal }) => this.#waiting.wait(id, flow.name, options?.signal)
    return {
      id,
      flow: flow.name,
      wait,
      result: async (options) => {
        const run = await wait(options)
        if (run.status !== 'ok') throw new RunFailed(run)
        return resultOf(flow, run.result) as R
      },
      metrics: (name, { stride = 1, signal } = {}) => {
        // bare: the flow may get another name while the run executes
        const bare = name.startsWith(`${flow.name}.`) ? messagePart(name) : name
        const source = {
          run: () => this.runs.get({ id }),
          stored: () => this.runs.metrics({ id, name: bare }),
          events: (options: EventOptions) => this.events(options),
        }
        return endedByReturn(signal, (ended) => pointsOf(source, { id, name, flow: flow.name, stride }, ended))
      },
      retry: async () => this.#handle<R>(flow, (await this.runs.retry({ id })).id),
      cancel: () => this.runs.cancel({ id }),
    }
  }
}

/** A client of the service at `baseUrl`. */
export const createClient = (options: ClientOptions): Client => new Client(options)

function valuesOf(frame: EventFrame, message: string): { value: unknown; ts: string }[] {
  if (frame.type === 'value') return frame.message === message ? [frame] : []
  if (frame.type !== 'snapshot') return []
  // an initial value has no time of its own
  return frame.values
    .filter((value) => value.message === message)
    .map(({ value, ts }) => ({ value, ts: ts ?? frame.ts }))
}

const wireOptions = ({ draft, noCache, priority }: Pick<SubmitOptions, 'draft' | 'noCache' | 'priority'>) => ({
  ...(draft === undefined ? {} : { draft }),
  ...(noCache === undefined ? {} : { no_cache: noCache }),
  ...(priority === undefined ? {} : { priority }),
})

function wireEntries<P>(sweep: SweepRuns<P>) {
  const { runs, seeds } = entriesOf(sweep)
  return { runs: runs.map((params) => wireParams(params as object)), ...(seeds ? { seeds: [...seeds] } : {}) }
}

const wireParams = (params: object): Record<string, never> =>
  Object.fromEntries(Object.entries(params).map(([name, value]) => [name, toWire(value)])) as Record<string, never>

/** NaN and the infinities travel as strings. */
const toWire = <T>(value: T): T => (typeof value === 'number' && !Number.isFinite(value) ? String(value) : value) as T

/** What travelled as a string because JSON has no such number, as the number it was; other dtypes pass unchanged. */
const fromWire = (dtype: string | undefined, value: unknown): unknown =>
  dtype === 'float' && typeof value === 'string' ? Number(value) : value

/** A result with its floats as numbers. */
function resultOf(flow: FlowObject, result: Run['result']): unknown {
  const produced = (flow.document.nodes ?? []).flatMap((node) => node.ports ?? [])
  const dtypes = new Map<string, string>()
  for (const { name, port = name } of flow.document.outputs ?? []) {
    const source = produced.find((item) => item.direction === 'output' && item.name === name)
    const input = flow.document.inputs?.find((item) => item.name === name)
    dtypes.set(port, source?.dtype ?? input?.dtype ?? 'any')
  }
  return Object.fromEntries(
    Object.entries(result ?? {}).map(([port, value]) => [port, fromWire(dtypes.get(port), value)]),
  )
}
