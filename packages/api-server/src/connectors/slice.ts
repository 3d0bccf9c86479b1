/**
 * What the packages of connectors keep. How packages are found and loaded is in `code/packages`, the requests that their nodes
 * answer are in `hooks`, and what is installed is in `modules`.
 * @module
 */
import { database } from '../db/layer.ts'
import { eventLog } from '../events/slice.ts'
import { routes } from '../http/slice-api.ts'
import { log } from '../process/given.ts'
import { makes, noun } from '../process/layer.ts'
import { secrets } from '../secrets/slice.ts'
import { type ConnectorState, openConnectorState } from './connector-state.ts'
import { connectorsEndpoints, connectorsHandlers } from './routes.ts'

export const connectorState = noun<ConnectorState>()('connectorState')

/** The package that a node type comes from; null for a built-in one, and for one that is not there. */
export const packageOf = noun<(type: string) => string | null>()('packageOf')

export const connectorStateLayer = makes(connectorState, { database, log, secrets }, openConnectorState, (opened) =>
  opened.close(),
)

export const connectorsApi = {
  tags: { connectors: 'What connector packages keep: keys, and never a value.' },
  routes: [routes(connectorsEndpoints, { connectorState, eventLog, packageOf }, connectorsHandlers)],
}
