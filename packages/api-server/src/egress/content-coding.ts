/**
 * Undoes the codings of a body (RFC 9110, section 8.4).
 * @module
 */
import { type Duplex, pipeline, type Readable } from 'node:stream'
import { constants, createBrotliDecompress, createInflateRaw, createUnzip } from 'node:zlib'

// a body that ends early is given as far as it goes, an empty one too
const asFarAsItGoes = { finishFlush: constants.Z_SYNC_FLUSH }
// what fails on the way is heard by whoever reads
const unzip = (from: Readable): Readable => pipeline(from, createUnzip(asFarAsItGoes), () => {})
const decoders: ReadonlyMap<string, (from: Readable) => Readable> = new Map([
  ['gzip', unzip],
  ['x-gzip', unzip],
  ['deflate', (from) => pipeline(from, inflated, () => {}) as Duplex],
  ['br', (from) => pipeline(from, createBrotliDecompress({ finishFlush: constants.BROTLI_OPERATION_FLUSH }), () => {})],
])
/** Codings of one body, one upon the other; each takes memory. */
const MAX_CODINGS = 5

/** A body as it was before the codings that its header names; as it is, when one of them is none that anybody asks for. */
export function decoded(body: Readable, named: string): Readable {
  const codings = named
    .toLowerCase()
    .split(',')
    .flatMap((coding) => coding.trim() || [])
  const decoding = codings.flatMap((coding) => decoders.get(coding) ?? [])
  if (decoding.length < codings.length || codings.length > MAX_CODINGS) return body
  return decoding.reduceRight<Readable>((from, decode) => decode(from), body)
}

/**
 * `deflate` is the zlib format (RFC 9110, section 8.4.1.2), but some servers send the bare compressed data, which
 * browsers take as well.
 */
async function* inflated(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const chunks = source[Symbol.asyncIterator]()
  let head = Buffer.alloc(0)
  while (head.length < 2) {
    // oxlint-disable-next-line no-await-in-loop -- one chunk after the other
    const { value, done } = await chunks.next()
    if (done) break
    head = Buffer.concat([head, value])
  }
  const whole = async function* (): AsyncGenerator<Buffer> {
    yield head
    yield* { [Symbol.asyncIterator]: () => chunks }
  }
  const decoder = hasHeader(head) ? createUnzip(asFarAsItGoes) : createInflateRaw(asFarAsItGoes)
  yield* pipeline(whole, decoder, () => {})
}

/** Whether these bytes begin the zlib format (RFC 1950, section 2.2) or that of gzip, or are too few to tell. */
function hasHeader([method = 0x1f, flags = 0x8b]: Uint8Array): boolean {
  return (method === 0x1f && flags === 0x8b) || ((method & 0x0f) === 8 && (method * 256 + flags) % 31 === 0)
}
