/**
 * What stands in a database that is not to be opened by an engine: one that is being filled, or that has moved elsewhere.
 * `migrate.ts` looks at it before all else, `moving/` writes it.
 *
 * - mark.M1 it is a row of the table `migration`, whose id no version knows: engines that are older than this file do not
 *   open such a database either.
 * - mark.M2 it is written in the transaction that makes the tables, and goes as the last thing, so that nobody ever opens a
 *   half of a database.
 * @module
 */
import type { Sql } from './values.ts'

/** Why no engine opens a database. Places are as people read them, without a password. */
export type Mark =
  | {
      readonly state: 'filling'
      /** By what: the command that goes on with it. */
      readonly by: 'move' | 'restore'
      /** The place, or the file, that it is filled from. */
      readonly from: string
      /** Tells that source from others. */
      readonly source: string
      /** Of the process that fills it now: a later one takes over, and the earlier one writes nothing any more. */
      readonly turn: string
      /**
       * The table that is being filled, and its last row that is here; the tables before it are. Without a name none is yet;
       * null: all of them are.
       */
      readonly at: { readonly table: string; readonly after: string } | null
    }
  | {
      /** The other place is complete with `moved`; with `leaving` it is compared with this one. */
      readonly state: 'leaving' | 'moved'
      readonly to: string
      readonly since: string
    }

/** The id of the row. */
export const MARK_ID = 'moving'

/** The text of a mark in its row. */
export const markText = (mark: Mark): string => JSON.stringify(mark)

/** The mark of that text. */
export const markOf = (text: string): Mark => JSON.parse(text) as Mark

/** Throws, with what to do, when there is a mark. */
export function assertUnmarked(text: string | undefined): void {
  if (text === undefined) return
  const mark = markOf(text)
  const back = 'to use this database again as it is, run "service move --undo" on it'
  switch (mark.state) {
    case 'filling':
      throw new Error(
        `the database is not complete: it is being filled from ${mark.from}; run "service ${mark.by}" as before, which goes on, or use another database`,
      )
    case 'leaving':
      throw new Error(
        `the database is moving to ${mark.to} since ${mark.since}, and is not to be changed; run "service move" as before, which ends it; ${back}`,
      )
    case 'moved':
      throw new Error(
        `the database has moved to ${mark.to} on ${mark.since}: start the engine with that one; ${back}, without what has changed at the other place since`,
      )
  }
}

/** Writes the first mark, or another one in the place of `before`; false when somebody else has changed it meanwhile. */
export async function putMark(sql: Sql, mark: Mark, before: Mark | null): Promise<boolean> {
  const text = markText(mark)
  const { count } = before
    ? await sql`update migration set digest = ${text} where id = ${MARK_ID} and digest = ${markText(before)}`
    : await sql`insert into migration (id, digest) values (${MARK_ID}, ${text}) on conflict do nothing`
  return count === 1
}

/** Takes the mark away. */
export async function removeMark(sql: Sql): Promise<void> {
  await sql`delete from migration where id = ${MARK_ID}`
}
