/**
 * What the nodes of connector packages keep, such as pairings and fingerprints of certificates: texts by package and key,
 * sealed in the database that all engines share (wire decisions G51, G65). Nodes reach it by `ctx.store`, superusers see the
 * keys and take them away.
 *
 * - connector-state.S1 a call of a node is committed when it resolves; nothing is kept in memory, so that engines that share
 *   a database see what the others have stored.
 * - connector-state.S2 no answer, line of the log or event holds a value.
 * - connector-state.S3 what a superuser takes away makes the nodes of the package unequal, on every engine: the next time
 *   that their flows are published they are built anew, and learn it again.
 * @module
 */
import { type ConnectorStore, storeIsFull } from '@flow-service/connector-sdk'
import type { StoreHost } from '@flow-service/core'

import type { Database, Sql } from '../db/database.ts'
import { ProblemError } from '../http/errors.ts'
import type { Log } from '../process/log.ts'
import { newId } from '../process/new-id.ts'
import type { Secrets } from '../secrets/secrets.ts'
import { createConnectorStateStore } from './store.ts'

const CHANNEL = 'connector_state_forgotten'

/** What the state of connectors is made of. */
export interface ConnectorStateDeps {
  readonly database: Pick<Database, 'listen' | 'notify' | 'sql' | 'transaction'>
  readonly secrets: Pick<Secrets, 'sealed' | 'unseal'>
  readonly log: Pick<Log, 'error'>
}

/** Writes the entry of a change in its transaction. */
type Audit = (tx: Sql) => Promise<void>

/** Opens the state of the connectors of a database. */
export async function openConnectorState(deps: ConnectorStateDeps): Promise<ConnectorState> {
  const state = new ConnectorState(deps)
  await state.open()
  return state
}

/** The state of the connectors of a database; made by {@link openConnectorState}. */
export class ConnectorState implements StoreHost {
  readonly #deps: ConnectorStateDeps
  readonly #forgotten = new Map<string, number>()
  /** How often news of other engines may have been missed: every package may have lost something then. */
  #missed = 0
  /** Tells its own news from those of others. */
  readonly #sender = newId()
  #unlisten: (() => Promise<void>) | null = null

  constructor(deps: ConnectorStateDeps) {
    this.#deps = deps
  }

  /** Listens to what is taken away by other engines. */
  async open(): Promise<void> {
    this.#unlisten = await this.#deps.database.listen(
      CHANNEL,
      (news) => {
        const [sender = '', namespace = ''] = news.split(' ')
        if (sender !== this.#sender) this.#forget(namespace)
      },
      () => void this.#missed++,
    )
  }

  async close(): Promise<void> {
    await this.#unlisten?.()
  }

  of(namespace: string): ConnectorStore {
    const { database, secrets } = this.#deps
    const store = createConnectorStateStore(database.sql)
    return {
      async get(key) {
        const sealed = await store.read(namespace, key)
        return sealed === null ? null : secrets.unseal(placeOf(namespace, key), sealed)
      },
      async set(key, value) {
        const sealed = secrets.sealed(placeOf(namespace, key), value)
        const isStored = await database.transaction((tx) => createConnectorStateStore(tx).put(namespace, key, sealed))
        if (!isStored) throw storeIsFull(key)
      },
      delete: (key) => store.remove(namespace, key),
    }
  }

  forgotten(namespace: string): number {
    return this.#missed + (this.#forgotten.get(namespace) ?? 0)
  }

  /** Keys of a package, in their order. */
  keys(namespace: string): Promise<string[]> {
    return createConnectorStateStore(this.#deps.database.sql).keys(namespace)
  }

  /** Takes a key away. Refuses with `not_found` when it is not there. */
  async remove(namespace: string, key: string, audit: Audit): Promise<void> {
    await this.#deps.database.transaction(async (tx) => {
      const isThere = await createConnectorStateStore(tx).remove(namespace, key)
      if (!isThere) throw new ProblemError('not_found', `the package "${namespace}" has stored nothing under "${key}"`)
      await audit(tx)
    })
    await this.#tell(namespace)
  }

  /** Takes all keys of a package away. */
  async clear(namespace: string, audit: Audit): Promise<void> {
    await this.#deps.database.transaction(async (tx) => {
      await createConnectorStateStore(tx).clear(namespace)
      await audit(tx)
    })
    await this.#tell(namespace)
  }

  /** What is committed is done, whatever comes of telling it. */
  async #tell(namespace: string): Promise<void> {
    this.#forget(namespace)
    try {
      await this.#deps.database.notify(CHANNEL, `${this.#sender} ${namespace}`)
    } catch (error) {
      this.#deps.log.error({ err: error, package: namespace }, 'other engines could not be told of forgotten state')
    }
  }

  #forget(namespace: string): void {
    this.#forgotten.set(namespace, (this.#forgotten.get(namespace) ?? 0) + 1)
  }
}

/** Where a sealed text belongs: moved to another key it does not open. */
const placeOf = (namespace: string, key: string): string => `connector_state/${namespace}/${key}`
