import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'

import { describe, expect, test } from 'vitest'

import { resolveConfig, type ServiceConfig, settings } from '../src/config.ts'
import { ConfigError } from '../src/process/setting.ts'

const key = 'k'.repeat(32)
const oidc = {
  SERVICE_OIDC_ISSUER: 'http://id.example',
  SERVICE_OIDC_CLIENT_ID: 'flows',
  SERVICE_OIDC_CLIENT_SECRET: 'a secret of the client',
}
const commands = { SERVICE_COMMANDS_URL: 'http://127.0.0.1:11434/v1', SERVICE_COMMANDS_MODEL: 'small' }

describe('the configuration', () => {
  test('has a default for everything', () => {
    expect(resolveConfig({}, {})).toMatchObject({
      environment: 'local',
      host: '127.0.0.1',
      port: 8000,
      dataDir: resolve('.service'),
      databaseUrl: null,
      sessionDays: 8,
      maxRuns: null,
      maxLightRuns: null,
      runLeaseS: 30,
      runRenewS: 10,
      artifactMaxBytes: 1_073_741_824,
      mediaRingBytes: 67_108_864,
      trustProxy: 0,
      docs: false,
      flows: null,
    })
    const places = Math.max(8, 2 * availableParallelism())
    expect(resolveConfig({}, {})).toMatchObject({ maxParallelNodes: places, maxProcesses: places })
  })

  test('comes from options, then from the environment', () => {
    const env = {
      SERVICE_PORT: '9000',
      SERVICE_MAX_RUNS: '2',
      API_DOCS_ENABLED: 'TRUE',
      SERVICE_TIMEZONE: 'Asia/Tokyo',
    }
    expect(resolveConfig({ port: 0, maxRuns: undefined }, env)).toMatchObject({
      port: 0,
      maxRuns: 2,
      docs: true,
      timeZone: 'Asia/Tokyo',
    })
  })

  test('is production when only NODE_ENV says so', () => {
    expect(resolveConfig({}, { NODE_ENV: 'production' }).environment).toBe('production')
    expect(resolveConfig({}, { NODE_ENV: 'production', SERVICE_ENVIRONMENT: 'staging' }).environment).toBe('staging')
    expect(resolveConfig({}, { NODE_ENV: 'development' }).environment).toBe('local')
  })

  test('takes a variable that is set to nothing as not set', () => {
    expect(resolveConfig({}, { SERVICE_PORT: ' ', SERVICE_DATABASE_URL: '' })).toMatchObject({
      port: 8000,
      databaseUrl: null,
    })
  })

  test.each([
    [{ SERVICE_ENVIRONMENT: 'prod' }, 'SERVICE_ENVIRONMENT is "prod": use local, staging, production'],
    [{ SERVICE_PORT: 'http' }, 'SERVICE_PORT is "http": use a whole number from 0 to 65535'],
    [{ SERVICE_PORT: '70000' }, 'SERVICE_PORT is 70000: use a whole number from 0 to 65535'],
    [{ SERVICE_PORT: 'tcp://10.0.0.1:80' }, 'SERVICE_PORT is "tcp://10.0.0.1:80": use a whole number from 0 to 65535'],
    [{ SERVICE_MAX_RUNS: '0' }, 'SERVICE_MAX_RUNS is 0: use a whole number from 1 to 1000'],
    [{ SERVICE_SESSION_DAYS: '1.5' }, 'SERVICE_SESSION_DAYS is "1.5": use a whole number from 1 to 365'],
    [{ API_DOCS_ENABLED: 'yes' }, 'API_DOCS_ENABLED is "yes": use true or false'],
    [
      { SERVICE_TIMEZONE: 'Mars/Base' },
      'SERVICE_TIMEZONE is "Mars/Base": use a time zone of the IANA database, such as Europe/Berlin',
    ],
    [
      { SERVICE_BASE_URL: 'https://x.org' },
      'SERVICE_BASE_URL is "https://x.org": use an http or https URL that ends with /api/v1',
    ],
    [{ SERVICE_LOG_LEVEL: 'loud' }, 'SERVICE_LOG_LEVEL is "loud": use fatal, error, warn, info, debug, trace, silent'],
    [{ SERVICE_RUN_LEASE_S: '19' }, 'SERVICE_RUN_RENEW_S is 10: use at most half of SERVICE_RUN_LEASE_S, which is 19'],
    [
      { SERVICE_OIDC_ISSUER: 'https://id.example' },
      'SERVICE_OIDC_CLIENT_ID is not set: SERVICE_OIDC_ISSUER needs a client',
    ],
    [
      { SERVICE_OIDC_ISSUER: 'https://id.example', SERVICE_OIDC_CLIENT_ID: 'flows' },
      'SERVICE_OIDC_CLIENT_SECRET is not set: SERVICE_OIDC_ISSUER needs the secret of its client',
    ],
    [
      { SERVICE_OIDC_ISSUER: 'id.example' },
      'SERVICE_OIDC_ISSUER is "id.example": use the http or https URL of an issuer, without a query',
    ],
    [
      { SERVICE_OIDC_ALLOWED_DOMAINS: 'example.org, ann@example.org' },
      'SERVICE_OIDC_ALLOWED_DOMAINS is ["example.org","ann@example.org"]: use domains of e-mail addresses such as example.org, or *, separated by commas in the environment',
    ],
    [
      { ...oidc, SERVICE_ENVIRONMENT: 'production' },
      'SERVICE_PUBLIC_URL is not set: in production SERVICE_OIDC_ISSUER needs it, for people come back there',
    ],
    [
      { ...oidc, SERVICE_ENVIRONMENT: 'production', SERVICE_BASE_URL: 'https://x.org/api/v1' },
      'SERVICE_OIDC_ISSUER is "http://id.example": in production use https',
    ],
    [
      { SERVICE_COMMANDS_URL: commands.SERVICE_COMMANDS_URL },
      'SERVICE_COMMANDS_URL is set without SERVICE_COMMANDS_MODEL: name the model that it has',
    ],
    [
      { SERVICE_COMMANDS_MODEL: 'small' },
      'SERVICE_COMMANDS_MODEL is set without SERVICE_COMMANDS_URL: say whose model it is',
    ],
    [
      { SERVICE_COMMANDS_TOKEN: 'a token' },
      'SERVICE_COMMANDS_TOKEN is not usable: use ASCII characters but spaces, quotes and backslashes',
    ],
    [
      { SERVICE_COMMANDS_TOKEN: 'token' },
      'SERVICE_COMMANDS_TOKEN is set without SERVICE_COMMANDS_URL: say who gets it',
    ],
    [
      { ...commands, SERVICE_COMMANDS_URL: '127.0.0.1:11434' },
      'SERVICE_COMMANDS_URL is "127.0.0.1:11434": use the http or https URL of a chat API up to its version, such as http://127.0.0.1:11434/v1, and without a query',
    ],
    [
      {
        ...commands,
        SERVICE_COMMANDS_URL: 'http://models.example/v1',
        SERVICE_COMMANDS_TOKEN: 'token',
        SERVICE_ENVIRONMENT: 'production',
      },
      'SERVICE_COMMANDS_URL is "http://models.example/v1": in production use https for SERVICE_COMMANDS_TOKEN',
    ],
    [{ SERVICE_FIRST_SUPERUSER: 'a@b' }, 'set SERVICE_FIRST_SUPERUSER and SERVICE_FIRST_SUPERUSER_PASSWORD together'],
  ])('%o is refused in one sentence', (env, message) => {
    expect(() => resolveConfig({}, env)).toThrow(new ConfigError(message))
  })

  test.each([
    [{ SERVICE_SESSION_KEY: 'short' }, 'SERVICE_SESSION_KEY is not usable: use at least 32 bytes'],
    [{ SERVICE_DATABASE_URL: 'mysql://u:secret@h/d' }, 'SERVICE_DATABASE_URL is not usable: use a postgres:// URL'],
    [
      { SERVICE_FIRST_SUPERUSER_PASSWORD: 'abc' },
      'SERVICE_FIRST_SUPERUSER_PASSWORD is not usable: use 8 to 128 characters',
    ],
  ])('%o is refused without being repeated', (env, message) => {
    expect(() => resolveConfig({}, env)).toThrow(new ConfigError(message))
  })

  test.each(['https://console.example/', 'console.example', '*', 'https://a.example,ftp://b.example'])(
    'refuses "%s" as origins',
    (origins) => {
      expect(() => resolveConfig({}, { SERVICE_CORS_ORIGINS: origins })).toThrow(
        `SERVICE_CORS_ORIGINS is ${JSON.stringify(origins.split(','))}: use origins such as https://console.example, ` +
          'without a path, separated by commas in the environment',
      )
    },
  )

  test('takes a list of origins from the environment, separated by commas, and as an option', () => {
    expect(resolveConfig({}, {}).corsOrigins).toEqual([])
    const listed = ['https://console.example', 'http://localhost:5173']
    expect(resolveConfig({}, { SERVICE_CORS_ORIGINS: ` ${listed.join(' , ')}, ` }).corsOrigins).toEqual(listed)
    expect(resolveConfig({ corsOrigins: listed }, {}).corsOrigins).toEqual(listed)
    expect(() => resolveConfig({ corsOrigins: 'https://a.example' } as unknown as ServiceConfig, {})).toThrow(
      'the option corsOrigins is "https://a.example": use origins',
    )
  })

  test('refuses an option of another type, or one that does not exist', () => {
    expect(() => resolveConfig({ port: '8000' } as unknown as ServiceConfig, {})).toThrow(
      'the option port is "8000": use a whole number from 0 to 65535',
    )
    expect(() => resolveConfig({ prot: 1 } as ServiceConfig, {})).toThrow(
      'there is no option "prot"; use environment, ',
    )
  })

  test('accepts keys, users and a database', () => {
    const env = {
      SERVICE_SESSION_KEY: key,
      SERVICE_FIRST_SUPERUSER: 'ann@example.org',
      SERVICE_FIRST_SUPERUSER_PASSWORD: 'correct horse',
      SERVICE_DATABASE_URL: 'postgres://u:p@db/service',
      SERVICE_BASE_URL: 'https://flows.example.org/x/api/v1',
    }
    expect(resolveConfig({}, env)).toMatchObject({
      sessionKey: key,
      firstSuperuser: 'ann@example.org',
      firstSuperuserPassword: 'correct horse',
      databaseUrl: 'postgres://u:p@db/service',
      baseUrl: 'https://flows.example.org/x/api/v1',
    })
  })
})

describe('the model of commands', () => {
  test('is that of the settings, whose token may go to this machine without TLS', () => {
    const env = { ...commands, SERVICE_COMMANDS_TOKEN: 'token', SERVICE_ENVIRONMENT: 'production' }
    expect(resolveConfig({}, env)).toMatchObject({
      commandsUrl: 'http://127.0.0.1:11434/v1',
      commandsModelName: 'small',
      commandsToken: 'token',
      commandsModel: null,
    })
  })

  test.each(['http://ann:hidden@h/v1', 'https://hidden@h/v1', 'http://:hidden@h/v1'])(
    'has no credentials in its address, and %s is not repeated',
    (SERVICE_COMMANDS_URL) => {
      expect(() => resolveConfig({}, { ...commands, SERVICE_COMMANDS_URL })).toThrow(
        new ConfigError('SERVICE_COMMANDS_URL holds a user name or password: set SERVICE_COMMANDS_TOKEN instead'),
      )
    },
  )

  test.each(['http://h/v1?key=hidden', 'http://h/v1#hidden', 'http//ann:hidden@h'])(
    'has an address to which a path can be added, and %s is not repeated',
    (SERVICE_COMMANDS_URL) => {
      expect(() => resolveConfig({}, { ...commands, SERVICE_COMMANDS_URL })).toThrow(
        new ConfigError(
          'SERVICE_COMMANDS_URL is not usable: use the http or https URL of a chat API up to its version, such as http://127.0.0.1:11434/v1, and without a query',
        ),
      )
    },
  )

  test('is an object of the host, which has to be one', () => {
    const commandsModel = { interpret: () => [] }
    expect(resolveConfig({ commandsModel }, commands).commandsModel).toBe(commandsModel)
    for (const none of ['small', {}, { interpret: 'small' }, () => []])
      expect(() => resolveConfig({ commandsModel: none } as unknown as ServiceConfig, {})).toThrow(
        'the option commandsModel has no function "interpret": use { interpret(prompt, context, signal) }, or commandsModelName',
      )
  })
})

describe('the table of settings', () => {
  test('names every variable once and explains every setting in sentences', () => {
    const all = Object.values(settings)
    const names = all.flatMap((setting) => setting.env ?? [])
    expect(new Set(names).size).toBe(names.length)
    for (const setting of all) expect(setting.about).toMatch(/^[A-Z].*[^ ]\.$/)
  })

  test('tells in words a default that depends on the machine, or that is nothing', () => {
    const unclear = Object.values(settings).filter(
      ({ initial, initially }) => (typeof initial === 'function' || initial === null) && !initially,
    )
    expect(unclear).toEqual([])
  })
})
