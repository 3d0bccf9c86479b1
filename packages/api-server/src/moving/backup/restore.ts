/**
 * Restores a backup into an empty database: for `service restore`.
 *
 * - restore.R1 the whole file is read and checked before anything is made.
 * - restore.R2 the database has its mark until all rows are there and compared with what the backup counts: one that was
 *   broken off is opened by no engine, and the same command begins it anew.
 * @module
 */
import type { ArtifactFolder } from '../../artifacts/offline.ts'
import { isSame } from '../digest.ts'
import { type Place, placeText } from '../places.ts'
import type { Step } from '../progress.ts'
import { BEGINNING } from '../row-store.ts'
import { knownMigrations } from '../source.ts'
import type { MovedTable } from '../tables.ts'
import { Target } from '../target.ts'
import { type BackupSummary, checkBackupFile, filePieces } from './backup-file.ts'
import { assertFitting, writeKey } from './keys.ts'
import type { BackupEnd, BackupHead, Piece } from './pieces.ts'

/** What a restore takes. */
export interface RestoreOptions {
  readonly file: string
  readonly to: Place
  /** Where keys are put. */
  readonly dataDir: string
  /** Opens where artifacts are put, once the file was checked; null: they are left out. */
  readonly openArtifacts: (() => Promise<ArtifactFolder>) | null
  readonly onStep?: ((step: Step) => void) | undefined
}

/** Looks at a backup, and changes nothing; throws when it cannot be restored by this version. */
export async function inspectBackup(
  file: string,
  onStep?: (step: Step) => void,
): Promise<BackupSummary & { readonly bytes: number }> {
  return checkBackupFile(file, onStep, async (piece) => {
    if (piece.kind === 'head') knownMigrations(piece.head.migrations)
  })
}

/** Restores a backup; see the header. Throws an Error that says what to do. */
export async function restoreBackup(options: RestoreOptions): Promise<BackupSummary> {
  const { file, to, dataDir, openArtifacts, onStep } = options
  const { head, end, rows } = await checkBackupFile(file, onStep, async (piece) => {
    if (piece.kind === 'head') knownMigrations(piece.head.migrations)
    else if (piece.kind === 'key') await assertFitting(dataDir, piece)
  })
  const from = `the backup ${file}`
  const isHere = head.artifacts.kind === 'here' && openArtifacts !== null
  const artifacts = isHere && end.artifacts.count > 0 ? await openArtifacts() : null
  const target = await Target.open(to, { by: 'restore', from, source: head.id, migrations: head.migrations })
  try {
    assertFits(head, target.tables)
    if (target.isResumed) await target.restart()
    await fill(target, options, artifacts)
    await target.filled()
    await assertEqual(target, end, options)
    // where they are now is pinned by the next engine
    await target.complete(end.sequences, isHere ? 'artifacts' : null)
    await target.release()
  } finally {
    await target.close()
  }
  return { head, end, rows }
}

function assertFits({ tables }: BackupHead, made: readonly MovedTable[]): void {
  const spelled = (name: string, columns: readonly string[]): string => `${name} (${columns.join(', ')})`
  const here = new Set(
    made.map(({ name, columns }) =>
      spelled(
        name,
        columns.map((column) => column.name),
      ),
    ),
  )
  const other = tables.find(({ name, columns }) => !here.has(spelled(name, columns)))
  if (other)
    throw new Error(`the backup has the table ${spelled(other.name, other.columns)}, which its migrations do not make`)
}

/** Puts everything into its place. */
async function fill(target: Target, options: RestoreOptions, artifacts: ArtifactFolder | null): Promise<void> {
  const { file, dataDir, onStep } = options
  const tables = new Map(target.tables.map((table) => [table.name, table]))
  const pieces = filePieces(file)
  try {
    for (let next = await pieces.next(); !next.done; next = await pieces.next()) {
      const piece: Piece = next.value
      const table = piece.kind === 'rows' ? tables.get(piece.table) : undefined
      if (piece.kind === 'rows' && table) {
        await target.write(table, { rows: piece.rows, after: BEGINNING })
        onStep?.({ step: 'copy', table: table.name, rows: piece.rows.length, of: 0 })
      }
      if (piece.kind === 'key') await writeKey(dataDir, piece)
      if (piece.kind === 'artifact') await artifacts?.keep(piece.digest, bytesOf(pieces, piece.size, onStep))
    }
  } finally {
    await pieces.return(undefined)
  }
}

/** The bytes of an artifact, which follow it. */
async function* bytesOf(
  pieces: AsyncGenerator<Piece>,
  size: number,
  onStep: RestoreOptions['onStep'],
): AsyncGenerator<Uint8Array> {
  let left = size
  while (left > 0) {
    const { value } = await pieces.next()
    if (value?.kind !== 'bytes') return
    left -= value.bytes.length
    yield value.bytes
    onStep?.({ step: 'copy', table: '', rows: value.bytes.length, of: 0 })
  }
}

/** Throws when a table is not what the backup counts (restore.R2). */
async function assertEqual(target: Target, end: BackupEnd, { to, onStep }: RestoreOptions): Promise<void> {
  const counted = new Map(end.tables.map(({ name, ...digest }) => [name, digest]))
  for (const table of target.tables) {
    const wanted = counted.get(table.name)
    const found = await target.digest(table, (rows) =>
      onStep?.({ step: 'compare', table: table.name, rows, of: wanted?.rows ?? 0 }),
    )
    if (wanted && isSame(wanted, found)) continue
    throw new Error(
      `${table.name} has ${found.rows} rows in ${placeText(to)}, and not the ${wanted?.rows ?? 0} of the backup as they were: use a new database`,
    )
  }
}
