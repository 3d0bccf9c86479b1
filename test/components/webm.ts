/**
 * Videos for tests: WebM files (Matroska, RFC 9559) of encoded pictures, each a cluster of its own that the index leads to.
 * Between the two halves lies a gap, so that a player that seeks into the second one has to ask for it.
 * @module
 */

/** A picture that needs no other one. */
export interface KeyFrame {
  /** Milliseconds since the beginning. */
  readonly atMs: number
  readonly data: Uint8Array
}

export interface Video {
  readonly width: number
  readonly height: number
  readonly durationMs: number
  /** By their times. */
  readonly frames: readonly KeyFrame[]
  /** Size of the gap, in bytes. */
  readonly gap: number
}

const text = (value: string): Buffer => Buffer.from(value)
function float(value: number): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeDoubleBE(value)
  return bytes
}
/** In eight bytes, so that the size of the index does not hang on what it says. */
function integer(value: number): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64BE(BigInt(value))
  return bytes
}
function element(id: number, ...parts: readonly Uint8Array[]): Buffer {
  const head = Buffer.from(id.toString(16), 'hex')
  const size = integer(parts.reduce((sum, { length }) => sum + length, 0))
  size[0] = 0x01
  return Buffer.concat([head, size, ...parts])
}

/** The file. */
export function webm({ width, height, durationMs, frames, gap }: Video): Buffer<ArrayBuffer> {
  const head = element(
    0x1a45dfa3,
    element(0x4282, text('webm')),
    element(0x4287, integer(2)),
    element(0x4285, integer(2)),
  )
  const info = element(
    0x1549a966,
    element(0x2ad7b1, integer(1_000_000)),
    element(0x4489, float(durationMs)),
    element(0x4d80, text('test')),
    element(0x5741, text('test')),
  )
  const picture = element(0xe0, element(0xb0, integer(width)), element(0xba, integer(height)))
  const track = [element(0xd7, integer(1)), element(0x73c5, integer(1)), element(0x83, integer(1))]
  const tracks = element(0x1654ae6b, element(0xae, ...track, element(0x86, text('V_VP8')), picture))
  const clusters = frames.map(({ atMs, data }) =>
    // track 1, no time beside that of the cluster, a key frame
    element(0x1f43b675, element(0xe7, integer(atMs)), element(0xa3, Buffer.from([0x81, 0, 0, 0x80]), data)),
  )
  clusters.splice(Math.ceil(frames.length / 2), 0, element(0xec, Buffer.alloc(gap)))
  const index = (start: number): Buffer => {
    let place = start
    const points: Buffer[] = []
    for (const cluster of clusters) {
      const frame = frames[points.length]
      if (frame && cluster[0] === 0x1f) {
        const position = element(0xb7, element(0xf7, integer(1)), element(0xf1, integer(place)))
        points.push(element(0xbb, element(0xb3, integer(frame.atMs)), position))
      }
      place += cluster.length
    }
    return element(0x1c53bb6b, ...points)
  }
  const before = info.length + tracks.length
  return Buffer.concat([
    head,
    element(0x18538067, info, tracks, index(before + index(0).length), ...clusters),
  ]) as Buffer<ArrayBuffer>
}
