/**
 * Bytes that messages, runs and flows refer to.
 * @module
 */
import { artifactsDirOf } from '../config.ts'
import { database, pins } from '../db/layer.ts'
import { eventLog } from '../events/slice.ts'
import { routes } from '../http/slice-api.ts'
import { config, log } from '../process/given.ts'
import { inOrder, makes, noun } from '../process/layer.ts'
import { type Artifacts, createArtifacts, type DeviceBytes } from './artifacts.ts'
import { openFolderStore } from './folder-store.ts'
import { artifactsEndpoints, artifactsHandlers } from './routes.ts'
import { claimFolder } from './store-id.ts'
import { uploadsEndpoints, uploadsHandlers } from './upload-routes.ts'
import { noUploads, type Uploads } from './uploads.ts'

export const artifacts = noun<Artifacts>()('artifacts')

const uploads = noun<Uploads>()('uploads')

/** Which bytes are for devices; made where their wiring is known. */
export const deviceBytes = noun<DeviceBytes>()('deviceBytes')

const storeLayer = makes(artifacts, { config, database, eventLog, log, pins }, async (deps) => {
  const { config, database, eventLog, log, pins } = deps
  const directory = artifactsDirOf(config)
  if (pins) await claimFolder(directory, pins)
  return createArtifacts({
    database,
    content: await openFolderStore(directory, { shared: config.databaseUrl !== null }),
    maxBytes: config.artifactMaxBytes,
    ringBytes: config.mediaRingBytes,
    onCorrupt(digest) {
      log.error({ digest }, 'stored bytes are not what they were; they are set aside')
      eventLog.report({ kind: 'engine', level: 'error', action: 'artifact.corrupt', detail: { digest } })
    },
  })
})

export const artifactsLayer = inOrder(
  storeLayer,
  makes(uploads, {}, () => noUploads),
)

export const artifactsApi = {
  tags: { artifacts: 'Bytes that messages, runs and flows refer to.' },
  routes: [
    routes(artifactsEndpoints, { artifacts, eventLog, ofDevices: deviceBytes }, artifactsHandlers),
    routes(uploadsEndpoints, { uploads }, uploadsHandlers),
  ],
}
