/**
 * What tells whether two tables have the same rows, in whatever order: how many there are, and the sum of the first eight
 * bytes of the SHA-256 of each, modulo 2^64. The database sums up what it has, by `row-store.ts`; what passes through a file
 * is summed up here.
 * @module
 */
import { hash } from 'node:crypto'

import { BEGINNING, type RowStore } from './row-store.ts'
import type { MovedTable } from './tables.ts'

/** The digest of a table. */
export interface TableDigest {
  readonly rows: number
  /** 16 hexadecimal digits. */
  readonly sum: string
}

/** Rows that a statement sums up: of a large table it ends in time. */
const PAGE = 20_000

/** Sums rows up. */
export class RowSum {
  #rows = 0
  #sum = 0n

  add(rows: readonly string[]): void {
    for (const row of rows) this.#sum += hash('sha256', row, 'buffer').readBigInt64BE(0)
    this.#rows += rows.length
  }

  /** A sum that was made elsewhere. */
  addSum(rows: number, sum: bigint): void {
    this.#sum += sum
    this.#rows += rows
  }

  get digest(): TableDigest {
    return { rows: this.#rows, sum: BigInt.asUintN(64, this.#sum).toString(16).padStart(16, '0') }
  }
}

/** The digest of a table as it stands in a database; `onRows` hears how many rows were looked at. */
export async function digestOf(
  store: Pick<RowStore, 'digests'>,
  table: MovedTable,
  onRows: (rows: number) => void = () => {},
): Promise<TableDigest> {
  const sum = new RowSum()
  for (let after = BEGINNING; ;) {
    const page = await store.digests(table, after, PAGE)
    if (page.rows === 0) return sum.digest
    sum.addSum(page.rows, BigInt(page.sum))
    after = page.after
    onRows(page.rows)
  }
}

/** Whether two tables have the same rows. */
export const isSame = (one: TableDigest, other: TableDigest): boolean =>
  one.rows === other.rows && one.sum === other.sum
