/**
 * Frames that the engine has not acknowledged yet, in the order of their numbers, for `resumable-link.ts`.
 *
 * - held-frames.B1 while a link is lost, 8 MiB of them stay in memory and what comes after that is in files, up to 1 GiB.
 *   Beyond, a frame is not taken.
 * - held-frames.B2 a frame is written before the next one is taken, so that their order needs no lock: a file is written
 *   at once and holds about a megabyte.
 * @module
 */
import { readFileSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Bytes of frames that go into one file. */
const SEGMENT_BYTES = 1024 * 1024

/** A frame as it is sent. */
export interface HeldFrame {
  readonly seq: number
  readonly call: string
  readonly text: string
  /** Of the text. */
  readonly bytes: number
}

/** How much is held, and where. */
export interface HeldFramesDeps {
  /** Bytes in memory. */
  readonly maxMemory: number
  /** Bytes in files. */
  readonly maxDisk: number
  /** A directory for the files. */
  readonly directory: () => string
}

/** Frames that were held at one time, in memory or in a file. */
interface Segment {
  lastSeq: number
  bytes: number
  place: { readonly frames: HeldFrame[] } | { readonly path: string }
}

/** The frames of one link. */
export class HeldFrames {
  readonly #deps: HeldFramesDeps
  #segments: Segment[] = []
  #memory = 0
  #disk = 0
  #files = 0
  #directory: string | null = null
  /** What the file system has said when a file could not be written. */
  #trouble: string | null = null

  constructor(deps: HeldFramesDeps) {
    this.#deps = deps
  }

  /** Of all frames that are held. */
  get bytes(): number {
    return this.#memory + this.#disk
  }

  /** Why a frame was not taken, in words that follow a colon. */
  get limit(): string {
    const { maxMemory, maxDisk } = this.#deps
    return this.#trouble ?? `${inMebibytes(maxMemory)} in memory and ${inMebibytes(maxDisk)} in files are full`
  }

  /** Takes a frame in memory, however many there are. */
  keep(frame: HeldFrame): void {
    const last = this.#segments.at(-1)
    const isOpen = last !== undefined && 'frames' in last.place && last.bytes < SEGMENT_BYTES
    const segment = isOpen ? last : { lastSeq: 0, bytes: 0, place: { frames: [] } }
    if (!isOpen) this.#segments.push(segment)
    if ('frames' in segment.place) segment.place.frames.push(frame)
    segment.lastSeq = frame.seq
    segment.bytes += frame.bytes
    this.#memory += frame.bytes
  }

  /** Takes a frame, into a file when memory is full; false when there is no room (held-frames.B1). */
  store(frame: HeldFrame): boolean {
    const { maxMemory, maxDisk } = this.#deps
    const isFull = this.#memory + frame.bytes > maxMemory && this.#trouble !== null
    if (isFull || this.bytes + frame.bytes > maxMemory + maxDisk) return false
    this.keep(frame)
    const last = this.#segments.at(-1)
    if (this.#memory > maxMemory && last !== undefined && last.bytes >= SEGMENT_BYTES) this.#spill(last)
    return true
  }

  /** Forgets the frames up to this one. */
  forget(seq: number): void {
    this.#trouble = null
    while ((this.#segments[0]?.lastSeq ?? Number.POSITIVE_INFINITY) <= seq) this.#remove(this.#segments.shift())
    const [first] = this.#segments
    if (first === undefined || !('frames' in first.place)) return
    const { frames } = first.place
    const kept = frames.findIndex((frame) => frame.seq > seq)
    const bytes = frames.splice(0, kept).reduce((sum, frame) => sum + frame.bytes, 0)
    first.bytes -= bytes
    this.#memory -= bytes
  }

  /** The next frames after this one; none when it is the last. Throws when a file cannot be read. */
  after(seq: number): HeldFrame[] {
    const next = this.#segments.find(({ lastSeq }) => lastSeq > seq)
    if (next === undefined) return []
    const frames = 'frames' in next.place ? next.place.frames : read(next.place.path)
    return frames.filter((frame) => frame.seq > seq)
  }

  clear(): void {
    for (const segment of this.#segments.splice(0)) this.#remove(segment)
  }

  #spill(segment: Segment): void {
    if (!('frames' in segment.place)) return
    try {
      this.#directory ??= this.#deps.directory()
      this.#files += 1
      const path = join(this.#directory, `frames-${this.#files}`)
      writeFileSync(
        path,
        segment.place.frames.map(({ seq, call, text }) => `${JSON.stringify([seq, call])}\n${text}\n`).join(''),
        { mode: 0o600 },
      )
      segment.place = { path }
      this.#memory -= segment.bytes
      this.#disk += segment.bytes
    } catch (error) {
      this.#trouble = (error as Error).message
    }
  }

  #remove(segment: Segment | undefined): void {
    if (segment === undefined) return
    if ('frames' in segment.place) {
      this.#memory -= segment.bytes
      return
    }
    this.#disk -= segment.bytes
    try {
      unlinkSync(segment.place.path)
    } catch {
      // it goes with its directory
    }
  }
}

/** The frames of a file: a line with number and call, then the frame, which as JSON is one line too. */
function read(path: string): HeldFrame[] {
  const lines = readFileSync(path, 'utf8').split('\n')
  return lines.flatMap((line, at) => {
    if (at % 2 === 1 || line === '') return []
    const [seq, call] = JSON.parse(line) as [number, string]
    const text = lines[at + 1] ?? ''
    return [{ seq, call, text, bytes: Buffer.byteLength(text) }]
  })
}

const inMebibytes = (bytes: number): string => `${bytes / 1024 / 1024} MiB`
