/**
 * SQL of the tables `pairing_request` and `device_credential`.
 * @module
 */
import { affected } from '../db/affected.ts'
import type { Sql } from '../db/database.ts'
import type { SelfDescription } from './device-store.ts'
import type { PairingCaller } from './pairing-caller.ts'

/** A request to be. */
export interface NewRequest extends SelfDescription, Pick<PairingCaller, 'portal' | 'side' | 'network'> {
  readonly id: string
  readonly code: string
  readonly secretProof: Buffer
}

/** A request that waits. */
export interface WaitingRequest extends SelfDescription {
  readonly id: string
  readonly secret_proof: Buffer
  readonly network: string | null
  readonly created_at: string
  readonly expires_at: string
}

/** What an adoption asks of a request. */
export interface AdoptableRequest extends SelfDescription {
  readonly id: string
  readonly portal: boolean
  readonly network: string | null
  readonly credential: string | null
}

/** What a poll asks of a request: `device` is null until it is adopted. */
export interface PolledRequest {
  readonly secret_proof: Buffer
  readonly salt: Buffer | null
  readonly credential: string | null
  readonly device: string | null
  readonly name: string | null
}

/** The credential that a proof is of. */
export interface CredentialRow {
  readonly id: string
  readonly device: string
  readonly portal: boolean
  readonly used: boolean
}

/** How long a request waits, and an adopted one can be polled, in seconds. */
const LIFETIME_S = 600
/** Requests of one side that wait at the same time. */
const MAX_WAITING = 50

const waiting = (sql: Sql) => sql`
  select id, secret_proof, name, board, firmware, network, created_at, expires_at from pairing_request
  where credential is null and expires_at > now()`

const adoptable = (sql: Sql) => sql`select id, portal, network, name, board, firmware, credential from pairing_request`

/** Statements on pairing. */
export type PairingStore = ReturnType<typeof createPairingStore>

/** Statements on pairing, on the database or in a transaction. */
export const createPairingStore = (sql: Sql) => ({
  /** Those that wait, the newest first. */
  pending: (): Promise<WaitingRequest[]> => sql<WaitingRequest[]>`${waiting(sql)} order by created_at desc, id desc`,

  async waitingOn(code: string): Promise<WaitingRequest | null> {
    const [row] = await sql<WaitingRequest[]>`${waiting(sql)} and code = ${code}`
    return row ?? null
  },

  /**
   * In a transaction: makes room, in which the oldest of the side yields, and adds a request (pairing.P7). When it expires;
   * null when another request has the code.
   */
  async add(request: NewRequest): Promise<string | null> {
    const { id, code, secretProof, name, board, firmware, portal, side, network } = request
    // who counts at the same time waits
    await sql`select pg_advisory_xact_lock(hashtextextended('pairing_request', 0))`
    await sql`
      delete from pairing_request where id in (
        select id from pairing_request where expires_at <= now() for update skip locked)`
    await sql`
      delete from pairing_request where id in (
        select id from pairing_request where credential is null and side = ${side}
        order by created_at desc, id desc offset ${MAX_WAITING - 1} for update skip locked)`
    const [row] = await sql<{ expires_at: string }[]>`
      insert into pairing_request
        (id, code, secret_proof, name, board, firmware, portal, side, network, created_at, expires_at)
      values (${id}, ${code}, ${secretProof}, ${name}, ${board}, ${firmware}, ${portal}, ${side}, ${network},
        clock_timestamp(), clock_timestamp() + make_interval(secs => ${LIFETIME_S}))
      on conflict (code) do nothing returning expires_at`
    return row?.expires_at ?? null
  },

  /** Waits for others who adopt the same one (pairing.P5). */
  async toAdopt(by: { readonly code: string } | { readonly request: string }): Promise<AdoptableRequest | null> {
    const [row] = await sql<AdoptableRequest[]>`
      ${adoptable(sql)}
      where ${'code' in by ? sql`code = ${by.code}` : sql`id::text = ${by.request}`} and expires_at > now() for update`
    return row ?? null
  },

  /** In a transaction that has the device locked: gives it a credential in place of the one of its slot, whose id it tells. */
  async grant(device: string, credential: string, { id, portal }: AdoptableRequest, salt: Buffer): Promise<string[]> {
    const slot = portal ? 'portal' : 'direct'
    const replaced = await sql<{ id: string }[]>`
      delete from device_credential where device = ${device} and slot = ${slot} returning id`
    await sql`insert into device_credential (id, device, slot) values (${credential}, ${device}, ${slot})`
    const adopted = await sql`
      update pairing_request set credential = ${credential}, salt = ${salt},
        expires_at = now() + make_interval(secs => ${LIFETIME_S})
      where id = ${id} and credential is null`
    affected(adopted, 1)
    return replaced.map((row) => row.id)
  },

  async polled(code: string): Promise<PolledRequest | null> {
    const [row] = await sql<PolledRequest[]>`
      select secret_proof, salt, credential, device.id as device, device.name
      from pairing_request
      left join device_credential on device_credential.id = pairing_request.credential
      left join device on device.id = device_credential.device
      where code = ${code} and expires_at > now()`
    return row ?? null
  },

  /** Notes the hash of a credential that its device has asked for; whether it is the first time, null when it is revoked. */
  async settle(credential: string, proof: Buffer): Promise<boolean | null> {
    const [row] = await sql<{ first: boolean }[]>`
      update device_credential set proof = ${proof}
      from (select id, proof is null as first from device_credential where id = ${credential} for update) as before
      where device_credential.id = before.id returning before.first`
    return row?.first ?? null
  },

  async findCredential(proof: Buffer): Promise<CredentialRow | null> {
    const [row] = await sql<CredentialRow[]>`
      select id, device, slot = 'portal' as portal, used_at is not null as used from device_credential
      where proof = ${proof}`
    return row ?? null
  },

  /** Notes the first use of a credential: nobody can ask for it again (pairing.P3). */
  async used(credential: string): Promise<void> {
    await sql`
      with used as (
        update device_credential set used_at = now() where id = ${credential} and used_at is null returning id)
      delete from pairing_request where credential in (select id from used)`
  },

  /** Takes the credentials of a device away, and with them what its requests have of them; their ids. */
  async revoke(device: string): Promise<string[]> {
    const rows = await sql<{ id: string }[]>`delete from device_credential where device = ${device} returning id`
    return rows.map(({ id }) => id)
  },

  /** Those of the credentials that count. */
  async liveOf(credentials: readonly string[]): Promise<Set<string>> {
    const rows = await sql<{ id: string }[]>`
      select id from device_credential where id = any(${[...credentials]}::uuid[])`
    return new Set(rows.map(({ id }) => id))
  },
})
