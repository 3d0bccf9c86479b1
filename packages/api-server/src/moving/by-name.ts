/**
 * Moves and restores as the command line asks for them: places by their names, and what is not named by the settings.
 * @module
 */
import { openArtifactFolder } from '../artifacts/offline.ts'
import { type ResolvedConfig, resolveConfig } from '../config.ts'
import { sqlState } from '../db/transaction.ts'
import { explained } from '../process/full-disk.ts'
import { ConfigError } from '../process/setting.ts'
import type { BackupSummary } from './backup/backup-file.ts'
import { restoreBackup } from './backup/restore.ts'
import { moveDatabase, type MoveOptions, type MoveReport, planMove, undoMove } from './move.ts'
import { stepsAfterRestore } from './next-steps.ts'
import { type Place, placeOf } from './places.ts'
import type { Step } from './progress.ts'

/** A move by the names of its places: `embedded`, or the URL of a PostgreSQL server. */
export interface NamedMove {
  readonly to: string
  /** The embedded database unless given; for a move to that, the server of `SERVICE_DATABASE_URL`. */
  readonly from?: string | undefined
  /** The data directory of the embedded database; that of the settings unless given. */
  readonly dataDir?: string | undefined
  /** Hears how far it is. */
  readonly onStep?: ((step: Step) => void) | undefined
}

/** A restore. */
export interface NamedRestore {
  readonly file: string
  /** Where to; the server of `SERVICE_DATABASE_URL` unless given, and the embedded database without one. */
  readonly to?: string | undefined
  /** The data directory, where artifacts and keys are put too; that of the settings unless given. */
  readonly dataDir?: string | undefined
  /** Whether artifacts that are in the backup are put into the folder of artifacts; they are unless told otherwise. */
  readonly artifacts?: boolean | undefined
  /** Hears how far it is. */
  readonly onStep?: ((step: Step) => void) | undefined
}

/** Moves a database. Throws `ConfigError` when a name is none, and an Error that says what to do when it cannot be moved. */
export async function moveByName(move: NamedMove): Promise<MoveReport> {
  const options = optionsOf(move)
  return withAdvice(options.to, configOf(move.dataDir), () => moveDatabase(options))
}

/** What {@link moveByName} would move; nothing is changed. Throws as that does. */
export const planByName = (move: NamedMove): Promise<MoveReport & { readonly bytes: number }> =>
  planMove(optionsOf(move))

/** Has engines open a database again that has moved; `at` is its name. */
export function undoByName({ at, dataDir }: { readonly at: string; readonly dataDir?: string | undefined }) {
  return undoMove(placeOf(at, configOf(dataDir).dataDir, 'the argument of --undo'))
}

/** Restores a backup. Throws as {@link moveByName} does, and `DamagedBackup` when the file is not what was written. */
export async function restoreByName(
  restore: NamedRestore,
): Promise<BackupSummary & { readonly next: readonly string[] }> {
  const { file, onStep } = restore
  const config = configOf(restore.dataDir)
  const { dataDir } = config
  const name = restore.to ?? config.databaseUrl ?? 'embedded'
  const to = placeOf(name, dataDir, restore.to === undefined ? 'SERVICE_DATABASE_URL' : '--to')
  const openArtifacts = restore.artifacts === false ? null : () => artifactFolder(config)
  const summary = await withAdvice(to, config, () => restoreBackup({ file, to, dataDir, openArtifacts, onStep }))
  return { ...summary, next: stepsAfterRestore(to, summary) }
}

/** Tells what to do when a disk is full, or a server went away. */
async function withAdvice<T>(to: Place, { artifactsDir, dataDir }: ResolvedConfig, fill: () => Promise<T>): Promise<T> {
  try {
    return await fill()
  } catch (error) {
    const code = sqlState(error)
    if (code.startsWith('CONNECTION_') || BROKEN.has(code))
      throw new Error(
        `the connection to the database broke (${code}): run the same command again when it is back, which goes on`,
        { cause: error },
      )
    throw await explained(error, { artifactsDir, dataDir, databaseUrl: to.kind === 'server' ? to.url : null })
  }
}

/** Codes of a connection that is gone: of the system, and of a server that ends (PostgreSQL manual, appendix A). */
const BROKEN = new Set(['ECONNRESET', 'EPIPE', '57P01', '57P02', '57P03'])

/** Settings are those of an engine that would start now. */
const configOf = (dataDir: string | undefined): ResolvedConfig =>
  resolveConfig(dataDir === undefined ? {} : { dataDir })

function optionsOf({ to, from, dataDir: named, onStep }: NamedMove): MoveOptions {
  const { dataDir, databaseUrl } = configOf(named)
  const target = placeOf(to, dataDir, '--to')
  const source: Place | null =
    from === undefined ? sourceFor(target, { dataDir, databaseUrl }) : placeOf(from, dataDir, '--from')
  if (source === null)
    throw new ConfigError('SERVICE_DATABASE_URL is not set: it, or --from, names the server that is moved from')
  return { from: source, to: target, onStep }
}

function sourceFor(
  target: Place,
  { dataDir, databaseUrl }: Pick<ResolvedConfig, 'dataDir' | 'databaseUrl'>,
): Place | null {
  if (target.kind === 'server') return { kind: 'embedded', dataDir }
  return databaseUrl === null ? null : { kind: 'server', url: databaseUrl }
}

function artifactFolder(config: ResolvedConfig) {
  if (config.artifactsUrl === null) return openArtifactFolder(config)
  throw new ConfigError(
    'SERVICE_ARTIFACTS_URL is set, and artifacts are restored into a folder: restore without it, or with --no-artifacts',
  )
}
