/**
 * Devices as people keep them: records with a version, what each has last reported, and how flows wire it (wire decisions
 * G42, G44).
 * @module
 */
import { type Device, type DeviceDetail, devicePorts } from '@flow-service/protocol'

import type { Database, Sql } from '../db/database.ts'
import { ProblemError } from '../http/errors.ts'
import type { DeviceCredentials } from './device-credentials.ts'
import type { DevicePresence } from './device-presence.ts'
import { createDeviceStore, type DeviceRow } from './device-store.ts'
import type { DeviceWiring } from './device-wiring.ts'
import type { KnownDevices } from './known-devices.ts'
import { createPairingStore } from './pairing-store.ts'
import { selfDescription } from './shown-text.ts'

/** Writes the entry of the audit trail in the transaction of the change. */
type Audit = (tx: Sql) => Promise<void>

/** What devices are made of. */
export interface DevicesDeps {
  readonly database: Pick<Database, 'sql' | 'transaction'>
  readonly presence: Pick<DevicePresence, 'isOnline'>
  readonly wiring: Pick<DeviceWiring, 'of'>
  readonly credentials: Pick<DeviceCredentials, 'revoked'>
  readonly known: Pick<KnownDevices, 'changed' | 'find'>
}

/** The devices of a database. */
export class Devices {
  readonly #deps: DevicesDeps

  constructor(deps: DevicesDeps) {
    this.#deps = deps
  }

  /** All of them by id. */
  async list(): Promise<Device[]> {
    const rows = await createDeviceStore(this.#deps.database.sql).list()
    return rows.map((row) => this.#shown(row))
  }

  /** With its ports and their wiring; refuses with `not_found`. */
  async get(id: string): Promise<DeviceDetail> {
    const row = await createDeviceStore(this.#deps.database.sql).find(id)
    if (!row) throw noDevice(id)
    return { ...this.#shown(row), io: devicePorts(row.report), bindings: [...this.#deps.wiring.of(id)] }
  }

  /** Without a name it has that of its id, until it names itself. Refuses with `already_exists`. */
  async create(id: string, name: string | undefined, audit: Audit): Promise<DeviceDetail> {
    await this.#deps.database.transaction(async (tx) => {
      if (!(await createDeviceStore(tx).add(id, name)))
        throw new ProblemError('already_exists', `there is a device "${id}" already: choose another id`)
      await audit(tx)
    })
    await this.#deps.known.changed(id)
    return this.get(id)
  }

  /** Changes what people decide. Refuses with `not_found`, and with `version_conflict` when somebody saved since. */
  async save(id: string, version: number, name: string | undefined, audit: Audit): Promise<DeviceDetail> {
    await this.#deps.database.transaction(async (tx) => {
      const store = createDeviceStore(tx)
      if (!(await store.save(id, version, name))) throw conflictOf(id, await store.find(id))
      await audit(tx)
    })
    await this.#deps.known.changed(id)
    return this.get(id)
  }

  /** With its credentials; nodes that stand for it stay as they are. Refuses with `not_found`. */
  async remove(id: string, audit: Audit): Promise<void> {
    const revoked = await this.#deps.database.transaction(async (tx) => {
      const store = createDeviceStore(tx)
      if (!(await store.lock(id))) throw noDevice(id)
      const credentials = await createPairingStore(tx).revoke(id)
      await store.remove(id)
      await audit(tx)
      return credentials
    })
    await this.#deps.credentials.revoked(revoked)
    await this.#deps.known.changed(id)
  }

  /** Takes what a device says that it has, in the place of what it said before. Refuses with `not_found`. */
  async report(id: string, report: Readonly<Record<string, unknown>>): Promise<void> {
    const { database, known } = this.#deps
    const before = known.find(id)
    const store = createDeviceStore(database.sql)
    if (!(await store.report(id, JSON.stringify(report), selfDescription(report)))) throw noDevice(id)
    await known.changed(id, before)
  }

  #shown(row: DeviceRow): Device {
    return { ...row, online: this.#deps.presence.isOnline(row.id) }
  }
}

/** No device has the id. */
export const noDevice = (id: string): ProblemError =>
  new ProblemError('not_found', `there is no device "${id}": create it first, or list those that there are`)

function conflictOf(id: string, current: DeviceRow | null): ProblemError {
  if (!current) return noDevice(id)
  const { version } = current
  return new ProblemError(
    'version_conflict',
    `device "${id}" is at version ${version} now; read it, merge, and send "version": ${version}`,
    { current_version: version },
  )
}
