/**
 * The options of `createService` that are settings. Made from the table of `config.ts` by `npm run generate`.
 * @module
 */

/** What each setting is for, its default, and the variable that it is read from when the option is left out. */
export interface SettingOptions {
  /**
   * Where the service runs: production has no API reference and never makes keys or users up.
   * Default: production when NODE_ENV is production, else local. Variable: `SERVICE_ENVIRONMENT`.
   */
  readonly environment?: 'local' | 'staging' | 'production' | undefined

  /**
   * The address to listen on.
   * Default: `"127.0.0.1"`. Variable: `SERVICE_HOST`.
   */
  readonly host?: string | undefined

  /**
   * The port to listen on; 0 takes any free one.
   * Default: `8000`. Variable: `SERVICE_PORT`.
   */
  readonly port?: number | undefined

  /**
   * The URL by which clients reach the API, for links in answers.
   * Default: taken from each request. Variable: `SERVICE_BASE_URL`.
   */
  readonly baseUrl?: string | null | undefined

  /**
   * The URL where people open the service, for the links in mails and sign-in by OpenID Connect. Production sends no such mail without it.
   * Default: the address that the service listens on, outside production. Variable: `SERVICE_PUBLIC_URL`.
   */
  readonly publicUrl?: string | null | undefined

  /**
   * How many reverse proxies stand before the service: that many entries of X-Forwarded-For are believed.
   * Default: `0`. Variable: `SERVICE_TRUST_PROXY`.
   */
  readonly trustProxy?: number | undefined

  /**
   * What a portal in front of the service sends as X-Service-Portal; hooks without a secret do not answer it.
   * Default: no portal. Variable: `SERVICE_PORTAL_TOKEN`.
   */
  readonly portalToken?: string | null | undefined

  /**
   * Private networks that nodes may connect to in production; elsewhere they may connect to all.
   * Default: none. Variable: `SERVICE_EGRESS_ALLOW`.
   */
  readonly egressAllow?: readonly string[] | undefined

  /**
   * A file of certificates (PEM) of authorities whose servers nodes trust, beside those that Node.js trusts (and those of NODE_EXTRA_CA_CERTS).
   * Default: no further ones. Variable: `SERVICE_CA_FILE`.
   */
  readonly caFile?: string | null | undefined

  /**
   * Other origins whose pages may call the API and open the event socket.
   * Default: none: only pages of the service itself. Variable: `SERVICE_CORS_ORIGINS`.
   */
  readonly corsOrigins?: readonly string[] | undefined

  /**
   * Whether answers of 1 KiB and more are compressed for clients that ask for it; off where a proxy in front does that.
   * Default: `"on"`. Variable: `SERVICE_COMPRESSION`.
   */
  readonly compression?: 'on' | 'off' | undefined

  /**
   * Shows the API reference to clients of other machines too; never in production.
   * Default: `false`. Variable: `API_DOCS_ENABLED`.
   */
  readonly docs?: boolean | undefined

  /**
   * Serves the console, a page for people, at /console/.
   * Default: `true`. Variable: `SERVICE_CONSOLE`.
   */
  readonly console?: boolean | undefined

  /**
   * Lets agents in, over the Model Context Protocol at /api/v1/mcp; needs the package @flow-service/mcp.
   * Default: `false`. Variable: `SERVICE_MCP`.
   */
  readonly mcp?: boolean | undefined

  /**
   * The folder of the embedded database, of artifacts and of keys.
   * Default: `"./.service"`. Variable: `SERVICE_DATA_DIR`.
   */
  readonly dataDir?: string | undefined

  /**
   * A PostgreSQL server that several engines share.
   * Default: the embedded database in the data folder. Variable: `SERVICE_DATABASE_URL`.
   */
  readonly databaseUrl?: string | null | undefined

  /**
   * The folder of artifacts; engines that share a PostgreSQL server share it too.
   * Default: artifacts in the data folder. Variable: `SERVICE_ARTIFACTS_DIR`.
   */
  readonly artifactsDir?: string | null | undefined

  /**
   * The S3-compatible store of artifacts, in place of a folder: s3://bucket/prefix with the parameters endpoint, region and path_style. Engines that share a PostgreSQL server share it too.
   * Default: none: artifacts are in a folder. Variable: `SERVICE_ARTIFACTS_URL`.
   */
  readonly artifactsUrl?: string | null | undefined

  /**
   * Whose the key for SERVICE_ARTIFACTS_URL is; nothing else uses it.
   * Default: not set. Variable: `AWS_ACCESS_KEY_ID`.
   */
  readonly awsAccessKeyId?: string | null | undefined

  /**
   * The key for SERVICE_ARTIFACTS_URL.
   * Default: not set. Variable: `AWS_SECRET_ACCESS_KEY`.
   */
  readonly awsSecretAccessKey?: string | null | undefined

  /**
   * Not possible with SERVICE_ARTIFACTS_URL: nothing renews credentials that end.
   * Default: not set. Variable: `AWS_SESSION_TOKEN`.
   */
  readonly awsSessionToken?: string | null | undefined

  /**
   * The region of SERVICE_ARTIFACTS_URL, unless that names one.
   * Default: us-east-1. Variable: `AWS_REGION`.
   */
  readonly awsRegion?: string | null | undefined

  /**
   * Signs session tokens; at least 32 bytes. A new one signs everybody out.
   * Default: session.key in the data folder, made at the first start outside production. Variable: `SERVICE_SESSION_KEY`.
   */
  readonly sessionKey?: string | null | undefined

  /**
   * Signs tokens of workers and agents: an Ed25519 key in PEM, the same for all engines of a database. A new one voids them all.
   * Default: oauth_signing_key.pem in the data folder, made at the first start. Variable: `SERVICE_OAUTH_SIGNING_KEY`.
   */
  readonly oauthSigningKey?: string | null | undefined

  /**
   * Whether programs may make themselves known, to ask users to let them in; else a superuser adds them (service oauth client add).
   * Default: `false`. Variable: `SERVICE_MCP_REGISTRATION`.
   */
  readonly mcpRegistration?: boolean | undefined

  /**
   * How many days a session token lasts.
   * Default: `8`. Variable: `SERVICE_SESSION_DAYS`.
   */
  readonly sessionDays?: number | undefined

  /**
   * Seals stored secrets; at least 32 bytes. Engines that share a PostgreSQL server need the same one. With another one than they were stored under no engine starts.
   * Default: secret.key in the data folder, made at the first start outside production. Variable: `SERVICE_SECRET_KEY`.
   */
  readonly secretKey?: string | null | undefined

  /**
   * The e-mail of the superuser who is created when there is no user yet.
   * Default: admin@localhost in environment local. Variable: `SERVICE_FIRST_SUPERUSER`.
   */
  readonly firstSuperuser?: string | null | undefined

  /**
   * The password of the first superuser.
   * Default: random and shown once in environment local. Variable: `SERVICE_FIRST_SUPERUSER_PASSWORD`.
   */
  readonly firstSuperuserPassword?: string | null | undefined

  /**
   * The mail server: smtp:// uses TLS where the server offers it, and demands it for a password; smtps:// begins with it.
   * Default: none: outside production the log shows mails, in production there are none. Variable: `SERVICE_SMTP_URL`.
   */
  readonly smtpUrl?: string | null | undefined

  /**
   * Who mails are from.
   * Default: none; a mail server needs it. Variable: `SERVICE_MAIL_FROM`.
   */
  readonly mailFrom?: string | null | undefined

  /**
   * The OpenID provider by which people may sign in, as it names itself.
   * Default: no sign-in by OpenID Connect. Variable: `SERVICE_OIDC_ISSUER`.
   */
  readonly oidcIssuer?: string | null | undefined

  /**
   * The client that the service is for the OpenID provider; it is needed beside the issuer.
   * Default: not set. Variable: `SERVICE_OIDC_CLIENT_ID`.
   */
  readonly oidcClientId?: string | null | undefined

  /**
   * The secret of that client; it is needed beside the issuer.
   * Default: not set. Variable: `SERVICE_OIDC_CLIENT_SECRET`.
   */
  readonly oidcClientSecret?: string | null | undefined

  /**
   * What people read on the button of that way of signing in.
   * Default: `"OpenID Connect"`. Variable: `SERVICE_OIDC_NAME`.
   */
  readonly oidcName?: string | undefined

  /**
   * Domains of verified e-mail addresses that get an account of an ordinary user at their first sign-in; * is whoever the provider lets in.
   * Default: none: only accounts that exist. Variable: `SERVICE_OIDC_ALLOWED_DOMAINS`.
   */
  readonly oidcAllowedDomains?: readonly string[] | undefined

  /**
   * The claim that lists the groups of a person.
   * Default: `"groups"`. Variable: `SERVICE_OIDC_GROUPS_CLAIM`.
   */
  readonly oidcGroupsClaim?: string | undefined

  /**
   * Each sign-in by OpenID Connect makes its members superusers, and all others ordinary users.
   * Default: the provider decides no roles. Variable: `SERVICE_OIDC_SUPERUSER_GROUP`.
   */
  readonly oidcSuperuserGroup?: string | null | undefined

  /**
   * The chat API whose model understands the commands of commands_lm nodes; it needs the package @flow-service/commands-lm, and is reached as nodes reach others.
   * Default: the grammar of that package, on this machine. Variable: `SERVICE_COMMANDS_URL`.
   */
  readonly commandsUrl?: string | null | undefined

  /**
   * The model of that API; it is needed beside the URL.
   * Default: not set. Variable: `SERVICE_COMMANDS_MODEL`.
   */
  readonly commandsModelName?: string | null | undefined

  /**
   * What that API is sent as a bearer token.
   * Default: none. Variable: `SERVICE_COMMANDS_TOKEN`.
   */
  readonly commandsToken?: string | null | undefined

  /**
   * Seconds after which the live flows of an engine that is not heard of any more go to another engine of its PostgreSQL server. All engines of a database should have the same.
   * Default: `8`. Variable: `SERVICE_ENGINE_LEASE_S`.
   */
  readonly engineLeaseS?: number | undefined

  /**
   * Where the other engines of its PostgreSQL server reach this engine and no other one, such as http://10.0.0.5:8000: in front of the mount where it is mounted in a host. What is asked of an engine that does not run the flow goes there.
   * Default: where it listens; a mounted engine is not reached. Variable: `SERVICE_ENGINE_URL`.
   */
  readonly engineUrl?: string | null | undefined

  /**
   * Interpreters, or folders of virtual environments, that flows ask for by `resources.python`, such as torch=/opt/torch,old=/usr/bin/python3.11. Virtual environments in the project folder and in `pythons` of the data directory count too, by the names of their folders.
   * Default: none beside those. Variable: `SERVICE_PYTHON_ENVIRONMENTS`.
   */
  readonly pythonEnvironments?: string | null | undefined

  /**
   * Where workers attach to this engine and to no other one, such as wss://one.flows.example/api/v1/workers/attach: workers of the other engines of its database attach here too.
   * Default: none: only workers attach here that are given an address of this engine. Variable: `SERVICE_ADVERTISE_URL`.
   */
  readonly advertiseUrl?: string | null | undefined

  /**
   * Seconds that a worker on another machine has to come back when its link was lost or the engine has stopped; until then its batch calls go on, and their runs wait. With 0 they end at once.
   * Default: `0`. Variable: `SERVICE_WORKER_RESUME_S`.
   */
  readonly workerResumeS?: number | undefined

  /**
   * Divides the times after which provisioners look at their clusters again: for tests with real ones.
   * Default: `1`.
   */
  readonly provisioningPace?: number | undefined

  /**
   * How many batch runs with code in processes (nodes python, code, exec) this engine executes at once. Set alone, it bounds the other runs with them.
   * Default: 4. Variable: `SERVICE_MAX_RUNS`.
   */
  readonly maxRuns?: number | null | undefined

  /**
   * How many batch runs without code in processes this engine executes at once.
   * Default: 64, or none of their own where SERVICE_MAX_RUNS is set alone. Variable: `SERVICE_MAX_LIGHT_RUNS`.
   */
  readonly maxLightRuns?: number | null | undefined

  /**
   * How many nodes of one run execute at once.
   * Default: 8, or twice the number of CPUs if that is more. Variable: `SERVICE_MAX_PARALLEL_NODES`.
   */
  readonly maxParallelNodes?: number | undefined

  /**
   * How many processes of node code this engine runs at once on its own machine, shared fairly by its runs.
   * Default: 8, or twice the number of CPUs if that is more. Variable: `SERVICE_MAX_PROCESSES`.
   */
  readonly maxProcesses?: number | undefined

  /**
   * How many seconds after the last sign of life of its engine a running run is given up, where engines share a database.
   * Default: `30`. Variable: `SERVICE_RUN_LEASE_S`.
   */
  readonly runLeaseS?: number | undefined

  /**
   * How many seconds lie between two signs of life; at most half of the lease.
   * Default: `10`. Variable: `SERVICE_RUN_RENEW_S`.
   */
  readonly runRenewS?: number | undefined

  /**
   * The largest body of an import of runs, in bytes.
   * Default: `67108864`. Variable: `SERVICE_IMPORT_MAX_BYTES`.
   */
  readonly importMaxBytes?: number | undefined

  /**
   * The largest artifact, in bytes.
   * Default: `1073741824`. Variable: `SERVICE_ARTIFACT_MAX_BYTES`.
   */
  readonly artifactMaxBytes?: number | undefined

  /**
   * How many bytes of volatile artifacts this engine keeps in memory; newer ones push out the oldest.
   * Default: `67108864`. Variable: `SERVICE_MEDIA_RING_BYTES`.
   */
  readonly mediaRingBytes?: number | undefined

  /**
   * How many published versions of each flow are kept, the newest ones.
   * Default: `100`. Variable: `SERVICE_FLOW_VERSIONS`.
   */
  readonly flowVersions?: number | undefined

  /**
   * The folder of the project whose dependencies may bring node types: the nearest package.json at or above it names them.
   * Default: the working directory. Variable: `SERVICE_PROJECT_DIR`.
   */
  readonly projectDir?: string | undefined

  /**
   * The time zone of cron schedules.
   * Default: the machine's zone. Variable: `SERVICE_TIMEZONE`.
   */
  readonly timeZone?: string | undefined

  /**
   * The Python interpreter of python nodes, whose packages the engine only reads.
   * Default: an environment of the applied modules, else the first usable one on PATH. Variable: `SERVICE_PYTHON`.
   */
  readonly python?: string | null | undefined

  /**
   * The index that Python modules come from; it may have a user name and a password.
   * Default: PyPI, or what the machine's pip.conf says. Variable: `SERVICE_PIP_INDEX_URL`.
   */
  readonly pipIndexUrl?: string | null | undefined

  /**
   * The registry that npm modules come from; credentials stand in the .npmrc of the engine's user.
   * Default: what that .npmrc says, else the registry of npm. Variable: `SERVICE_NPM_REGISTRY`.
   */
  readonly npmRegistry?: string | null | undefined

  /**
   * The least severe log lines that are written.
   * Default: `"info"`. Variable: `SERVICE_LOG_LEVEL`.
   */
  readonly logLevel?: 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent' | undefined

  /**
   * Keeps the process alive through promises that node types forget, and a known fault of the PostgreSQL driver.
   * Default: `false`.
   */
  readonly guardProcess?: boolean | undefined
}
