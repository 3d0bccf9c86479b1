/**
 * Messages and what is measured of them, by Refs: values have the type of the message. `client.ts` makes them
 * `client.messages`, `client.metrics` and `client.artifacts`; what is not here is generated.
 * @module
 */
import type { EventFrame, Ref } from '@flow-service/protocol'

import { messageName, type Request, requestOf, runName, type RunNamed, wireOf } from './call.ts'
import { endedByReturn } from './ended-by-return.ts'
import type { EventStream } from './event-stream.ts'
import { ArtifactsCalls, MessagesCalls, MetricsCalls } from './generated/facade.gen.ts'
import type {
  ArtifactRef,
  CurveComparison,
  JsonValue,
  MetricComparison,
  PublishedMessage,
} from './generated/types.gen.ts'
import type { HttpClient } from './http-client.ts'
import { fromWire, toWire } from './wire-values.ts'

/** A new value of a message. */
export interface MessageValue<T> {
  readonly value: T
  /** ISO 8601 in UTC with microseconds. */
  readonly ts: string
}

/** Operations of `messages`. */
export class MessageCalls extends MessagesCalls {
  readonly #events: EventStream

  constructor(http: HttpClient, events: EventStream) {
    super(http)
    this.#events = events
  }

  /** Publish a value; resolves when it is stored. */
  publish<T>(message: Ref<T>, value: NoInfer<T>, options?: Request): Promise<PublishedMessage>
  publish(message: string, value: JsonValue, options?: Request): Promise<PublishedMessage>
  publish(message: Ref<unknown> | string, value: unknown, options: Request = {}): Promise<PublishedMessage> {
    const published = { message: messageName(message), value: toWire(value) as JsonValue }
    return this.http.messages.publish(published, requestOf(options))
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
    return endedByReturn(options.signal, (signal) => valuesIn(this.#events({ flows: [flow], signal })))
  }
}

/** How curves of several runs are compared. */
interface CompareOptions extends Request {
  /** `step`, `time` in seconds since the start, or another metric; `step` unless given. */
  readonly x?: string
}

/** Operations of `metrics`. */
export class MetricCalls extends MetricsCalls {
  declare protected readonly http: HttpClient

  /** The curves of a metric of up to 50 runs, as columns of at most `points` points. */
  compare(
    runs: readonly RunNamed[],
    metric: string,
    options: CompareOptions & { readonly points: number },
  ): Promise<CurveComparison>
  /** Point by point: every `stride`-th and the last. `metric` is a message, bare or as `<flow>.<message>`. */
  compare(
    runs: readonly RunNamed[],
    metric: string,
    options?: CompareOptions & { readonly stride?: number },
  ): Promise<MetricComparison>
  compare(
    runs: readonly RunNamed[],
    metric: string,
    options: CompareOptions = {},
  ): Promise<CurveComparison | MetricComparison> {
    const ids = runs.map((run) => runName(run)).join(',')
    return this.http.metrics.compare(wireOf(options, { ids, metric }), requestOf(options))
  }
}

/** Operations of `artifacts`. */
export class ArtifactCalls extends ArtifactsCalls {
  /** Store bytes or text as an artifact, for parameters and messages; equal bytes are stored once. */
  put(
    data: Blob | Uint8Array<ArrayBuffer> | string,
    {
      name,
      mediaType,
      volatile,
      ...request
    }: Request & { readonly name: string; readonly mediaType?: string; readonly volatile?: boolean },
  ): Promise<ArtifactRef> {
    const body = data instanceof Blob ? data : new Blob([data])
    const type = mediaType ?? (body.type === '' ? 'application/octet-stream' : body.type)
    const headers = { 'Content-Type': type, ...request.headers }
    return this.http.artifacts.put(wireOf({ name, volatile }, { body }), requestOf({ ...request, headers }))
  }
}

function valuesOf(frame: EventFrame, message: string): { value: unknown; ts: string }[] {
  if (frame.type === 'value') return frame.message === message ? [frame] : []
  if (frame.type !== 'snapshot') return []
  // an initial value has no time of its own
  return frame.values
    .filter((value) => value.message === message)
    .map(({ value, ts }) => ({ value, ts: ts ?? frame.ts }))
}
