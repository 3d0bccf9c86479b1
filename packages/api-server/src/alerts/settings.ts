/**
 * The configuration of alerts: one row of the database, and in the memory of every engine, so that an engine whose
 * database is gone can still tell of it.
 * @module
 */
import { secretRefs } from '@flow-service/core'
import { addressFindings, headerFindings } from '@flow-service/node-types'
import {
  type AlertChannel,
  alertChannels,
  type AlertConfig,
  alertConfigSchema,
  type AlertEvent,
  type ProblemItem,
} from '@flow-service/protocol'

import type { Database, Sql } from '../db/database.ts'
import { invalid } from '../http/errors.ts'
import type { Log } from '../process/log.ts'
import type { Secrets } from '../secrets/secrets.ts'
import { createAlertStore } from './store.ts'

const CHANNEL = 'alerts_changed'

/** What the configuration is made of. */
export interface AlertSettingsDeps {
  readonly database: Pick<Database, 'sql' | 'transaction' | 'listen' | 'notify'>
  readonly secrets: Pick<Secrets, 'alsoUsedBy' | 'valueOf'>
  readonly log: Pick<Log, 'error'>
}

/** A change by a user; `audit` writes its entry in the same transaction. */
interface Change {
  readonly by: string
  readonly audit: (tx: Sql) => Promise<void>
}

/** No alerts: what is in force until somebody configures them. */
const noAlerts = (): AlertConfig => alertConfigSchema.parse({})

/** The configuration of a database. */
export class AlertSettings {
  readonly #deps: AlertSettingsDeps
  readonly #listeners = new Set<() => void>()
  #known = noAlerts()
  #unlisten: (() => Promise<void>) | null = null
  /** The latest reading; they follow each other, so that the last one to end is the newest. */
  #reading: Promise<void> = Promise.resolve()

  constructor(deps: AlertSettingsDeps) {
    this.#deps = deps
  }

  /** Listens to the other engines, then reads what there is. */
  async open(): Promise<void> {
    const { database, secrets } = this.#deps
    const news = (): void => void this.#refreshBehind()
    this.#unlisten = await database.listen(CHANNEL, news, news)
    await this.#refresh()
    secrets.alsoUsedBy(async (sql) => usesIn(await readConfig(sql)))
  }

  async close(): Promise<void> {
    await this.#unlisten?.()
    await this.#reading
  }

  /** As this engine knows it. */
  get current(): AlertConfig {
    return this.#known
  }

  /** The channels that are in use. */
  get channels(): AlertChannel[] {
    return alertChannels.filter((channel) => this.#known.channels[channel].enabled)
  }

  /** Whether anybody is told of such an event. */
  watches(event: AlertEvent): boolean {
    const { enabled, events } = this.#known
    return enabled && events.includes(event) && this.channels.length > 0
  }

  /** Calls back whenever the configuration may have changed, at whichever engine. */
  onChange(listener: () => void): void {
    this.#listeners.add(listener)
  }

  /** As the database has it. */
  read(): Promise<AlertConfig> {
    return readConfig(this.#deps.database.sql)
  }

  /** Puts a whole configuration in place of the one before. Refuses with `validation_failed`. */
  async put(config: AlertConfig, { by, audit }: Change): Promise<AlertConfig> {
    const faults = this.#faultsOf(config)
    if (faults.length > 0) throw invalid(faults)
    await this.#deps.database.transaction(async (tx) => {
      const store = createAlertStore(tx)
      await store.putConfig(config, by)
      await store.keep(config.enabled ? config.events : [])
      await audit(tx)
    })
    await this.#refreshBehind()
    try {
      await this.#deps.database.notify(CHANNEL, '')
    } catch (error) {
      this.#deps.log.error({ err: error }, 'other engines could not be told of a changed configuration of alerts')
    }
    return config
  }

  #faultsOf(config: AlertConfig): ProblemItem[] {
    const missing = secretRefs(config).filter(({ name }) => this.#deps.secrets.valueOf(name) === undefined)
    return [
      ...alertChannels.flatMap((channel) => faults[channel](config.channels)),
      ...missing.map(({ name, pointer }) => ({
        path: pointer,
        code: 'unknown_secret',
        message: `there is no secret "${name}"; store it first`,
      })),
    ]
  }

  async #refreshBehind(): Promise<void> {
    try {
      await this.#refresh()
    } catch (error) {
      this.#deps.log.error({ err: error }, 'a changed configuration of alerts could not be put to use')
    }
  }

  async #refresh(): Promise<void> {
    const reading = this.#reading.then(async () => {
      this.#known = await this.read()
      for (const listener of this.#listeners) listener()
    })
    this.#reading = reading.catch(() => {})
    await reading
  }
}

/** What an earlier version has stored lacks what a later one has. */
const readConfig = async (sql: Sql): Promise<AlertConfig> =>
  alertConfigSchema.parse((await createAlertStore(sql).config()) ?? {})

/** Which channels refer to each secret. */
function usesIn(config: AlertConfig): Map<string, string[]> {
  const uses = alertChannels.flatMap((channel) =>
    secretRefs(config.channels[channel]).map(({ name }) => ({ name, use: `the channel "${channel}" of alerts` })),
  )
  return new Map([...Map.groupBy(uses, ({ name }) => name)].map(([name, found]) => [name, found.map(({ use }) => use)]))
}

type Channels = AlertConfig['channels']

/** What is wrong with a channel; one that is not enabled may lack what it needs. */
const faults: Readonly<Record<AlertChannel, (channels: Channels) => ProblemItem[]>> = {
  webhook: ({ webhook: { enabled, url, headers } }) => [
    ...missing('webhook', 'url', enabled && url === null, 'an address that alerts are posted to'),
    // what follows the path of a webhook tells receivers apart
    ...(url === null ? [] : findings('webhook', addressFindings('url', url.replace(/[?#].*$/, '')))),
    ...findings('webhook', headerFindings(headers)),
  ],
  push: ({ push: { enabled, server, topic } }) => [
    ...missing('push', 'topic', enabled && topic === null, 'the topic that receivers have subscribed to'),
    ...findings('push', addressFindings('server', server)),
  ],
  email: ({ email: { enabled, to } }) =>
    missing('email', 'to', enabled && to.length === 0, 'the addresses that get mails'),
}

const missing = (channel: AlertChannel, key: string, isMissing: boolean, wanted: string): ProblemItem[] => {
  const message = `the channel is enabled and has none; give it ${wanted}`
  return isMissing ? [{ path: `/channels/${channel}/${key}`, code: 'missing', message }] : []
}

/** What nodes are told of their settings, as told of those of a channel. */
const findings = (channel: AlertChannel, found: ReturnType<typeof headerFindings>): ProblemItem[] =>
  found.map(({ code, message, path }) => ({
    path: (path ?? '').replace('/settings', `/channels/${channel}`),
    code,
    message,
  }))
