/**
 * Compressed answers (wire decision V25): `send.ts` asks for every answer of an endpoint whether it is sent compressed, and how.
 *
 * What holds a secret is never compressed, whatever the client asks for: whoever can put a guess into such an answer could
 * read the secret from its size (BREACH, CVE-2013-3587). The list is one of paths, so that a later endpoint beside those is
 * spared as well. Compression happens on the threads of zlib, and streams keep their backpressure.
 * @module
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { brotliCompress, constants, createGzip, gzip, type Gzip } from 'node:zlib'

import Negotiator from 'negotiator'

import type { Endpoint } from './endpoint.ts'
import { weakOf } from './entity-tag.ts'

/** Smaller answers are sent as they are, in bytes. */
const COMPRESSED_FROM = 1024
/** Larger ones are compressed piece by piece, and with gzip, which takes less of the machine, in bytes. */
const WHOLE_UP_TO = 1024 * 1024
/** About as fast as gzip, and smaller. */
const BROTLI_QUALITY = 4
/** 4 to 10 % more bytes than the usual level, in a quarter of its time for numbers and half of it for rows. */
const GZIP_LEVEL = 1

/** Sign-in, people, keys, secrets, what code is made of, bytes that are compressed already, and what others answer. */
const spared =
  /^\/(?:login|password-recovery|reset-password|users|keys|oauth|secrets|modules|artifacts|hooks|connectors)\b/
const sparedSteps = /\/(?:tokens?|ws-ticket|ticket|pair|pending)(?:\/|$)/

/** Whether answers of an endpoint may be compressed. */
export const isCompressible = ({ method, path }: Pick<Endpoint, 'method' | 'path'>): boolean =>
  (method === 'get' || (method === 'post' && path.endsWith('/compare'))) &&
  !spared.test(path) &&
  !sparedSteps.test(path)

/** JSON, NDJSON and text. */
export const isCompressibleType = (type: string): boolean => /^(?:text\/|application\/(?:[\w.+-]*json)\b)/i.test(type)

/** How an answer is sent. */
export type Coding = 'br' | 'gzip'

/** What the types of negotiator 1.1 do not know yet: of codings that a client likes alike, the first one. */
interface Preferring {
  encoding(available: readonly string[], options: { readonly preferred: readonly string[] }): string | undefined
}

/**
 * The coding of an answer that may be compressed, by what its client accepts: `size` is that of the body in bytes, null of a
 * stream. Null sends it as it is. Tells caches that the answer depends on it.
 */
export function codingOf(request: IncomingMessage, response: ServerResponse, size: number | null): Coding | null {
  vary(response)
  // a part is one of the plain bytes; what a host has coded stays as it is
  if (request.headers.range !== undefined || response.hasHeader('content-encoding')) return null
  if (size !== null && size < COMPRESSED_FROM) return null
  const known = size !== null && size <= WHOLE_UP_TO ? ['br', 'gzip', 'identity'] : ['gzip', 'identity']
  const chosen = preferred(request, known)
  return chosen === 'br' || chosen === 'gzip' ? chosen : null
}

/** The coding that a client likes best; of those that it likes alike, the first one. Undefined when it takes none. */
export const preferred = (request: Pick<IncomingMessage, 'headers'>, known: readonly string[]): string | undefined =>
  (new Negotiator(request) as Preferring).encoding(known, { preferred: known })

/** Adds `Accept-Encoding` to what an answer depends on. */
function vary(response: ServerResponse): void {
  const names = [response.getHeader('vary') ?? []].flat().map(String)
  if (names.some((name) => /\*|accept-encoding/i.test(name))) return
  response.setHeader('vary', [...names, 'Accept-Encoding'].join(', '))
}

/** Declares an answer as coded: its tag is no longer that of the plain bytes, and its size is not known yet. */
export function declare(response: ServerResponse, coding: Coding): void {
  response.setHeader('content-encoding', coding)
  response.removeHeader('content-length')
  const etag = response.getHeader('etag')
  if (typeof etag === 'string') response.setHeader('etag', weakOf(etag))
}

const brotli = promisify(brotliCompress)
const zip = promisify(gzip)

/** A body compressed at once; null where it is too long for that. */
export function packed(body: Buffer, coding: Coding): Promise<Buffer> | null {
  if (body.length > WHOLE_UP_TO) return null
  if (coding === 'gzip') return zip(body, { level: GZIP_LEVEL })
  return brotli(body, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
      [constants.BROTLI_PARAM_SIZE_HINT]: body.length,
    },
  })
}

/** A stream that compresses what is written to it. */
export const gzipStream = (): Gzip => createGzip({ level: GZIP_LEVEL })

/** A body in pieces, so that a client that is slow or gone is noticed before all of it is compressed. */
export const inPieces = (body: Buffer): Readable => Readable.from(piecesOf(body), { objectMode: false })

const PIECE_BYTES = 64 * 1024

function* piecesOf(body: Buffer): Generator<Buffer> {
  for (let at = 0; at < body.length; at += PIECE_BYTES) yield body.subarray(at, at + PIECE_BYTES)
}

/**
 * The beginning of a stream that has anything to read: `isLong` tells whether it is worth compressing, and `stream` begins
 * where the given one did.
 */
export async function beginningOf(stream: Readable): Promise<{ readonly stream: Readable; readonly isLong: boolean }> {
  const pieces = stream[Symbol.asyncIterator]() as AsyncIterator<Uint8Array | string>
  const begun: Buffer[] = []
  let size = 0
  while (size < COMPRESSED_FROM) {
    const { done, value } = await pieces.next()
    if (done === true) return { stream: Readable.from(begun, { objectMode: false }), isLong: false }
    const piece = Buffer.from(value)
    begun.push(piece)
    size += piece.length
  }
  const whole = Readable.from(both(begun, pieces), { objectMode: false })
  // also when nobody has read from it
  return { stream: whole.once('close', () => stream.destroy()), isLong: true }
}

async function* both(
  begun: readonly Buffer[],
  rest: AsyncIterator<Uint8Array | string>,
): AsyncGenerator<Uint8Array | string> {
  yield* begun
  yield* { [Symbol.asyncIterator]: () => rest }
}
