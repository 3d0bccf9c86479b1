/** Rows of engines, for tests of what one does while another lives, and once it is lost; and which one has a flow. */
import type { Sql } from '../../src/db/database.ts'
import { createEngineStore } from '../../src/engines/store.ts'
import { newId } from '../../src/process/new-id.ts'

/** Has an engine live for an hour. */
export const live = (sql: Sql, id: string): Promise<void> =>
  createEngineStore(sql).begin(
    { id, lease: newId(), name: 'host/1', address: null, linkUrl: null, attachUrl: null, version: '1', protocol: 1 },
    3_600_000,
  )

/** The lease of an engine is over. */
export async function lose(sql: Sql, id: string | null): Promise<void> {
  await sql`update engine set lease_until = now() - interval '1 s' where id = ${id}`
}

/** The engine that has a flow; null while none has it. */
export async function engineOf(sql: Sql, flow: string): Promise<string | null> {
  const [row] = await sql<{ id: string }[]>`
    select engine.id from placement join engine using (lease) join flow on flow.id = placement.flow where flow.name = ${flow}`
  return row?.id ?? null
}
