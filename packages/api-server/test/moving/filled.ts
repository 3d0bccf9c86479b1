/**
 * Databases with something of everything: values that have to be spelled with care, references, numbers that are counted on,
 * and what is of the moment.
 * @module
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { type Database, type DatabaseOptions, openDatabase, type Sql } from '../../src/db/database.ts'
import { readMigrations } from '../../src/db/migrate.ts'
import { digestOf } from '../../src/moving/digest.ts'
import { createRowStore } from '../../src/moving/row-store.ts'
import { movedTables } from '../../src/moving/tables.ts'
import { quiet } from '../use-database.ts'

/** A folder for the tests of a file, and directories in it. */
export class Folders implements AsyncDisposable {
  readonly #made: string[] = []

  async fresh(): Promise<string> {
    const made = await mkdtemp(join(tmpdir(), 'flow-service-moving-'))
    this.#made.push(made)
    return made
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const made of this.#made) await rm(made, { recursive: true, force: true })
  }
}

/** Opens a database as an engine does, and closes it behind `use`. */
export async function withDatabase<T>(
  options: Pick<DatabaseOptions, 'dataDir' | 'databaseUrl'>,
  use: (database: Database) => Promise<T>,
): Promise<T> {
  const database = await openDatabase({ ...options, log: quiet })
  try {
    return await use(database)
  } finally {
    await database.close()
  }
}

/** Rows and sums of all tables that are moved, by name. */
export async function digestsOf(sql: Sql): Promise<Record<string, string>> {
  const digests: Record<string, string> = {}
  for (const table of await movedTables(sql, readMigrations())) {
    const { rows, sum } = await digestOf(createRowStore(sql), table)
    digests[table.name] = `${rows} ${sum}`
  }
  return digests
}

/** Fills an empty database; with so many values of messages. */
export async function fill(sql: Sql, values: number): Promise<void> {
  const flow = '0190c0de-0000-7000-8000-000000000001'
  const run = '0190c0de-0000-7000-8000-000000000002'
  const account = '0190c0de-0000-7000-8000-000000000003'
  const nasty = `a "quoted", (bracketed) \\back\\slash\\ 'text'\n\t with ünïcödé 🎈 and \u0001, {braces}, NULL`
  await sql`insert into secret_key (id) values ('0123456789abcdef')`
  await sql`insert into pin (name, id) values ('session_key', 'fedcba9876543210')`
  await sql`insert into account (id, email, full_name, password_hash) values (${account}, 'ann@example.org', ${nasty}, null)`
  await sql`insert into api_key (id, owner_id, name, prefix, proof, scopes)
    values (${run}, ${account}, '', 'fsk_1', ${Buffer.from([0, 1, 2, 92, 255])}, ${['a b', '"', '']}::text[])`
  await sql`insert into secret (name, sealed, key_id, updated_by) values ('token', ${Buffer.alloc(300, 7)}, 'x', 'ann')`
  const document = { mode: 'batch', concurrency: 3, nodes: [{ id: 'one', type: 'python', settings: { text: nasty } }] }
  await sql`insert into flow (id, name, version, draft, published, published_version, origin)
    values (${flow}, 'climate', 2, ${sql.json(document)}, ${sql.json(document)}, 1, 'api')`
  await sql`insert into placement (flow, lease, epoch) values (${flow}, gen_random_uuid(), 41)`
  await sql`insert into live_work (id, flow, node, body, cascade, origin, attempts, begun, ended)
    values (gen_random_uuid(), ${flow}, 'one', ${nasty}, gen_random_uuid(), '{}', 0, array['a', ${nasty}], '{}')`
  await sql`insert into run_flow (id, name) values (${flow}, 'climate')`
  await sql`insert into run_document (flow, digest, document) values (${flow}, 'd1', ${'{"b" : 1,  "a":"\\u0000"}'}::json)`
  await sql`insert into run (id, flow, status, created_at, draft, no_cache, digest, numbers, texts, flags, nested)
    values (${run}, ${flow}, 'ok', '2026-01-02T03:04:05.678901+00:00', false, false, 'd1',
      array['NaN', 'Infinity', '-0', 0.1, 1e-300, null]::float8[], array[${nasty}, 'NULL', null, ''], array[true, null], '[1]')`
  await sql`insert into run_shape (digest, fields) select 'shape ' || i, '[]' from generate_series(1, 5) i`
  await sql`insert into metric (node, port, message) select 'one', 'out', 'm' || i from generate_series(1, 7) i`
  await sql`insert into metric_chunk (run, metric, seq, count, last_step, last_value, steps, ts, vals)
    select ${run}, id, 0, 1, 9007199254740993, 'NaN', decode(md5(id::text), 'hex'), '\\x', '\\x00' from metric`
  await sql`insert into device (id, name, named) values ('d1', ${nasty}, true)`
  await sql`insert into device_credential (id, device, slot) values (gen_random_uuid(), 'd1', 'direct')`
  await sql`insert into engine_event (id, kind, level, action, detail)
    select gen_random_uuid(), 'engine', 'info', 'action', json_build_object('n', i) from generate_series(1, 300) i`
  await sql`insert into message_history (message, seq, at, value, flow, node, has_refs)
    select 'climate.' || i % 7, i, now() - i * interval '1 s', repeat(i::text, 1 + i % 40), 'climate', null, false
    from generate_series(1, ${values}::int) i`
  await sql`insert into socket_ticket (proof, user_id, expires_at) values ('\\x01', 'ann', now())`
}
