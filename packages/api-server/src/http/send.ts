/**
 * Sends the answer that an endpoint declares: `mount.ts` calls this once its handler is done. Without it a stream that fails
 * late would look whole, and a client that leaves would keep a stream open.
 * @module
 */
import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

import { inTurns } from '../process/turns.ts'
import {
  beginningOf,
  codingOf,
  type Coding,
  declare,
  gzipStream,
  inPieces,
  isCompressibleType,
  packed,
} from './compression.ts'
import type { ReplySpec } from './endpoint.ts'
import { weakOf } from './entity-tag.ts'
import { hasLongList, textSteps } from './long-json.ts'

/** An answer of a handler. */
export interface AnyReply {
  readonly status: number
  readonly value?: unknown
  /** In place of a value that is too long to be held: its JSON in pieces. */
  readonly text?: AsyncIterable<string>
  readonly headers?: Readonly<Record<string, string>>
  readonly type?: string
  readonly body?: AsyncIterable<string | Uint8Array>
}

/** An answer as its endpoint declares it. */
interface Declared {
  readonly spec: ReplySpec
  readonly answer: AnyReply
  /** Whether it may be compressed where the client asks for it. */
  readonly isCompressible: boolean
}

/** Sends an answer to its end, or until the client leaves. */
export async function send(declared: Declared, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { spec, answer, isCompressible } = declared
  // the first piece may still fail, and then the answer is a problem: no header before it
  const isJson = spec.kind === 'json'
  const type = isJson ? 'application/json' : answer.type
  const isStream = spec.kind === 'stream' || answer.text !== undefined
  const stream = isStream ? await begun({ ...declared, type }, request, response) : null
  response.statusCode = answer.status
  for (const [name, value] of Object.entries(answer.headers ?? {})) response.setHeader(name, value)
  if (stream) {
    if (type !== undefined) response.setHeader('content-type', type)
    if (stream.coding !== null) declare(response, stream.coding)
    await pour(stream.coding === null ? [stream.pieces] : [stream.pieces, gzipStream()], request, response)
  } else if (isJson) {
    response.setHeader('content-type', 'application/json')
    const text = hasLongList(answer.value) ? await inTurns(textSteps(answer.value)) : JSON.stringify(answer.value)
    await sendWhole({ body: Buffer.from(text), isCompressible }, request, response)
  } else {
    // of the answer that the client has
    if (answer.status === 304 && isCompressible && codingOf(request, response, null) !== null) weaken(response)
    response.end()
  }
}

/** A stream whose first piece, or end, has arrived; of text that is to be compressed enough of it to know that it is long. */
async function begun(
  { answer, isCompressible, type = '' }: Declared & { readonly type: string | undefined },
  request: IncomingMessage,
  response: ServerResponse,
): Promise<{ readonly pieces: Readable; readonly coding: Coding | null }> {
  const body = answer.text ?? answer.body ?? []
  const pieces = body instanceof Readable ? body : Readable.from(body, { objectMode: false })
  await once(pieces, 'readable')
  const coding = isCompressible && isCompressibleType(type) ? codingOf(request, response, null) : null
  if (coding === null || response.destroyed) return { pieces, coding: null }
  const { stream, isLong } = await beginningOf(pieces)
  return { pieces: stream, coding: isLong ? coding : null }
}

function weaken(response: ServerResponse): void {
  const etag = response.getHeader('etag')
  if (typeof etag === 'string') response.setHeader('etag', weakOf(etag))
}

/** A body that is known as a whole, whose head is set. */
interface Whole {
  readonly body: Buffer
  /** Whether it may be compressed where the client asks for it. */
  readonly isCompressible: boolean
}

/** Sends a body, without it where HEAD asks. */
export async function sendWhole(
  { body, isCompressible }: Whole,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const coding = isCompressible ? codingOf(request, response, body.length) : null
  if (coding === null) response.setHeader('content-length', body.length)
  else declare(response, coding)
  if (request.method === 'HEAD') return void response.end()
  if (coding === null) return void response.end(body)
  const whole = await packed(body, coding)
  if (whole === null) return pour([inPieces(body), gzipStream()], request, response)
  response.setHeader('content-length', whole.length)
  response.end(whole)
}

type Pipe = readonly [Readable, ...NodeJS.ReadWriteStream[]]

async function pour([stream, ...further]: Pipe, request: IncomingMessage, response: ServerResponse): Promise<void> {
  // a pipeline to a client that has left already would throw and leave the stream open
  if (request.method === 'HEAD' || response.destroyed) {
    stream.destroy()
    if (!response.destroyed) response.end()
    return
  }
  try {
    await pipeline([stream, ...further, response])
  } catch (error) {
    // a client that leaves in the middle is not an error of ours
    if (!(error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE')) throw error
  }
}
