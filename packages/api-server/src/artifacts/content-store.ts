/**
 * What keeps the bytes of artifacts under their digests: a folder (`folder-store.ts`), or an S3-compatible store
 * (`s3-store.ts`). Which of both decides what happens while the row of a digest is locked; the rows are none of theirs.
 *
 * Digests are 64 lower-case hexadecimal digits here; the caller has checked them.
 * @module
 */
import { createHash } from 'node:crypto'

import type { Check } from '@flow-service/protocol'

import type { Sql } from '../db/database.ts'
import type { ByteRange } from './byte-range.ts'

/** An upload whose bytes are here, not yet under their digest. */
export interface Staged {
  readonly path: string
  /** 64 hexadecimal digits. */
  readonly hex: string
  /** In bytes. */
  readonly size: number
}

/** What looking for bytes found; storing them again heals a digest whose bytes are `corrupt`. */
export type Lookup =
  | {
      readonly kind: 'found'
      /**
       * Streams the bytes or a part of them. Fails with {@link ChangedBytes} before the last one of changed bytes, and with
       * {@link GoneBytes} when they are not there any more.
       */
      read(range: ByteRange | null): AsyncIterable<Uint8Array>
    }
  | { readonly kind: 'missing' | 'corrupt' }

/** Bytes that were removed. */
export interface Removed {
  readonly hex: string
  /** In bytes. */
  readonly size: number
}

/** Bytes that are there, whether or not a row knows them. */
export interface Kept {
  readonly hex: string
  /** Whether they came more than a day ago. */
  isOld(): Promise<boolean>
}

/**
 * Makes the row of bytes in a transaction, which may be tried again: `locked` runs in it while it holds the lock of the row,
 * and undoes it by throwing. Resolves with whether the row is new.
 */
export type WithRow = (locked: (tx: Sql) => Promise<void>) => Promise<boolean>

/** Runs `reserved` in a transaction in which the digests that it gets have no row, and get none before it ends. */
export type WithoutRows = (reserved: (tx: Sql, hexes: readonly string[]) => Promise<void>) => Promise<void>

/** A store of bytes. */
export interface ContentStore {
  /** Takes a stream in. Throws {@link TooManyBytes}; leaves nothing behind when it throws. */
  stage(source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>, maxBytes: number): Promise<Staged>
  /** Puts staged bytes under their digest, for a row; resolves with what `row` says. */
  publish(staged: Staged, row: WithRow): Promise<boolean>
  /** Ends the staging, published or not. */
  discard(staged: Staged): Promise<void>
  /** Looks for bytes of this many. */
  find(hex: string, size: number): Promise<Lookup>
  /** Whether there are bytes of the digest, whatever they are. */
  has(hex: string): Promise<boolean>
  /** Removes those bytes that have no row. Tells what is removed. */
  remove(free: WithoutRows): Promise<readonly Removed[]>
  /** All that is there, some at a time. */
  all(): AsyncGenerator<readonly Kept[]>
  /** Removes what nobody has continued for a day: uploads of dead engines; tells how many. */
  dropDeadUploads(): Promise<number>
  /** Whether it works, in words that name no place. May take as long as what it stands on. */
  check(): Promise<Check>
  /** How clients reach the bytes without the engine; null where they cannot. */
  readonly direct: DirectAccess | null
  close(): Promise<void>
}

/** Bytes under a digest that has a row, or will have. */
export interface Addressed {
  readonly hex: string
  /** In bytes. */
  readonly size: number
}

/** What has arrived of an upload. */
export interface Arrived extends Addressed {
  /** What tells these bytes from others that may take their place. */
  readonly version: string
}

/** Signed URLs of a store, and what arrives by them. */
export interface DirectAccess {
  /** Largest upload, in bytes. */
  readonly maxBytes: number
  /** A URL that gives the bytes of a digest to whoever has it, for 300 s. */
  downloadUrl(hex: string, shown: { readonly name: string; readonly mediaType: string }): Promise<string>
  /** Where exactly these bytes can be put, for `expiresS` seconds. */
  uploadUrl(
    upload: string,
    bytes: Addressed,
    expiresS: number,
  ): Promise<{ readonly url: string; readonly headers: Readonly<Record<string, string>> }>
  /** Looks at what has arrived, all of it; null is nothing. */
  arrived(upload: string): Promise<Arrived | null>
  /** Puts what has arrived under its digest, for a row; null when it is not what was looked at any more. */
  publish(upload: string, arrived: Arrived, row: WithRow): Promise<boolean | null>
  /** Makes or renews the row of bytes that are stored; null when they are not. */
  keep(bytes: Addressed, row: WithRow): Promise<boolean | null>
  /** Removes what has arrived. */
  drop(upload: string): Promise<void>
}

/** Bytes are not what they were when they were stored; until they are stored again they count as missing. */
export class ChangedBytes extends Error {
  override readonly name = 'ChangedBytes'
}

/** Bytes that were there are not any more. */
export class GoneBytes extends Error {
  override readonly name = 'GoneBytes'
}

/** The directory was removed, moved or replaced since it was opened: it is not made anew. */
export class FolderGone extends Error {
  override readonly name = 'FolderGone'
  constructor(directory: string) {
    super(`the folder of artifacts ${directory} is not the one that the engine has opened`)
  }
}

/** More bytes came than are accepted. */
export class TooManyBytes extends Error {
  override readonly name = 'TooManyBytes'
  readonly maxBytes: number
  constructor(maxBytes: number) {
    super(`more than ${maxBytes} bytes`)
    this.maxBytes = maxBytes
  }
}

/** What becomes known of bytes when they were read to their end. */
interface Verdict {
  readonly same: () => void
  readonly changed: () => Promise<void>
}

/** The pieces of a source, the last of which follows once the digest of all was right; {@link ChangedBytes} comes instead. */
export async function* unchanged(
  source: AsyncIterable<Uint8Array>,
  hex: string,
  { same, changed }: Verdict,
): AsyncGenerator<Uint8Array> {
  const digest = createHash('sha256')
  let held: Uint8Array | null = null
  for await (const piece of source) {
    digest.update(piece)
    if (held) yield held
    held = piece
  }
  if (digest.digest('hex') !== hex) {
    await changed()
    throw new ChangedBytes(`the bytes of ${hex} are not what was stored`)
  }
  same()
  if (held) yield held
}

/** Reads to the end. */
export async function drained(source: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of source);
}
