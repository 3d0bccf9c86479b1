/**
 * Opens the store of bytes that the settings name. What an S3-compatible one needs is loaded for it alone.
 * @module
 */
import { join } from 'node:path'

import type { ResolvedConfig } from '../config.ts'
import type { Database } from '../db/database.ts'
import { openPins, type Pins } from '../db/pins.ts'
import { loadTrust } from '../egress/trust.ts'
import { ProblemError } from '../http/errors.ts'
import type { Log } from '../process/log.ts'
import { ConfigError } from '../process/setting.ts'
import type { ContentStore } from './content-store.ts'
import { openFolderStore } from './folder-store.ts'
import { placeOf } from './s3/s3-place.ts'
import { artifactsDirOf } from './settings.ts'
import { Staging } from './staging.ts'
import { claimFolder } from './store-id.ts'
import { createArtifactStore } from './store.ts'

/** Of what a store is opened. */
export interface OpenStoreDeps {
  readonly config: ResolvedConfig
  readonly database: Database
  readonly log: Pick<Log, 'error' | 'info'>
  /** Null on the embedded database. */
  readonly pins: Pins | null
}

/** Throws `ConfigError` when the store is not that of the database, and when it cannot be used. */
export function openStore(deps: OpenStoreDeps): Promise<ContentStore> {
  return deps.config.artifactsUrl === null ? openFolder(deps) : openS3(deps, deps.config.artifactsUrl)
}

async function openFolder({ config, database, pins }: OpenStoreDeps): Promise<ContentStore> {
  const directory = artifactsDirOf(config)
  // an embedded database has pinned a store only if that was none of its folder
  const own = pins ?? openPins(database)
  if (pins !== null || (await own.known('artifacts')) !== null) await claimFolder(directory, own)
  return openFolderStore(directory, { shared: config.databaseUrl !== null })
}

async function openS3(deps: OpenStoreDeps, artifactsUrl: string): Promise<ContentStore> {
  const { config, database, log } = deps
  const [{ claimStore }, { S3Objects }, { S3Store }, { openTransport }] = await Promise.all([
    import('./s3/s3-store-id.ts'),
    import('./s3/s3-objects.ts'),
    import('./s3/s3-store.ts'),
    import('./s3/s3-transport.ts'),
  ])
  const place = placeOf({ ...config, artifactsUrl })
  const transport = openTransport({ trust: (await loadTrust(config.caFile))() })
  try {
    const objects = new S3Objects({ place, transport, log })
    const pins = deps.pins ?? openPins(database)
    await claimStore({ objects, pins, newest: () => createArtifactStore(database.sql).newest() })
    if (deps.pins === null) await pins.settle()
    const staging = await Staging.open(join(artifactsDirOf(config), 'tmp'), config.databaseUrl !== null)
    return new S3Store({ objects, staging, database, close: () => transport.close() })
  } catch (error) {
    await transport.close()
    throw error instanceof ProblemError ? atStart(error) : error
  }
}

/** An engine without its artifacts could say nothing of its runs: whoever starts it tries again. */
const atStart = ({ message }: ProblemError): ConfigError =>
  new ConfigError(`SERVICE_ARTIFACTS_URL: ${message}; the engine does not start without it`)
