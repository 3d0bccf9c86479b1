/**
 * A backup as a file: written as a whole, and read from its beginning.
 * @module
 */
import { createReadStream } from 'node:fs'
import { type FileHandle, open, rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'

import { syncPath } from '../../db/durable-fs.ts'
import type { Step } from '../progress.ts'
import { firstLine } from './frames.ts'
import type { KeyFile } from './keys.ts'
import { type BackupEnd, type BackupHead, type Piece, pieceBytes, piecesIn } from './pieces.ts'

/** What is in a backup. */
export interface BackupSummary {
  readonly head: BackupHead
  readonly end: BackupEnd
  readonly rows: number
}

/** How a backup is written. */
export interface WritingOptions {
  /** Keys that are added; none unless given. */
  readonly keys?: readonly KeyFile[]
  readonly onStep?: ((step: Step) => void) | undefined
}

/**
 * Writes the bytes of a backup to a file of mode 0600, for it has what the database has. They are checked as they come, and the
 * file has its name when all of it is on the disk; until then it is `<file>.part`, which goes when something fails.
 */
export async function writeBackupFile(
  path: string,
  bytes: AsyncIterable<Uint8Array>,
  { keys = [], onStep }: WritingOptions = {},
): Promise<BackupSummary & { readonly bytes: number }> {
  const part = `${path}.part`
  // one that a crash has left may have another mode
  await rm(part, { force: true })
  const file = await open(part, 'wx', 0o600)
  try {
    const summary = await writePieces(file, withKeys(told(piecesIn(bytes, 'what was received'), 'copy', onStep), keys))
    await file.sync()
    const { size } = await file.stat()
    await file.close()
    await rename(part, path)
    syncPath(dirname(path))
    return { ...summary, bytes: size }
  } catch (error) {
    await file.close()
    await rm(part, { force: true })
    throw error
  }
}

/** The pieces of a file. Throws `DamagedBackup`, which tells the place, at the latest before the end. */
export const filePieces = (path: string): AsyncGenerator<Piece> =>
  piecesIn(createReadStream(path, { highWaterMark: 2 ** 20 }), path)

/** Reads a whole file, and tells what is in it. Throws `DamagedBackup`, and whatever `look` throws at a piece. */
export async function checkBackupFile(
  path: string,
  onStep?: (step: Step) => void,
  look: (piece: Piece) => Promise<void> = async () => {},
): Promise<BackupSummary & { readonly bytes: number }> {
  const summary = new Summary()
  for await (const piece of told(filePieces(path), 'check', onStep)) {
    await look(piece)
    summary.add(piece)
  }
  return { ...summary.all, bytes: (await stat(path)).size }
}

async function writePieces(file: FileHandle, pieces: AsyncIterable<Piece>): Promise<BackupSummary> {
  const summary = new Summary()
  await file.write(firstLine())
  for await (const piece of pieces) {
    await file.writeFile(await pieceBytes(piece))
    summary.add(piece)
  }
  return summary.all
}

/** Keys stand before the end, which names them. */
async function* withKeys(pieces: AsyncIterable<Piece>, keys: readonly KeyFile[]): AsyncGenerator<Piece> {
  for await (const piece of pieces) {
    if (piece.kind !== 'end') {
      yield piece
      continue
    }
    for (const key of keys) yield { kind: 'key', ...key }
    const names = [...piece.end.keys, ...keys.map(({ name }) => name)]
    yield { kind: 'end', end: { ...piece.end, keys: names } }
  }
}

async function* told(
  pieces: AsyncIterable<Piece>,
  step: 'check' | 'copy',
  onStep: ((step: Step) => void) | undefined,
): AsyncGenerator<Piece> {
  for await (const piece of pieces) {
    if (piece.kind === 'rows') onStep?.({ step, table: piece.table, rows: piece.rows.length, of: 0 })
    else if (piece.kind === 'bytes') onStep?.({ step, table: '', rows: piece.bytes.length, of: 0 })
    yield piece
  }
}

/** Gathers what is told of a backup; its pieces were checked. */
class Summary {
  #head: BackupHead | null = null
  #end: BackupEnd | null = null

  add(piece: Piece): void {
    if (piece.kind === 'head') this.#head = piece.head
    else if (piece.kind === 'end') this.#end = piece.end
  }

  get all(): BackupSummary {
    const [head, end] = [this.#head, this.#end]
    if (!head || !end) throw new Error('the backup has no head or no end')
    return { head, end, rows: end.tables.reduce((sum, { rows }) => sum + rows, 0) }
  }
}
