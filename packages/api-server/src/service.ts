/**
 * A service: an engine (`compose.ts`) with its API (`api.ts`) in this process. Hosts and the command line call it.
 *
 * A service is *open* from `createService` on, *listening* after `listen`, and *closed* for good after `close`, which
 * stops taking requests first and lets go of the data directory last.
 * @module
 */
import { once } from 'node:events'
import { mkdir } from 'node:fs/promises'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'

import { hideCredentials } from '@flow-service/worker-agent'
import express from 'express'
import type { Logger } from 'pino'

import { type Api, createApi } from './api.ts'
import type { ConsoleCodes } from './auth/console-codes.ts'
import type { PublicUrl } from './auth/public-url.ts'
import type { Sessions } from './auth/sessions.ts'
import { writeSignInFile } from './auth/sign-in-file.ts'
import { consoleCodes, publicUrl, sessions, users } from './auth/slice.ts'
import type { FirstUser, Users } from './auth/users.ts'
import type { ConnectorPackages } from './code/packages/connector-packages.ts'
import { blame } from './code/packages/forgotten-promises.ts'
import type { LoadError } from './code/project.ts'
import { connectorPackages } from './code/slice.ts'
import { openEngine } from './compose.ts'
import { type ResolvedConfig, resolveConfig, type ServiceConfig, usable } from './config.ts'
import { explainDamage } from './db/damage.ts'
import { type Database, isOfLostDatabase } from './db/database.ts'
import { database } from './db/layer.ts'
import { abandonAhead, DATABASE_FOLDER } from './db/opening.ts'
import { guardProcess } from './db/process-guard.ts'
import type { AddressRules } from './egress/address-rules.ts'
import { addressRules } from './egress/layer.ts'
import type { EngineLease } from './engines/lease.ts'
import { lease } from './engines/slice.ts'
import type { Claims } from './flows/claims.ts'
import type { CodeFlows, RegisteredName, ReloadResult } from './flows/code-flows.ts'
import { claims, codeFlows } from './flows/slice.ts'
import { oneHost } from './http/address.ts'
import { answerErrors, notFound } from './http/errors.ts'
import { secureHeaders } from './http/headers.ts'
import { hosted, type HostedRouter } from './http/hosted.ts'
import { openServer } from './http/open-server.ts'
import { createUpgradeRouter, type UpgradeRouter } from './http/upgrade.ts'
import { createClock } from './process/clock.ts'
import { explained } from './process/full-disk.ts'
import { HeldDirectory } from './process/held-directory.ts'
import { nounsOf } from './process/layer.ts'
import { Lifecycle } from './process/lifecycle.ts'
import { createLog } from './process/log.ts'
import { assertNode } from './process/oldest-node.ts'
import { ConfigError } from './process/setting.ts'
import { outliveStrayRejections } from './process/stray-rejections.ts'
import type { Provisioners } from './provisioning/provisioners.ts'
import { provisioners } from './provisioning/slice.ts'
import { Redactor } from './secrets/redactor.ts'

/** Where a listening service answers. */
export interface Address {
  /** Without a trailing slash, for example `http://127.0.0.1:8000`. */
  readonly origin: string
  /** Address of the API: `<origin>/api/v1`. */
  readonly baseUrl: string
}

/** A flow engine with its HTTP API, in this process. */
export interface Service {
  readonly config: ResolvedConfig
  /**
   * Mount it anywhere in an Express 5 app, before any body parser. For other hosts it is a function of a request and an answer of
   * Node: `router(request, response)`.
   */
  readonly router: HostedRouter
  /** E-mail of the first superuser; the password only when it was made up now, at the first start. */
  readonly signIn: { readonly email: string | null; readonly password: string | null }
  /** Flows of `config.flows` that are registered. */
  readonly loadedFlows: readonly RegisteredName[]
  /** Names of the dashboards of `config.flows`. */
  readonly loadedDashboards: readonly string[]
  /**
   * Flows and modules of `config.flows`, and packages under development, that could not be loaded; the log has them too,
   * unless there is `onNodeReport`.
   */
  readonly loadErrors: readonly LoadError[]
  /** Absolute paths of the files that the flows of the folder `config.flows` were made from, as far as they are known. */
  readonly flowFiles: readonly string[]
  /**
   * Resolves when the database or the data directory is lost: the service cannot go on, refuses what it is asked, and has to
   * be closed.
   */
  readonly failed: Promise<Error>
  /** Handles the WebSocket upgrades below `mount` (`''` is the root) of a host's server; the result ends that. */
  attach(server: Server, mount?: string): () => void
  /** Opens a server of its own at `config.host` and `config.port`. Rejects when the port is taken. */
  listen(): Promise<Address>
  /**
   * Reads the folder `config.flows` again and swaps the flows whose document or code has changed: active live flows are
   * built anew with the values they have, batch flows get a new version, all others go on untouched. Packages of
   * `config.developedConnectors` are loaded again before, and the nodes of their types built anew. What does not load is
   * answered as errors and leaves its flows as they were. Calls wait for each other; flow objects do not change.
   */
  reload(): Promise<ReloadResult>
  /** Reads `provisioners.json` again. Rejects with an Error that names what is wrong with it; all stays as it was then. */
  reloadProvisioners(): Promise<void>
  /**
   * A code that signs the console in as the first superuser: as `<mount>/console/#dev=<code>`, once, within 60 seconds, from
   * this machine, in the environment `local`.
   */
  consoleCode(): string
  /** A session token of the first superuser, for the host's own code. Rejects with an Error when there is none. */
  superuserToken(): Promise<string>
  /** Ends requests, flows and runs (running ones get 10 seconds), and closes the database. */
  close(): Promise<void>
}

/**
 * Opens a service. Options win over environment variables, which win over defaults. Rejects with one sentence when this
 * Node is too old, a setting is not usable, the data directory is in use, or the database cannot be opened.
 */
export async function createService(options: ServiceConfig = {}): Promise<Service> {
  const lifecycle = new Lifecycle()
  let config: ResolvedConfig | null = null
  try {
    assertNode(usable.node)
    config = resolveConfig(options)
    return await open(config, lifecycle)
  } catch (error) {
    await lifecycle.close()
    await abandonAhead()
    throw config === null ? error : await explainStart(error, config)
  }
}

/** The error of a start with what to do about it: a full disk, or a damaged database, is met by whoever comes there first. */
async function explainStart(error: unknown, config: ResolvedConfig): Promise<unknown> {
  const known = await explained(error, config)
  return config.databaseUrl === null ? explainDamage(known, join(config.dataDir, DATABASE_FOLDER)) : known
}

const shown = {
  addressRules,
  claims,
  codeFlows,
  connectorPackages,
  consoleCodes,
  database,
  lease,
  provisioners,
  publicUrl,
  sessions,
  users,
}

async function open(config: ResolvedConfig, lifecycle: Lifecycle): Promise<Service> {
  const redactor = new Redactor()
  let failure: Error | null = null
  const log = createLog({
    level: config.logLevel,
    mask: (line) => redactor.mask(line),
    isTold: (error) => failure !== null && isOfLostDatabase(error),
  })
  await mkdir(config.dataDir, { recursive: true, mode: 0o700 })
  if (config.guardProcess && config.databaseUrl !== null) {
    await lifecycle.open(
      async () => guardProcess(log),
      (remove) => remove(),
    )
  }
  if (config.guardProcess) {
    // node code runs as the same user, and would find in /proc what its own environment is spared
    hideCredentials()
    await lifecycle.open(
      async () => outliveStrayRejections(log, blame),
      (remove) => remove(),
    )
  }
  const engine = await lifecycle.openAll(openEngine({ config, log, redactor, clock: createClock() }))
  const nouns = nounsOf(engine, shown)
  // whoever shows reports to people shows these as well
  if (config.onNodeReport === null) {
    const errors = [...nouns.connectorPackages.developed.errors, ...nouns.codeFlows.errors]
    for (const { file, line, column, message } of errors) log.error({ file, line, column }, message)
  }
  const first = await nouns.users.createFirst(config)
  const upgrades = await lifecycle.open(
    async () => createUpgradeRouter({ log }),
    (router) => router.close(),
  )
  const { failed } = await failureOf(nouns.database, { dataDir: config.dataDir, lifecycle, log })
  void failed.then((error) => (failure = error))
  return new OpenService({
    ...nouns,
    config,
    lifecycle,
    log,
    first,
    upgrades,
    failed,
    api: createApi({ engine, upgrades, failure: () => failure }),
    email: (await nouns.users.firstSuperuser())?.principal.email ?? null,
  })
}

/** Resolves when the engine cannot go on. The embedded database holds its directory itself, and tells the log. */
async function failureOf(
  database: Database,
  { dataDir, lifecycle, log }: { readonly dataDir: string; readonly lifecycle: Lifecycle; readonly log: Logger },
): Promise<{ readonly failed: Promise<Error> }> {
  if (database.backend === 'embedded') return { failed: database.failed }
  const { lost } = await lifecycle.open(
    async () => new HeldDirectory(dataDir),
    (held) => held.release(),
  )
  void lost.then((error) => log.error({ err: error }, error.message))
  return { failed: Promise.race([database.failed, lost]) }
}

interface ServiceDeps {
  readonly addressRules: AddressRules
  readonly claims: Claims | null
  readonly codeFlows: CodeFlows
  readonly connectorPackages: ConnectorPackages
  readonly consoleCodes: ConsoleCodes
  readonly config: ResolvedConfig
  readonly failed: Promise<Error>
  readonly database: Database
  readonly lease: EngineLease
  readonly lifecycle: Lifecycle
  readonly log: Logger
  readonly provisioners: Provisioners
  readonly publicUrl: PublicUrl
  readonly first: FirstUser | null
  readonly users: Users
  readonly sessions: Sessions
  readonly upgrades: UpgradeRouter
  readonly api: Api
  readonly email: string | null
}

class OpenService implements Service {
  readonly router: HostedRouter
  readonly #deps: ServiceDeps
  #address: Promise<Address> | null = null
  #closing: Promise<void> | null = null

  constructor(deps: ServiceDeps) {
    this.#deps = deps
    this.router = hosted(deps.api.router)
  }

  get config(): ResolvedConfig {
    return this.#deps.config
  }

  get signIn(): Service['signIn'] {
    return { email: this.#deps.email, password: this.#deps.first?.password ?? null }
  }

  get loadedFlows(): Service['loadedFlows'] {
    return this.#deps.codeFlows.registered
  }

  get loadedDashboards(): Service['loadedDashboards'] {
    return this.#deps.codeFlows.dashboards
  }

  get loadErrors(): Service['loadErrors'] {
    const { codeFlows, connectorPackages } = this.#deps
    return [...codeFlows.errors, ...connectorPackages.developed.errors]
  }

  get flowFiles(): Service['flowFiles'] {
    return this.#deps.codeFlows.files
  }

  get failed(): Promise<Error> {
    return this.#deps.failed
  }

  attach(server: Server, mount = ''): () => void {
    const { addressRules, upgrades } = this.#deps
    const ends = [upgrades.attach(server, mount), addressRules.protect(server)]
    return () => {
      for (const end of ends) end()
    }
  }

  listen(): Promise<Address> {
    this.#address ??= this.#listen().catch(async (error: unknown) => {
      throw await explained(error, this.config)
    })
    return this.#address
  }

  reload(): Promise<ReloadResult> {
    return this.#deps.codeFlows.reload()
  }

  async reloadProvisioners(): Promise<void> {
    await this.#deps.provisioners.reload()
  }

  consoleCode(): string {
    return this.#deps.consoleCodes.mint()
  }

  async superuserToken(): Promise<string> {
    const { sessions, users } = this.#deps
    const user = await users.firstSuperuser()
    if (!user) throw new ConfigError('there is no superuser yet: set SERVICE_FIRST_SUPERUSER and its password')
    return (await sessions.issue(user)).access_token
  }

  close(): Promise<void> {
    this.#closing ??= this.#deps.lifecycle.close()
    return this.#closing
  }

  async #listen(): Promise<Address> {
    const { api, claims, config, lease, lifecycle, log, publicUrl, sessions, upgrades, users } = this.#deps
    const app = express()
      .disable('x-powered-by')
      .use(api.router)
      .use(secureHeaders, oneHost, notFound, answerErrors(log))
    const server = await lifecycle.open(
      async () => {
        const opened = openServer(api.listener(app))
        this.attach(opened)
        opened.listen(config.port, config.host)
        await once(opened, 'listening')
        return opened
      },
      (opened) => endServer(opened, upgrades),
    )
    // the first of all that ends: what is asked here meanwhile goes to the engines that have the flows by then
    await lifecycle.open(
      async () => claims,
      (opened) => opened?.close(),
    )
    const { port } = server.address() as AddressInfo
    const host = config.host.includes(':') ? `[${config.host}]` : config.host
    const origin = `http://${host}:${port}`
    const address = { origin, baseUrl: config.baseUrl ?? `${origin}/api/v1` }
    publicUrl.listensAt(address.baseUrl.replace(/\/api\/v1$/, ''))
    await lease.listensAt(address.baseUrl, reachableOrigin(config.host, port))
    await writeSignInFile({ config, baseUrl: address.baseUrl, users, sessions })
    return address
  }
}

/** Where other machines reach what listens here: an address that stands for all is replaced by one of this machine. */
function reachableOrigin(host: string, port: number): string {
  const isAny = host === '0.0.0.0' || host === '::'
  const own = Object.values(networkInterfaces()).flatMap((each) => each ?? [])
  const found = isAny ? own.find(({ family, internal }) => family === 'IPv4' && !internal)?.address : host
  const name = found ?? '127.0.0.1'
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`
}

/** Ends a server: requests in progress get to their end, idle connections and sockets do not wait. */
async function endServer(server: Server, upgrades: UpgradeRouter): Promise<void> {
  server.close()
  const untilMs = performance.now() + GRACE_MS
  // an upgraded connection keeps the server open, and the server no longer knows it
  await upgrades.close()
  // those of workers and of other engines go on until runs and flows have ended
  while (performance.now() < untilMs && (await countConnections(server)) > upgrades.connections) {
    server.closeIdleConnections()
    // oxlint-disable-next-line no-await-in-loop -- the next look follows this one
    await setTimeout(LOOK_MS)
  }
  server.closeAllConnections()
}

const countConnections = (server: Server): Promise<number> =>
  new Promise((resolve) => server.getConnections((_error, count) => resolve(count ?? 0)))

const GRACE_MS = 2000
/** Between two looks at the requests that go on. */
const LOOK_MS = 10
