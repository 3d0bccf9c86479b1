/** Databases that move from a data directory to a server and back. */
import { afterAll, expect, test } from 'vitest'

import { applyMissing, readMigrations, recordMigrations } from '../../src/db/migrate.ts'
import { moveDatabase, type MoveOptions, planMove, undoMove } from '../../src/moving/move.ts'
import { openPlace, type Place } from '../../src/moving/places.ts'
import type { Step } from '../../src/moving/progress.ts'
import { databaseAt } from '../backend.ts'
import { live, lose } from '../engines/living.ts'
import { digestsOf, fill, Folders, withDatabase } from './filled.ts'

const folders = new Folders()
afterAll(() => folders[Symbol.asyncDispose]())

/** A data directory with a filled database, and its place. */
async function filled(values = 2_000): Promise<{ from: Place; dataDir: string; digests: Record<string, string> }> {
  const dataDir = await folders.fresh()
  const digests = await withDatabase({ dataDir }, async ({ sql }) => {
    await fill(sql, values)
    return digestsOf(sql)
  })
  return { from: { kind: 'embedded', dataDir }, dataDir, digests }
}

/** A place on the server, of a database that is empty. */
async function emptyServer(): Promise<{ to: Place; databaseUrl: string; dataDir: string }> {
  const dataDir = await folders.fresh()
  const { databaseUrl = '' } = await databaseAt(dataDir)
  return { to: { kind: 'server', url: databaseUrl }, databaseUrl, dataDir }
}

/** Moves until so many rows are written, and then breaks off. */
async function brokenOff(options: MoveOptions, afterRows: number): Promise<number> {
  let rows = 0
  const onStep = (step: Step): void => {
    if (step.step === 'copy') rows += step.rows
    if (rows >= afterRows) throw new Error('broken off')
  }
  await expect(moveDatabase({ ...options, onStep })).rejects.toThrow('broken off')
  return rows
}

test('everything moves to a server and back, row for row (move.V2)', async () => {
  const { from, dataDir, digests } = await filled()
  const { to, databaseUrl } = await emptyServer()
  const moved = await moveDatabase({ from, to })
  const total = Object.values(digests).reduce((sum, each) => sum + Number(each.split(' ')[0]), 0)
  expect(moved).toMatchObject({ rows: total, resumed: false })
  expect(moved.next.join()).toContain('secret.key')
  await withDatabase({ dataDir, databaseUrl }, async ({ sql }) => {
    expect(await digestsOf(sql)).toEqual(digests)
    // numbers go on, and triggers act again
    const [next] = await sql<
      { id: number }[]
    >`insert into run_shape (digest, fields) values ('next', '[]') returning id`
    expect(next?.id).toBe(6)
    await sql`delete from run_shape where id = 6`
    const triggers = await sql<{ name: string }[]>`select tgname as name from pg_trigger where tgenabled <> 'O'`
    expect(triggers.map(({ name }) => name)).toEqual([])
  })
  const back: Place = { kind: 'embedded', dataDir: await folders.fresh() }
  await moveDatabase({ from: to, to: back })
  await withDatabase({ dataDir: back.kind === 'embedded' ? back.dataDir : '' }, async ({ sql }) => {
    expect(await digestsOf(sql)).toEqual(digests)
    const [placed] = await sql<{ lease: string | null; epoch: number }[]>`select lease, epoch from placement`
    expect(placed).toEqual({ lease: null, epoch: 41 })
    const [row] = await sql<{ n: number }[]>`select count(*) as n from socket_ticket`
    expect(row?.n).toBe(0)
  })
})

test('no engine opens what has moved, until that is undone; a second move says where it is', async () => {
  const { from, dataDir } = await filled(10)
  const { to, databaseUrl } = await emptyServer()
  await moveDatabase({ from, to })
  const { host, pathname } = new URL(databaseUrl)
  const where = `the PostgreSQL server ${host}${pathname}`
  await expect(withDatabase({ dataDir }, async () => {})).rejects.toThrow(
    new RegExp(`^the database has moved to ${where} on \\d{4}-.*"service move --undo"`),
  )
  await expect(moveDatabase({ from, to })).rejects.toThrow(`has moved to ${where}`)
  expect(await undoMove(from)).toEqual({ to: where })
  await withDatabase({ dataDir }, async () => {})
  await expect(undoMove(from)).rejects.toThrow('has not moved')
})

test('a move that is broken off goes on behind the last row; meanwhile no engine opens the target (move.V3, target.T1)', async () => {
  const { from, dataDir, digests } = await filled(3_000)
  const { to, databaseUrl } = await emptyServer()
  const first = await brokenOff({ from, to }, 250)
  await expect(withDatabase({ dataDir, databaseUrl }, async () => {})).rejects.toThrow(
    `is being filled from the embedded database in ${dataDir}; run "service move" as before`,
  )
  const second = await brokenOff({ from, to }, 900)
  let third = 0
  const moved = await moveDatabase({
    from,
    to,
    onStep: ({ step, rows }) => void (third += step === 'copy' ? rows : 0),
  })
  expect(moved.resumed).toBe(true)
  expect(first + second + third).toBe(moved.rows)
  await withDatabase({ dataDir, databaseUrl }, async ({ sql }) => expect(await digestsOf(sql)).toEqual(digests))
})

test.each([
  [
    'in tables that were moved before',
    "update account set full_name = 'x'; delete from engine_event where detail->>'n' = '7'",
  ],
  ['in a table that was half moved', "update message_history set value = 'changed' where seq % 100 = 1"],
  [
    'in a table that rows of others refer to',
    "delete from device; insert into device (id, name, named) values ('d2', '', true)",
  ],
])('what an engine changes between two tries, %s, is moved as it is then (move.V3)', async (_where, change) => {
  const { from, dataDir } = await filled(3_000)
  const { to, databaseUrl } = await emptyServer()
  await brokenOff({ from, to }, 2_000)
  const digests = await withDatabase({ dataDir }, async ({ sql }) => {
    await sql.unsafe(change)
    return digestsOf(sql)
  })
  await moveDatabase({ from, to })
  await withDatabase({ dataDir, databaseUrl }, async ({ sql }) => expect(await digestsOf(sql)).toEqual(digests))
})

test('a move that cannot be ended leaves the source as it was; an engine that has come to the target is named (move.V2)', async () => {
  const { from, dataDir } = await filled(1_000)
  const { to } = await emptyServer()
  await brokenOff({ from, to }, 500)
  const id = '0190c0de-0000-7000-8000-0000000000bb'
  const database = await openPlace(to)
  await live(database.sql, id)
  await expect(moveDatabase({ from, to })).rejects.toThrow('the engine host/1 is in contact with the PostgreSQL server')
  await withDatabase({ dataDir }, async () => {})
  await lose(database.sql, id)
  await database.close()
  await moveDatabase({ from, to })
})

test('a move that ended between its last two steps is ended by the same command (move.V2)', async () => {
  const { from, dataDir } = await filled(10)
  const { to } = await emptyServer()
  await moveDatabase({ from, to })
  const database = await openPlace(from)
  await database.sql`update migration set digest = replace(digest, '"moved"', '"leaving"') where id = 'moving'`
  await database.close()
  await expect(withDatabase({ dataDir }, async () => {})).rejects.toThrow(
    /^the database is moving to .* run "service move" as before, which ends it/,
  )
  await expect(moveDatabase({ from, to: (await emptyServer()).to })).rejects.toThrow('is moving to')
  expect(await moveDatabase({ from, to })).toMatchObject({ resumed: true })
  await expect(moveDatabase({ from, to })).rejects.toThrow('has moved')
})

test('of two processes that fill one database the later one goes on, and the earlier one writes nothing any more (target.T2)', async () => {
  const { from, digests, dataDir } = await filled(3_000)
  const { to, databaseUrl } = await emptyServer()
  const other = await openPlace(to)
  let isTaken = false
  const taking = async (): Promise<void> => {
    await other.sql`update migration set digest = replace(digest, '"turn":"', '"turn":"another ') where id = 'moving'`
  }
  let taken: Promise<void> = Promise.resolve()
  const onStep = (): void => {
    if (isTaken) return
    isTaken = true
    taken = taking()
  }
  await expect(moveDatabase({ from, to, onStep })).rejects.toThrow(/a write changed 0 rows|another process/)
  await taken
  await other.close()
  await moveDatabase({ from, to })
  await withDatabase({ dataDir, databaseUrl }, async ({ sql }) => expect(await digestsOf(sql)).toEqual(digests))
})

test('nothing moves while an engine is in contact, which is named; one whose lease is over is none', async () => {
  const server = await emptyServer()
  const { databaseUrl, dataDir, to: from } = server
  const id = '0190c0de-0000-7000-8000-0000000000aa'
  await withDatabase({ dataDir, databaseUrl }, async ({ sql }) => {
    await fill(sql, 10)
    await live(sql, id)
    await sql`insert into device_attachment (device, engine) values ('d1', ${id})`
  })
  const to: Place = { kind: 'embedded', dataDir: await folders.fresh() }
  await expect(moveDatabase({ from, to })).rejects.toThrow('the engine host/1 is in contact with the PostgreSQL server')
  const database = await openPlace(from)
  await lose(database.sql, id)
  await database.close()
  await moveDatabase({ from, to })
  await withDatabase({ dataDir: to.dataDir }, async ({ sql }) => {
    const [counts] =
      await sql`select (select count(*) from engine) as engines, (select count(*) from device_attachment) as seats`
    expect(counts).toEqual({ engines: 0, seats: 0 })
  })
})

test('a place that is not empty, or is being filled from elsewhere, is left alone', async () => {
  const { from } = await filled(300)
  const used = await emptyServer()
  await withDatabase(used, async ({ sql }) => fill(sql, 10))
  await expect(moveDatabase({ from, to: used.to })).rejects.toThrow('is not empty: it has account')
  const other = await filled(300)
  await expect(moveDatabase({ from, to: other.from })).rejects.toThrow('is not empty: name another directory')
  const { to } = await emptyServer()
  await brokenOff({ from, to }, 10)
  await expect(moveDatabase({ from: other.from, to })).rejects.toThrow('is being filled from')
  await expect(planMove({ from: to, to: other.from })).rejects.toThrow('is not complete')
  await expect(moveDatabase({ from, to: from })).rejects.toThrow('is where it is already')
  const nowhere: Place = { kind: 'embedded', dataDir: await folders.fresh() }
  await expect(moveDatabase({ from: nowhere, to })).rejects.toThrow('there is no embedded database')
})

test('the tables of an older version move as they are, and the next engine brings them up to date', async () => {
  const all = readMigrations()
  const older = all.slice(0, -2)
  const { to: from } = await emptyServer()
  const database = await openPlace(from)
  await database.transaction(recordMigrations)
  await applyMissing(database, older)
  await database.sql`insert into secret_key (id) values ('k')`
  await database.sql`insert into library (name, code, version) values ('shared', 'export const one = 1', 1)`
  await database.close()
  const dataDir = await folders.fresh()
  await moveDatabase({ from, to: { kind: 'embedded', dataDir } })
  await withDatabase({ dataDir }, async ({ sql }) => {
    const [row] = await sql<{ n: number }[]>`select count(*) as n from migration`
    expect(row?.n).toBe(all.length)
    expect((await sql`select name from library`).map(({ name }) => String(name))).toEqual(['shared'])
  })
})

test('a database of a newer version is left alone', async () => {
  const { from, dataDir } = await filled(10)
  await withDatabase({ dataDir }, async ({ sql }) => {
    await sql`insert into migration (id, digest) values ('9999-later', 'x')`
  })
  const { to } = await emptyServer()
  await expect(moveDatabase({ from, to })).rejects.toThrow('the migration 9999-later, unknown to this version')
})

test('a user who may not make tables is told so, and a server that is not there as well', async () => {
  const { from } = await filled(10)
  const { to, databaseUrl } = await emptyServer()
  const database = await openPlace(to)
  await database.sql.unsafe(`
    do $$ begin create role moving_guest login; exception when duplicate_object then null; end $$;
    revoke create on schema public from public`)
  await database.close()
  const url = new URL(databaseUrl)
  url.username = 'moving_guest'
  await expect(moveDatabase({ from, to: { kind: 'server', url: url.href } })).rejects.toThrow(
    'the user "moving_guest" may not make tables',
  )
  url.port = '1'
  await expect(moveDatabase({ from, to: { kind: 'server', url: url.href, urlFrom: '--to' } })).rejects.toThrow(
    /cannot use the database server 127.*; check --to$/,
  )
  await moveDatabase({ from, to })
})

test('a plan counts what would be moved, and changes nothing', async () => {
  const { from, dataDir } = await filled(100)
  const { to, databaseUrl } = await emptyServer()
  const { tables, bytes } = await planMove({ from, to })
  expect(tables).toContainEqual({ table: 'message_history', rows: 100 })
  expect(bytes).toBeGreaterThan(100_000)
  await withDatabase({ dataDir }, async () => {})
  const database = await openPlace({ kind: 'server', url: databaseUrl })
  expect((await database.sql`select to_regclass('migration') as name`)[0]).toEqual({ name: null })
  await database.close()
})
