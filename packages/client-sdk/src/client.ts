/**
 * The client of the HTTP API: every operation by its group and name in camelCase (`client.runs.list({ flow })`), by names or
 * by what has them, typed by flows written in TypeScript where there is one; and the streams of the event socket.
 * @module
 */
import type { EventFrame, Ref } from '@flow-service/protocol'

import { ApiError, problemOf } from './api-error.ts'
import { type EventOptions, type EventSource, eventStream } from './event-stream.ts'
import { createClient as createHttp, createConfig } from './generated/client/index.ts'
import { Operations } from './generated/facade.gen.ts'
import type { ArtifactRef, RunTrackAppend } from './generated/types.gen.ts'
import { HttpClient } from './http-client.ts'
import { type MediaFrame, mediaStream } from './media-stream.ts'
import { ArtifactCalls, MessageCalls, MetricCalls } from './message-calls.ts'
import { RunCalls, wireParams } from './run-calls.ts'
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

/** Typed client of the service. Requests reject with {@link ApiError}. */
export class Client extends Operations {
  declare readonly http: HttpClient
  readonly runs: RunCalls
  readonly metrics: MetricCalls
  readonly messages: MessageCalls
  readonly artifacts: ArtifactCalls
  readonly #baseUrl: string

  /** `client.runs.submit`, in short. */
  readonly submit: RunCalls['submit']
  /** `client.runs.sweep`, in short. */
  readonly sweep: RunCalls['sweep']
  /** `client.runs.plan`, in short. */
  readonly plan: RunCalls['plan']
  /** `client.runs.wait`, in short. */
  readonly wait: RunCalls['wait']
  /** `client.metrics.compare`, in short. */
  readonly compare: MetricCalls['compare']
  /** `client.artifacts.put`, in short. */
  readonly upload: ArtifactCalls['put']
  /** `client.messages.publish`, in short. */
  readonly publish: MessageCalls['publish']
  /** `client.messages.subscribe`, in short. */
  readonly subscribe: MessageCalls['subscribe']

  constructor(options: ClientOptions) {
    const baseUrl = options.baseUrl.replace(/\/+$/, '')
    const http = httpOf(baseUrl, options)
    super(http)
    this.#baseUrl = baseUrl
    const events = (chosen: EventOptions) => this.events(chosen)
    const runs = new RunCalls(http, events)
    const metrics = new MetricCalls(http)
    const messages = new MessageCalls(http, events)
    const artifacts = new ArtifactCalls(http)
    this.runs = runs
    this.metrics = metrics
    this.messages = messages
    this.artifacts = artifacts
    this.submit = runs.submit.bind(runs) as RunCalls['submit']
    this.sweep = runs.sweep.bind(runs) as RunCalls['sweep']
    this.plan = runs.plan.bind(runs) as RunCalls['plan']
    this.wait = runs.wait.bind(runs)
    this.compare = metrics.compare.bind(metrics) as MetricCalls['compare']
    this.upload = artifacts.put.bind(artifacts)
    this.publish = messages.publish.bind(messages) as MessageCalls['publish']
    this.subscribe = messages.subscribe.bind(messages)
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
    await this.http.runs.track({ id, flow, ...rest, ...given })
    const source = {
      append: (body: RunTrackAppend) => this.http.runs.append({ id, ...body }),
      upload: (data: Blob | Uint8Array<ArrayBuffer> | string, name: string) => this.upload(data, { name }),
    }
    return new TrackedRun(source, { id, flow, ...(everyMs === undefined ? {} : { everyMs }) })
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
}

/** A client of the service at `baseUrl`. */
export const createClient = (options: ClientOptions): Client => new Client(options)

function httpOf(baseUrl: string, { token, fetch }: ClientOptions): HttpClient {
  const client = createHttp(
    createConfig({
      baseUrl,
      throwOnError: true,
      auth: async () => (typeof token === 'function' ? await token() : token),
      // a list is one parameter, by commas
      querySerializer: { array: { explode: false, style: 'form' } },
      ...(fetch ? { fetch } : {}),
    }),
  )
  client.interceptors.error.use((error: unknown, response: Response | undefined) =>
    response ? new ApiError(response.status, problemOf(response.status, error, response.statusText)) : error,
  )
  return new HttpClient({ client, key: `${baseUrl}#${crypto.randomUUID()}` })
}
