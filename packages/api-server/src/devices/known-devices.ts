/**
 * Which devices there are and what ports each has reported, in the memory of every engine: the check of a document does not
 * wait for the database. Engines tell each other of changes.
 * @module
 */
import { isDeepStrictEqual } from 'node:util'

import { type DevicePort, devicePorts } from '@flow-service/protocol'

import type { Database } from '../db/database.ts'
import type { Log } from '../process/log.ts'
import { createDeviceStore, type DeviceRow } from './device-store.ts'

const CHANNEL = 'device_changed'

/** What a check asks of a device. */
export interface KnownDevice {
  readonly name: string
  /** Null until it has reported. */
  readonly ports: readonly DevicePort[] | null
}

/** What knowing devices takes. */
export interface KnownDevicesDeps {
  readonly database: Pick<Database, 'sql' | 'listen' | 'notify'>
  readonly log: Pick<Log, 'error'>
}

/** The devices of a database, as last heard of. */
export class KnownDevices {
  readonly #deps: KnownDevicesDeps
  #known = new Map<string, KnownDevice>()
  #unlisten: (() => Promise<void>) | null = null
  /** The latest reading; they follow each other, so that the last one to end is the newest. */
  #reading: Promise<void> = Promise.resolve()

  constructor(deps: KnownDevicesDeps) {
    this.#deps = deps
  }

  /** Listens to the other engines, then reads what there is. */
  async open(): Promise<void> {
    this.#unlisten = await this.#deps.database.listen(
      CHANNEL,
      (device) => void this.#refreshBehind(device),
      () => void this.#refreshBehind(null),
    )
    await this.#refresh(null)
  }

  async close(): Promise<void> {
    await this.#unlisten?.()
    await this.#reading
  }

  find(id: string): KnownDevice | undefined {
    return this.#known.get(id)
  }

  /** Of all, in their order. */
  ids(): readonly string[] {
    return [...this.#known.keys()].toSorted()
  }

  /**
   * To be called once a change is committed; what is committed is done, whatever comes of telling it. `before` is what was
   * known of the device before the change began: one that shows nothing new, as reports that some boards send each second,
   * is told to nobody.
   */
  async changed(device: string, before?: KnownDevice): Promise<void> {
    await this.#refreshBehind(device)
    if (before !== undefined && isDeepStrictEqual(before, this.#known.get(device))) return
    try {
      await this.#deps.database.notify(CHANNEL, device)
    } catch (error) {
      this.#deps.log.error({ err: error }, 'other engines could not be told of a changed device')
    }
  }

  async #refreshBehind(device: string | null): Promise<void> {
    try {
      await this.#refresh(device)
    } catch (error) {
      this.#deps.log.error({ err: error }, 'a changed device could not be read')
    }
  }

  /** Reads one device, or all of them. */
  async #refresh(device: string | null): Promise<void> {
    const reading = this.#reading.then(async () => {
      const store = createDeviceStore(this.#deps.database.sql)
      if (device === null) this.#known = new Map((await store.list()).map((row) => [row.id, knownOf(row)]))
      else this.#take(device, await store.find(device))
    })
    this.#reading = reading.catch(() => {})
    await reading
  }

  #take(id: string, row: DeviceRow | null): void {
    if (row) this.#known.set(id, knownOf(row))
    else this.#known.delete(id)
  }
}

const knownOf = ({ name, report }: DeviceRow): KnownDevice => ({ name, ports: report && devicePorts(report) })
