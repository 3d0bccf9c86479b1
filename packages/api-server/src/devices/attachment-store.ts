/**
 * SQL of the table `device_attachment`.
 * @module
 */
import type { Sql } from '../db/database.ts'

/** Statements on where devices are connected. */
export const createAttachmentStore = (sql: Sql) => ({
  /** A device that is deleted meanwhile leaves no trace. */
  async attach(engine: string, device: string): Promise<void> {
    await sql`
      insert into device_attachment (device, engine) select id, ${engine}::uuid from device where id = ${device}
      on conflict (device, engine) do nothing`
  },

  async detach(engine: string, device: string): Promise<void> {
    await sql`delete from device_attachment where device = ${device} and engine = ${engine}`
  },

  /** Puts the devices of an engine in the place of all that it had. */
  async replace(engine: string, devices: readonly string[]): Promise<void> {
    await sql`
      with gone as (
        delete from device_attachment where engine = ${engine} and device <> all(${[...devices]}::text[]))
      insert into device_attachment (device, engine)
      select id, ${engine}::uuid from device where id = any(${[...devices]}::text[])
      on conflict (device, engine) do nothing`
  },

  /** The devices that are connected to other engines. */
  async elsewhere(engine: string): Promise<Set<string>> {
    const rows = await sql<{ device: string }[]>`
      select distinct device from device_attachment where engine <> ${engine} and engine_in_contact(engine)`
    return new Set(rows.map(({ device }) => device))
  },
})
