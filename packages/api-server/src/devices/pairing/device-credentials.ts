/**
 * Credentials of devices (wire decisions G43, G45): 256 bits that the engine gives out once and never knows again; the
 * database has their hashes. A device has one that it was given directly, and one through the portal.
 * @module
 */
import type { Database } from '../../db/database.ts'
import type { TokenVerifier } from '../../http/authenticate.ts'
import type { DevicePresence } from '../device-presence.ts'
import { proofOf } from './pairing-code.ts'
import { createPairingStore, type PairingStore } from './pairing-store.ts'

const CHANNEL = 'device_credential_revoked'
/** What a credential looks like; no other token does. */
const shape = /^[\w-]{43}$/

/** What credentials are looked up in. */
export interface DeviceCredentialsDeps {
  readonly database: Pick<Database, 'sql' | 'listen' | 'notify'>
  /** Hears of devices that ask for something. */
  readonly presence: Pick<DevicePresence, 'asked'>
}

/** The credentials of devices. */
export class DeviceCredentials {
  readonly #database: DeviceCredentialsDeps['database']
  readonly #presence: DeviceCredentialsDeps['presence']
  readonly #store: PairingStore

  constructor({ database, presence }: DeviceCredentialsDeps) {
    this.#database = database
    this.#presence = presence
    this.#store = createPairingStore(database.sql)
  }

  /** The device that a credential is of; null when it is none, or revoked. Its first use ends the pairing. */
  readonly verify: TokenVerifier = async (token) => {
    const found = shape.test(token) ? await this.#store.findCredential(proofOf(token)) : null
    if (!found) return null
    const { id: credential, device, portal, used } = found
    if (!used) await this.#store.used(credential)
    this.#presence.asked(device, portal)
    return { kind: 'device', id: device, credential }
  }

  /** Version 0 of those credentials that count, by their ids. */
  async versionsOf(credentials: readonly string[]): Promise<Map<string, number>> {
    const live = await this.#store.liveOf(credentials)
    return new Map([...live].map((id) => [id, 0]))
  }

  /** To be called once it is committed that credentials count no more: tells all engines of the database. */
  async revoked(credentials: readonly string[]): Promise<void> {
    await Promise.all(credentials.map((id) => this.#database.notify(CHANNEL, id)))
  }

  /** Hears of revoked credentials, at any engine of the database; null when some may have been missed. The result ends that. */
  onRevoked(listener: (credential: string | null) => void): Promise<() => Promise<void>> {
    return this.#database.listen(CHANNEL, listener, () => listener(null))
  }
}
