/**
 * The client of the HTTP API: every operation by its group and name (`client.runs.get({ id })`), generated from the
 * OpenAPI document, and a typed facade over flows written in TypeScript.
 * @module
 */
import { type BatchFlow, type EventFrame, type FlowObject, isFinished, type Ref } from '@flow-service/protocol'

import { ApiError, problemOf } from './api-error.ts'
import { endedByReturn } from './ended-by-return.ts'
import { type EventOptions, eventStream } from './event-stream.ts'
import { createClient as createHttp, createConfig } from './generated/client/index.ts'
import { GeneratedClient } from './generated/sdk.gen.ts'
import type { Run } from './generated/types.gen.ts'

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
  readonly seed?: number
  /** Run the draft instead of the published version. */
  readonly draft?: boolean
  /** Execute every stage, and refresh the cache with what comes out. */
  readonly noCache?: boolean
  /** A key used before answers with the run submitted then. */
  readonly idempotencyKey?: string
}

/** Arguments after the flow: optional unless a parameter has no initial value. */
export type SubmitArguments<P> =
  Record<never, never> extends P
    ? [options?: SubmitOptions & { readonly params?: P }]
    : [options: SubmitOptions & { readonly params: P }]

/** A submitted run. */
export interface RunHandle<R> {
  readonly id: string
  /** The run as it was when it was submitted. */
  readonly submitted: Run
  /** Resolves with the finished run, whatever its status. */
  wait(options?: { signal?: AbortSignal }): Promise<Run>
  /** Resolves with the result; rejects with {@link RunFailed} unless the run ends `ok`. */
  result(options?: { signal?: AbortSignal }): Promise<R>
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
  readonly ts: string
}

/** Typed client of the service. Requests reject with {@link ApiError}. */
export class Client extends GeneratedClient {
  readonly #baseUrl: string

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

  /** Queue a run; parameters and result are typed by the flow object. */
  async submit<P, R>(flow: BatchFlow<P, R>, ...rest: SubmitArguments<P>): Promise<RunHandle<R>> {
    const options: SubmitOptions & { readonly params?: P } = rest[0] ?? {}
    const { params, seed, draft, noCache, idempotencyKey } = options
    const submitted = await this.runs.submit({
      name: flow.name,
      ...(params ? { params: wireParams(params as object) } : {}),
      ...(seed === undefined ? {} : { seed }),
      ...(draft === undefined ? {} : { draft }),
      ...(noCache === undefined ? {} : { no_cache: noCache }),
      ...(idempotencyKey === undefined ? {} : { idempotency_key: idempotencyKey }),
    })
    return this.#handle<R>(flow, submitted)
  }

  /** Resolves with a run once it is finished; follows the event socket, so it costs no polling. */
  async wait(id: string, options: { signal?: AbortSignal } = {}): Promise<Run> {
    const run = await this.runs.get({ id })
    if (isFinished(run.status)) return run
    for await (const frame of this.events({ flows: [run.flow], ...options })) {
      if (!mayBeOver(frame, id)) continue
      const now = await this.runs.get({ id })
      if (isFinished(now.status)) return now
    }
    throw options.signal?.reason instanceof Error ? options.signal.reason : new Error(`stopped waiting for run ${id}`)
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

  /** Frames of the event socket; reconnects by itself, each time with a fresh snapshot. */
  events(options: EventOptions = {}): AsyncGenerator<EventFrame, void, undefined> {
    const ticket = async (signal: AbortSignal) => (await this.flows.wsTicket({ signal })).ticket
    return eventStream({ baseUrl: this.#baseUrl, ticket }, options)
  }

  #handle<R>(flow: FlowObject, submitted: Run): RunHandle<R> {
    const { id } = submitted
    const wait = (options?: { signal?: AbortSignal }) => this.wait(id, options)
    return {
      id,
      submitted,
      wait,
      result: async (options) => {
        const run = await wait(options)
        if (run.status !== 'ok') throw new RunFailed(run)
        return resultOf(flow, run.result) as R
      },
      cancel: () => this.runs.cancel({ id }),
    }
  }
}

/** A client of the service at `baseUrl`. */
export const createClient = (options: ClientOptions): Client => new Client(options)

/** Whether a frame is a reason to look at the run again: it is over, or the frame is a new start of the stream. */
function mayBeOver(frame: EventFrame, id: string): boolean {
  if (frame.type === 'snapshot') return !frame.runs.some((run) => run.id === id)
  return frame.type === 'run' && frame.run.id === id && isFinished(frame.run.status)
}

function valuesOf(frame: EventFrame, message: string): { value: unknown; ts: string }[] {
  if (frame.type === 'value') return frame.message === message ? [frame] : []
  return frame.type === 'snapshot' ? frame.values.filter((value) => value.message === message) : []
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
