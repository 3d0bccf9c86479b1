/**
 * Flavors: rows of the database, and in the memory of every engine of it, so that neither a check of a document nor a
 * call of node code waits for them.
 * @module
 */
import type { Flavor, FlavorUpdate } from '@flow-service/protocol'

import type { Database, Sql } from '../db/database.ts'
import { ProblemError } from '../http/errors.ts'
import type { Log } from '../process/log.ts'
import { createFlavorStore, type FlavorStore, type FlavorUser } from './flavor-store.ts'

const CHANNEL = 'flavor_changed'

/** Writes the entry of the audit trail in the transaction of the change. */
type Audit = (tx: Sql) => Promise<void>

/** What flavors are made of. */
export interface FlavorsDeps {
  readonly database: Pick<Database, 'sql' | 'transaction' | 'listen' | 'notify'>
  readonly log: Pick<Log, 'error'>
}

/** The flavors of a database. */
export class Flavors {
  readonly #deps: FlavorsDeps
  readonly #store: FlavorStore
  readonly #listeners = new Set<() => void>()
  #known: ReadonlyMap<string, Flavor> = new Map()
  #unlisten: (() => Promise<void>) | null = null
  /** The latest reading; they follow each other, so that the last one to end is the newest. */
  #reading: Promise<void> = Promise.resolve()

  constructor(deps: FlavorsDeps) {
    this.#deps = deps
    this.#store = createFlavorStore(deps.database.sql)
  }

  /** Listens to the other engines, then reads what there is. */
  async open(): Promise<void> {
    const { database } = this.#deps
    const news = (): void => void this.#refreshBehind()
    this.#unlisten = await database.listen(CHANNEL, news, news)
    await this.#refresh()
  }

  async close(): Promise<void> {
    await this.#unlisten?.()
    await this.#reading
  }

  /** Whether there is one of the name. */
  has(name: string): boolean {
    return this.#known.has(name)
  }

  get(name: string): Flavor | undefined {
    return this.#known.get(name)
  }

  /** Calls back whenever a flavor has changed, at whichever engine. */
  onChange(listener: () => void): void {
    this.#listeners.add(listener)
  }

  /** All of them by name. */
  list(): Promise<Flavor[]> {
    return this.#store.list()
  }

  /** Refuses with `already_exists`. */
  async create(flavor: Flavor, audit: Audit): Promise<Flavor> {
    await this.#deps.database.transaction(async (tx) => {
      if (!(await createFlavorStore(tx).add(flavor))) {
        throw new ProblemError('already_exists', `there is a flavor "${flavor.name}" already: update it`)
      }
      await audit(tx)
    })
    await this.#changed()
    return flavor
  }

  /** The flavor as it is then. Refuses with `not_found`. */
  async update(name: string, change: FlavorUpdate, audit: Audit): Promise<Flavor> {
    const flavor = await this.#deps.database.transaction(async (tx) => {
      const updated = await createFlavorStore(tx).update(name, change)
      if (!updated) throw noFlavor(name)
      await audit(tx)
      return updated
    })
    await this.#changed()
    return flavor
  }

  /** Refuses with `not_found`, and with `in_use` while a draft or published flow names it. */
  async remove(name: string, audit: Audit): Promise<void> {
    await this.#deps.database.transaction(async (tx) => {
      const store = createFlavorStore(tx)
      if (!(await store.remove(name))) throw noFlavor(name)
      const users = await store.users(name)
      if (users.length > 0) throw inUse(name, users)
      await audit(tx)
    })
    await this.#changed()
  }

  /** What is committed is done, whatever comes of telling it. */
  async #changed(): Promise<void> {
    await this.#refreshBehind()
    try {
      await this.#deps.database.notify(CHANNEL, '')
    } catch (error) {
      this.#deps.log.error({ err: error }, 'other engines could not be told of a changed flavor')
    }
  }

  async #refreshBehind(): Promise<void> {
    try {
      await this.#refresh()
    } catch (error) {
      this.#deps.log.error({ err: error }, 'a changed flavor could not be put to use')
    }
  }

  async #refresh(): Promise<void> {
    const reading = this.#reading.then(async () => {
      this.#known = new Map((await this.list()).map((flavor) => [flavor.name, flavor]))
      for (const listener of this.#listeners) listener()
    })
    this.#reading = reading.catch(() => {})
    await reading
  }
}

const noFlavor = (name: string): ProblemError => new ProblemError('not_found', `there is no flavor "${name}"`)

function inUse(name: string, users: readonly FlavorUser[]): ProblemError {
  const flows = users.map(({ flow }) => `"${flow}"`)
  const shown = flows.length > 3 ? [...flows.slice(0, 3), `${flows.length - 3} more`] : flows
  const detail = `the flavor "${name}" is used by ${shown.join(', ')}; change their resources first`
  return new ProblemError('in_use', detail, { used_by: users })
}
