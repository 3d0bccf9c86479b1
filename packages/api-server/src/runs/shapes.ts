/**
 * The shapes of runs: which fields the arrays of a row have, and where (`run-facts.ts`). A shape never changes, so what is
 * known of one is known for ever; there are about as many as flows have had different inputs, curves and results.
 * @module
 */
import { createHash } from 'node:crypto'

import type { Sql } from '../db/database.ts'
import type { FactColumns, FactField, Facts } from './run-facts.ts'

/** Shapes whose ids are kept for writing. */
const KEPT = 2000

/** Finds and makes shapes. */
export interface RunShapes {
  /** The facts of a run as the columns of its row; makes a shape that is new. */
  columns(facts: Facts): Promise<FactColumns>
  /** All shapes by their ids. */
  all(): Promise<ReadonlyMap<number, readonly FactField[]>>
}

/** The shapes of a database. */
export function createRunShapes(sql: Sql): RunShapes {
  const ids = new Map<string, number>()
  const known = new Map<number, readonly FactField[]>()

  const idOf = async (fields: readonly FactField[]): Promise<number> => {
    const text = JSON.stringify(fields)
    const found = ids.get(text)
    if (found !== undefined) return found
    const digest = createHash('sha256').update(text).digest('hex')
    const [row] = await sql<[{ id: number }]>`
      insert into run_shape (digest, fields) values (${digest}, ${text}::json)
      on conflict (digest) do update set digest = excluded.digest returning id`
    const [oldest] = ids.keys()
    if (ids.size >= KEPT && oldest !== undefined) ids.delete(oldest)
    ids.set(text, row.id)
    return row.id
  }

  return {
    async columns({ fields, ...values }) {
      return { shape: await idOf(fields), ...values }
    },

    async all() {
      // ids of other engines may be committed in any order
      const rows = await sql<{ id: number; fields: FactField[] }[]>`
        select id, fields from run_shape where not (id = any(${[...known.keys()]}::int[]))`
      for (const { id, fields } of rows) known.set(id, fields)
      return known
    },
  }
}
