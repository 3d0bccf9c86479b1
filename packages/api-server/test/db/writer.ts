/** Child process of the crash tests: writes rows `(round, n)` and tells each number after its commit. */
import fs from 'node:fs'

import { openDatabase } from '../../src/db/database.ts'

const [dataDir = '', round = '0'] = process.argv.slice(2)
const tell = (fields: object, message: string): void => console.error(message, fields)
const database = await openDatabase({ dataDir, log: { info: () => {}, warn: tell, error: tell } })
await database.sql`create table if not exists ledger (round int, n int, filler text, primary key (round, n))`
let last = 0
const write = async (): Promise<never> => {
  for (;;) {
    const n = ++last
    const row = [Number(round), n, 'x'.repeat((n * 37) % 2_000)] as const
    const insert = (sql: typeof database.sql) => sql`insert into ledger values (${row[0]}, ${row[1]}, ${row[2]})`
    // oxlint-disable-next-line no-await-in-loop
    await (n % 3 ? insert(database.sql) : database.transaction(insert))
    fs.writeSync(1, `${n}\n`)
  }
}
await Promise.all([write(), write(), write(), write()])
