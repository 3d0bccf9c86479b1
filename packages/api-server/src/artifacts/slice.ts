/**
 * Bytes that messages, runs and flows refer to.
 * @module
 */
import { users } from '../auth/slice.ts'
import { database, pins } from '../db/layer.ts'
import { eventLog, userGuests } from '../events/slice.ts'
import { routes } from '../http/slice-api.ts'
import { config, log } from '../process/given.ts'
import { inOrder, makes, noun } from '../process/layer.ts'
import { type Artifacts, createArtifacts, type DeviceBytes } from './artifacts.ts'
import type { ContentStore } from './content-store.ts'
import { openStore } from './open-store.ts'
import { artifactsEndpoints, artifactsHandlers } from './routes.ts'
import { ticketsEndpoints, ticketsHandlers } from './ticket-routes.ts'
import { createTicketStore } from './ticket-store.ts'
import { type ArtifactTickets, createArtifactTickets } from './tickets.ts'
import { uploadsEndpoints, uploadsHandlers } from './upload-routes.ts'
import { createUploads, noUploads, type Uploads } from './uploads.ts'

export const artifacts = noun<Artifacts>()('artifacts')

const content = noun<ContentStore>()('content')

const uploads = noun<Uploads>()('uploads')

/** By which pages show bytes. */
export const artifactTickets = noun<ArtifactTickets>()('artifactTickets')

/** Which bytes are for devices; made where their wiring is known. */
export const deviceBytes = noun<DeviceBytes>()('deviceBytes')

export const artifactsLayer = inOrder(
  makes(content, { config, database, log, pins }, openStore, (opened) => opened.close()),
  makes(artifacts, { config, content, database, eventLog, log }, ({ config, content, database, eventLog, log }) =>
    createArtifacts({
      database,
      content,
      maxBytes: config.artifactMaxBytes,
      ringBytes: config.mediaRingBytes,
      onCorrupt(digest) {
        log.error({ digest }, 'stored bytes are not what they were; they count as missing')
        eventLog.report({ kind: 'engine', level: 'error', action: 'artifact.corrupt', detail: { digest } })
      },
    }),
  ),
  makes(uploads, { config, content, database }, ({ config, content: { direct }, database }) =>
    direct === null ? noUploads : createUploads({ database, direct, maxBytes: config.artifactMaxBytes }),
  ),
)

export const artifactTicketsLayer = makes(
  artifactTickets,
  { database, userGuests, users },
  ({ database, userGuests: guests, users }) =>
    createArtifactTickets({ store: createTicketStore(database.sql), guests, find: (id) => users.find(id) }),
)

export const artifactsApi = {
  tags: { artifacts: 'Bytes that messages, runs and flows refer to.' },
  routes: [
    routes(artifactsEndpoints, { artifacts, eventLog, ofDevices: deviceBytes }, artifactsHandlers),
    routes(ticketsEndpoints, { artifacts, tickets: artifactTickets }, ticketsHandlers),
    routes(uploadsEndpoints, { uploads }, uploadsHandlers),
  ],
}
