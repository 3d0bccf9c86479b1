/**
 * Everything that answers: the endpoints of every slice, webhooks, the event socket, the reference pages.
 * @module
 */
import type { NodeRegistry } from '@flow-service/core'
import { Router } from 'express'

import type { Artifacts } from './artifacts/artifacts.ts'
import { artifactsEndpoints, artifactsHandlers } from './artifacts/routes.ts'
import { authEndpoints, authHandlers } from './auth/routes.ts'
import type { Sessions } from './auth/sessions.ts'
import { createSignInLimit } from './auth/sign-in-limit.ts'
import type { Users } from './auth/users.ts'
import type { ResolvedConfig } from './config.ts'
import type { EventLog } from './events/event-log.ts'
import type { EventSockets } from './events/event-socket.ts'
import { eventsEndpoints, eventsHandlers, eventUpgrade } from './events/routes.ts'
import type { Tickets } from './events/tickets.ts'
import type { Flows } from './flows/flows.ts'
import type { Library } from './flows/library.ts'
import type { LiveControl } from './flows/live-control.ts'
import { liveEndpoints, liveHandlers } from './flows/live-routes.ts'
import type { NodeSources } from './flows/node-source.ts'
import { flowsEndpoints, flowsHandlers, type FlowsHandlersDeps } from './flows/routes.ts'
import { libraryEndpoints, libraryHandlers, sourcesEndpoints, sourcesHandlers } from './flows/source-routes.ts'
import type { Hooks } from './hooks/hooks.ts'
import { portalCheck } from './hooks/portal.ts'
import { hookRoutes } from './hooks/routes.ts'
import type { ServedSockets } from './hooks/served-sockets.ts'
import { createAuthenticator } from './http/authenticate.ts'
import { cors } from './http/cors.ts'
import { docs } from './http/docs.ts'
import type { Endpoint } from './http/endpoint.ts'
import { answerErrors, notFound } from './http/errors.ts'
import { secureHeaders } from './http/headers.ts'
import { bind, mount } from './http/mount.ts'
import { openApiDocument, type OpenApiDocument } from './http/openapi.ts'
import type { UpgradeRouter } from './http/upgrade.ts'
import type { Messages } from './messages/messages.ts'
import { messagesEndpoints, messagesHandlers } from './messages/routes.ts'
import type { Observability } from './observability/observability.ts'
import {
  metricsRoute,
  observabilityEndpoints,
  observabilityHandlers,
  stateEndpoints,
  stateHandlers,
} from './observability/routes.ts'
import type { Log } from './process/log-sink.ts'
import { exportEndpoints, exportHandlers } from './runs/export-routes.ts'
import { historyEndpoints, historyHandlers } from './runs/history-routes.ts'
import { metricsEndpoints, metricsHandlers } from './runs/metrics-routes.ts'
import { runsEndpoints, runsHandlers } from './runs/routes.ts'
import type { Runs } from './runs/runs.ts'
import { submissionEndpoints, submissionHandlers } from './runs/submission-routes.ts'
import { secretsEndpoints, secretsHandlers } from './secrets/routes.ts'
import type { Secrets } from './secrets/secrets.ts'
import { engineVersion } from './version.ts'
import { flavorsEndpoints, flavorsHandlers } from './workers/flavor-routes.ts'
import type { Flavors } from './workers/flavors.ts'
import { workersEndpoints, workersHandlers, workerUpgrade } from './workers/routes.ts'
import type { Workers } from './workers/workers.ts'

/** The nouns behind the endpoints. */
export interface AppParts {
  readonly artifacts: Artifacts
  readonly control: LiveControl
  readonly eventLog: Pick<EventLog, 'audit'>
  readonly flavors: Flavors
  readonly flows: Flows
  readonly hooks: Hooks
  readonly library: Library
  readonly messages: Messages
  readonly missing: FlowsHandlersDeps['missing']
  readonly observability: Observability
  readonly registry: NodeRegistry
  readonly runs: Runs
  readonly secrets: Secrets
  readonly servedSockets: ServedSockets
  readonly sessions: Sessions
  /** Sessions of users who may not be found now because the database does not answer. */
  readonly knownSessions: Pick<Sessions, 'verify'>
  readonly sockets: EventSockets
  readonly sources: NodeSources
  readonly tickets: Tickets
  readonly users: Users
  readonly workers: Workers
  readonly log: Pick<Log, 'warn' | 'error'>
  /** Whether the engine can work: false once its database is lost. */
  readonly isAlive: () => boolean
}

const endpoints: readonly Endpoint[] = [
  authEndpoints,
  flowsEndpoints,
  liveEndpoints,
  sourcesEndpoints,
  libraryEndpoints,
  eventsEndpoints,
  messagesEndpoints,
  runsEndpoints,
  submissionEndpoints,
  historyEndpoints,
  metricsEndpoints,
  exportEndpoints,
  artifactsEndpoints,
  secretsEndpoints,
  workersEndpoints,
  flavorsEndpoints,
  stateEndpoints,
  observabilityEndpoints,
].flatMap((group): Endpoint[] => Object.values(group))

const tags = {
  login: 'Sign in.',
  users: 'Who is signed in.',
  flows: 'Flows: documents, publishing, live control, node types.',
  library: 'Source that nodes share.',
  messages: 'The catalogue of messages with their last values.',
  runs: 'Runs of batch flows and their metrics.',
  metrics: 'Metrics of several runs: names, comparison, export.',
  artifacts: 'Bytes that messages, runs and flows refer to.',
  secrets: 'Values that settings refer to by name, and nobody can read.',
  workers: 'Machines that run node code for the engine, and their tokens.',
  flavors: 'Named sizes of what a call of node code takes.',
  observability: 'What the engine does: executions, cascades, events, dead letters.',
  utils: 'Whether the engine works.',
}

/** The OpenAPI 3.1 document of the whole API. */
export const apiDocument = (): OpenApiDocument =>
  openApiDocument(endpoints, {
    title: 'flow-service',
    version: engineVersion,
    description: 'Live and batch flows on one graph model. Every refusal is a problem document (RFC 9457).',
    tags,
  })

/** The router of a service, to be mounted before any body parser, and its socket routes on `upgrades`. */
export function createApp(config: ResolvedConfig, parts: AppParts, upgrades: UpgradeRouter): Router {
  const { artifacts, control, flows, hooks, library, messages, missing, registry, runs, sessions, sockets, sources } =
    parts
  const { eventLog, observability, knownSessions, tickets, users, workers, log } = parts
  const authenticate = createAuthenticator([(token) => sessions.verify(token), (token) => workers.tokens.verify(token)])
  const authenticateKnown = createAuthenticator([
    (token) => knownSessions.verify(token),
    (token) => workers.tokens.identify(token),
  ])
  const home = { baseUrl: config.baseUrl, origins: config.corsOrigins }
  upgrades.route(
    '/api/v1/flows/ws',
    eventUpgrade({
      sockets,
      tickets,
      authenticate,
      versionOf: (token) => sessions.versionOf(token),
      tokenVersion: async (id) => (await users.find(id))?.tokenVersion ?? null,
      home,
    }),
  )
  upgrades.route('/api/v1/workers/attach', workerUpgrade({ ...workers, authenticate, log }))
  const bindings = [
    ...bind(authEndpoints, authHandlers({ users, sessions, limit: createSignInLimit() })),
    ...bind(flowsEndpoints, flowsHandlers({ flows, registry, missing })),
    ...bind(
      liveEndpoints,
      liveHandlers({
        control,
        submitDraft: async (flow, params, by) =>
          (await runs.submit(flow, { params, draft: true, no_cache: false, priority: 0 }, by.email)).run,
      }),
    ),
    ...bind(sourcesEndpoints, sourcesHandlers({ sources })),
    ...bind(libraryEndpoints, libraryHandlers({ library })),
    ...bind(eventsEndpoints, eventsHandlers({ tickets })),
    ...bind(messagesEndpoints, messagesHandlers({ messages })),
    ...bind(runsEndpoints, runsHandlers({ runs })),
    ...bind(submissionEndpoints, submissionHandlers(runs)),
    ...bind(
      historyEndpoints,
      historyHandlers({
        history: runs.history,
        removeExecutions: (tx, flow) => observability.cascades.removeOf(tx, { flow }),
      }),
    ),
    ...bind(metricsEndpoints, metricsHandlers(runs)),
    ...bind(exportEndpoints, exportHandlers(runs)),
    ...bind(artifactsEndpoints, artifactsHandlers({ artifacts, eventLog })),
    ...bind(secretsEndpoints, secretsHandlers({ secrets: parts.secrets, eventLog })),
    ...bind(workersEndpoints, workersHandlers({ ...workers, eventLog })),
    ...bind(flavorsEndpoints, flavorsHandlers({ flavors: parts.flavors, eventLog })),
    ...bind(observabilityEndpoints, observabilityHandlers({ observability })),
  ]
  const isPortal = portalCheck(config.portalToken)
  const hook = hookRoutes(hooks, isPortal)
  const socket = parts.servedSockets.upgrade({ isPortal, home })
  upgrades.route('/hooks/*', socket)
  upgrades.route('/api/v1/hooks/*', socket)
  // only paths of our own: mounted at the root of a host's app, everything else is the host's
  return Router({ caseSensitive: true })
    .use('/hooks', hook)
    .use('/api/v1/hooks', hook)
    .use(['/api/v1', '/docs', '/redoc', '/healthz', '/metrics'], secureHeaders)
    .use('/api/v1', cors(config.corsOrigins))
    .get('/healthz', (_request, response) => void response.status(parts.isAlive() ? 200 : 503).end())
    .get('/metrics', metricsRoute({ observability, authenticate: authenticateKnown }))
    .use(docs({ document: apiDocument(), environment: config.environment, enabled: config.docs }))
    .use('/api/v1', mount(bind(stateEndpoints, stateHandlers({ observability })), { authenticate: authenticateKnown }))
    .use(
      '/api/v1',
      mount(bindings, {
        authenticate,
        baseUrl: config.baseUrl,
        trustProxy: config.trustProxy,
        maxBodyBytes: { 'artifacts.put': config.artifactMaxBytes, 'runs.import': config.importMaxBytes },
      }),
      notFound,
    )
    .use(answerErrors(log))
}
