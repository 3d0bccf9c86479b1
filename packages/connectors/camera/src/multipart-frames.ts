/**
 * Takes the parts of a `multipart/x-mixed-replace` stream apart, as cameras send it: boundaries with more or fewer dashes
 * than announced, parts without a length, lines that end in LF alone, pieces that begin and end anywhere.
 *
 * - multipart.M1 What is kept is bounded: a part by `maxBytes`, its headers by {@link MAX_LINE_BYTES} a line.
 * - multipart.M2 A byte is looked at once, however small the pieces are.
 * @module
 */

/** Bytes of a header of a part, and of a line before a boundary. */
const MAX_LINE_BYTES = 16 * 1024
/** Bytes with which the buffer begins. */
const FIRST_BYTES = 64 * 1024
const [LF, CR] = [10, 13] as const

/** Something was read, and no part came of it. */
const nothing = Buffer.alloc(0)

/** One object a stream. */
export class MultipartFrames {
  readonly #maxBytes: number
  /** Without dashes around it; null until the first boundary has told it. */
  #boundary: string | null
  /** What ends a part without a length: a line break and the boundary as it stood before the part. */
  #end: Buffer = nothing
  /** Bytes of the part in hand by its header; null when it has none. */
  #partBytes: number | null = null
  #state: 'boundary' | 'headers' | 'part' = 'boundary'
  #buffer: Buffer = Buffer.alloc(FIRST_BYTES)
  /** What has come and is not read yet is from here to there; the first of it has been searched. */
  #from = 0
  #to = 0
  #searched = 0

  /** The boundary as the `Content-Type` has it, null when it has none. */
  constructor(boundary: string | null, maxBytes: number) {
    this.#maxBytes = maxBytes
    this.#boundary = boundary === null ? null : undashed(boundary)
  }

  /** The parts that are complete with this piece. Throws for a part that is too large. */
  push(piece: Uint8Array): Uint8Array[] {
    this.#append(piece)
    const parts: Uint8Array[] = []
    for (;;) {
      const part = this.#state === 'part' ? this.#part() : this.#line()
      if (part === null) return parts
      if (part.length > 0) parts.push(part)
    }
  }

  /** Reads a line of headers or a boundary; null until there is a whole one. */
  #line(): Uint8Array | null {
    const at = this.#find(LF)
    if (at === -1) {
      if (this.#to - this.#from > MAX_LINE_BYTES)
        throw new Error(`sends ${this.#to - this.#from} bytes and no boundary`)
      return null
    }
    const line = this.#buffer.toString('latin1', this.#from, at).trimEnd()
    this.#drop(at + 1)
    if (this.#state === 'boundary') this.#readBoundary(line)
    else this.#readHeader(line)
    return nothing
  }

  #readBoundary(line: string): void {
    const found = undashed(line)
    if (this.#boundary === null && line.startsWith('--') && found !== '') this.#boundary = found
    // a stream that says that it ends may go on all the same
    if (found === '' || found !== this.#boundary) return
    this.#end = Buffer.from(`\n${line.replace(/--$/, '')}`, 'latin1')
    this.#state = 'headers'
    this.#partBytes = null
  }

  #readHeader(line: string): void {
    if (line === '') {
      this.#state = 'part'
      return
    }
    const [, length] = /^content-length\s*:\s*(\d+)$/i.exec(line) ?? []
    if (length === undefined) return
    this.#partBytes = Number(length)
    if (this.#partBytes > this.#maxBytes) throw this.#tooLarge(this.#partBytes)
  }

  /** The part in hand; null until it is whole. */
  #part(): Uint8Array | null {
    if (this.#partBytes !== null) {
      const end = this.#from + this.#partBytes
      return this.#to < end ? null : this.#take(end, end)
    }
    const at = this.#find(this.#end)
    const bytes = (at === -1 ? this.#to : at) - this.#from
    if (bytes > this.#maxBytes + this.#end.length) throw this.#tooLarge(bytes)
    // the line break belongs to the boundary
    return at === -1 ? null : this.#take(this.#buffer[at - 1] === CR ? at - 1 : at, at + 1)
  }

  #take(end: number, next: number): Uint8Array {
    const part = Uint8Array.from(this.#buffer.subarray(this.#from, Math.max(this.#from, end)))
    this.#drop(next)
    this.#state = 'boundary'
    return part
  }

  #tooLarge(bytes: number): Error {
    return new Error(
      `sends a picture of ${bytes} bytes or more, and at most ${this.#maxBytes} are taken; lower its resolution or quality in the camera`,
    )
  }

  /** Where something begins in what is not read yet, -1 when it is not there. */
  #find(what: number | Buffer): number {
    const at = this.#buffer.subarray(0, this.#to).indexOf(what, this.#searched)
    const overlap = typeof what === 'number' ? 0 : what.length - 1
    if (at === -1) this.#searched = Math.max(this.#searched, this.#to - overlap)
    return at
  }

  #drop(to: number): void {
    this.#from = to
    this.#searched = to
  }

  #append(piece: Uint8Array): void {
    const kept = this.#to - this.#from
    if (this.#to + piece.length > this.#buffer.length) {
      const needed = kept + piece.length
      const target =
        needed > this.#buffer.length ? Buffer.alloc(Math.max(needed, this.#buffer.length * 2)) : this.#buffer
      this.#buffer.copy(target, 0, this.#from, this.#to)
      this.#buffer = target
      this.#searched -= this.#from
      this.#from = 0
      this.#to = kept
    }
    this.#buffer.set(piece, this.#to)
    this.#to += piece.length
  }
}

/** A boundary without the dashes around it, of which cameras send more or fewer than they have announced. */
const undashed = (boundary: string): string => boundary.trim().replaceAll(/^-+|--$/g, '')
