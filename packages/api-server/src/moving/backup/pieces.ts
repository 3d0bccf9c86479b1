/**
 * What a backup says, piece by piece: a head, the rows of table after table, artifacts with their bytes, keys, and an end
 * that counts all of it.
 *
 * - pieces.P1 nothing of a backup is believed before its end was read: an end that does not fit to what came before it, or
 *   is missing, is damage like any other.
 * @module
 */
import { createHash, type Hash } from 'node:crypto'

import type { SequenceState } from '../catalog-store.ts'
import { isSame, RowSum, type TableDigest } from '../digest.ts'
import type { AppliedMigration } from '../source.ts'
import { DamagedBackup, type Frame, frameOf, framesIn } from './frames.ts'

/** The beginning of a backup. */
export interface BackupHead {
  /** A new one for each backup (UUID). */
  readonly id: string
  /** Version of the engine that made it. */
  readonly engine: string
  /** The moment that it shows. */
  readonly made_at: string
  /** The place of the database, for people. */
  readonly from: string
  readonly migrations: readonly AppliedMigration[]
  /** In the order in which they follow. */
  readonly tables: readonly { readonly name: string; readonly columns: readonly string[] }[]
  /** Where the artifacts are, when they are not in here. */
  readonly artifacts: { readonly kind: 'here' } | { readonly kind: 'elsewhere'; readonly place: string }
}

/** The end of a backup. */
export interface BackupEnd {
  readonly tables: readonly ({ readonly name: string } & TableDigest)[]
  readonly sequences: readonly SequenceState[]
  readonly artifacts: {
    readonly count: number
    readonly bytes: number
    /** Digests that rows refer to, whose bytes were not there. */
    readonly missing: readonly string[]
  }
  /** Names of the keys. */
  readonly keys: readonly string[]
}

/** A piece of a backup. */
export type Piece =
  | { readonly kind: 'head'; readonly head: BackupHead }
  | { readonly kind: 'rows'; readonly table: string; readonly rows: readonly string[] }
  /** Its bytes follow. */
  | { readonly kind: 'artifact'; readonly digest: string; readonly size: number }
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  | { readonly kind: 'key'; readonly name: string; readonly text: string }
  | { readonly kind: 'end'; readonly end: BackupEnd }

/** A piece as it is written. */
export const pieceBytes = (piece: Piece): Promise<Buffer> =>
  piece.kind === 'bytes' ? frameOf('bytes', piece.bytes) : frameOf(piece.kind, Buffer.from(JSON.stringify(piece)))

/**
 * The pieces of a backup, the last of which is its end, once all of them were found to be what it counts (pieces.P1).
 * Throws {@link DamagedBackup}, which tells the place.
 */
export async function* piecesIn(bytes: AsyncIterable<Uint8Array>, name: string): AsyncGenerator<Piece> {
  const tally = new Tally()
  let isOver = false
  let at = 0
  for await (const frame of framesIn(bytes, name)) {
    at = frame.at
    const piece = pieceOf(frame)
    const fault = isOver ? 'something follows its end' : tally.fault(piece)
    if (fault !== null) throw new DamagedBackup(`${name} is damaged at byte ${at}: ${fault}`)
    isOver = piece.kind === 'end'
    yield piece
  }
  if (!isOver) throw new DamagedBackup(`${name} is cut off behind byte ${at}: its end is missing`)
}

const pieceOf = ({ kind, content }: Frame): Piece =>
  kind === 'bytes' ? { kind, bytes: content } : ({ ...JSON.parse(content.toString()), kind } as Piece)

/** Counts pieces as they come, to make the end of a backup, or to compare with it. */
export class Tally {
  readonly #tables = new Map<string, RowSum>()
  readonly #keys: string[] = []
  #head: BackupHead | null = null
  #artifacts = 0
  #bytes = 0
  #open: { readonly digest: string; readonly hash: Hash; left: number } | null = null

  /** What is wrong with a piece at its place; null when nothing is. */
  fault(piece: Piece): string | null {
    if (piece.kind === 'head') return this.#begin(piece.head)
    if (!this.#head) return 'its head is missing'
    if (piece.kind === 'bytes') return this.#add(piece.bytes)
    if (this.#open) return `the bytes of ${this.#open.digest} are not complete`
    switch (piece.kind) {
      case 'rows': {
        const sum = this.#tables.get(piece.table)
        sum?.add(piece.rows)
        return sum ? null : `its head has no table ${piece.table}`
      }
      case 'artifact':
        this.#artifacts += 1
        this.#bytes += piece.size
        this.#open = { digest: piece.digest, hash: createHash('sha256'), left: piece.size }
        return piece.size === 0 ? this.#add(new Uint8Array()) : null
      case 'key':
        this.#keys.push(piece.name)
        return null
      case 'end':
        return this.#compare(piece.end)
    }
  }

  /** The end of what was counted. */
  end(sequences: readonly SequenceState[], missing: readonly string[]): BackupEnd {
    return {
      tables: [...this.#tables].map(([name, sum]) => ({ name, ...sum.digest })),
      sequences,
      artifacts: { count: this.#artifacts, bytes: this.#bytes, missing },
      keys: [...this.#keys],
    }
  }

  #begin(head: BackupHead): string | null {
    if (this.#head) return 'it has a second head'
    this.#head = head
    for (const { name } of head.tables) this.#tables.set(name, new RowSum())
    return null
  }

  #add(bytes: Uint8Array): string | null {
    const open = this.#open
    if (!open) return 'there are bytes of no artifact'
    open.hash.update(bytes)
    open.left -= bytes.length
    if (open.left > 0) return null
    this.#open = null
    return open.left === 0 && `sha256:${open.hash.digest('hex')}` === open.digest
      ? null
      : `the bytes of ${open.digest} are others`
  }

  #compare(end: BackupEnd): string | null {
    const found = this.end([], [])
    const other = end.tables.find(({ name, ...digest }, at) => {
      const own = found.tables[at]
      return own?.name !== name || !isSame(own, digest)
    })
    if (other) return `the rows of ${other.name} are not those that were written`
    if (found.tables.length !== end.tables.length) return 'a table is missing'
    const { count, bytes } = found.artifacts
    if (count !== end.artifacts.count || bytes !== end.artifacts.bytes) return 'an artifact is missing'
    return found.keys.join() === end.keys.join() ? null : 'a key is missing'
  }
}
