/**
 * Bytes by their SHA-256 digest in an S3-compatible store, under the keys that files have in a folder:
 *
 *     sha256/ab/abcdef…      bytes under their digest
 *     tmp/<uuid>             bytes that a client has sent by a signed URL
 *     store-id               whose store it is
 *
 * Bytes that come through the engine are files of its data directory until their digest is known. DESIGN.md beside the folder of
 * this one has the invariants (s3-store.B1-B7).
 * @module
 */
import { setTimeout as pause } from 'node:timers/promises'

import type { Check } from '@flow-service/protocol'

import type { Database } from '../../db/database.ts'
import { ProblemError } from '../../http/errors.ts'
import type { ByteRange } from '../byte-range.ts'
import {
  type Addressed,
  ChangedBytes,
  type ContentStore,
  type DirectAccess,
  drained,
  GoneBytes,
  type Kept,
  type Lookup,
  type Removed,
  type Staged,
  unchanged,
  type WithoutRows,
  type WithRow,
} from '../content-store.ts'
import { DAY_MS, type Staging } from '../staging.ts'
import { S3Direct } from './s3-direct.ts'
import { createMarks, type Marks } from './s3-marks.ts'
import { keyOf, type S3Objects } from './s3-objects.ts'
import { OtherVersion, readObject } from './s3-reading.ts'
import { letGo } from './s3-transport.ts'
import { Versions } from './s3-versions.ts'

/** No deletion begins later: the last one has to be over when its mark counts no more (s3-store.B3). */
const REMOVAL_MS = 30_000
const REMOVED_AT_ONCE = 8
/** How long an upload waits for a removal of the same bytes. */
const PATIENCE_MS = 30_000
const PAUSE_MS = 100

/** What the store is made of. */
export interface S3StoreDeps {
  readonly objects: S3Objects
  readonly staging: Staging
  readonly database: Pick<Database, 'sql'>
  readonly patienceMs?: number
  /** Ends the connections. */
  readonly close: () => Promise<void>
}

/** Bytes in a bucket. */
export class S3Store implements ContentStore {
  readonly direct: DirectAccess
  readonly #deps: S3StoreDeps
  readonly #marks: Marks
  /** What this engine has hashed. */
  readonly #versions = new Versions()

  constructor(deps: S3StoreDeps) {
    this.#deps = deps
    this.#marks = createMarks(deps.database.sql)
    this.direct = new S3Direct(deps.objects, this.#versions, (bytes, put, row) => this.#placed(bytes, put, row))
  }

  stage(source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>, maxBytes: number): Promise<Staged> {
    return this.#deps.staging.write(source, maxBytes)
  }

  /** Puts the bytes before their row is locked (s3-store.B2). */
  async publish(staged: Staged, row: WithRow): Promise<boolean> {
    const { hex, size } = staged
    const put = async () => {
      // hashed a moment ago, and still there: nothing is to be healed
      const known = this.#versions.of(hex)
      if (known !== null && (await this.#deps.objects.size(keyOf(hex))) === size) return known
      return this.#deps.objects.putFile(keyOf(hex), staged.path, staged)
    }
    return (await this.#placed(staged, put, row)) ?? false
  }

  discard({ path }: Staged): Promise<void> {
    return this.#deps.staging.remove(path)
  }

  async find(hex: string, size: number): Promise<Lookup> {
    if (this.#versions.isSpoiled(hex)) return { kind: 'missing' }
    if (this.#versions.of(hex) === null) {
      const stored = await this.#deps.objects.size(keyOf(hex))
      if (stored === null) return { kind: 'missing' }
      if (stored !== size) {
        this.#versions.spoil(hex)
        return { kind: 'corrupt' }
      }
    }
    const bytes = { hex, size }
    const isAll = (range: ByteRange) => range.first === 0 && range.last === size - 1
    const read = (range: ByteRange | null) =>
      range === null || isAll(range) ? this.#whole(bytes) : this.#part(bytes, range)
    return { kind: 'found', read }
  }

  async has(hex: string): Promise<boolean> {
    if (this.#versions.isSpoiled(hex)) return false
    return this.#versions.of(hex) !== null || (await this.#deps.objects.size(keyOf(hex))) !== null
  }

  /** Marks the bytes while no row can come, and deletes them after that (s3-store.B3). */
  async remove(free: WithoutRows): Promise<readonly Removed[]> {
    let marked: readonly string[] = []
    await free(async (tx, hexes) => {
      marked = hexes
      await this.#marks.begin(tx, hexes)
    })
    const beforeMs = Date.now() + REMOVAL_MS
    const removed: Removed[] = []
    const rest = [...marked]
    const removeRest = async (): Promise<void> => {
      for (let hex = rest.pop(); hex !== undefined; hex = rest.pop()) {
        const size = await this.#delete(hex, beforeMs)
        // not when it fails: what it asked of the store may still be on its way
        await this.#marks.end(hex)
        if (size !== null) removed.push({ hex, size })
      }
    }
    const ends = await Promise.allSettled(Array.from({ length: REMOVED_AT_ONCE }, removeRest))
    for (const end of ends) if (end.status === 'rejected') throw end.reason
    return removed
  }

  /** Gives the size of what is deleted; null when nothing is, or there is no time left for it: a later sweep finds it. */
  async #delete(hex: string, beforeMs: number): Promise<number | null> {
    const { objects } = this.#deps
    this.#versions.forget(hex)
    const size = Date.now() < beforeMs ? await objects.size(keyOf(hex)) : null
    if (size === null || Date.now() >= beforeMs) return null
    await objects.delete(keyOf(hex))
    return size
  }

  async *all(): AsyncGenerator<readonly Kept[]> {
    for await (const page of this.#deps.objects.list('sha256/')) {
      yield page.flatMap(({ key, atMs }) => {
        const hex = /^sha256\/[0-9a-f]{2}\/([0-9a-f]{64})$/.exec(key)?.[1]
        return hex === undefined ? [] : [{ hex, isOld: async () => Date.now() - atMs >= DAY_MS }]
      })
    }
  }

  async dropDeadUploads(): Promise<number> {
    const { objects, staging } = this.#deps
    let count = await staging.dropDead()
    const beforeMs = Date.now() - DAY_MS
    for await (const page of objects.list('tmp/')) {
      for (const { key, atMs } of page) {
        if (atMs >= beforeMs) continue
        await objects.delete(key)
        count += 1
      }
    }
    await this.#marks.forget()
    return count + (await objects.abortParts(beforeMs))
  }

  async check(): Promise<Check> {
    try {
      if ((await this.#deps.objects.size('store-id')) !== null) return { status: 'ok', detail: null }
      return { status: 'down', detail: 'the store of artifacts has lost its store-id: it is another one, or empty' }
    } catch (error) {
      return { status: 'down', detail: error instanceof ProblemError ? error.message : 'it failed' }
    }
  }

  close(): Promise<void> {
    return this.#deps.close()
  }

  /**
   * Has bytes put, or finds them there, and makes their row; again when a removal may have hit them meanwhile. Null when
   * there was nothing to put. Refuses with `unavailable` when a removal takes too long.
   */
  async #placed(bytes: Addressed, put: () => Promise<string | null>, row: WithRow): Promise<boolean | null> {
    const { hex } = bytes
    const beforeMs = Date.now() + (this.#deps.patienceMs ?? PATIENCE_MS)
    do {
      const since = await this.#marks.start(hex)
      if (since !== null) {
        const version = await put()
        if (version === null) return null
        const isNew = await this.#rowSince(hex, since, row)
        if (isNew !== null) {
          this.#versions.trust(hex, version)
          return isNew
        }
      }
      await pause(PAUSE_MS)
    } while (Date.now() < beforeMs)
    throw new ProblemError('unavailable', `sha256:${hex} is being removed: store it again in two minutes`, {
      retry_after_s: 120,
    })
  }

  /** What `row` says; null, and no row, when a removal may have hit what was put since then. */
  async #rowSince(hex: string, since: string, row: WithRow): Promise<boolean | null> {
    try {
      return await row(async (tx) => {
        if (await this.#marks.hasRemoved(tx, hex, since)) throw new RemovedMeanwhile()
      })
    } catch (error) {
      if (error instanceof RemovedMeanwhile) return null
      throw error
    }
  }

  /** All bytes, hashed on their way. */
  #whole({ hex, size }: Addressed): AsyncIterable<Uint8Array> {
    let version = ''
    const source = readObject(this.#deps.objects, { key: keyOf(hex), size, range: null }, (sent) => {
      version = sent.version
    })
    return unchanged(this.#noticed(hex, source), hex, {
      same: () => this.#versions.trust(hex, version),
      changed: async () => this.#versions.spoil(hex),
    })
  }

  /** A part of bytes that were hashed, now or before, in the version that was (s3-store.B4). */
  async *#part(bytes: Addressed, range: ByteRange): AsyncGenerator<Uint8Array> {
    const { hex, size } = bytes
    for (let isGiven = false, attempt = 1; ; attempt += 1) {
      if (this.#versions.of(hex) === null) await this.#verify(bytes)
      const version = this.#versions.of(hex) ?? undefined
      const source = readObject(this.#deps.objects, { key: keyOf(hex), size, range, version }, () => undefined)
      try {
        for await (const piece of this.#noticed(hex, source)) {
          isGiven = true
          yield piece
        }
        return
      } catch (error) {
        // another engine has put the same bytes there meanwhile
        if (!(error instanceof OtherVersion) || isGiven || attempt > 1) throw error
        this.#versions.forget(hex)
      }
    }
  }

  /** Reads all of it, unless the store vouches for the digest. */
  async #verify(bytes: Addressed): Promise<void> {
    const sent = await this.#deps.objects.get(keyOf(bytes.hex))
    if (sent === null || sent === 'changed') throw new GoneBytes(`there is no object of ${bytes.hex}`)
    letGo(sent.body)
    if (sent.hex === bytes.hex) this.#versions.trust(bytes.hex, sent.version)
    else await drained(this.#whole(bytes))
  }

  /** Bytes of another length are not what they were. */
  async *#noticed(hex: string, source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    try {
      yield* source
    } catch (error) {
      if (error instanceof ChangedBytes) this.#versions.spoil(hex)
      if (error instanceof GoneBytes) this.#versions.forget(hex)
      throw error
    }
  }
}

/** A removal was under way while bytes were put. */
class RemovedMeanwhile extends Error {
  override readonly name = 'RemovedMeanwhile'
}
