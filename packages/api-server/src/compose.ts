/**
 * An engine: the nouns of every slice, in the order in which they are made, and its work, in the order in which it begins.
 * `service.ts` opens one; tests open the part that they need in the same way. A slice that is missing here does not exist.
 * @module
 */
import type * as Context from 'effect/Context'
import type * as Effect from 'effect/Effect'
import * as Layer from 'effect/Layer'
import type * as Scope from 'effect/Scope'

import { agentsLayer } from './agents/slice.ts'
import { alertsLayer, followFailures, watchEngine } from './alerts/slice.ts'
import { artifactsLayer, artifactTicketsLayer } from './artifacts/slice.ts'
import { authLayer, followAccounts, sessionKeyLayer } from './auth/slice.ts'
import { codeFolderLayer, codeLayer, connectorPackagesLayer, sweep } from './code/slice.ts'
import { commandsLayer } from './commands/slice.ts'
import { connectorStateLayer } from './connectors/slice.ts'
import { dashboardsLayer } from './dashboards/slice.ts'
import { databaseLayer, settlePins } from './db/layer.ts'
import {
  devicesLayer,
  deviceSeatsLayer,
  deviceSocketsLayer,
  followCredentials,
  followDevices,
  followPresence,
  recordPresence,
  sharePresence,
} from './devices/slice.ts'
import { egressLayer } from './egress/layer.ts'
import { enginesLayer, linksLayer } from './engines/slice.ts'
import { eventSocketsLayer, eventsLayer } from './events/slice.ts'
import {
  flowsLayer,
  followHeldWork,
  followEngines,
  followSecrets,
  followSpares,
  liveLayer,
  missingLayer,
  packageOfLayer,
  publishedLayer,
  pythonIssuesLayer,
  registerCode,
  registryLayer,
  restoreFlows,
  runtimeLayer,
  sparesLayer,
} from './flows/slice.ts'
import { forwardingLayer, publishForOthers, spreadEvents } from './forwarding/slice.ts'
import { hooksLayer } from './hooks/slice.ts'
import { hostLayer } from './host/slice.ts'
import { deliverMail, mailLayer } from './mail/slice.ts'
import { messagesLayer, valuesLayer } from './messages/slice.ts'
import { followModules, modulesLayer } from './modules/slice.ts'
import { backupsLayer } from './moving/slice.ts'
import { nodeLogsLayer } from './node-logs/slice.ts'
import { observabilityLayer, observe, observerLayer, shownStateLayer } from './observability/slice.ts'
import { clock, config, log } from './process/given.ts'
import { contextOf, type Deps, inOrder, type NamesOf, opens } from './process/layer.ts'
import { provision, provisioningLayer } from './provisioning/slice.ts'
import {
  executeRuns,
  flowRunsLayer,
  followFlows,
  reportsLayer,
  runsLayer,
  stageEnvironmentsLayer,
} from './runs/slice.ts'
import { redactor, secretsLayer } from './secrets/slice.ts'
import { adoptionLayer, recoverValues, workLayer } from './work/slice.ts'
import {
  agentLayer,
  attachmentLayer,
  dispatcherLayer,
  enginePythonLayer,
  flavorsLayer,
  followTokens,
  poolLayer,
} from './workers/slice.ts'

/** Nouns in the order in which they are made: each needs some of those above it. They close in reverse. */
const nouns = inOrder(
  sessionKeyLayer,
  // the longest parts of a start, side by side
  Layer.mergeAll(databaseLayer, codeFolderLayer, connectorPackagesLayer, enginePythonLayer),
  enginesLayer,
  eventsLayer,
  mailLayer,
  authLayer,
  linksLayer,
  secretsLayer,
  flavorsLayer,
  artifactsLayer,
  artifactTicketsLayer,
  workLayer,
  adoptionLayer,
  hooksLayer,
  observerLayer,
  egressLayer,
  poolLayer,
  codeLayer,
  dispatcherLayer,
  connectorStateLayer,
  deviceSeatsLayer,
  nodeLogsLayer,
  hostLayer,
  agentLayer,
  attachmentLayer,
  provisioningLayer,
  commandsLayer,
  registryLayer,
  packageOfLayer,
  publishedLayer,
  valuesLayer,
  runtimeLayer,
  missingLayer,
  pythonIssuesLayer,
  sparesLayer,
  liveLayer,
  stageEnvironmentsLayer,
  runsLayer,
  reportsLayer,
  flowRunsLayer,
  dashboardsLayer,
  flowsLayer,
  messagesLayer,
  devicesLayer,
  modulesLayer,
  shownStateLayer,
  eventSocketsLayer,
  deviceSocketsLayer,
  observabilityLayer,
  forwardingLayer,
  alertsLayer,
  backupsLayer,
  agentsLayer,
)

/** Work in the order in which it begins, once all nouns are made. It ends in reverse, before any noun is closed. */
const work = [
  settlePins,
  followTokens,
  followCredentials,
  followPresence,
  recordPresence,
  sharePresence,
  observe,
  followFailures,
  recoverValues,
  followFlows,
  followHeldWork,
  registerCode,
  restoreFlows,
  followEngines,
  publishForOthers,
  spreadEvents,
  followSecrets,
  followModules,
  followSpares,
  executeRuns,
  provision,
  followDevices,
  sweep,
  followAccounts,
  deliverMail,
  watchEngine,
] as const

const given = { clock, config, log, redactor }

/** What an engine is opened with. */
type Given = Deps<typeof given>

/** Names of the nouns that an engine has, those that are lacking among them: `opens` refuses them once, here. */
type Names = NamesOf<typeof given> | Layer.Success<typeof nouns> | Layer.Services<typeof nouns>

/** The nouns of an open engine. */
export type Engine = Context.Context<Names>

/** An engine, to be opened in the scope of the caller: afterwards live flows are restored and queued runs are executed. */
export const openEngine = (deps: Given): Effect.Effect<Engine, never, Scope.Scope> =>
  opens(contextOf(given, deps), nouns, work)
