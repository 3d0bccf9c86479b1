/**
 * Backups that a running engine makes of itself, for `GET /backup`.
 *
 * - backups.B1 one is made at a time: a copy of the embedded database takes as much room as that has.
 * @module
 */
import type { Artifacts } from '../../artifacts/artifacts.ts'
import type { ResolvedConfig } from '../../config.ts'
import type { Database, Sql } from '../../db/database.ts'
import { ProblemError } from '../../http/errors.ts'
import { type Place, placeText } from '../places.ts'
import { artifactsFor, takesArtifacts } from './artifact-bytes.ts'
import { backupBytes } from './backup.ts'
import { removeLeftCopies } from './embedded-copy.ts'
import { openSnapshot } from './snapshot.ts'

/** What backups are made of. */
export interface BackupsDeps {
  readonly config: Pick<ResolvedConfig, 'artifactsUrl' | 'databaseUrl' | 'dataDir'>
  readonly database: Database
  readonly artifacts: Pick<Artifacts, 'open'>
}

/** Makes backups of an engine. */
export interface Backups {
  /**
   * The bytes of a backup. With the first one the moment begins that it shows, and `audit` writes its entry; until the last
   * one, or until nobody reads any more, another backup is refused with `in_use`. `artifacts` is whether they are in it: those
   * of a folder unless told otherwise.
   */
  make(wish: { readonly artifacts: boolean | undefined }, audit: (tx: Sql) => Promise<void>): AsyncGenerator<Uint8Array>
}

/** The backups of an engine; what a crash has left of one goes. */
export async function openBackups({ config, database, artifacts }: BackupsDeps): Promise<Backups> {
  const { databaseUrl, dataDir } = config
  await removeLeftCopies(dataDir)
  const place: Place = databaseUrl === null ? { kind: 'embedded', dataDir } : { kind: 'server', url: databaseUrl }
  let isMaking = false
  return {
    async *make(wish, audit) {
      if (isMaking) throw new ProblemError('in_use', 'this engine makes a backup already: let that end, then ask again')
      isMaking = true
      try {
        await database.transaction(audit)
        const snapshot = await openSnapshot(place, database, true)
        try {
          const taken = takesArtifacts(config, wish.artifacts) ? artifacts : null
          yield* backupBytes({ from: placeText(place), snapshot, artifacts: artifactsFor(config, taken) })
        } finally {
          await snapshot.close()
        }
      } finally {
        isMaking = false
      }
    },
  }
}
