/** What the tests of limits share: flows whose runs may execute so many at once, and a count of those that do. */
import type { Database } from '../../src/db/database.ts'
import type { Code } from './engine.ts'

/** Lets so many runs of a flow, which has no published content in the database, execute at once. */
export async function limit(database: Database, name: string, concurrency: number | null): Promise<void> {
  const content = JSON.stringify({ mode: 'batch', concurrency })
  await database.sql`update flow set draft = ${content}::jsonb where name = ${name}`
}

/** Code of nodes that counts what executes at once, in all engines; each node ends when it is told to. */
export function counter() {
  const ends: (() => void)[] = []
  let now = 0
  let most = 0
  const code: Code[string] = () =>
    new Promise((resolve) => {
      most = Math.max(most, ++now)
      ends.push(() => {
        now--
        resolve({ y: 1 })
      })
    })
  return { code, ends, most: () => most }
}
