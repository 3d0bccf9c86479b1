/**
 * Backups without an engine, for `service backup --data`: of the embedded database of a directory that no engine has open, or of
 * the server that the settings name, whose engines go on.
 * @module
 */
import { openOfflineArtifacts } from '../../artifacts/offline.ts'
import { resolveConfig, type ServiceConfig } from '../../config.ts'
import { ConfigError } from '../../process/setting.ts'
import { isThere, openPlace, type Place, placeText } from '../places.ts'
import { artifactsFor, takesArtifacts } from './artifact-bytes.ts'
import { backupBytes } from './backup.ts'
import { openSnapshot } from './snapshot.ts'

/** The bytes of a backup; see `backups.ts`. Throws when there is no database, or an engine has the embedded one open. */
export async function* offlineBackup(
  options: Pick<ServiceConfig, 'dataDir'>,
  wantsArtifacts: boolean | undefined,
): AsyncGenerator<Uint8Array> {
  const config = resolveConfig(options)
  const { dataDir, databaseUrl } = config
  const place: Place = databaseUrl === null ? { kind: 'embedded', dataDir } : { kind: 'server', url: databaseUrl }
  if (!isThere(place))
    throw new ConfigError(`there is no database in "${dataDir}": name the data directory of an engine`)
  const database = await openPlace(place)
  try {
    const snapshot = await openSnapshot(place, database, false)
    try {
      // opening them tidies their folder, and fails where they are of another database
      const artifacts = takesArtifacts(config, wantsArtifacts) ? await openOfflineArtifacts(config, database) : null
      try {
        yield* backupBytes({ from: placeText(place), snapshot, artifacts: artifactsFor(config, artifacts) })
      } finally {
        await artifacts?.close()
      }
    } finally {
      await snapshot.close()
    }
  } finally {
    await database.close()
  }
}
