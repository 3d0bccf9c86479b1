/**
 * SQL of the table `device`.
 * @module
 */
import type { Device } from '@flow-service/protocol'

import type { Sql } from '../db/database.ts'

/** A device as the database knows it; who is connected is known elsewhere. */
export type DeviceRow = Omit<Device, 'online'>

/** What a device says of itself; null is not said. */
export interface SelfDescription {
  readonly name: string | null
  readonly board: string | null
  readonly firmware: string | null
}

/** A credential counts from the adoption on, as long as the device has it or can still ask for it. */
const isPaired = (sql: Sql) => sql`exists (
  select from device_credential as held where held.device = device.id and (held.proof is not null or exists (
    select from pairing_request where pairing_request.credential = held.id and pairing_request.expires_at > now())))`

const columns = (sql: Sql) => sql`
  id, name, board, firmware, version, ${isPaired(sql)} as paired, last_seen_at as last_seen, report, reported_at,
  created_at, updated_at`

/** The device's own words, beside what a person has decided (devices.D2). */
const described = (sql: Sql, { name, board, firmware }: SelfDescription) => sql`
  name = case when named then name else coalesce(${name}::text, name) end,
  board = coalesce(${board}::text, board), firmware = coalesce(${firmware}::text, firmware)`

/** Statements on devices, on the database or in a transaction. */
export const createDeviceStore = (sql: Sql) => ({
  list: (): Promise<DeviceRow[]> => sql<DeviceRow[]>`select ${columns(sql)} from device order by id collate "C"`,

  async find(id: string): Promise<DeviceRow | null> {
    const [row] = await sql<DeviceRow[]>`select ${columns(sql)} from device where id = ${id}`
    return row ?? null
  },

  /** Whether there was none of the id; without a name it has that of its id, until it names itself. */
  async add(id: string, name: string | undefined): Promise<boolean> {
    const { count } = await sql`
      insert into device (id, name, named) values (${id}, ${name ?? id}, ${name !== undefined})
      on conflict (id) do nothing`
    return count === 1
  },

  /** Whether the device had the version. */
  async save(id: string, version: number, name: string | undefined): Promise<boolean> {
    const { count } = await sql`
      update device set version = version + 1, updated_at = now(), name = coalesce(${name ?? null}::text, name),
        named = named or ${name !== undefined}
      where id = ${id} and version = ${version}`
    return count === 1
  },

  /** Whether there was one. */
  async remove(id: string): Promise<boolean> {
    const { count } = await sql`delete from device where id = ${id}`
    return count === 1
  },

  /** Lets nobody else change the device or its credentials before this transaction ends; whether there is one. */
  async lock(id: string): Promise<boolean> {
    const rows = await sql`select from device where id = ${id} for update`
    return rows.length === 1
  },

  /** Takes over what the device says of itself. */
  async describe(id: string, said: SelfDescription): Promise<void> {
    await sql`update device set ${described(sql, said)} where id = ${id}`
  },

  /** Puts a report in the place of the last one; whether there is such a device. */
  async report(id: string, report: string, said: SelfDescription): Promise<boolean> {
    const { count } = await sql`
      update device set report = ${report}::text::json, reported_at = now(), ${described(sql, said)} where id = ${id}`
    return count === 1
  },

  /** Notes that the device was heard of now. */
  async seen(id: string): Promise<void> {
    await sql`update device set last_seen_at = now() where id = ${id}`
  },
})
