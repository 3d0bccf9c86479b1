/**
 * The contact of this engine with the others of its database (wire decision V8): a row that says that it lives. What an
 * engine in contact runs, no other one starts. Times are those of the database, which all of them share.
 *
 * An engine is *in contact* until 20 s after it was heard of last, then *lost*, and in contact again when it comes back.
 * - contact.E1 it says that it lives every {@link CONTACT_MS}, by one statement, and once more at the end: then its row
 *   goes, and what it ran is free at once.
 * - contact.E2 one that finds that it was lost tells so: others may have started what it still runs.
 * - contact.E3 the embedded database has one engine alone, which says nothing.
 * - contact.E4 with each sign of life it looks where workers attach to the engines in contact, itself among them, and tells
 *   when that has changed. One that says no address is not among them.
 * @module
 */
import { hostname } from 'node:os'

import type { Clock } from '@flow-service/core'

import type { Database } from '../db/database.ts'
import type { Log } from '../process/log.ts'
import { newId } from '../process/new-id.ts'
import { beginLife, type Life } from './former-life.ts'
import { createEngineStore, type EngineRow } from './store.ts'

/** Between two signs of life; four may fail before an engine is lost. */
const CONTACT_MS = 5_000

/** What contact is made of. */
export interface ContactDeps {
  readonly database: Pick<Database, 'backend' | 'sql'>
  readonly clock: Clock
  readonly dataDir: string
  readonly version: string
  /** Where workers attach to this engine; unless given, it says no address. */
  readonly attachUrl?: string | null
  readonly log: Pick<Log, 'warn'>
}

/** This engine among those of its database. */
export interface EngineContact {
  /** Of this life; null on the embedded database. */
  readonly id: string | null
  /** Where workers attach to this engine; null when it says no address. */
  readonly attachUrl: string | null
  /** Where workers attach to the engines of the database, as far as this one knows them. */
  readonly attachUrls: readonly string[]
  /** Calls back when these have changed. */
  onAttachUrls(listener: () => void): void
  /** The URL of the API is known. */
  listensAt(address: string): Promise<void>
  /** Calls back when the engine is in contact again after it was lost. */
  onReturn(listener: () => void): void
  /** What this engine ran is free for others. */
  close(): Promise<void>
}

/** Begins to say that this engine lives. */
export async function openContact(deps: ContactDeps): Promise<EngineContact> {
  const { attachUrl = null, version } = deps
  if (deps.database.backend === 'embedded') return alone(attachUrl)
  const id = newId()
  const life = await beginLife(deps.dataDir, id)
  const contact = new ServerContact(
    { id, name: `${hostname()}/${process.pid}`, address: null, attachUrl, version },
    life,
    deps,
  )
  try {
    await contact.open()
  } catch (error) {
    life.end()
    throw error
  }
  return contact
}

/** An engine that has its database to itself. */
export const alone = (attachUrl: string | null): EngineContact => ({
  id: null,
  attachUrl,
  attachUrls: attachUrl === null ? [] : [attachUrl],
  onAttachUrls() {},
  listensAt: async () => {},
  onReturn() {},
  close: async () => {},
})

class ServerContact implements EngineContact {
  readonly #deps: ContactDeps
  readonly #life: Life
  readonly #listeners = new Set<() => void>()
  readonly #attachListeners = new Set<() => void>()
  #attachUrls: readonly string[] = []
  #self: EngineRow
  #cancel: () => void = () => {}
  #saying: Promise<void> = Promise.resolve()
  #isFailing = false
  #isClosed = false

  constructor(self: EngineRow, life: Life, deps: ContactDeps) {
    this.#self = self
    this.#life = life
    this.#deps = deps
  }

  get id(): string {
    return this.#self.id
  }

  get attachUrl(): string | null {
    return this.#self.attachUrl
  }

  get attachUrls(): readonly string[] {
    return this.#attachUrls
  }

  async open(): Promise<void> {
    const store = createEngineStore(this.#deps.database.sql)
    await store.remove(this.#life.former)
    await store.contact(this.#self)
    this.#attachUrls = await store.attachUrls()
    this.#wait()
  }

  async listensAt(address: string): Promise<void> {
    this.#self = { ...this.#self, address }
    await createEngineStore(this.#deps.database.sql).contact(this.#self)
  }

  onAttachUrls(listener: () => void): void {
    this.#attachListeners.add(listener)
  }

  onReturn(listener: () => void): void {
    this.#listeners.add(listener)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#cancel()
    await this.#saying
    try {
      await createEngineStore(this.#deps.database.sql).remove(this.#self.id)
    } catch (error) {
      this.#deps.log.warn(
        { err: error },
        'other engines could not be told that this one ends; it is lost to them in 20 s',
      )
    } finally {
      this.#life.end()
    }
  }

  /** Waits again when it was said: two statements never overlap. */
  #wait(): void {
    this.#cancel = this.#deps.clock.setTimer(CONTACT_MS, () => {
      this.#saying = this.#say().finally(() => {
        if (!this.#isClosed) this.#wait()
      })
    })
  }

  #learn(urls: readonly string[]): void {
    if (urls.join('\n') === this.#attachUrls.join('\n')) return
    this.#attachUrls = urls
    for (const listener of this.#attachListeners) listener()
  }

  async #say(): Promise<void> {
    const { database, log } = this.#deps
    try {
      const store = createEngineStore(database.sql)
      const isHeld = await store.contact(this.#self)
      this.#learn(await store.attachUrls())
      this.#isFailing = false
      if (isHeld) return
      log.warn({}, 'this engine was out of contact with its database; others may run its live flows now')
      for (const listener of this.#listeners) listener()
    } catch (error) {
      if (!this.#isFailing)
        log.warn({ err: error }, 'this engine cannot say that it lives: after 20 s others may run its live flows')
      this.#isFailing = true
    }
  }
}
