/**
 * Makes backups: all rows of a database as of one moment, and the artifacts that they name. The engine does so for
 * `GET /backup`, the command line for a data directory whose engine does not run, or for a server.
 * @module
 */
import { randomUUID } from 'node:crypto'

import { timestampOfMs } from '@flow-service/protocol'

import { engineVersion } from '../../config.ts'
import { pagesOf } from '../pages.ts'
import { createRowStore } from '../row-store.ts'
import { readSource, sequencesOf } from '../source.ts'
import { createBlobStore } from './blob-store.ts'
import { firstLine } from './frames.ts'
import { type BackupHead, type Piece, pieceBytes, Tally } from './pieces.ts'
import type { Snapshot } from './snapshot.ts'

/** Where the bytes of artifacts come from; null: they are not here. */
export type OpenBytes = (digest: string) => Promise<AsyncIterable<Uint8Array> | null>

/** Of what a backup is made. */
export interface BackupDeps {
  /** The place of the database for people. */
  readonly from: string
  readonly snapshot: Pick<Snapshot, 'sql'>
  /** How artifacts are read, or where they stay. */
  readonly artifacts: { readonly open: OpenBytes } | { readonly place: string }
}

/** The bytes of a backup, which are made while they are read. */
export async function* backupBytes(deps: BackupDeps): AsyncGenerator<Uint8Array> {
  yield firstLine()
  for await (const piece of backupPieces(deps)) yield await pieceBytes(piece)
}

async function* backupPieces({ from, snapshot: { sql }, artifacts }: BackupDeps): AsyncGenerator<Piece> {
  const source = await readSource(sql, from)
  if (source.mark?.state === 'filling')
    throw new Error(`${from} is not complete: it is being filled from ${source.mark.from}`)
  const tally = new Tally()
  const counted = (piece: Piece): Piece => {
    const fault = tally.fault(piece)
    if (fault !== null) throw new Error(`the backup is not what was read: ${fault}`)
    return piece
  }
  const head: BackupHead = {
    id: randomUUID(),
    engine: engineVersion,
    made_at: timestampOfMs(Date.now()),
    from,
    migrations: source.migrations,
    tables: source.tables.map(({ name, columns }) => ({ name, columns: columns.map((column) => column.name) })),
    artifacts: 'place' in artifacts ? { kind: 'elsewhere', place: artifacts.place } : { kind: 'here' },
  }
  yield counted({ kind: 'head', head })
  const store = createRowStore(sql)
  for (const table of source.tables) {
    for await (const { rows } of pagesOf(store, table)) yield counted({ kind: 'rows', table: table.name, rows })
  }
  const missing: string[] = []
  if ('open' in artifacts) {
    const blobs = await createBlobStore(sql).all()
    for await (const piece of artifactPieces(blobs, artifacts.open, missing)) yield counted(piece)
  }
  yield { kind: 'end', end: tally.end(await sequencesOf(sql, source.tables), missing) }
}

/** Artifacts with their bytes; digests of those that are not there are added to `missing`. */
async function* artifactPieces(
  blobs: readonly { readonly digest: string; readonly size: number }[],
  open: OpenBytes,
  missing: string[],
): AsyncGenerator<Piece> {
  for (const { digest, size } of blobs) {
    const bytes = await open(digest)
    if (bytes === null) {
      missing.push(digest)
      continue
    }
    yield { kind: 'artifact', digest, size }
    for await (const part of bytes) if (part.length > 0) yield { kind: 'bytes', bytes: part }
  }
}
