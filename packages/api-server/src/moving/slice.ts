/**
 * Databases that move, and backups of them.
 * @module
 */
import { artifacts } from '../artifacts/slice.ts'
import { database } from '../db/layer.ts'
import { eventLog } from '../events/slice.ts'
import { routes } from '../http/slice-api.ts'
import { config } from '../process/given.ts'
import { makes, noun } from '../process/layer.ts'
import { type Backups, openBackups } from './backup/backups.ts'
import { backupEndpoints, backupHandlers } from './backup/routes.ts'

const backups = noun<Backups>()('backups')

export const backupsLayer = makes(backups, { artifacts, config, database }, openBackups)

export const movingApi = {
  tags: { backup: 'All that the engine keeps, as one file.' },
  routes: [routes(backupEndpoints, { backups, eventLog }, backupHandlers)],
}
