/**
 * Modules: the packages of Python nodes and connectors, as one manifest lists them.
 * @module
 */
import { connectorPackages } from '../code/slice.ts'
import { database } from '../db/layer.ts'
import { bus, eventLog } from '../events/slice.ts'
import { rebuildPython } from '../flows/refresh.ts'
import { live, published } from '../flows/slice.ts'
import { routes } from '../http/slice-api.ts'
import { clock, config, log } from '../process/given.ts'
import { begins, makes, noun } from '../process/layer.ts'
import { redactor } from '../secrets/slice.ts'
import { agent } from '../workers/slice.ts'
import { type Modules, openModules } from './modules.ts'
import { modulesEndpoints, modulesHandlers } from './routes.ts'

const modules = noun<Modules>()('modules')

/** Python nodes that start later have the interpreter of the modules. */
export const modulesLayer = makes(
  modules,
  { agent, bus, clock, config, connectorPackages, database, eventLog, log, redactor },
  ({ connectorPackages, ...deps }) => openModules({ ...deps, connectors: () => connectorPackages.reports }),
  (opened) => opened.close(),
)

/** Follows what other engines apply, and makes Python nodes anew for other modules. */
export const followModules = begins({ database, live, modules, published }, ({ modules, ...deps }) =>
  modules.begin(() => rebuildPython(deps)),
)

export const modulesApi = {
  tags: { modules: 'Packages of Python nodes and connectors, as one manifest lists them.' },
  routes: [routes(modulesEndpoints, { modules, eventLog }, modulesHandlers)],
}
