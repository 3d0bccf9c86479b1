/**
 * The one reader of request bodies: size, time, media type, content encoding.
 * @module
 */
import type { IncomingMessage } from 'node:http'
import { pipeline, Readable, type Transform } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'

import { MAX_BODY_BYTES } from '@flow-service/protocol'

import type { BodySpec } from './endpoint.ts'
import { ProblemError } from './errors.ts'
import { parseFields } from './fields.ts'
import { readJson } from './json-text.ts'

/** Largest form body, in bytes. */
const MAX_FORM_BYTES = 64 * 1024

/** How long the rest of a refused body may take before the connection is cut. */
const DRAIN_MS = 10_000

/** Waits for a body: calls `refuse` once, when it has to end before it is whole. The result ends the waiting. */
export type BodyPatience = (refuse: (error: ProblemError) => void) => () => void

/** What a body must keep to beside its declaration. */
export interface BodyBounds {
  /** Replaces the declared limit. */
  readonly maxBytes?: number | undefined
  /** A stream of bytes has none: its reader waits for as long as it likes. */
  readonly patience?: BodyPatience | undefined
}

/**
 * The body as its endpoint declares it, not yet checked against its schema: a JSON value, the fields of a form, or a
 * stream of bytes. Refuses with 400, 408, 413, 415 or 422.
 */
export async function readBody(
  request: IncomingMessage,
  spec: BodySpec,
  { maxBytes, patience }: BodyBounds = {},
): Promise<unknown> {
  switch (spec.kind) {
    case 'bytes':
      return openBody(request, maxBytes ?? spec.maxBytes)
    case 'form': {
      expectType(request, (type) => type === 'application/x-www-form-urlencoded', 'application/x-www-form-urlencoded')
      return parseFields((await readBytes(request, maxBytes ?? MAX_FORM_BYTES, patience)).toString('utf8'), 'body')
    }
    case 'json': {
      if (!hasBody(request) && !spec.required) return spec.missing
      if (hasBody(request))
        expectType(request, (type) => /^application\/(?:[\w.+-]+\+)?json$/.test(type), 'application/json')
      return readJson(await readBytes(request, maxBytes ?? spec.maxBytes ?? MAX_BODY_BYTES, patience), spec.long?.list)
    }
  }
}

/**
 * Reads a whole body into memory; beyond `maxBytes` (after decompression too) it is refused with 413, and as `patience`
 * says.
 */
export async function readBytes(
  request: IncomingMessage,
  maxBytes: number,
  patience: BodyPatience = endless,
): Promise<Buffer> {
  const decoder = openDecoder(request, maxBytes)
  if (!decoder) return collect(request, maxBytes, patience)
  const done = patience((error) => decoder.destroy(error))
  try {
    const chunks: Buffer[] = []
    for await (const chunk of decode(request, decoder, maxBytes)) chunks.push(chunk)
    return Buffer.concat(chunks)
  } finally {
    done()
  }
}

/**
 * Reads and drops what is left of a body that was read in part: the client gets its answer, and the connection can be
 * used again. Node does that only for a body that nobody has touched.
 */
export function drain(request: IncomingMessage): void {
  if (request.complete || request.destroyed) return
  const timer = setTimeout(() => request.destroy(), DRAIN_MS)
  request.once('close', () => clearTimeout(timer))
  // an iterator that still waits for a chunk keeps a stream from flowing, until it has left to a listener
  request.on('data', () => undefined)
  request.resume()
}

/** The common case, a plain body, without the streams that decoding needs: those cost more than the rest of a request. */
function collect(request: IncomingMessage, maxBytes: number, patience: BodyPatience): Promise<Buffer> {
  // the client may have left while it was being authenticated: no event would come any more
  if (request.destroyed) throw cutShort()
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    let isOver = false
    const refuse = (error: ProblemError): void => {
      isOver = true
      chunks.length = 0
      done()
      reject(error)
    }
    const done = patience(refuse)
    request.on('data', (chunk: Buffer) => {
      if (isOver) return
      size += chunk.length
      if (size <= maxBytes) chunks.push(chunk)
      else refuse(tooLarge(maxBytes))
    })
    request.on('end', () => {
      done()
      resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks, size))
    })
    request.on('error', () => refuse(cutShort()))
    // a refusal carries a stack: none is made for the many bodies that come whole
    request.on('close', () => {
      if (!request.complete) refuse(cutShort())
    })
  })
}

/** Media type of the body in lower case without parameters; `null` when none is named. */
export function mediaTypeOf(request: IncomingMessage): string | null {
  const type = request.headers['content-type']?.split(';')[0]?.trim().toLowerCase()
  return type === undefined || type === '' ? null : type
}

const hasBody = (request: IncomingMessage): boolean =>
  request.headers['transfer-encoding'] !== undefined || Number(request.headers['content-length'] ?? 0) > 0

function expectType(request: IncomingMessage, accepts: (type: string) => boolean, wanted: string): void {
  const type = mediaTypeOf(request)
  if (type === null || !accepts(type))
    throw new ProblemError('unsupported_media_type', `send ${wanted}, not ${type ?? 'an unnamed type'}`)
  const charset = /;\s*charset="?([^\s;"]+)/i.exec(request.headers['content-type'] ?? '')?.[1]
  if (charset !== undefined && !/^(?:utf-?8|us-ascii)$/i.test(charset))
    throw new ProblemError('unsupported_media_type', `send UTF-8, not ${charset}`)
}

/** The bytes of a body as they arrive; leaving the stream early keeps the connection, so that a refusal can be sent. */
function openBody(request: IncomingMessage, maxBytes: number): Readable {
  const decoder = openDecoder(request, maxBytes)
  const bytes = decoder ? decode(request, decoder, maxBytes) : capped(received(request), maxBytes)
  return Readable.from(bytes, { objectMode: false })
}

/** The decoder that a body needs, if any; refuses one that is too large, or that somebody has read before. */
function openDecoder(request: IncomingMessage, maxBytes: number): Transform | null {
  if (request.readableDidRead && hasBody(request))
    throw new ProblemError(
      'internal',
      'the body was read before it reached flow-service: mount its router before the body parsers of the application',
    )
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw tooLarge(maxBytes)
  return decoderOf(request)
}

function decode(request: IncomingMessage, decoder: Transform, maxBytes: number): AsyncGenerator<Buffer> {
  // the error reaches the reader through the decoder, which the pipeline destroys with it
  pipeline(Readable.from(capped(received(request), maxBytes), { objectMode: false }), decoder, () => undefined)
  return capped(decoded(decoder), maxBytes)
}

function decoderOf(request: IncomingMessage): Transform | null {
  const encoding = (request.headers['content-encoding'] ?? 'identity').trim().toLowerCase()
  switch (encoding) {
    case 'identity':
      return null
    case 'gzip':
    case 'x-gzip':
      return createGunzip()
    case 'deflate':
      return createInflate()
    case 'br':
      return createBrotliDecompress()
    default:
      throw new ProblemError('unsupported_media_type', `content encoding "${encoding}": use gzip, deflate, br or none`)
  }
}

async function* received(request: IncomingMessage): AsyncGenerator<Buffer> {
  try {
    yield* request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>
  } catch {
    throw cutShort()
  }
}

async function* decoded(decoder: Transform): AsyncGenerator<Buffer> {
  try {
    yield* decoder as AsyncIterable<Buffer>
  } catch (error) {
    if (error instanceof ProblemError) throw error
    throw new ProblemError('bad_request', 'the body does not decode as its content-encoding says')
  }
}

async function* capped(chunks: AsyncIterable<Buffer>, maxBytes: number): AsyncGenerator<Buffer> {
  let size = 0
  for await (const chunk of chunks) {
    size += chunk.length
    if (size > maxBytes) throw tooLarge(maxBytes)
    yield chunk
  }
}

const endless: BodyPatience = () => () => undefined

const cutShort = (): ProblemError =>
  new ProblemError('bad_request', 'the connection closed before the body was complete')

/** A body is longer than it may be. */
export const tooLarge = (maxBytes: number): ProblemError =>
  new ProblemError('payload_too_large', `at most ${maxBytes} bytes are accepted here`, { max_bytes: maxBytes })
