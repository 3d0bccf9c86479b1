/**
 * Alerts: what fails in the engine, told to its operators.
 * @module
 */
import { database } from '../db/layer.ts'
import { outgoing } from '../egress/layer.ts'
import { lease } from '../engines/slice.ts'
import { bus, eventLog } from '../events/slice.ts'
import { routes } from '../http/slice-api.ts'
import { mail } from '../mail/slice.ts'
import { observability } from '../observability/slice.ts'
import { clock, log } from '../process/given.ts'
import { begins, inOrder, makes, noun } from '../process/layer.ts'
import { runs } from '../runs/slice.ts'
import { redactor, secrets } from '../secrets/slice.ts'
import { markers } from '../work/slice.ts'
import { pool } from '../workers/slice.ts'
import { Alerts } from './alerts.ts'
import { createChannels } from './channels.ts'
import { Ledger } from './ledger.ts'
import { Outbox } from './outbox.ts'
import { alertsEndpoints, alertsHandlers } from './routes.ts'
import { AlertSettings } from './settings.ts'
import { watchSources } from './sources.ts'
import { createAlertStore } from './store.ts'
import { Watch } from './watch.ts'

const settings = noun<AlertSettings>()('alertSettings')
const alerts = noun<Alerts>()('alerts')

/** Hears of whatever fails from here on: of flows that do not start, too. */
export const alertsLayer = inOrder(
  makes(
    settings,
    { database, log, secrets },
    async (deps) => {
      const opened = new AlertSettings(deps)
      await opened.open()
      return opened
    },
    (opened) => opened.close(),
  ),
  makes(
    alerts,
    { clock, lease, database, eventLog, log, mail, outgoing, redactor, secrets, settings },
    ({ lease, database, eventLog, mail, outgoing, redactor, secrets, ...deps }) => {
      const { clock, log, settings } = deps
      const channels = createChannels({ mail, outgoing, secrets })
      const ledger = new Ledger({ store: createAlertStore(database.sql), clock, engine: lease.id ?? '', log })
      const outbox = new Outbox({ channels, config: () => settings.current, clock, eventLog, redactor })
      return new Alerts({ ...deps, channels, ledger, outbox })
    },
    (opened) => opened.close(),
  ),
)

/** Notices failures; before anything is restored, and until nothing runs any more. */
export const followFailures = begins(
  { alerts, bus, clock, markers, pool, runs },
  ({ clock, ...deps }) => watchSources({ ...deps, now: () => clock.now() }),
  (end) => end(),
)

/** Looks at what nobody tells of, and tells what was counted. */
export const watchEngine = begins(
  { alerts, clock, observability, runs, settings },
  (deps) => {
    deps.alerts.open()
    return new Watch(deps)
  },
  (watch) => watch.close(),
)

export const alertsApi = {
  tags: { alerts: 'What the engine watches itself for, and where it tells of it.' },
  routes: [routes(alertsEndpoints, { alerts, eventLog, redactor, settings }, alertsHandlers)],
}
