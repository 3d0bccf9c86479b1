/**
 * Presence of devices over the engines of one database: each writes which devices are connected to it, and hears of the
 * others. The node of a device runs at one engine, while the socket of the device may be open at another.
 * @module
 */
import type { Clock } from '@flow-service/core'

import type { Database } from '../db/database.ts'
import type { Log } from '../process/log.ts'
import { createAttachmentStore } from './attachment-store.ts'
import type { DevicePresence } from './device-presence.ts'

const CHANNEL = 'device_presence'
/** Between two looks at the others: one that is lost tells nobody. */
const LOOK_MS = 10_000

/** What sharing presence takes. */
export interface SharedPresenceDeps {
  readonly database: Pick<Database, 'sql' | 'listen' | 'notify'>
  readonly clock: Clock
  readonly presence: Pick<DevicePresence, 'here' | 'isHere' | 'onHere' | 'setElsewhere'>
  /** Id of this life of the engine. */
  readonly engine: string
  readonly log: Pick<Log, 'error'>
}

/** The part of an engine in what all of them know. */
export class SharedPresence {
  readonly #deps: SharedPresenceDeps
  #ends: (() => unknown)[] = []
  #cancel: () => void = () => {}
  /** Writes and looks follow each other. */
  #last: Promise<void> = Promise.resolve()
  /** Whether a look is waiting already: one is enough. */
  #isLooking = false
  /** Whether a write has failed, so that the rows of this engine may be wrong. */
  #isStale = false
  #isFailing = false

  constructor(deps: SharedPresenceDeps) {
    this.#deps = deps
  }

  /** Writes and hears from now on. */
  async open(): Promise<void> {
    const { database, presence } = this.#deps
    const look = (): void => void this.#look()
    this.#ends = [presence.onHere((device) => void this.#write(device)), await database.listen(CHANNEL, look, look)]
    this.refresh()
    await this.#last
  }

  /** Resolves once the others can know all that has been told here so far. */
  async written(): Promise<void> {
    await this.#last
  }

  /** Resolves once all is known that others had written before. */
  async heard(): Promise<void> {
    await this.#look()
  }

  /** Writes all that is here anew: the engine was lost to the others, and its rows may be gone. */
  refresh(): void {
    this.#cancel()
    this.#isStale = true
    void this.#look()
    this.#wait()
  }

  async close(): Promise<void> {
    this.#cancel()
    for (const end of this.#ends) await end()
    await this.#last
  }

  #wait(): void {
    this.#cancel = this.#deps.clock.setTimer(LOOK_MS, () => {
      void this.#look()
      this.#wait()
    })
  }

  #write(device: string): Promise<void> {
    const { database, engine, presence } = this.#deps
    return this.#then(async () => {
      const store = createAttachmentStore(database.sql)
      await (presence.isHere(device) ? store.attach(engine, device) : store.detach(engine, device))
      await database.notify(CHANNEL, device)
    })
  }

  /** Resolves with a look that begins after the call. */
  async #look(): Promise<void> {
    if (this.#isLooking) return this.#last
    this.#isLooking = true
    const { database, engine, presence } = this.#deps
    await this.#then(async () => {
      this.#isLooking = false
      const store = createAttachmentStore(database.sql)
      if (this.#isStale) {
        this.#isStale = false
        await store.replace(engine, presence.here())
        await database.notify(CHANNEL, '')
      }
      presence.setElsewhere(await store.elsewhere(engine))
    })
  }

  /** Does it once all before is done; what fails is done anew with the next look. */
  #then(work: () => Promise<void>): Promise<void> {
    this.#last = this.#last.then(work).then(
      () => void (this.#isFailing = false),
      (error: unknown) => {
        this.#isStale = true
        if (!this.#isFailing)
          this.#deps.log.error({ err: error }, 'engines cannot tell each other of connected devices')
        this.#isFailing = true
      },
    )
    return this.#last
  }
}
