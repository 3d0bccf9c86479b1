/**
 * What a database can do at best with runs, which benchmarks of runs are measured against.
 * @module
 */
import type { TestEngine } from '../packages/api-server/test/runs/engine.ts'

type Sql = TestEngine['database']['sql']

const GROUP = 100

/** Rows a second that are queued, then started and ended in groups of a hundred. */
export async function bareGroupRate(sql: Sql, rows: number): Promise<number> {
  await sql`create table if not exists bare (id int primary key, state text not null, at timestamptz, result text)`
  await sql`truncate bare`
  await sql`insert into bare select n, 'queued' from generate_series(1, ${rows}::int) as n`
  const startedMs = performance.now()
  for (let first = 1; first <= rows; first += GROUP) {
    const last = first + GROUP - 1
    await sql`update bare set state = 'running', at = now() where id between ${first} and ${last} and state = 'queued'`
    await sql`update bare set state = 'ok', result = '{"y":4}' where id between ${first} and ${last} and state = 'running'`
  }
  return (rows * 1000) / (performance.now() - startedMs)
}

/** Milliseconds that some commits, one after the other, take; so many times. */
export async function bareCommits(
  sql: Sql,
  { times, commits }: { readonly times: number; readonly commits: number },
): Promise<number[]> {
  await sql`create table if not exists bare_commit (n int not null)`
  await sql`truncate bare_commit`
  await sql`insert into bare_commit values (0)`
  const all: number[] = []
  for (let time = 0; time < times; time++) {
    const startedMs = performance.now()
    for (let commit = 0; commit < commits; commit++) await sql`update bare_commit set n = n + 1`
    all.push(performance.now() - startedMs)
  }
  return all
}
