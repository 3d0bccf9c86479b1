/**
 * Everything that answers: the endpoints of every slice, webhooks, sockets, the reference pages. `service.ts` mounts it for
 * people and programs, `scripts/generate.ts` writes its description. A slice that is missing here answers nothing.
 * @module
 */
import type { RequestListener } from 'node:http'

import express, { type RequestHandler, Router } from 'express'

import { mcpHeaders, mcpRoute } from './agents/routes.ts'
import { authorizationServer, mcpEndpoint } from './agents/slice.ts'
import { alertsApi } from './alerts/slice.ts'
import { artifactsApi, artifactTickets } from './artifacts/slice.ts'
import { admission } from './artifacts/tickets.ts'
import { authorizationRoutes } from './auth/oauth/authorization-routes.ts'
import { passwordPage } from './auth/recovery/page.ts'
import { authApi, knownCallers, recentCallers } from './auth/slice.ts'
import type { Engine } from './compose.ts'
import { engineVersion } from './config.ts'
import { connectorsApi } from './connectors/slice.ts'
import { dashboardsApi } from './dashboards/slice.ts'
import { deviceCredentials, devicesApi, deviceSockets } from './devices/slice.ts'
import { deviceUpgrade } from './devices/sockets/device-upgrade.ts'
import { enginesApi, links } from './engines/slice.ts'
import { eventUpgrade, type EventUpgradeDeps } from './events/routes.ts'
import { eventsApi, eventSockets, tickets, userGuests } from './events/slice.ts'
import { flowsApi } from './flows/slice.ts'
import { type Relays, relays } from './forwarding/slice.ts'
import { connectorRoutes, type ConnectorRoutesDeps } from './hooks/connector-routes.ts'
import { type IsPortal, portalCheck } from './hooks/portal.ts'
import { type HookAnswer, hookRoutes, type HookRoutesDeps, hooksFirst, takeHere } from './hooks/routes.ts'
import { hooks, routedNodes, servedSockets } from './hooks/slice.ts'
import { checkHost, oneHost } from './http/address.ts'
import { AnonymousBodies } from './http/anonymous-bodies.ts'
import { createAuthenticator } from './http/authenticate.ts'
import { consoleFiles, consoleFolder } from './http/console.ts'
import { cors } from './http/cors.ts'
import { docs } from './http/docs.ts'
import { answerErrors, errorAnswer, notFound } from './http/errors.ts'
import { assertWorking, explained, explainFailed, type Failure, refuseWhenFailed } from './http/failed-engine.ts'
import { secureHeaders } from './http/headers.ts'
import { InnerServer } from './http/inner-server.ts'
import { mount } from './http/mount.ts'
import { openApiDocument, type OpenApiDocument } from './http/openapi.ts'
import { bindingsOf, endpointsOf } from './http/slice-api.ts'
import type { UpgradeRouter } from './http/upgrade.ts'
import { messagesApi } from './messages/slice.ts'
import { modulesApi } from './modules/slice.ts'
import { movingApi } from './moving/slice.ts'
import { metricsRoute } from './observability/routes.ts'
import { observability, observabilityApi, stateApi } from './observability/slice.ts'
import { config, log } from './process/given.ts'
import { nounsOf } from './process/layer.ts'
import { provisioningApi } from './provisioning/slice.ts'
import { runsApi } from './runs/slice.ts'
import { secretsApi } from './secrets/slice.ts'
import { workerUpgrade } from './workers/routes.ts'
import { pool, workerGuests, workersApi, workerTokens } from './workers/slice.ts'

/** What slices answer to people and workers. */
const slices = [
  // in the order of the reference
  authApi,
  flowsApi,
  eventsApi,
  messagesApi,
  runsApi,
  artifactsApi,
  dashboardsApi,
  devicesApi,
  secretsApi,
  connectorsApi,
  workersApi,
  provisioningApi,
  modulesApi,
  alertsApi,
  movingApi,
  enginesApi,
] as const

const described = [...slices, stateApi, observabilityApi]

/** All that the API answers, in the order of its reference. */
export const apiEndpoints = endpointsOf(described)

/** The OpenAPI 3.1 document of the whole API. */
export const apiDocument = (): OpenApiDocument =>
  openApiDocument(apiEndpoints, {
    title: 'flow-service',
    version: engineVersion,
    description: 'Live and batch flows on one graph model. Every refusal is a problem document (RFC 9457).',
    tags: Object.assign({}, ...described.map(({ tags }) => tags)) as Record<string, string>,
  })

/** What stands around the endpoints of an engine. */
export interface ApiDeps {
  readonly engine: Engine
  /** Gets the addresses of sockets. */
  readonly upgrades: UpgradeRouter
  /** Why the engine cannot work any more: its database or its data directory is lost. */
  readonly failure: Failure
}

/** What answers requests to an engine. */
export interface Api {
  /** To be mounted before any body parser. */
  readonly router: Router
  /** The listener of a server of the engine's own, whose other requests go to a listener with the router. */
  readonly listener: (withRouter: RequestListener) => RequestListener
}

/** Makes what answers for a service, and its socket routes on `upgrades`. */
export function createApi({ engine, upgrades, failure }: ApiDeps): Api {
  const nouns = nounsOf(engine, engineNouns)
  const { environment, portalToken, docs: hasDocs, console: hasConsole, ...settings } = nouns.config
  const { authenticate, authenticateKnown } = createAuthenticators(engine)
  const { baseUrl, corsOrigins, trustProxy } = settings
  const home = { baseUrl, origins: corsOrigins }
  const isPortal = portalCheck(portalToken)
  const anonymous = new AnonymousBodies()
  const answerHook = hookAnswer(engine, { isPortal, anonymous, failure })
  const hook: RequestHandler = (request, response) => answerHook(request, response, request.url)
  const passing = nouns.relays ?? undefined
  const socket = nouns.servedSockets.upgrade({ isPortal, home, elsewhere: passing?.connections })
  upgrades.route('/hooks/*', socket)
  upgrades.route('/api/v1/hooks/*', socket)
  routeSockets(engine, { upgrades, authenticate, home, isPortal })
  const maxBodyBytes = { 'artifacts.put': settings.artifactMaxBytes, 'runs.import': settings.importMaxBytes }
  const bindings = bindingsOf([...slices, observabilityApi], engine)
  const compresses = settings.compression === 'on'
  const admit = admission({ tickets: nouns.artifactTickets, home, authenticate })
  const elsewhere = passing?.endpoints.handle
  const mounting = { admit, anonymous, baseUrl, compresses, elsewhere, maxBodyBytes, trustProxy }
  const working = refuseWhenFailed(failure)
  // only paths of our own: mounted at the root of a host's app, everything else is the host's
  const router = Router({ caseSensitive: true })
    .use('/hooks', hook)
    .use('/api/v1/hooks', hook)
    .use(['/api/v1', '/docs', '/redoc', '/healthz', '/metrics', '/reset-password'], secureHeaders, oneHost)
    .use('/api/v1', cors(corsOrigins, nouns.mcpEndpoint && mcpHeaders))
    .get('/healthz', working, (_request, response) => void response.end())
    .get('/reset-password', passwordPage)
    .get('/metrics', metricsRoute({ observability: nouns.observability, authenticate: authenticateKnown, compresses }))
    .use(docs({ document: apiDocument, environment, enabled: hasDocs, compresses }))
    .use('/api/v1', mount(bindingsOf([stateApi], engine), { authenticate: authenticateKnown, compresses }))
    .use('/api/v1', working, mount(bindings, { authenticate, ...mounting }))
    .use(
      '/api/v1/connectors',
      connectorRoutes({
        nodes: nouns.routedNodes,
        elsewhere: connectorsElsewhere(passing),
        authenticate,
        isPortal,
        anonymous,
      }),
    )
  if (hasConsole) router.use('/console', secureHeaders, oneHost, consoleFiles(consoleFolder()))
  const { authorizationServer: server, mcpEndpoint: endpoint } = nouns
  if (endpoint) {
    const inner = new InnerServer(express().disable('x-powered-by').use(router))
    const hosts = nouns.config
    router.all('/api/v1/mcp', working, mcpRoute({ endpoint, authenticate, inner, home, hosts, trustProxy }))
  }
  router.use('/api/v1', notFound)
  if (server) router.use(authorizationRoutes({ server, anonymous, place: nouns.config }))
  router.use(explainFailed(failure), answerErrors(nouns.log))
  if (passing) takeOfOthers(engine, { passing, bindings, router, upgrades })
  return { router, listener: (withRouter) => hooksFirst(answerHook, withRouter) }
}

/** Requests to nodes, passed on to the engine that runs their flow. */
const connectorsElsewhere = (passing: Relays | undefined): ConnectorRoutesDeps['elsewhere'] =>
  passing &&
  ((flow, request, response) =>
    passing.connections.request(flow, { request, response, url: `/api/v1/connectors${request.url}` }))

interface OfOthers {
  readonly passing: Relays
  readonly bindings: ReturnType<typeof bindingsOf>
  readonly router: Router
  readonly upgrades: UpgradeRouter
}

/** Answers what other engines hand over and pass on, since this one runs the flows. */
function takeOfOthers(engine: Engine, { passing, bindings, router, upgrades }: OfOthers): void {
  const nouns = nounsOf(engine, { hooks, links })
  passing.endpoints.answer(bindings)
  passing.hooks.answer((request) => takeHere(nouns.hooks, request))
  passing.connections.accept(express().disable('x-powered-by').use(router), upgrades)
  if (nouns.links) upgrades.route('/internal/link', nouns.links.upgrade)
}

/** The webhooks, with what other requests meet in routers before and behind. */
function hookAnswer(
  engine: Engine,
  { failure, ...deps }: Pick<HookRoutesDeps, 'anonymous' | 'isPortal'> & Pick<ApiDeps, 'failure'>,
): HookAnswer {
  const nouns = nounsOf(engine, { hooks, log, relays })
  const answer = errorAnswer(nouns.log)
  return hookRoutes({
    ...deps,
    hooks: nouns.hooks,
    elsewhere: nouns.relays?.hooks,
    check(request) {
      checkHost(request)
      assertWorking(failure)
    },
    answerError: async (error, request, response) => answer(await explained(error, failure), request, response),
  })
}

const engineNouns = {
  artifactTickets,
  authorizationServer,
  config,
  log,
  mcpEndpoint,
  observability,
  relays,
  routedNodes,
  servedSockets,
}

/** Who sends a request; the second also knows users whom the database cannot tell now. */
function createAuthenticators(engine: Engine) {
  const { deviceCredentials, knownCallers, recentCallers, workerTokens } = nounsOf(engine, authenticating)
  return {
    authenticate: createAuthenticator([
      recentCallers.verify,
      (token) => workerTokens.verify(token),
      (token) => deviceCredentials.verify(token),
    ]),
    authenticateKnown: createAuthenticator([
      knownCallers,
      (token) => workerTokens.identify(token),
      (token) => deviceCredentials.verify(token),
    ]),
  }
}

const authenticating = { deviceCredentials, knownCallers, recentCallers, workerTokens }

interface SocketRoutes extends Pick<EventUpgradeDeps, 'authenticate' | 'home'> {
  readonly upgrades: UpgradeRouter
  readonly isPortal: IsPortal
}

/** The sockets below `/api/v1`. */
function routeSockets(engine: Engine, { upgrades, authenticate, home, isPortal }: SocketRoutes): void {
  const { deviceSockets, userGuests, workerGuests, ...deps } = nounsOf(engine, attaching)
  upgrades.route(
    '/api/v1/flows/ws',
    eventUpgrade({
      ...deps,
      authenticate,
      guests: userGuests,
      home,
      serveDevice: deviceUpgrade({ sockets: deviceSockets, isPortal }),
    }),
  )
  upgrades.route('/api/v1/workers/attach', workerUpgrade({ ...deps, authenticate, guests: workerGuests }))
}

const attaching = { deviceSockets, log, pool, sockets: eventSockets, tickets, userGuests, workerGuests }
