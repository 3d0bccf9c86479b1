/**
 * Dashboards: what people see of messages and runs, on a grid of widgets.
 * @module
 */
import { artifacts } from '../artifacts/slice.ts'
import { database } from '../db/layer.ts'
import { eventLog } from '../events/slice.ts'
import { flowDashboards, published, runnableFlows } from '../flows/slice.ts'
import { routes } from '../http/slice-api.ts'
import { inOrder, makes, noun } from '../process/layer.ts'
import { knownRuns } from '../runs/slice.ts'
import { CodeDashboards } from './code-dashboards.ts'
import { Dashboards } from './dashboards.ts'
import { dashboardsEndpoints, dashboardsHandlers } from './routes.ts'

const codeDashboards = noun<CodeDashboards>()('codeDashboards')
const dashboards = noun<Dashboards>()('dashboards')

export const dashboardsLayer = inOrder(
  makes(codeDashboards, { artifacts, database, eventLog }, (deps) => new CodeDashboards(deps)),
  makes(
    dashboards,
    { artifacts, codeDashboards, database, eventLog, knownRuns, published, runnableFlows },
    ({ codeDashboards, runnableFlows: flows, ...deps }) =>
      new Dashboards({ ...deps, flows, isRegistered: (name) => codeDashboards.has(name) }),
  ),
  makes(flowDashboards, { codeDashboards, dashboards }, ({ codeDashboards, dashboards }) => ({
    renameFlow: (tx, names) => dashboards.renameFlow(tx, names),
    register: (found) => codeDashboards.register(found),
  })),
)

export const dashboardsApi = {
  tags: { dashboards: 'What people see of messages and runs, on a grid of widgets.' },
  routes: [routes(dashboardsEndpoints, { dashboards }, dashboardsHandlers)],
}
