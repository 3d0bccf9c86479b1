/**
 * The configuration of a service. Every setting is one entry of {@link settings}; the settings reference is made
 * from that table.
 * @module
 */
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'

import { type AnyFlow, type CommandModel, type DashboardObject, emailSchema } from '@flow-service/protocol'
import type { Inspect } from '@flow-service/worker-agent'

import { artifactsSettings, checkArtifacts } from './artifacts/settings.ts'
import { checkOidc, oidcSettings } from './auth/oidc/settings.ts'
import { checkCommands, commandsSettings } from './commands/settings.ts'
import { isNetwork } from './egress/address-rules.ts'
import { enginesSettings } from './engines/settings.ts'
import { developedFolder, hostCommandsModel, type HostConnectors, hostConnectors, hostMailer } from './host-options.ts'
import type { NodeListener } from './host/node-report.ts'
import type { Mailer } from './mail/mailer.ts'
import {
  choice,
  ConfigError,
  type Environment,
  flag,
  integer,
  isPlace,
  isUrlOf,
  isWeb,
  list,
  optional,
  readSetting,
  type Setting,
  setting,
  text,
} from './process/setting.ts'
import { checkRuns, runsSettings } from './runs/settings.ts'
import type { SettingOptions } from './setting-options.ts'
import { workersSettings } from './workers/settings.ts'

const manifest = createRequire(import.meta.url)('../package.json') as { version: string; engines: { node: string } }

/** Version of the engine, that of this package, and the Nodes that it runs on, as in `>=22.19`. */
export const { version: engineVersion, engines: usable } = manifest

const isTimeZone = (name: string): boolean => {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }) instanceof Intl.DateTimeFormat
  } catch {
    return false
  }
}
const isMailServer = (value: string): boolean => isUrlOf(['smtp:', 'smtps:'])(value) && new URL(value).hostname !== ''
const isSender = (value: string): boolean =>
  emailSchema.safeParse(/^[^<>\r\n]*<([^<>]*)>$/.exec(value)?.[1] ?? value).success
const isOrigin = (value: string): boolean => isWeb(value) && new URL(value).origin === value
const key = text('at least 32 bytes', (value) => Buffer.byteLength(value) >= 32)

/** Every setting by the name of its option. */
export const settings = {
  environment: setting(choice('local', 'staging', 'production'), {
    env: 'SERVICE_ENVIRONMENT',
    about: 'Where the service runs: production has no API reference and never makes keys or users up.',
    initial: (env) => (env.NODE_ENV === 'production' ? 'production' : 'local'),
    initially: 'production when NODE_ENV is production, else local',
  }),
  host: setting(text('a host name or address'), {
    env: 'SERVICE_HOST',
    about: 'The address to listen on.',
    initial: '127.0.0.1',
  }),
  port: setting(integer(0, 65_535), {
    env: 'SERVICE_PORT',
    about: 'The port to listen on; 0 takes any free one.',
    initial: 8000,
  }),
  baseUrl: optional(
    text('an http or https URL that ends with /api/v1', (value) => isWeb(value) && value.endsWith('/api/v1')),
    {
      env: 'SERVICE_BASE_URL',
      about: 'The URL by which clients reach the API, for links in answers.',
      initially: 'taken from each request',
    },
  ),
  publicUrl: optional(text('an http or https URL without a query, such as https://flows.example', isPlace), {
    env: 'SERVICE_PUBLIC_URL',
    about:
      'The URL where people open the service, for the links in mails and sign-in by OpenID Connect. Production sends no such mail without it.',
    initially: 'the address that the service listens on, outside production',
  }),
  trustProxy: setting(integer(0, 10), {
    env: 'SERVICE_TRUST_PROXY',
    about: 'How many reverse proxies stand before the service: that many entries of X-Forwarded-For are believed.',
    initial: 0,
  }),
  portalToken: optional(
    text('at least 16 characters', (value) => value.length >= 16),
    {
      env: 'SERVICE_PORTAL_TOKEN',
      about:
        'What a portal in front of the service sends as X-Service-Portal; hooks without a secret do not answer it.',
      initially: 'no portal',
      secret: true,
    },
  ),
  egressAllow: setting(
    list('addresses or networks such as 10.0.0.0/8, separated by commas in the environment', isNetwork),
    {
      env: 'SERVICE_EGRESS_ALLOW',
      about: 'Private networks that nodes may connect to in production; elsewhere they may connect to all.',
      initial: [],
      initially: 'none',
    },
  ),
  caFile: optional(text('a path'), {
    env: 'SERVICE_CA_FILE',
    about:
      'A file of certificates (PEM) of authorities whose servers nodes trust, beside those that Node.js trusts (and those of NODE_EXTRA_CA_CERTS).',
    initially: 'no further ones',
  }),
  corsOrigins: setting(
    list('origins such as https://console.example, without a path, separated by commas in the environment', isOrigin),
    {
      env: 'SERVICE_CORS_ORIGINS',
      about: 'Other origins whose pages may call the API and open the event socket.',
      initial: [],
      initially: 'none: only pages of the service itself',
    },
  ),
  compression: setting(choice('on', 'off'), {
    env: 'SERVICE_COMPRESSION',
    about:
      'Whether answers of 1 KiB and more are compressed for clients that ask for it; off where a proxy in front does that.',
    initial: 'on',
  }),
  docs: setting(flag, {
    env: 'API_DOCS_ENABLED',
    about: 'Shows the API reference to clients of other machines too; never in production.',
    initial: false,
  }),
  console: setting(flag, {
    env: 'SERVICE_CONSOLE',
    about: 'Serves the console, a page for people, at /console/.',
    initial: true,
  }),
  mcp: setting(flag, {
    env: 'SERVICE_MCP',
    about: 'Lets agents in, over the Model Context Protocol at /api/v1/mcp; needs the package @flow-service/mcp.',
    initial: false,
  }),
  dataDir: setting(text('a path'), {
    env: 'SERVICE_DATA_DIR',
    about: 'The folder of the embedded database, of artifacts and of keys.',
    initial: './.service',
  }),
  databaseUrl: optional(text('a postgres:// URL', isUrlOf(['postgres:', 'postgresql:'])), {
    env: 'SERVICE_DATABASE_URL',
    about: 'A PostgreSQL server that several engines share.',
    initially: 'the embedded database in the data folder',
    secret: true,
  }),
  ...artifactsSettings,
  sessionKey: optional(key, {
    env: 'SERVICE_SESSION_KEY',
    about: 'Signs session tokens; at least 32 bytes. A new one signs everybody out.',
    initially: 'session.key in the data folder, made at the first start outside production',
    secret: true,
  }),
  oauthSigningKey: optional(text('an Ed25519 key in PEM'), {
    env: 'SERVICE_OAUTH_SIGNING_KEY',
    about:
      'Signs tokens of workers and agents: an Ed25519 key in PEM, the same for all engines of a database. A new one voids them all.',
    initially: 'oauth_signing_key.pem in the data folder, made at the first start',
    secret: true,
  }),
  mcpRegistration: setting(flag, {
    env: 'SERVICE_MCP_REGISTRATION',
    about:
      'Whether programs may make themselves known, to ask users to let them in; else a superuser adds them (service oauth client add).',
    initial: false,
  }),
  sessionDays: setting(integer(1, 365), {
    env: 'SERVICE_SESSION_DAYS',
    about: 'How many days a session token lasts.',
    initial: 8,
  }),
  secretKey: optional(key, {
    env: 'SERVICE_SECRET_KEY',
    about:
      'Seals stored secrets; at least 32 bytes. Engines that share a PostgreSQL server need the same one. With another one than they were stored under no engine starts.',
    initially: 'secret.key in the data folder, made at the first start outside production',
    secret: true,
  }),
  firstSuperuser: optional(
    text('an e-mail address', (value) => value.includes('@')),
    {
      env: 'SERVICE_FIRST_SUPERUSER',
      about: 'The e-mail of the superuser who is created when there is no user yet.',
      initially: 'admin@localhost in environment local',
    },
  ),
  firstSuperuserPassword: optional(
    text('8 to 128 characters', (value) => value.length >= 8 && value.length <= 128),
    {
      env: 'SERVICE_FIRST_SUPERUSER_PASSWORD',
      about: 'The password of the first superuser.',
      initially: 'random and shown once in environment local',
      secret: true,
    },
  ),
  smtpUrl: optional(text('an smtp or smtps URL, such as smtps://user:password@mail.example', isMailServer), {
    env: 'SERVICE_SMTP_URL',
    about:
      'The mail server: smtp:// uses TLS where the server offers it, and demands it for a password; smtps:// begins with it.',
    initially: 'none: outside production the log shows mails, in production there are none',
    secret: true,
  }),
  mailFrom: optional(text('an e-mail address, or a name with one: Flows <flows@example.org>', isSender), {
    env: 'SERVICE_MAIL_FROM',
    about: 'Who mails are from.',
    initially: 'none; a mail server needs it',
  }),
  ...oidcSettings,
  ...commandsSettings,
  ...enginesSettings,
  ...workersSettings,
  ...runsSettings,
  artifactMaxBytes: setting(integer(1, Number.MAX_SAFE_INTEGER), {
    env: 'SERVICE_ARTIFACT_MAX_BYTES',
    about: 'The largest artifact, in bytes.',
    initial: 1_073_741_824,
  }),
  mediaRingBytes: setting(integer(1, Number.MAX_SAFE_INTEGER), {
    env: 'SERVICE_MEDIA_RING_BYTES',
    about: 'How many bytes of volatile artifacts this engine keeps in memory; newer ones push out the oldest.',
    initial: 67_108_864,
  }),
  flowVersions: setting(integer(1, 10_000), {
    env: 'SERVICE_FLOW_VERSIONS',
    about: 'How many published versions of each flow are kept, the newest ones.',
    initial: 100,
  }),
  projectDir: setting(text('a path'), {
    env: 'SERVICE_PROJECT_DIR',
    about:
      'The folder of the project whose dependencies may bring node types: the nearest package.json at or above it names them.',
    initial: '.',
    initially: 'the working directory',
  }),
  timeZone: setting(text('a time zone of the IANA database, such as Europe/Berlin', isTimeZone), {
    env: 'SERVICE_TIMEZONE',
    about: 'The time zone of cron schedules.',
    initial: () => new Intl.DateTimeFormat().resolvedOptions().timeZone,
    initially: "the machine's zone",
  }),
  python: optional(text('the path or name of an interpreter'), {
    env: 'SERVICE_PYTHON',
    about: 'The Python interpreter of python nodes, whose packages the engine only reads.',
    initially: 'an environment of the applied modules, else the first usable one on PATH',
  }),
  pipIndexUrl: optional(text('an http or https URL', isWeb), {
    env: 'SERVICE_PIP_INDEX_URL',
    about: 'The index that Python modules come from; it may have a user name and a password.',
    initially: "PyPI, or what the machine's pip.conf says",
    secret: true,
  }),
  npmRegistry: optional(
    text('an http or https URL without a password', (value) => isWeb(value) && new URL(value).username === ''),
    {
      env: 'SERVICE_NPM_REGISTRY',
      about: "The registry that npm modules come from; credentials stand in the .npmrc of the engine's user.",
      initially: 'what that .npmrc says, else the registry of npm',
    },
  ),
  logLevel: setting(choice('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'), {
    env: 'SERVICE_LOG_LEVEL',
    about: 'The least severe log lines that are written.',
    initial: 'info',
  }),
  guardProcess: setting(flag, {
    env: null,
    about:
      'Keeps the process alive through promises that node types forget, and a known fault of the PostgreSQL driver.',
    initial: false,
  }),
}

type Settings = typeof settings
type Value<S> = S extends Setting<infer T> ? T : never

/** Flows and dashboards defined in TypeScript: a folder to load them from, or the objects themselves. */
type Flows = string | readonly (AnyFlow | DashboardObject)[]

/** Options of a service; what is missing comes from the environment, then from the defaults of {@link settings}. */
export type ServiceConfig = SettingOptions & {
  /** Flows and dashboards: a folder whose modules are loaded, or the objects themselves. Default: none. */
  readonly flows?: Flows | undefined
  /** Node types of the host's own code, beside those of installed packages. Default: none. */
  readonly connectors?: readonly HostConnectors[] | undefined
  /**
   * Folders of connector packages under development, whose sources are loaded at the start and again by `reload`. It has no
   * environment variable: `service dev --connector` sets it, and nothing else should. Default: none.
   */
  readonly developedConnectors?: readonly string[] | undefined
  /** Brings mails to people, in place of the mail server of the settings. A rejection is an attempt that has failed. Default: none. */
  readonly mailer?: Mailer | undefined
  /** Understands the commands of `commands_lm` nodes, in place of the grammar and of the model of the settings. Default: those. */
  readonly commandsModel?: CommandModel | undefined
  /**
   * Hears what nodes print, of their failures, and of payloads that are dropped or refused. What live nodes print and what
   * does not load is not in the log then.
   * Default: the log has it.
   */
  readonly onNodeReport?: NodeListener | undefined
  /**
   * Opens debuggers in the processes of node code, on the loopback address, and takes the timeouts from nodes. It has no
   * environment variable: `service dev --inspect` sets it, and nothing else should. Default: none.
   */
  readonly inspectNodes?: Omit<Inspect, 'pythonFileOf'> | undefined
}

/** The configuration in force: every setting has its value, and paths are absolute. */
export type ResolvedConfig = { readonly [K in keyof Settings]: Value<Settings[K]> } & {
  readonly flows: Flows | null
  readonly connectors: readonly HostConnectors[]
  readonly developedConnectors: readonly string[]
  readonly mailer: Mailer | null
  readonly commandsModel: CommandModel | null
  readonly onNodeReport: NodeListener | null
  readonly inspectNodes: Omit<Inspect, 'pythonFileOf'> | null
}

/** Options that are no settings: what only a host's own code can give. */
const notSettings = [
  'flows',
  'connectors',
  'developedConnectors',
  'mailer',
  'commandsModel',
  'onNodeReport',
  'inspectNodes',
] as const

/** Settles every setting; throws `ConfigError` about the first that is not usable, or about an unknown option. */
export function resolveConfig(options: ServiceConfig = {}, env: Environment = process.env): ResolvedConfig {
  const {
    flows = null,
    connectors = [],
    developedConnectors = [],
    mailer = null,
    commandsModel = null,
    onNodeReport = null,
    inspectNodes = null,
    ...rest
  } = options
  const given: Readonly<Record<string, unknown>> = rest
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(settings, name))
  if (unknown !== undefined)
    throw new ConfigError(
      `there is no option "${unknown}"; use ${[...Object.keys(settings), ...notSettings].join(', ')}`,
    )
  const entries = Object.entries(settings).map(([name, each]) => [
    name,
    readSetting<unknown>(name, each as Setting, given[name], env),
  ])
  // every value was accepted by the setting of its name
  const values = Object.fromEntries(entries) as Omit<ResolvedConfig, (typeof notSettings)[number]>
  if ((values.firstSuperuser === null) !== (values.firstSuperuserPassword === null))
    throw new ConfigError('set SERVICE_FIRST_SUPERUSER and SERVICE_FIRST_SUPERUSER_PASSWORD together')
  if (values.smtpUrl !== null && values.mailFrom === null)
    throw new ConfigError('SERVICE_SMTP_URL is set without SERVICE_MAIL_FROM: say who the mails are from')
  checkOidc(values)
  checkCommands(values)
  checkArtifacts(values)
  checkRuns(values)
  const artifactsDir = values.artifactsDir && resolve(values.artifactsDir)
  const caFile = values.caFile && resolve(values.caFile)
  const [dataDir, projectDir] = [resolve(values.dataDir), resolve(values.projectDir)]
  return {
    ...values,
    dataDir,
    projectDir,
    artifactsDir,
    caFile,
    flows,
    connectors: hostConnectors(connectors),
    developedConnectors: developedConnectors.map(developedFolder),
    mailer: hostMailer(mailer),
    commandsModel: hostCommandsModel(commandsModel),
    onNodeReport,
    inspectNodes,
  }
}

/** Directory of the modules. */
export const modulesDirOf = ({ dataDir }: Pick<ResolvedConfig, 'dataDir'>): string => join(dataDir, 'modules')
