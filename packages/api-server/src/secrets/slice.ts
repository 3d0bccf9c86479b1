/**
 * Secrets: their values for nodes, and whatever is shown without them.
 * @module
 */
import { database } from '../db/layer.ts'
import { eventLog } from '../events/slice.ts'
import { routes } from '../http/slice-api.ts'
import { config, log } from '../process/given.ts'
import { makes, noun } from '../process/layer.ts'
import type { Redactor } from './redactor.ts'
import { secretsEndpoints, secretsHandlers } from './routes.ts'
import { openSecrets, type Secrets } from './secrets.ts'

/** Knows the values that must not be shown; made before the log, which it reads along with. */
export const redactor = noun<Redactor>()('redactor')

export const secrets = noun<Secrets>()('secrets')

export const secretsLayer = makes(secrets, { config, database, log, redactor }, openSecrets, (opened) => opened.close())

export const secretsApi = {
  tags: { secrets: 'Values that settings refer to by name, and nobody can read.' },
  routes: [routes(secretsEndpoints, { secrets, eventLog }, secretsHandlers)],
}
