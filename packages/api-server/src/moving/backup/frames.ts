/**
 * The outer form of a backup: a first line, then frames.
 *
 *     flow-service-backup 1\n
 *     kind (1 byte) | length of the content (4) | CRC-32 of the content (4) | CRC-32 of these 9 bytes (4) | content
 *
 * Numbers are unsigned, most significant byte first. A content of the kind `bytes` is as it is; any other one is a JSON text,
 * compressed by Zstandard (RFC 8878). What they mean stands in `pieces.ts`.
 *
 * - frames.F1 a byte that is not what was written is found in the frame that has it, and a file that ends too early at its
 *   end: the place is told in bytes from the beginning.
 * @module
 */
import { promisify } from 'node:util'
import { crc32, zstdCompress, zstdDecompress } from 'node:zlib'

/** Kinds of frames by their byte. */
const KINDS = { head: 1, rows: 2, artifact: 3, bytes: 4, key: 5, end: 6 } as const
/** A kind of frame. */
export type FrameKind = keyof typeof KINDS

/** A frame that was read. */
export interface Frame {
  readonly kind: FrameKind
  /** Of kinds other than `bytes` the JSON text. */
  readonly content: Buffer
  /** Where it begins, in bytes. */
  readonly at: number
}

const FORMAT = 1
const MAGIC = 'flow-service-backup '
const HEADER_BYTES = 13
/** Longest first line, in bytes. */
const LINE_BYTES = 40
/** Largest content, in bytes: a longer one is damage. */
const MOST_BYTES = 2 ** 30
const pack = promisify(zstdCompress)
const unpack = promisify(zstdDecompress)

/** A file is no backup, or not the one that was written. The sentence begins with the name of the file. */
export class DamagedBackup extends Error {
  override readonly name = 'DamagedBackup'
}

/** The first line. */
export const firstLine = (): Buffer => Buffer.from(`${MAGIC}${FORMAT}\n`)

/** A frame as it is written. */
export async function frameOf(kind: FrameKind, content: Uint8Array): Promise<Buffer> {
  const body = kind === 'bytes' ? content : await pack(content)
  const header = Buffer.alloc(HEADER_BYTES)
  header.writeUInt8(KINDS[kind], 0)
  header.writeUInt32BE(body.length, 1)
  header.writeUInt32BE(crc32(body), 5)
  header.writeUInt32BE(crc32(header.subarray(0, 9)), 9)
  return Buffer.concat([header, body])
}

/** Reads frames to the end of the bytes; throws {@link DamagedBackup}. `name` is that of the file. */
export async function* framesIn(bytes: AsyncIterable<Uint8Array>, name: string): AsyncGenerator<Frame> {
  const input = new Input(bytes)
  try {
    await readFirstLine(input, name)
    for (;;) {
      const { at } = input
      const header = await input.take(HEADER_BYTES)
      if (header.length === 0) return
      const damaged = (what: string): DamagedBackup => new DamagedBackup(`${name} is ${what} at byte ${at}`)
      if (header.length < HEADER_BYTES) throw damaged('cut off')
      const kind = kindOf(header.readUInt8(0))
      const length = header.readUInt32BE(1)
      if (crc32(header.subarray(0, 9)) !== header.readUInt32BE(9) || kind === null || length > MOST_BYTES)
        throw damaged('damaged')
      const body = await input.take(length)
      if (body.length < length) throw damaged(`cut off within "${kind}"`)
      if (crc32(body) !== header.readUInt32BE(5)) throw damaged(`damaged within "${kind}"`)
      yield { kind, content: kind === 'bytes' ? body : await unpack(body), at }
    }
  } finally {
    // whoever stops early lets go of what is read: a file, or an engine that sends
    await input.close()
  }
}

const kindOf = (byte: number): FrameKind | null =>
  (Object.keys(KINDS) as FrameKind[]).find((kind) => KINDS[kind] === byte) ?? null

async function readFirstLine(input: Input, name: string): Promise<void> {
  const line = await input.takeLine(LINE_BYTES)
  if (line === `${MAGIC}${FORMAT}`) return
  const format = line?.startsWith(MAGIC) ? line.slice(MAGIC.length) : null
  throw new DamagedBackup(
    format === null
      ? `${name} is no backup of flow-service`
      : `${name} is a backup of the format ${format}, and this version reads ${FORMAT}: use a newer version`,
  )
}

/** Bytes that are taken by their number. */
class Input {
  /** How many were taken. */
  at = 0
  readonly #source: AsyncIterator<Uint8Array>
  #chunks: Buffer[] = []
  #length = 0

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#source = source[Symbol.asyncIterator]()
  }

  /** So many bytes; fewer at the end. */
  async take(count: number): Promise<Buffer> {
    while (this.#length < count) if (!(await this.#more())) break
    const all = this.#chunks.length === 1 && this.#chunks[0] ? this.#chunks[0] : Buffer.concat(this.#chunks)
    const taken = all.subarray(0, count)
    this.#put(all.subarray(taken.length))
    this.at += taken.length
    return taken
  }

  /** A line without its end; null when it is longer than that. */
  async takeLine(most: number): Promise<string | null> {
    const bytes = await this.take(most)
    const end = bytes.indexOf('\n')
    this.#put(Buffer.concat([bytes.subarray(end + 1), ...this.#chunks]))
    this.at = end + 1
    return end === -1 ? null : bytes.toString('latin1', 0, end)
  }

  /** Nothing more is taken. */
  async close(): Promise<void> {
    await this.#source.return?.()
  }

  async #more(): Promise<boolean> {
    const { done, value } = await this.#source.next()
    if (done) return false
    this.#chunks.push(Buffer.from(value.buffer, value.byteOffset, value.byteLength))
    this.#length += value.length
    return true
  }

  #put(rest: Buffer): void {
    this.#chunks = rest.length > 0 ? [rest] : []
    this.#length = rest.length
  }
}
