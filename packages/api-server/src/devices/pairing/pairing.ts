/**
 * Pairing: how a board that can show eight characters gets a credential, with nobody typing a secret (wire decisions G43,
 * U15). DESIGN.md beside this file has the states of a request and the invariants.
 * @module
 */
import type {
  PairRequest,
  PairingStarted as Started,
  PairingPreview,
  PairingStart,
  PairingPoll,
  PendingDevice,
} from '@flow-service/protocol'

import type { Database, Sql } from '../../db/database.ts'
import type { EventLog } from '../../events/event-log.ts'
import { ProblemError } from '../../http/errors.ts'
import { newId } from '../../process/new-id.ts'
import { createDeviceStore } from '../device-store.ts'
import { noDevice } from '../devices.ts'
import { selfDescription } from '../shown-text.ts'
import type { DeviceCredentials } from './device-credentials.ts'
import type { PairingCaller } from './pairing-caller.ts'
import { checkOf, credentialOf, foldCode, isProven, newCode, newSalt, newSecret, proofOf } from './pairing-code.ts'
import type { PairingLimits } from './pairing-limits.ts'
import { type AdoptableRequest, createPairingStore } from './pairing-store.ts'

/** Writes the entry of the audit trail in the transaction of the change. */
type Audit = (tx: Sql) => Promise<void>

/** Who adopts which request, as which device. */
interface Adopted {
  readonly device: string
  readonly by: PairRequest
  /** Id of the user. */
  readonly user: string
}

/** What pairing takes. */
export interface PairingDeps {
  readonly database: Pick<Database, 'sql' | 'transaction'>
  readonly credentials: Pick<DeviceCredentials, 'revoked'>
  readonly eventLog: Pick<EventLog, 'report'>
  readonly limits: PairingLimits
  /** A device has been given or has lost a credential, or says something else of itself. */
  readonly changed: (device: string) => Promise<void>
}

/** Requests of devices to be paired, and what comes of them. */
export class DevicePairing {
  readonly #deps: PairingDeps

  constructor(deps: PairingDeps) {
    this.#deps = deps
  }

  /** A new request; refuses with `rate_limited`. */
  async start(said: PairingStart, caller: PairingCaller): Promise<Started> {
    this.#deps.limits.start(caller.address)
    const secret = newSecret()
    const secretProof = proofOf(secret)
    const request = { ...selfDescription(said), ...caller, id: newId(), secretProof }
    for (;;) {
      const code = newCode()
      const expiresAt = await this.#deps.database.transaction((tx) => createPairingStore(tx).add({ ...request, code }))
      if (expiresAt !== null) return { code, secret, check: checkOf(secretProof), expires_at: expiresAt }
    }
  }

  /**
   * How far a pairing is, for the device that has its secret, with its credential once it is adopted. Refuses with
   * `not_found`, without telling whether the code or the secret is wrong, and with `rate_limited`.
   */
  async poll(typed: string, secret: string, address: string): Promise<PairingPoll> {
    const found = this.#deps.limits.poll(address)
    const { sql } = this.#deps.database
    const request = await createPairingStore(sql).polled(foldCode(typed))
    if (!isProven(secret, request?.secret_proof ?? null) || request === null) throw noPairing()
    const { device: id, name, salt, credential: credentialId } = request
    if (id === null || name === null || salt === null || credentialId === null) {
      found()
      return { status: 'waiting', device: null, panel: null }
    }
    const credential = credentialOf(secret, salt)
    const isFirst = await createPairingStore(sql).settle(credentialId, proofOf(credential))
    if (isFirst === null) throw noPairing()
    found()
    if (isFirst) this.#tell('device.paired', id)
    const device = { id, name, credential, ws_path: '/flows/ws' } as const
    return { status: 'adopted', device, panel: device }
  }

  /** What waits, the newest first. */
  async pending({ network }: PairingCaller): Promise<PendingDevice[]> {
    const requests = await createPairingStore(this.#deps.database.sql).pending()
    return requests.map(({ secret_proof: proof, network: own, ...request }) => ({
      ...request,
      check: checkOf(proof),
      same_network: own !== null && own === network,
    }))
  }

  /** What waits on a code; refuses with `not_found`, and with `rate_limited` who has tried too many. */
  async preview(typed: string, user: string): Promise<PairingPreview> {
    const right = this.#deps.limits.guess(user)
    const request = await createPairingStore(this.#deps.database.sql).waitingOn(foldCode(typed))
    if (!request) throw noCode()
    right()
    const { name, board, firmware, created_at, secret_proof: proof } = request
    return { name, board, firmware, check: checkOf(proof), created_at }
  }

  /**
   * Gives a device what waits: its former credential counts no more. Refuses with `not_found`, with `already_paired` all
   * but one of those who adopt the same request, with `forbidden` one of another network without its code, and with
   * `rate_limited` who has tried too many codes.
   */
  async adopt({ device, by, user }: Adopted, caller: PairingCaller, audit: Audit): Promise<void> {
    const { database, credentials, limits, changed } = this.#deps
    const right = 'code' in by ? limits.guess(user) : () => {}
    const replaced = await database.transaction(async (tx) => {
      if (!(await createDeviceStore(tx).lock(device))) {
        right()
        throw noDevice(device)
      }
      const store = createPairingStore(tx)
      const request = adoptable(await store.toAdopt('code' in by ? { code: foldCode(by.code) } : by), by, caller)
      right()
      const revoked = await store.grant(device, newId(), request, newSalt())
      await createDeviceStore(tx).describe(device, request)
      await audit(tx)
      return revoked
    })
    await credentials.revoked(replaced)
    await changed(device)
  }

  /** Takes a device the credentials that it has; one that has none stays as it is. Refuses with `not_found`. */
  async unpair(device: string, audit: Audit): Promise<void> {
    const { database, credentials, changed } = this.#deps
    const revoked = await database.transaction(async (tx) => {
      if (!(await createDeviceStore(tx).lock(device))) throw noDevice(device)
      const ids = await createPairingStore(tx).revoke(device)
      if (ids.length > 0) await audit(tx)
      return ids
    })
    if (revoked.length === 0) return
    await credentials.revoked(revoked)
    this.#tell('device.unpaired', device)
    await changed(device)
  }

  #tell(action: string, device: string): void {
    this.#deps.eventLog.report({ kind: 'device', level: 'info', action, detail: { device } })
  }
}

/** Refuses what cannot be adopted in this way. */
function adoptable(request: AdoptableRequest | null, by: PairRequest, { network }: PairingCaller): AdoptableRequest {
  if (request === null) throw 'code' in by ? noCode() : noRequest(by.request)
  if ('request' in by && (request.network === null || request.network !== network)) {
    throw new ProblemError(
      'forbidden',
      'the device is not in your network, as far as the service can tell: adopt it by the code that it shows',
    )
  }
  if (request.credential !== null) {
    throw new ProblemError(
      'already_paired',
      'the request has been adopted: have the device ask again, for another code',
    )
  }
  return request
}

/** The same for a wrong code and a wrong secret. */
const noPairing = (): ProblemError =>
  new ProblemError('not_found', 'no pairing waits under this code and secret; start another one')

const noCode = (): ProblemError =>
  new ProblemError(
    'not_found',
    'no device waits on this code: compare it with what the device shows, it may have expired',
  )

const noRequest = (id: string): ProblemError =>
  new ProblemError('not_found', `no device waits with the request "${id}": list the pending ones`)
