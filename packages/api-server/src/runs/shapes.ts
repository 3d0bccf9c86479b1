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
export class RunShapes {
  readonly #sql: Sql
  readonly #ids = new Map<string, number>()
  readonly #fields = new Map<number, readonly FactField[]>()

  constructor(sql: Sql) {
    this.#sql = sql
  }

  /** The id of the shape with these fields, made when it is new. */
  async #idOf({ fields }: Pick<Facts, 'fields'>): Promise<number> {
    const text = JSON.stringify(fields)
    const known = this.#ids.get(text)
    if (known !== undefined) return known
    const digest = createHash('sha256').update(text).digest('hex')
    const [row] = await this.#sql<[{ id: number }]>`
      insert into run_shape (digest, fields) values (${digest}, ${text}::json)
      on conflict (digest) do update set digest = excluded.digest returning id`
    const [oldest] = this.#ids.keys()
    if (this.#ids.size >= KEPT && oldest !== undefined) this.#ids.delete(oldest)
    this.#ids.set(text, row.id)
    return row.id
  }

  /** The facts of a run as the columns of its row. */
  async columns(facts: Facts): Promise<FactColumns> {
    const { fields: _fields, ...values } = facts
    return { shape: await this.#idOf(facts), ...values }
  }

  /** All shapes by their ids. */
  async all(): Promise<ReadonlyMap<number, readonly FactField[]>> {
    // ids of other engines may be committed in any order
    const rows = await this.#sql<{ id: number; fields: FactField[] }[]>`
      select id, fields from run_shape where not (id = any(${[...this.#fields.keys()]}::int[]))`
    for (const { id, fields } of rows) this.#fields.set(id, fields)
    return this.#fields
  }
}
